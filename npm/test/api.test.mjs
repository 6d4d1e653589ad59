// What the functions return, and their errors.

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { AbsolveError, BufferedRewriteStream, Rewriter, links, resolve, rewrite, urls } from 'absolve';
import { HOSTS } from './hosts.mjs';

const require = createRequire(import.meta.url);
const bytes = (text) => new TextEncoder().encode(text);
const text = (document) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(document);

test('a document has the type that it had, and is the same object if nothing changes', () => {
  assert.equal(rewrite('<A HREF=../x>é</A>', 'http://h/a/b/c'), '<A HREF=http://h/a/x>é</A>');
  const result = rewrite(bytes('<A HREF=../x>é</A>'), 'http://h/a/b/c');
  assert.ok(result instanceof Uint8Array && result.buffer.byteLength === result.length);
  assert.equal(text(result), '<A HREF=http://h/a/x>é</A>');
  const same = bytes('<p>');
  assert.equal(rewrite(same, 'http://h/'), same);
  assert.ok(Buffer.isBuffer(rewrite(Buffer.from('<p>'), 'http://h/')));
  assert.equal(rewrite(Buffer.from('<a href=x>'), 'http://h/').toString(), '<a href=http://h/x>');
  assert.equal(rewrite('', 'http://h/'), '');
  assert.equal(rewrite('<a href=x>', new URL('http://h/')), '<a href=http://h/x>');
  assert.equal(rewrite('<a href=x>'), '<a href=x>');
  assert.equal(rewrite('<base href=http://h/a/><a href=x>', null), '<base href=http://h/a/><a href=http://h/a/x>');
});

test('text keeps every character, and bytes every byte', () => {
  for (const document of ['\ufeff<a href=x>', '\ufffd<a href=x>', '\0<a href=x>\u{1f600}\u00e9\u20ac', '<meta charset=shift_jis><a href=x>é']) {
    assert.equal(rewrite(document, 'http://h/'), document.replace('href=x', 'href=http://h/x'));
    assert.equal(text(rewrite(bytes(document), 'http://h/')), document.replace('href=x', 'href=http://h/x'));
  }
  const latin = Buffer.from('<a href=x>\xe9', 'latin1');
  assert.equal(Buffer.from(rewrite(latin, 'http://h/')).toString('latin1'), '<a href=http://h/x>\xe9');
  const long = `<a href=x>${'\u20ac'.repeat(100_000)}`;
  assert.equal(rewrite(long, 'http://h/'), long.replace('=x', '=http://h/x'));
  // Pairs and their halves at the end of what the module takes at once.
  for (const before of [16382, 16383, 16384]) {
    const pieces = `${'x'.repeat(before)}\u{1f600}${'\u00e9\u20ac'.repeat(20_000)}<a href=x>`;
    assert.equal(rewrite(pieces, 'http://h/'), pieces.replace('=x', '=http://h/x'));
    assert.throws(() => rewrite(`${'x'.repeat(before)}\ud83d`, 'http://h/'), { code: 'encoding', offset: before });
  }
  const japanese = Buffer.from('3c6120687265663d83653e', 'hex');
  assert.deepEqual(links(japanese, 'http://h/', { encoding: 'shift_jis' })[0].reference, 'テ');
});

test('links have everything that is known of them', () => {
  const [a, img, inner, none] = links('\u{1f600}\n<a href="x&amp;y"><img srcset="b 2x"><iframe srcdoc="<a href=z>"></iframe><a href=mailto:x>', 'http://h/');
  assert.deepEqual({
    ...a,
    element: 'a', attribute: 'href', grammar: 'url', reference: 'x&y', url: 'http://h/x&y', base: 'http://h/',
    baseSource: 'retrieval-url', span: [12, 19], line: 2, column: 10, enclosing: null,
  }, a);
  assert.deepEqual([img.grammar, img.reference, img.url], ['srcset', 'b', 'http://h/b']);
  assert.equal(inner.enclosing.length, 2);
  assert.equal(none.url, 'mailto:x');
  assert.equal(links('<a href=x>')[0].url, null);
  assert.deepEqual(links(bytes('é<a href=x>'))[0].span, [10, 11]);
  assert.deepEqual(links('é<a href=x>')[0].span, [9, 10]);
  assert.deepEqual(urls('<a href=x><img src=y><a href=x>', 'http://h/'), ['http://h/x', 'http://h/y', 'http://h/x']);
});

