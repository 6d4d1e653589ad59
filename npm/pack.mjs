// Writes npm/dist: the modules of npm/lib, the same as CommonJS, and their types.

import { copyFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';

const [from, to] = ['lib', 'dist'].map((folder) => new URL(`./${folder}/`, import.meta.url));
mkdirSync(to, { recursive: true });

/** A module of this package as CommonJS: its imports and exports are each on a line of their own. */
function asCommonJs(source) {
  const address = "require('node:url').pathToFileURL(__filename).href";
  return `'use strict';\n${source}`
    .replace(/^import (.+) from '(.+)';$/gm, (_, names, module) => `const ${names} = require('${module.replace(/^(\..*)\.js$/, '$1.cjs')}');`)
    .replace(/^export (\{.+\});$/gm, 'module.exports = $1;')
    .replace(/^export default (\w+);$/gm, 'module.exports = $1;')
    .replaceAll('import.meta.url', address);
}

for (const name of readdirSync(from)) {
  copyFileSync(new URL(name, from), new URL(name, to));
  if (name.endsWith('.d.ts')) {
    const types = readFileSync(new URL(name, from), 'utf8');
    const common = types.replaceAll(".js'", ".cjs'").replace(/^export default (\w+);$/gm, 'export = $1;');
    writeFileSync(new URL(name.replace(/ts$/, 'cts'), to), common);
  } else if (name !== 'web.js') {
    writeFileSync(new URL(name.replace(/js$/, 'cjs'), to), asCommonJs(readFileSync(new URL(name, from), 'utf8')));
  }
}
