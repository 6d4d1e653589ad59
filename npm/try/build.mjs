// Writes npm/dist-try/index.html: the page with its style, its script and the module in it.

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const read = (name) => readFileSync(new URL(name, import.meta.url), 'utf8');
const hash = (text) => `sha256-${createHash('sha256').update(text).digest('base64')}`;

// The colors, the type and the forms are those of the report page.
const shared = read('../../crates/site/src/report/format/html/page.css').split('\n\n');
const style = [shared[0], shared.find((block) => block.startsWith('form {')), read('page.css')].join('\n');

const core = ['link', 'core'].map((name) => read(`../lib/${name}.js`)).join('\n').replace(/^(im|ex)port .*$/gm, '');
const worker = [core, read('zip.js'), read('links.js'), read('parts.js'), read('worker.js')].join('\n');
const wasm = gzipSync(readFileSync(new URL('../dist/absolve.wasm', import.meta.url)), { level: 9 }).toString('base64');
const constant = (name, text) => `const ${name} = ${JSON.stringify(text).replaceAll('<', '\\u003c')};\n`;
const script = `'use strict';\n${constant('WASM', wasm)}${constant('WORKER', worker)}${read('examples.js').replaceAll('</', '\\u003c/').replaceAll('<!', '\\u003c!').replaceAll('<script', '\\u003cscript')}${read('input.js')}${read('page.js')}`;

/** What the page shows of the first example when it opens: the worker's answers, as the page writes them. */
async function opened() {
  const run = new Function('postMessage', `let onmessage; ${worker}; return answers;`)(() => {});
  const [[, base, as, text]] = new Function(`${read('examples.js')}; return EXAMPLES;`)();
  await run.start({ wasm });
  await run.load({ given: [{ name: 'document.html', text, isPasted: true }] });
  const { files: [{ links, changed }] } = await run.run({ options: { base, as, standard: 'rfc1808', to: 'absolute' } });
  const count = run.compare({ file: 0 });
  const { texts, differing } = run.part({ file: 0, number: 0 });
  const { rows } = run.links({ file: 0, query: { words: '', column: 0 }, from: 0, count: links });
  const escape = (value) => String(value).replace(/[&<>]/g, (one) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[one]);
  const mark = (value, number) => (number % 2 ? `<mark${differing[number >> 1] ? ' class="differs"' : ''}>${escape(value)}</mark>` : escape(value));
  const row = ([line, name, reference, url, source, other]) => {
    const cells = [name, reference, url, source].map((cell) => `<td>${escape(cell)}</td>`).join('');
    return `<tr class="${other ? 'differs' : ''}"><td class="number">${line}</td>${cells}<td class="${other ? 'differs' : 'muted'}">${escape(other || 'the same')}</td></tr>`;
  };
  return {
    'EXAMPLE-STATUS': `${links} links, ${changed} values changed.`,
    'EXAMPLE-DIFFER': `${count} links have another URL by the URL Standard`,
    'EXAMPLE-SOURCE': escape(text),
    'EXAMPLE-RESULT': texts.map(mark).join(''),
    'EXAMPLE-ROWS': rows.map(row).join(''),
    'EXAMPLE-COUNT': links,
  };
}

const { version } = JSON.parse(read('../package.json'));
const parts = { 'STYLE-HASH': hash(style), 'SCRIPT-HASH': hash(script), STYLE: style, SCRIPT: script, VERSION: version, ...await opened() };
const page = read('page.html').replace(/\b(EXAMPLE-[A-Z]+|STYLE-HASH|SCRIPT-HASH|STYLE|SCRIPT|VERSION)\b/g, (name) => parts[name]);
mkdirSync(new URL('../dist-try/', import.meta.url), { recursive: true });
writeFileSync(new URL('../dist-try/index.html', import.meta.url), page);