test('a link of a style sheet that is a document is in its text', () => {
  const [{ element, attribute }] = links('a{b:url(c)}', 'http://h/', { as: 'css' });
  assert.deepEqual([element, attribute], ['', '(text)']);
});

test('every option does what it says', () => {
  const results = [
    [{ as: 'css' }, 'a{b:url(c)}', 'a{b:url(http://h/d/c)}'],
    [{ as: 'xml' }, '<rss><channel><link>c</link></channel></rss>', '<rss><channel><link>http://h/d/c</link></channel></rss>'],
    [{ as: 'markdown' }, '[é](x "t") `[y](z)`', '[é](http://h/d/x "t") `[y](z)`'],
    [{ as: 'markdown', rawBase: 'http://raw/' }, '[a](x) ![b](y)', '[a](http://h/d/x) ![b](http://raw/y)'],
    [{ as: 'json-feed' }, '{"version":"https://jsonfeed.org/version/1.1","items":[{"url":"x"}]}', '{"version":"https://jsonfeed.org/version/1.1","items":[{"url":"http://h/d/x"}]}'],
    [{ as: 'feed', feedBase: 'item' }, '<rss><channel><item><link>/i/</link><description>&lt;a href=x&gt;</description></item></channel></rss>', '<rss><channel><item><link>http://h/i/</link><description>&lt;a href=http://h/i/x&gt;</description></item></channel></rss>'],
    [{ as: 'svg' }, '<svg xmlns="http://www.w3.org/2000/svg"><a href="c"/></svg>', '<svg xmlns="http://www.w3.org/2000/svg"><a href="http://h/d/c"/></svg>'],
    [{ to: 'relative' }, '<a href=http://h/x>', '<a href=../x>'],
    [{ to: 'root-relative' }, '<a href=x>', '<a href=/d/x>'],
    [{ map: { 'http://h/': 'https://new/' } }, '<a href=http://h/x>', '<a href=https://new/x>'],
    [{ map: new Map([['http://h/', 'https://new/']]) }, '<a href=http://h/x>', '<a href=https://new/x>'],
    [{ map: 'http://h/=https://new/' }, '<a href=http://h/x>', '<a href=https://new/x>'],
    [{ map: ['http://h/=https://new/', 'http://i/=https://j/'] }, '<a href=http://i/x>', '<a href=https://j/x>'],
    [{ standard: 'whatwg' }, '<a href="x y">', '<a href="http://h/d/x%20y">'],
    [{ standard: 'rfc3986' }, '<a href=../../x>', '<a href=http://h/x>'],
    [{ only: 'src' }, '<a href=x><img src=y>', '<a href=x><img src=http://h/d/y>'],
    [{ only: ['src', 'href'] }, '<a href=x><img src=y>', '<a href=http://h/d/x><img src=http://h/d/y>'],
    [{ attr: 'img:data-zoom=url' }, '<img data-zoom=y>', '<img data-zoom=http://h/d/y>'],
    [{ meta: true }, '<meta property=og:image content=y>', '<meta property=og:image content=http://h/d/y>'],
    [{ lazy: true }, '<img data-src=y>', '<img data-src=http://h/d/y>'],
    [{ lazy: false, meta: undefined, only: null }, '<img data-src=y>', '<img data-src=y>'],
    [{ ignoreLink: '{{*}}' }, "<a href='{{ u }}'><a href=x>", "<a href='{{ u }}'><a href=http://h/d/x>"],
    [{ ignoreLink: ['x', 'http://h/d/y'] }, '<a href=x><a href=y><a href=z>', '<a href=x><a href=y><a href=http://h/d/z>'],
    [{ sameDocument: 'keep' }, '<a href=#y>', '<a href=#y>'],
    [{ baseScope: 'document' }, '<p><base href=/e/><a href=x>', '<p><base href=http://h/e/><a href=http://h/e/x>'],
    [{ baseElement: 'remove' }, '<base href=/e/><a href=x>', '<a href=http://h/e/x>'],
    [{ baseElement: 'keep' }, '<base href=/e/><a href=x>', '<base href=/e/><a href=http://h/e/x>'],
    [{ maxLinks: 0 }, '<a href=x>', '<a href=http://h/d/x>'],
  ];
  for (const [options, document, expected] of results) {
    assert.equal(rewrite(document, 'http://h/d/e', options), expected, JSON.stringify(options));
    assert.equal(text(rewrite(bytes(document), 'http://h/d/e', options)), expected, JSON.stringify(options));
  }
  assert.equal(rewrite('<a href=x>', 'http://u:p@h/', { keepCredentials: true }), '<a href=http://u:p@h/x>');
  const saved = '<!-- saved from url=(0014)http://h/a/b/c -->\n<a href=x>';
  assert.notEqual(rewrite(saved), saved);
  assert.equal(rewrite(saved, undefined, { learn: 'none' }), saved);
});

