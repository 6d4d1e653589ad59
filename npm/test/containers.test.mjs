// Web archives, messages and books in the page.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { checkAccess, drop, found, openPage, page, result, saved, skip, written } from './browser.mjs';

const example = (path) => readFileSync(new URL(`../../${path}`, import.meta.url));
const command = ['../../target/release/absolve', '../../target/debug/absolve'].map((path) => new URL(path, import.meta.url).pathname).find(existsSync);
const error = () => page.textContent('#error');
const python = found('python3') ? false : 'python3 is missing';
const contents = (path) => execFileSync('python3', ['-c', 'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); print(z.testzip(), [(n, z.read(n).decode()) for n in z.namelist()])', path], { encoding: 'utf8' }).trim();

/** A record of a response with a page. */
function record(url, body, header = '') {
  const block = Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n${header}\r\n`), Buffer.from(body)]);
  const head = `WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:${url}>\r\nWARC-Date: 2026-11-22T00:00:00Z\r\nWARC-Target-URI: ${url}\r\nContent-Type: application/http;msgtype=response\r\nContent-Length: ${block.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), block, Buffer.from('\r\n\r\n')]);
}

openPage();

test('the pages of a web archive are rewritten, and saved in one', { skip }, async () => {
  const archive = example('docs/examples/saved/crawl.warc.gz');
  await drop([['crawl.warc.gz', archive]], /^1 document: 1 link, 1 value changed/);
  assert.match(await result(), /<a href="http:\/\/example\.org\/shop\.html">The shop/);
  assert.deepEqual(await page.locator('#document mark').allTextContents(), ['http://example.org/shop.html']);
  assert.deepEqual(await page.locator('#rows tr').first().locator('td').allTextContents(), ['3', 'a[href]', '../shop.html', 'http://example.org/shop.html', 'target-uri', 'the same']);
  assert.equal(await page.isDisabled('#url'), true);
  assert.equal((await saved('#save')).name, 'page.html');
  const whole = await saved('#save-container');
  assert.equal(whole.name, 'crawl.warc.gz');
  const text = gunzipSync(readFileSync(whole.path)).toString();
  assert.ok(text.startsWith(gunzipSync(archive).toString()));
  assert.match(text, /WARC-Type: conversion[^]*href="http:\/\/example\.org\/shop\.html"/);
});

test('two pages of an archive are told apart, and are files of a ZIP', { skip }, async () => {
  const archive = Buffer.concat([record('http://h/a/', '<a href=../x>'), record('http://h/a/b?c', '<base href=http://i/><a href=y>'), record('http://h/a/', '<a href=z>')]);
  await drop([['two.warc', archive]], /^3 documents: 4 links, 3 values changed/);
  assert.deepEqual(await page.locator('#file option').allTextContents(), ['http://h/a/ (1 link)', 'http://h/a/b?c (2 links)', 'http://h/a/ (1 link)']);
  assert.equal(await result(), '<a href=http://h/x>');
  await page.selectOption('#file', '1');
  await page.waitForFunction(() => document.getElementById('document').textContent.includes('http://i/y'));
  if (!python) {
    assert.equal(contents((await saved('#zip')).path), "None [('h/a/index.html', '<a href=http://h/x>'), ('h/a/b%3Fc.html', '<base href=http://i/><a href=http://i/y>'), ('h/a/index-2.html', '<a href=http://h/a/z>')]");
  }
  assert.match(readFileSync((await saved('#csv-all')).path, 'utf8'), /\r\ntwo\.warc!http:\/\/h\/a\/,1,a\[href\],/);
  await checkAccess('archive');
  await page.click('summary');
  await written(() => page.selectOption('#record-type', 'response'));
  const text = readFileSync((await saved('#save-container')).path, 'utf8');
  assert.ok(text.includes('<a href=http://h/x>') && !text.includes('../x') && !text.includes('conversion'));
  await written(() => page.selectOption('#record-type', 'conversion'));
  await page.click('summary');
});

