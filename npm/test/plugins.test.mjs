// The plugins, in the programs that they are for.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import Eleventy from '@11ty/eleventy';
import posthtml from 'posthtml';
import { rehype } from 'rehype';
import eleventyAbsolve from 'absolve/eleventy';
import posthtmlAbsolve from 'absolve/posthtml';
import rehypeAbsolve from 'absolve/rehype';

const page = `<!doctype html><html><head><title>x</title><style>a { b: url(s.png) }</style></head><body>
<a href="../x?a=1&amp;b=2" class="c d" download="">x</a><img srcset="a.png 1x, b.png 2x" alt="">
<p style="background: url('q.png')">é "quoted"</p><a href="mailto:x@y">m</a><a ping="p q">p</a>
<svg><image xlink:href="i.png"></image></svg><img data-src="lazy.png" alt=""><template><a href="t">t</a></template></body></html>`;
const expected = ['"http://h/x?a=1&#x26;b=2"', 'http://h/a/a.png 1x, http://h/a/b.png 2x', 'url(http://h/a/s.png)', 'http://h/a/q.png', 'mailto:x@y',
  'http://h/a/p http://h/a/q', 'http://h/a/i.png', 'http://h/a/lazy.png', 'http://h/a/t', 'class="c d"', 'é "quoted"'];
const options = { baseUrl: 'http://h/a/b', lazy: true };

test('rehype', async () => {
  const result = String(await rehype().use(rehypeAbsolve, options).process(page));
  for (const part of expected) assert.ok(result.includes(part), `${part} in ${result}`);
  const based = '<!doctype html><html><head><base href="/z/"></head><body><a href="y">y</a></body></html>';
  const absolute = String(await rehype().use(rehypeAbsolve, options).process(based));
  assert.ok(absolute.includes('<base href="http://h/z/">') && absolute.includes('<a href="http://h/z/y">'), absolute);
  const below = String(await rehype().use(rehypeAbsolve, options).process(based.replace('/z/', 'z/')));
  assert.ok(below.includes('<base href="http://h/a/z/">') && below.includes('<a href="http://h/a/z/y">'), below);
  const unusable = String(await rehype().use(rehypeAbsolve, options).process(based.replace('/z/', 'data:x')));
  assert.ok(unusable.includes('<base href="data:x">') && unusable.includes('<a href="http://h/a/y">'), unusable);
  const relative = String(await rehype().use(rehypeAbsolve, { ...options, to: 'relative' }).process('<a href="http://h/a/y">y</a>'));
  assert.ok(relative.includes('<a href="y">'), relative);
  const odd = { type: 'root', children: [{ type: 'element', tagName: 'a', properties: { href: 'x\n y', 'on<': 'x', 'data\0': '\0', hidden: true, tabIndex: 1 }, children: [] }] };
  rehypeAbsolve(options)(odd);
  // A line feed in a URL counts for nothing.
  assert.equal(odd.children[0].properties.href, 'http://h/a/x y');
});

test('posthtml', async () => {
  const { html } = await posthtml([posthtmlAbsolve(options)]).process(page);
  for (const part of expected) assert.ok(html.includes(part.replaceAll('&#x26;', '&')) || html.includes(part.replaceAll('&#x26;', '&amp;')), `${part} in ${html}`);
});

test('eleventy', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'absolve-'));
  writeFileSync(join(folder, 'index.njk'), `---\npermalink: /sub/index.html\n---\n<a href="x">x</a>`);
  writeFileSync(join(folder, 'feed.njk'), `---\npermalink: feed.xml\n---\n{{ '<a href="y">y</a>' | absolve('/feed/') | safe }}`);
  const eleventy = new Eleventy(folder, join(folder, 'out'), {
    quietMode: true, config: (configuration) => { configuration.addPlugin(eleventyAbsolve, { baseUrl: 'https://example.org/' }); },
  });
  await eleventy.write();
  assert.equal(readFileSync(join(folder, 'out/sub/index.html'), 'utf8').trim(), '<a href="https://example.org/sub/x">x</a>');
  assert.equal(readFileSync(join(folder, 'out/feed.xml'), 'utf8').trim(), '<a href="https://example.org/feed/y">y</a>');
});