test('a rewriter reads its options once', () => {
  const rewriter = new Rewriter('http://h/', { only: ['href'] });
  assert.equal(rewriter.rewrite('<a href=x><img src=y>'), '<a href=http://h/x><img src=y>');
  assert.equal(rewriter.rewrite('<a href=x>', 'http://i/'), '<a href=http://i/x>');
  assert.deepEqual(rewriter.urls('<a href=x>'), ['http://h/x']);
  // More of them than the module keeps.
  const many = Array.from({ length: 20 }, (_, number) => new Rewriter('http://h/', { maxLinks: number + 1 }));
  many.forEach((one, number) => {
    const document = '<a href=x>'.repeat(number + 1);
    assert.equal(one.links(document).length, number + 1);
    assert.throws(() => one.rewrite(`${document}<a href=x>`), { code: 'limit', option: 'maxLinks' });
  });
});

test('a function decides', () => {
  const rewriter = new Rewriter('http://h/');
  const page = '<img src=a.png><a href=b>é</a><a href=c>';
  const seen = [];
  const result = rewriter.rewriteWith(page, (link) => {
    seen.push(link.url);
    assert.equal(rewrite('<a href=x>', 'http://i/'), '<a href=http://i/x>');
    return link.element === 'img' ? `/cache/é?${link.reference}` : undefined;
  });
  assert.equal(result, '<img src=/cache/é?a.png><a href=b>é</a><a href=c>');
  assert.deepEqual(seen, ['http://h/a.png', 'http://h/b', 'http://h/c']);
  assert.equal(rewriter.rewriteWith(page, () => null), page);
  assert.equal(rewriter.rewriteWith(page, () => 'y').split('=y').length, 4);
  assert.throws(() => rewriter.rewriteWith(page, () => { throw new RangeError('mine'); }), RangeError);
  assert.throws(() => rewriter.rewriteWith(page, () => 1), { code: 'type' });
  assert.throws(() => rewriter.rewriteWith(page), { code: 'type' });
  assert.equal(rewriter.rewrite('<a href=x>'), '<a href=http://h/x>');
});