test('a saved page and a book are rewritten', { skip }, async () => {
  await drop([['page.mhtml', example('docs/examples/saved/page.mhtml')]], /2 links, 2 values changed/);
  assert.match(await result(), /<a href="http:\/\/example\.org\/shop\.html">The shop<\/a> <img src="http:\/\/example\.org\/tea\/leaf\.png"/);
  assert.match(readFileSync((await saved('#save-container')).path, 'utf8'), /<a href=3D"http:\/\/example\.org\/shop\.html">/);
  await drop([['small.epub', example('fuzz/corpus/book/small.epub')]], /^3 documents: 4 links, 0 values changed/);
  await page.click('summary');
  await page.fill('#old', 'http://old.example/');
  await written(() => page.fill('#new', 'https://new.example/'), / 2 values changed/);
  const book = await saved('#save-container');
  assert.equal(book.name, 'small.epub');
  if (!python) assert.match(contents(book.path), /^None \[\('mimetype', 'application\/epub\+zip'\).*href="https:\/\/new\.example\/x".*url\(https:\/\/new\.example\/i\)/);
  for (const id of ['#old', '#new']) await page.fill(id, '');
  await written(() => page.selectOption('#to', 'relative'));
  assert.match(await error(), /not relative/);
  assert.deepEqual([await page.isDisabled('#save'), await page.isDisabled('#save-container')], [true, true]);
  assert.ok(readFileSync((await saved('#zip')).path).includes(example('fuzz/corpus/book/small.epub')));
  await page.waitForFunction(() => /^1 document is in the ZIP unchanged: small\.epub \(.*not relative\)\.$/.test(document.getElementById('status').textContent));
  await written(() => page.selectOption('#to', 'absolute'));
  await page.click('summary');
});

test('a folder may have archives among its files', { skip }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'absolve-page-'));
  writeFileSync(join(folder, 'crawl.warc.gz'), example('docs/examples/saved/crawl.warc.gz'));
  writeFileSync(join(folder, 'index.html'), '<a href=x>');
  await written(() => page.click('#clear'));
  await page.fill('#url', 'http://h/');
  await written(() => page.setInputFiles('#folder', folder), /^2 documents: 2 links/);
  const archive = readFileSync((await saved('#zip')).path, 'latin1');
  assert.ok(archive.includes('crawl.warc.gz') && archive.includes('<a href=http://h/x>'));
  const broken = 'PK\x03\x04 and nothing else';
  await drop([['broken.epub', broken], ['index.html', '<a href=x>']], /^2 documents: 1 link/);
  const both = readFileSync((await saved('#zip')).path, 'latin1');
  assert.ok(both.includes(broken) && both.includes('<a href=http://h/x>'));
  await page.waitForFunction(() => /^1 document is in the ZIP unchanged: broken\.epub \(/.test(document.getElementById('status').textContent));
  rmSync(folder, { recursive: true });
});

test('the bytes are those of the command', { skip: skip || (command ? false : 'the command is not built') }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'absolve-page-'));
  for (const [name, path, ...options] of [
    ['page.mhtml', 'docs/examples/saved/page.mhtml'],
    ['crawl.warc.gz', 'docs/examples/saved/crawl.warc.gz', '--record-type', 'conversion'],
    ['small.epub', 'fuzz/corpus/book/small.epub', '--map', 'http://old.example/=https://new.example/'],
  ]) {
    const [input, output] = [join(folder, name), join(folder, `new-${name}`)];
    writeFileSync(input, example(path));
    await drop([[name, example(path)]], /^\d/);
    await page.evaluate(([old, moved]) => { document.getElementById('old').value = old; document.getElementById('new').value = moved; }, name.endsWith('epub') ? ['http://old.example/', 'https://new.example/'] : ['', '']);
    await written(() => page.dispatchEvent('#options', 'input'));
    const own = readFileSync((await saved('#save-container')).path);
    const dated = (bytes) => (name.endsWith('gz') ? gunzipSync(bytes) : bytes).toString('latin1').replaceAll(/(WARC-Date: |urn:uuid:)[^>\r]*/g, '');
    execFileSync(command, ['rewrite', '--quiet', input, '-o', output, ...options]);
    assert.equal(dated(own), dated(readFileSync(output)), name);
  }
  await page.evaluate(() => { for (const id of ['old', 'new']) document.getElementById(id).value = ''; });
  rmSync(folder, { recursive: true });
});

