// Measures CPU time in Node against other rewriters: `node npm/bench.mjs FOLDER… [--rounds 4] [--pages 200]`. It installs
// them in target/wasm/bench, lets all take turns on the same pages, and compares the URLs that they write.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Rewriter, urls } from 'absolve';

const PEERS = { 'html-rewriter-wasm': '0.4.1', 'parse5-html-rewriting-stream': '8.0.1', cheerio: '1.2.0' };
const PASSES = 10;
const BASE = 'https://example.org/a/b/';
// What the peers rewrite: elements with an href or a src.
const LINKS = [['href', 'a, area, link'], ['src', 'img, script, iframe, source, audio, video, embed, input, track']];

const { positionals, values } = parseArgs({ allowPositionals: true, options: { rounds: { type: 'string', default: '4' }, pages: { type: 'string', default: '200' } } });
const folder = fileURLToPath(new URL('../target/wasm/bench/', import.meta.url));
mkdirSync(folder, { recursive: true });
if (!existsSync(join(folder, 'node_modules/cheerio'))) {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: PEERS }));
  execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'inherit' });
}
const require = createRequire(join(folder, 'index.js'));
const { HTMLRewriter } = require('html-rewriter-wasm');
const cheerio = require('cheerio');
const { RewritingStream } = await import(join(folder, 'node_modules/parse5-html-rewriting-stream/dist/index.js'));

const absolute = (value) => { try { return new URL(value, BASE).href; } catch { return value; } };
const sets = LINKS.map(([attribute, names]) => [attribute, new Set(names.split(', '))]);

async function byHtmlRewriter(page) {
  const parts = [];
  const rewriter = new HTMLRewriter((chunk) => parts.push(Buffer.from(chunk)));
  for (const [attribute, names] of LINKS) {
    rewriter.on(names.split(', ').map((name) => `${name}[${attribute}]`).join(', '), {
      element(element) { element.setAttribute(attribute, absolute(element.getAttribute(attribute))); },
    });
  }
  await rewriter.write(page);
  await rewriter.end();
  rewriter.free();
  return Buffer.concat(parts);
}

function byParse5(text) {
  return new Promise((done) => {
    const stream = new RewritingStream();
    const parts = [];
    stream.on('startTag', (tag) => {
      for (const [attribute, names] of sets) {
        const found = names.has(tag.tagName) && tag.attrs.find(({ name }) => name === attribute);
        if (found) found.value = absolute(found.value);
      }
      stream.emitStartTag(tag);
    });
    stream.on('data', (part) => parts.push(part));
    stream.on('end', () => done(parts.join('')));
    stream.end(text);
  });
}

function byCheerio(text) {
  const $ = cheerio.load(text);
  for (const [attribute, names] of LINKS) $(names).filter(`[${attribute}]`).each((_, one) => { one.attribs[attribute] = absolute(one.attribs[attribute]); });
  return $.html();
}

const files = positionals.flatMap((root) => readdirSync(root, { recursive: true }).filter((name) => name.endsWith('.html')).map((name) => join(root, name))).sort();
const step = Math.max(1, Math.floor(files.length / values.pages));
const pages = files.filter((_, number) => number % step === 0).slice(0, values.pages).map((file) => readFileSync(file));
const texts = pages.map((page) => page.toString());
const size = pages.reduce((sum, page) => sum + page.length, 0);
console.log(`${pages.length} pages, ${(size / 1e6).toFixed(2)} MB, ${values.rounds} rounds in turn, Node ${process.version}, CPU time of the best round, and how many times that of bytes in the median round`);

const rewriter = new Rewriter(BASE, { standard: 'whatwg' });
const contenders = {
  'absolve, bytes': (number) => rewriter.rewrite(pages[number]),
  'absolve, strings': (number) => rewriter.rewrite(texts[number]),
  // A result shares memory with the document until it is read; this makes one string of it.
  'absolve, strings, read once': (number) => rewriter.rewrite(texts[number]).charCodeAt(0),
  'absolve, links as objects': (number) => rewriter.links(pages[number]),
  'html-rewriter-wasm, bytes': (number) => byHtmlRewriter(pages[number]),
  'parse5-html-rewriting-stream, strings': (number) => byParse5(texts[number]),
  'cheerio, strings': (number) => byCheerio(texts[number]),
};
// The garbage of the one before is not measured.
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const times = {};
for (let round = 0; round < Number(values.rounds); round++) {
  for (const [name, work] of Object.entries(contenders)) {
    // One pass of a fast one would measure little but cold memory.
    const passes = name.startsWith('absolve') ? PASSES : 1;
    collect();
    const start = process.cpuUsage();
    for (let pass = 0; pass < passes; pass++) for (let number = 0; number < pages.length; number++) await work(number);
    const { user, system } = process.cpuUsage(start);
    (times[name] ??= []).push((user + system) / passes);
  }
}
const first = times['absolve, bytes'];
const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
for (const [name, all] of Object.entries(times)) {
  const ratio = median(all.map((time, round) => time / first[round]));
  console.log(`${name}: ${(size / Math.min(...all)).toFixed(1)} MB/s, ${ratio.toFixed(2)} times`);
}

// The URLs of href and src after each.
const written = (page) => urls(page, null, { only: ['href', 'src'], encoding: 'utf-8', standard: 'whatwg' }).join('\n');
for (const name of ['html-rewriter-wasm, bytes', 'parse5-html-rewriting-stream, strings', 'cheerio, strings']) {
  let same = 0;
  for (let number = 0; number < pages.length; number++) same += written(await contenders[name](number)) === written(rewriter.rewrite(pages[number]));
  console.log(`${name}: ${same} pages of ${pages.length} have the same URLs of href and src`);
}
