// Writes npm/dist: the modules of npm/lib, the same as CommonJS, and their types.

import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';

const [from, to] = ['lib', 'dist'].map((folder) => new URL(`./${folder}/`, import.meta.url));
mkdirSync(to, { recursive: true });
const write = (name, text) => writeFileSync(new URL(name, to), text);

/** A module of this package as CommonJS: its imports and exports are each on a line of their own. */
function asCommonJs(source) {
  const address = "require('node:url').pathToFileURL(__filename).href";
  return `'use strict';\n${source}`
    .replace(/^import (.+) from '(.+)';$/gm, (_, names, module) => `const ${names} = require('${module.replace(/^(\..*)\.js$/, '$1.cjs')}');`)
    .replace(/^export (\{.+\});$/gm, 'module.exports = $1;')
    .replace(/^export default (\w+);$/gm, 'module.exports = $1;')
    .replaceAll('import.meta.url', address);
}

/** A module in both forms; in browsers there is no CommonJS. */
function writeModule(name, source) {
  write(name, source);
  if (!name.endsWith('web.js')) write(name.replace(/js$/, 'cjs'), asCommonJs(source));
}

for (const name of readdirSync(from)) {
  const source = readFileSync(new URL(name, from), 'utf8');
  if (name.endsWith('.d.ts')) {
    write(name, source);
    write(name.replace(/ts$/, 'cts'), source.replaceAll(".js'", ".cjs'").replace(/^export default (\w+);$/gm, 'export = $1;'));
    continue;
  }
  writeModule(name, source);
  // The entries of `absolve/lite` are the same with another module of WebAssembly, and state of their own.
  if (['core.js', 'node.js', 'web.js'].includes(name)) {
    writeModule(`lite.${name}`, source.replaceAll("'./core.js'", "'./lite.core.js'").replaceAll('./absolve.wasm', './lite.wasm'));
  }
}