test('references are resolved', () => {
  assert.equal(resolve('../g', 'http://a/b/c/d;p?q'), 'http://a/b/g');
  assert.equal(resolve('../../../g', 'http://a/b/c/d'), 'http://a/../g');
  assert.equal(resolve('../../../g', 'http://a/b/c/d', { standard: 'whatwg' }), 'http://a/g');
  assert.throws(() => resolve('http://a b/', 'http://h/', { standard: 'whatwg' }), { code: 'reference' });
  assert.throws(() => resolve('x', 'relative'), { code: 'base-url' });
  assert.equal(resolve('x', 'http://h/', null), 'http://h/x');
  for (const options of [{ standard: 'rfc' }, { standart: 'whatwg' }, 'whatwg', 5]) {
    assert.throws(() => resolve('x', 'http://h/', options), { code: 'option' });
  }
});

test('hosts are those of the URL Standard', () => {
  for (const [host, expected] of HOSTS) {
    const work = () => resolve('/x', `http://${host}/`, { standard: 'whatwg' });
    if (expected === null) assert.throws(work, AbsolveError, host);
    else assert.equal(work(), `http://${expected}/x`);
  }
});

test('errors have a code', () => {
  const errors = [
    [() => rewrite('<a href=x>', 'mailto:x'), { code: 'base-url', message: /^the base URL 'mailto:x' is not usable/ }],
    [() => rewrite('<a href=x><a href=y>', 'http://h/', { maxLinks: 1 }), { code: 'limit', option: 'maxLinks', message: /raise maxLinks \(0 = no limit\)/ }],
    [() => rewrite('xx', 'http://h/', { maxInput: 1 }), { code: 'limit', option: 'maxInput' }],
    [() => rewrite('<a href=é><a href=xxx>', 'http://h/', { maxReference: 2 }), { code: 'limit', option: 'maxReference' }],
    [() => rewrite('<a>', 'http://h/', { as: 'xml' }), { code: 'not-well-formed' }],
    [() => rewrite('\ud800', 'http://h/'), { code: 'encoding', offset: 0 }],
    [() => rewrite('\ufffd\udc00', 'http://h/'), { code: 'encoding', offset: 1 }],
    [() => rewrite('', 'http://h/\ud800'), { code: 'encoding' }],
    [() => rewrite('', 'http://h/', { encoding: 'klingon' }), { code: 'encoding' }],
    [() => rewrite('', 'http://h/', { engine: 'dom' }), { code: 'option', message: /^unknown option 'engine', expected standard, / }],
    [() => rewrite('', 'http://h/', { to: 'elsewhere' }), { code: 'option', option: 'to', message: "invalid value 'elsewhere' for 'to', expected absolute, relative, root-relative" }],
    [() => rewrite('', 'http://h/', { meta: 'yes' }), { code: 'option', message: "'meta' must be a boolean, not a string" }],
    [() => rewrite('', 'http://h/', { maxLinks: -1 }), { code: 'option' }],
    [() => rewrite('', 'http://h/', { maxLinks: NaN }), { code: 'option' }],
    [() => rewrite('', 'http://h/', { maxLinks: '1' }), { code: 'option' }],
    [() => rewrite('', 'http://h/', { only: 'title' }), { code: 'option', option: 'only' }],
    [() => rewrite('', 'http://h/', { only: 'data-src' }), { code: 'option', message: /lazy: true/ }],
    [() => rewrite('', 'http://h/', { attr: '=' }), { code: 'option' }],
    [() => rewrite('', 'http://h/', { ignoreLink: '[a' }), { code: 'option' }],
    [() => rewrite('', 'http://h/', { map: { x: 'y' } }), { code: 'option', option: 'map' }],
    [() => rewrite('', 'http://h/', { map: 'x' }), { code: 'option' }],
    [() => rewrite('', 'http://h/', { learn: ['none', 'original'] }), { code: 'option' }],
    [() => rewrite('', 'http://h/', { standard: ['rfc1808', 'whatwg'] }), { code: 'option', message: /several values/ }],
    [() => rewrite('', 'http://h/', 1), { code: 'type' }],
    [() => rewrite('', 1), { code: 'type' }],
    [() => rewrite(1, 'http://h/'), { code: 'type', message: 'the document must be a string or a Uint8Array, not number' }],
    [() => rewrite(null), { code: 'type' }],
    [() => rewrite(new Uint16Array(1)), { code: 'type' }],
    [() => new Rewriter('x'), { code: 'base-url' }],
    [() => new Rewriter('http://h/', { x: 1 }), { code: 'option', option: 'x' }],
  ];
  for (const [work, expected] of errors) {
    assert.throws(work, expected, work.toString());
    assert.throws(work, AbsolveError, work.toString());
  }
  // Offsets count what the document is made of.
  const document = 'é\u{1f600}<a href=xx>';
  assert.throws(() => rewrite(document, 'http://h/', { maxReference: 1 }), { offset: document.indexOf('xx') });
  assert.throws(() => rewrite(bytes(document), 'http://h/', { maxReference: 1 }), { offset: bytes(document).length - 3 });
});