test('a WACZ archive is rewritten with its index and hashes', { skip }, async () => {
  const archive = gzipSync(record('http://h/a/', '<a href=../x>'));
  const line = `h)/a 20261122000000 {"url": "http://h/a/", "filename": "data.warc.gz", "offset": "0", "length": "${archive.length}"}\n`;
  const resources = [{ path: 'archive/data.warc.gz', bytes: archive }, { path: 'indexes/index.cdxj', bytes: Buffer.from(line) }]
    .map(({ path, bytes }) => ({ name: path.split('/').pop(), path, hash: `sha256:${createHash('sha256').update(bytes).digest('hex')}`, bytes: bytes.length }));
  const zip = new Function(`${readFileSync(new URL('../try/zip.js', import.meta.url))}; return zip`)();
  const parts = zip([
    { name: 'archive/data.warc.gz', bytes: archive },
    { name: 'indexes/index.cdxj', bytes: Buffer.from(line) },
    { name: 'datapackage.json', bytes: Buffer.from(JSON.stringify({ profile: 'data-package', wacz_version: '1.1.1', resources })) },
  ]);
  const wacz = Buffer.from(await new Blob(parts).arrayBuffer());
  await drop([['crawl.wacz', wacz]], /^1 document: 1 link, 1 value changed/);
  assert.equal(await result(), '<a href=http://h/x>');
  const { path } = await saved('#save-container');
  const text = readFileSync(path);
  const at = text.indexOf('"offset"');
  assert.ok(text.length > wacz.length && at > 0);
  // The command finds the hashes and the index right, and nothing left to change.
  if (command) {
    const named = `${path}.wacz`;
    writeFileSync(named, text);
    execFileSync(command, ['rewrite', '--check', named]);
    rmSync(named);
  }
});

test('hostile archives are errors, and cost little', { skip }, async () => {
  const zeros = Buffer.alloc(300 << 20);
  const good = record('http://h/', '<script>window.ran = 1</script><img src=x onerror="window.ran = 1">');
  const archives = [
    // A member that becomes 15,000 times its size, and a body that does.
    ['bomb.warc.gz', Buffer.concat([gzipSync(good), gzipSync(record('http://h/bomb', zeros))]), /^1 document:|^2 documents:/],
    ['coded.warc', Buffer.concat([good, record('http://h/coded', gzipSync(zeros), 'Content-Encoding: gzip\r\n')]), /^2 documents: 1 link,/],
    ['cut.warc.gz', gzipSync(good).subarray(0, 200), /./],
    ['junk.warc', Buffer.from(Array.from({ length: 5000 }, (_, at) => (at * 7919) % 251)), /./],
    ['empty.warc', Buffer.alloc(0), /./],
    ['not-a-book.epub', Buffer.from('PK\x03\x04 and nothing else'), /./],
    ['not-a-crawl.wacz', Buffer.from('PK\x05\x06'), /./],
    ['no-header.mhtml', Buffer.from('<html>'), /./],
    ['<img src=x onerror=alert(1)>.eml', Buffer.from('Subject: x\r\n\r\n'), /./],
  ];
  for (const [name, bytes, pattern] of archives) {
    const start = performance.now();
    await drop([[name, bytes]], pattern);
    assert.ok(performance.now() - start < 60_000, name);
    assert.equal(await page.evaluate('window.ran'), undefined, name);
    if (/^(not|no|cut|empty|junk)/.test(name)) assert.notEqual(await error(), '', name);
  }
  await drop([['empty.warc', '']], /^1 document:/);
  assert.ok(readFileSync((await saved('#zip')).path).includes('empty.warc'));
  await page.waitForFunction(() => document.getElementById('status').textContent.startsWith('1 document is in the ZIP unchanged: empty.warc ('));
  await drop([['bomb.warc.gz', archives[0][1]]], archives[0][2]);
  assert.match(await result(), /<script>window\.ran = 1<\/script>/);
});
