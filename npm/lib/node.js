// The entry for Node, Deno and Bun, which read the module from beside this file.

import { readFileSync } from 'node:fs';
import { AbsolveError, BufferedRewriteStream, Rewriter, instantiate, links, resolve, rewrite, urls } from './core.js';

instantiate(readFileSync(new URL('./absolve.wasm', import.meta.url)));

/** Nothing is left to do here. */
async function init() {}

export { AbsolveError, BufferedRewriteStream, Rewriter, init, links, resolve, rewrite, urls };