test('a stream gathers the document', async () => {
  const through = async (chunks) => {
    const stream = new ReadableStream({ start(to) { chunks.forEach((chunk) => to.enqueue(chunk)); to.close(); } });
    return Array.fromAsync ? Array.fromAsync(stream.pipeThrough(new BufferedRewriteStream('http://h/'))) : collect(stream.pipeThrough(new BufferedRewriteStream('http://h/')));
  };
  const collect = async (stream) => { const all = []; for await (const one of stream) all.push(one); return all; };
  assert.deepEqual(await through(['<a hr', 'ef=x', '>']), ['<a href=http://h/x>']);
  assert.deepEqual((await through([bytes('<a hr'), bytes('ef=x>')])).map(text), ['<a href=http://h/x>']);
  assert.deepEqual(await through([]), []);
  await assert.rejects(through(['x', bytes('y')]), { code: 'type' });
});

test('CommonJS has the same functions', () => {
  const common = require('absolve');
  assert.deepEqual(Object.keys(common).sort(), Object.keys({ AbsolveError, BufferedRewriteStream, Rewriter, init: 0, links, resolve, rewrite, urls }).sort());
  assert.equal(common.rewrite('<a href=x>', 'http://h/'), '<a href=http://h/x>');
  for (const plugin of ['rehype', 'posthtml', 'eleventy']) assert.equal(typeof require(`absolve/${plugin}`), 'function');
});

test('the entry for browsers takes a module', async () => {
  const web = await import('../dist/web.js');
  const file = readFileSync(require.resolve('absolve/absolve.wasm'));
  // The core is shared here with the entry for Node, which has loaded it.
  web.init(new WebAssembly.Module(file));
  assert.equal(web.rewrite('<a href=x>', 'http://h/'), '<a href=http://h/x>');
  await web.init(file);
  await web.init(new Response(file));
  await assert.rejects(web.init(new Response('', { status: 404 })), { code: 'not-initialized' });
  assert.equal(web.rewrite('<a href=x>', 'http://h/'), '<a href=http://h/x>');
});

test('the module imports domain names, and exports numbers alone', () => {
  const module = new WebAssembly.Module(readFileSync(require.resolve('absolve/absolve.wasm')));
  assert.deepEqual(WebAssembly.Module.imports(module), [{ module: 'host', name: 'domain_to_ascii', kind: 'function' }]);
  // Any arguments: a trap at most.
  const { input, piece, output, output_length, records, records_length, memory, ...functions } = new WebAssembly.Instance(module, { host: { domain_to_ascii: () => -1 } }).exports;
  for (const call of Object.values(functions).filter((one) => typeof one === 'function' && one.length > 1)) {
    for (const number of [0, 1, 255, -1, -2, 2 ** 31]) {
      for (const text of [0, 1, number]) assert.ok([0, 1, 2, 3].includes(call(number, number, number, text, number)), `${number} ${text}`);
    }
  }
});
