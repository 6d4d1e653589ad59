// Writes npm/dist-try/index.html: the page with its style, its script and the module in it.

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const read = (name) => readFileSync(new URL(name, import.meta.url), 'utf8');
const hash = (text) => `sha256-${createHash('sha256').update(text).digest('base64')}`;

// The colors, the type and the forms are those of the report page.
const shared = read('../../src/report/writers/html/page.css').split('\n\n');
const style = [shared[0], shared.find((block) => block.startsWith('form {')), read('page.css')].join('\n');

const core = read('../lib/core.js').replace(/^export .*$/m, '');
const worker = [core, read('zip.js'), read('links.js'), read('container.js'), read('parts.js'), read('worker.js')].join('\n');
const wasm = gzipSync(readFileSync(new URL('../../target/wasm/page.wasm', import.meta.url)), { level: 9 }).toString('base64');
const constant = (name, text) => `const ${name} = ${JSON.stringify(text).replaceAll('<', '\\u003c')};\n`;
const script = `'use strict';\n${constant('WASM', wasm)}${constant('WORKER', worker)}${read('examples.js').replaceAll('</', '\\u003c/').replaceAll('<!', '\\u003c!').replaceAll('<script', '\\u003cscript')}${read('input.js')}${read('page.js')}`;

const { version } = JSON.parse(read('../package.json'));
const parts = { 'STYLE-HASH': hash(style), 'SCRIPT-HASH': hash(script), STYLE: style, SCRIPT: script, VERSION: version };
const page = read('page.html').replace(/\b(STYLE-HASH|SCRIPT-HASH|STYLE|SCRIPT|VERSION)\b/g, (name) => parts[name]);
mkdirSync(new URL('../dist-try/', import.meta.url), { recursive: true });
writeFileSync(new URL('../dist-try/index.html', import.meta.url), page);
