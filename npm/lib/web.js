// The entry for browsers and edge workers, which load the module when `init` is called.

import { AbsolveError, BufferedRewriteStream, Rewriter, instantiate, isReady, links, resolve, rewrite, urls } from './core.js';

/**
 * Loads the module: from beside this file, from a URL or a response, or the one that is passed in. With a
 * `WebAssembly.Module` or bytes, everything can be used at once.
 */
function init(source) {
  if (source === undefined && isReady()) return Promise.resolve();
  if (source instanceof WebAssembly.Module || ArrayBuffer.isView(source) || source instanceof ArrayBuffer) {
    instantiate(source);
    return Promise.resolve();
  }
  return load(source ?? new URL('./absolve.wasm', import.meta.url));
}

async function load(source) {
  const response = source instanceof Response ? source : await fetch(source);
  if (!response.ok) throw new AbsolveError('not-initialized', `${response.url}: status ${response.status}`);
  // A server may send another type than application/wasm, which streaming would refuse.
  instantiate(await WebAssembly.compile(await response.arrayBuffer()));
}

export { AbsolveError, BufferedRewriteStream, Rewriter, init, links, resolve, rewrite, urls };
