// Hostile documents, and memory over many calls. ABSOLVE_CALLS is their number.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AbsolveError, Rewriter, links, rewrite } from 'absolve';
import { documents } from './documents.mjs';

const CALLS = Number(process.env.ABSOLVE_CALLS ?? 20_000);

test('no document makes it trap', () => {
  for (const document of documents(2000)) {
    for (const as of ['html', 'css', 'xml']) {
      for (const one of [document, new TextEncoder().encode(document), new Uint8Array(Buffer.from(document, 'latin1'))]) {
        try {
          rewrite(one, 'http://h/a/', { as });
          links(one, 'http://h/a/', { as });
        } catch (error) {
          assert.ok(error instanceof AbsolveError && error.code !== 'internal', `${error}: ${JSON.stringify(document)}`);
        }
      }
    }
  }
});

test('a rewrite by the URLs of the links is the rewrite', () => {
  const rewriter = new Rewriter('http://h/a/', { baseElement: 'keep' });
  let equal = 0;
  for (const document of documents(500, 7)) {
    const listed = rewriter.links(document);
    const spans = listed.every((link) => link.enclosing || link.span[0] <= link.span[1]);
    assert.ok(spans);
    for (const { reference, span, enclosing } of listed) {
      if (!enclosing && !document.slice(...span).includes('&')) equal += document.slice(...span).trim() === reference.trim();
    }
  }
  assert.ok(equal > 200, `${equal}`);
});

test('a string becomes what its bytes become', () => {
  const replaced = (link) => `é${link.reference}`;
  for (const document of documents(1000, 5)) {
    for (const options of [{ encoding: 'utf-8' }, { encoding: 'utf-8', standard: 'whatwg', to: 'relative' }, { encoding: 'utf-8', as: 'css' }]) {
      const rewriter = new Rewriter('http://h/a/', options);
      const bytes = Buffer.from(document);
      assert.equal(rewriter.rewrite(document), rewriter.rewrite(bytes).toString());
      assert.equal(rewriter.rewriteWith(document, replaced), rewriter.rewriteWith(bytes, replaced).toString());
    }
  }
});

test('deep and long documents cost no stack and little time', () => {
  const count = 200_000;
  for (const document of ['<div>'.repeat(count), '<a href=x '.repeat(count), `<a href="${'../'.repeat(20_000)}x">`, '<!--'.repeat(count), `<a ${'x=y '.repeat(count)}>`]) {
    assert.ok(rewrite(document, 'http://h/').length >= document.length);
  }
  assert.throws(() => rewrite(`<a href="${'x'.repeat(100_000)}">`, 'http://h/'), { code: 'limit', option: 'maxReference' });
  assert.throws(() => rewrite(new Uint8Array(65 << 20), 'http://h/'), { code: 'limit', option: 'maxInput' });
});

test('the memory of a large document is returned', () => {
  const large = '<a href=x>'.repeat(900_000);
  const before = process.memoryUsage().rss;
  for (let call = 0; call < 4; call++) assert.equal(rewrite(large, 'http://h/').length, large.length + 9 * 900_000);
  globalThis.gc?.();
  rewrite('<a href=x>', 'http://h/');
  assert.ok(process.memoryUsage().rss - before < 600 << 20);
});

test(`memory is steady over ${CALLS} calls`, () => {
  const page = `<title>é</title>${'<a href=x><img srcset="a 1x, b 2x"><p style="a:url(b)">'.repeat(20)}`;
  const bytes = new TextEncoder().encode(page);
  const call = (number) => {
    const rewriter = new Rewriter(`http://h/${number % 100}/`, { maxLinks: 1000 + (number % 50) });
    rewriter.rewrite(number % 2 ? page : bytes);
    if (number % 10 === 0) rewriter.rewriteWith(page, (link) => link.url);
    if (number % 10 === 5) assert.throws(() => rewriter.rewrite('<a>', 'x:'));
  };
  for (let number = 0; number < CALLS / 4; number++) call(number);
  const used = () => { globalThis.gc?.(); return process.memoryUsage().rss; };
  const before = used();
  for (let number = 0; number < CALLS; number++) call(number);
  const grown = used() - before;
  console.log(`# ${CALLS} calls: ${(grown / 2 ** 20).toFixed(1)} MiB more`);
  assert.ok(grown < 48 << 20, `${grown}`);
});
