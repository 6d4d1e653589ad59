// The page to try it.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { address, checkAccess, drop, found, openPage, page, paste, result, saved, skip, status, written } from './browser.mjs';

const folder = mkdtempSync(join(tmpdir(), 'absolve-page-'));

openPage();
after(() => rmSync(folder, { recursive: true }));

test('it opens with an example, whose links that differ by standard are marked', { skip }, async () => {
  const shown = async (other) => Promise.all(['#status', '#differ', '#source', '#document', '#rows', '#count'].map((id) => other.innerHTML(id)));
  // Without scripts, it is what the file has.
  const still = await page.context().browser().newContext({ javaScriptEnabled: false });
  const first = await still.newPage();
  await first.goto(address);
  const other = await page.context().newPage();
  await other.goto(address);
  await other.waitForFunction(() => pending.size === 0 && element('time').textContent !== '' && element('differ').textContent !== '');
  assert.deepEqual(await shown(first), await shown(other));
  assert.equal(await first.textContent('#status'), '12 links, 11 values changed.');
  assert.equal(await first.textContent('#differ'), '2 links have another URL by the URL Standard');
  assert.deepEqual(await first.locator('#document mark.differs').allTextContents(), ['https://example.org/shop?q=green tea', 'https://example.org/../../up']);
  assert.deepEqual(await first.locator('#rows tr.differs td:last-child').allTextContents(), ['https://example.org/shop?q=green%20tea', 'https://example.org/up']);
  assert.equal(await other.inputValue('#url'), 'https://example.org/docs/guide/page.html');
  await still.close();
  await other.selectOption('#standard', 'whatwg');
  await other.waitForFunction(() => element('differ').textContent === '2 links have another URL by RFC 1808');
  await other.close();
});

test('a pasted page is rewritten, and changed values are marked', { skip }, async () => {
  await paste('<a HREF=../x>é</a><img src=http://i/>', 'http://h/a/b');
  assert.equal(await result(), '<a HREF=http://h/x>é</a><img src=http://i/>');
  assert.deepEqual(await page.locator('#document mark').allTextContents(), ['http://h/x']);
  assert.deepEqual(await page.locator('#rows tr').first().locator('td').allTextContents(), ['1', 'a[href]', '../x', 'http://h/x', 'retrieval-url', 'the same']);
  assert.equal(await page.locator('#rows tr').count(), 2);
});

test('Markdown is read, and a value with a document is marked as a whole', { skip }, async () => {
  await written(() => page.selectOption('#example', { label: 'Markdown' }));
  assert.match(await result(), /\[the guide\]\(https:\/\/example\.org\/docs\/guide\/start\.md "How to begin"\)/);
  await written(() => page.selectOption('#example', { label: 'A page' }));
  assert.ok((await page.locator('#document mark').allTextContents()).includes('<a href=https://example.org/docs/guide/inner.html>inside</a>'));
  await written(() => page.selectOption('#as', ''));
});

test('what replaces an example has another URL', { skip }, async () => {
  await written(() => page.selectOption('#example', { label: 'A style sheet' }));
  const pasted = '<!-- saved from url=(0014)http://h/d/ -->\n<a href=x>';
  await written(async () => {
    await page.evaluate((text) => navigator.clipboard.writeText(text), pasted);
    await page.focus('#source');
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Control+V');
  });
  assert.deepEqual(await Promise.all(['#url', '#as', '#example'].map((id) => page.inputValue(id))), ['', '', '']);
  assert.equal(await result(), pasted.replace('href=x', 'href=http://h/d/x'));
  await written(() => page.fill('#source', '<a href=x><a href=http://i/y><a href=z>'));
  assert.match(await page.textContent('#status'), /; 2 links need the URL of the page\.$/);
  await written(() => page.selectOption('#to', 'relative'));
  assert.match(await page.textContent('#status'), /; 3 links need the URL of the page\.$/);
  await written(() => page.selectOption('#to', 'absolute'));
  await written(() => page.fill('#source', '<a href=""><a href=mailto:x><img src=data:,><a href=http://[/><a href=x>'));
  assert.match(await page.textContent('#status'), /; 1 link needs the URL of the page\.$/);
});

test('options count', { skip }, async () => {
  await paste('<a href="x y"><img src=http://h/c data-src=d>', 'http://h/a/b');
  await written(() => page.selectOption('#standard', 'rfc3986'));
  const cells = await page.locator('#rows tr').first().locator('td').allTextContents();
  assert.deepEqual(cells.slice(2, 4).concat(cells[5]), ['x y', '(unexpected character at index 1)', 'http://h/a/x%20y']);
  await written(() => page.selectOption('#standard', 'rfc1808'));
  await written(() => page.selectOption('#to', 'relative'));
  assert.equal(await result(), '<a href="x y"><img src=../c data-src=d>');
  await written(() => page.selectOption('#to', 'absolute'));
  await written(() => page.selectOption('#standard', 'whatwg'));
  assert.match(await result(), /http:\/\/h\/a\/x%20y/);
  assert.equal(await page.textContent('#table th:last-child'), 'By RFC 1808');
  await page.click('summary');
  await written(() => page.check('#lazy'));
  assert.match(await result(), /data-src=http:\/\/h\/a\/d/);
  await written(() => page.fill('#only', 'src'));
  assert.match(await result(), /href="x y"/);
  await page.fill('#old', 'http://h/');
  await written(() => page.fill('#new', 'https://new/'));
  assert.match(await result(), /src=https:\/\/new\/c/);
  assert.equal(await page.textContent('summary'), 'More options (4 set)');
  await written(() => page.fill('#url', 'relative'), /not usable/);
  assert.equal(await page.isHidden('#error'), true);
  await page.waitForSelector('#error:not([hidden])');
  assert.match(await page.textContent('#error'), /base URL 'relative' is not usable/);
  assert.equal(await page.textContent('#status'), 'Nothing is changed: the URL of the page is not usable.');
  assert.equal(await page.isDisabled('#save'), true);
  assert.deepEqual(await Promise.all(['aria-invalid', 'aria-describedby'].map((name) => page.getAttribute('#url', name))), ['true', 'error']);
  for (const id of ['#old', '#new']) await page.fill(id, '');
  await page.fill('#only', 'href, src');
  await page.uncheck('#lazy');
  await page.selectOption('#standard', 'rfc1808');
  await written(() => page.fill('#url', 'http://h/a/b'));
  assert.deepEqual([await page.isHidden('#error'), await page.isDisabled('#save')], [true, false]);
  await page.check('#meta');
  await written(() => page.selectOption('#as', 'xml'), /./);
  await written(() => page.click('#clear'), /^Nothing to do yet\.$/);
  assert.deepEqual(await Promise.all(['#url', '#source', '#as', '#only'].map((id) => page.inputValue(id))), ['', '', '', '']);
  assert.equal(await page.isChecked('#meta'), false);
  assert.equal(await page.textContent('summary'), 'More options');
  await page.click('summary');
  await written(() => page.fill('#source', '<a href=x>'));
  assert.equal(await page.textContent('#rows td:last-child'), '');
});

test('the table sorts, filters, copies and saves', { skip }, async () => {
  await written(() => page.selectOption('#example', { label: 'A page with a base element' }));
  const cells = () => page.locator('#rows tr td:nth-child(3)').allTextContents();
  const all = await cells();
  await page.click('#table th:nth-child(3) button');
  await page.waitForSelector('#table th:nth-child(3)[aria-sort=ascending]');
  await page.waitForFunction((first) => document.querySelector('#rows td:nth-child(3)').textContent !== first, all[0]);
  assert.deepEqual(await cells(), all.toSorted());
  await page.check('#differing');
  await page.waitForFunction((count) => document.querySelectorAll('#rows tr').length < count, all.length);
  assert.ok(!(await page.locator('#rows tr td:nth-child(6)').allTextContents()).includes('the same'));
  await page.uncheck('#differing');
  await page.fill('#q', 'a[HREF] ?y');
  await page.waitForFunction(() => document.querySelectorAll('#rows tr').length === 1);
  await page.click('#copy');
  await page.waitForSelector('#copy:text("Copied")');
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^Line\tElement\t.*\n\d+\ta\[href\]\t\?y\t/);
  assert.match(readFileSync((await saved('#csv')).path, 'utf8'), /^Line,Element,As written,URL,Base from,By the URL Standard\r\n\d+,a\[href\],\?y,/);
  await page.fill('#q', '');
  await page.click('#table th:nth-child(1) button');
});

test('files and folders are dropped, and saved', { skip }, async () => {
  const latin = Buffer.from('<a href=x>\xe9</a>', 'latin1');
  writeFileSync(join(folder, 'a.html'), latin);
  writeFileSync(join(folder, 'style.css'), 'a{b:url(c)}');
  writeFileSync(join(folder, 'other.bin'), Buffer.from([0, 255]));
  await written(async () => { await page.selectOption('#as', ''); });
  await written(() => page.fill('#url', 'http://h/a/'));
  await written(() => page.setInputFiles('#files', join(folder, 'a.html')));
  assert.equal(await result(), '<a href=http://h/a/x>é</a>');
  const one = await saved('#save');
  assert.equal(one.name, 'a.html');
  assert.equal(readFileSync(one.path, 'latin1'), '<a href=http://h/a/x>\xe9</a>');
  await written(() => page.setInputFiles('#folder', folder), /^3 files/);
  await page.fill('#q', 'a[href]');
  const table = readFileSync((await saved('#csv-all')).path, 'utf8');
  assert.equal(table, 'Document,Line,Element,As written,URL,Base from,By the URL Standard\r\na.html,1,a[href],x,http://h/a/x,retrieval-url,\r\n');
  await page.fill('#q', '');
  const { path } = await saved('#zip');
  const archive = readFileSync(path);
  assert.ok(archive.includes('a{b:url(http://h/a/c)}') && archive.includes(Buffer.from([0, 255])));
  if (found('python3')) {
    const { execFileSync } = await import('node:child_process');
    const names = execFileSync('python3', ['-c', 'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); print(z.testzip(), sorted(z.namelist()))', path], { encoding: 'utf8' });
    assert.equal(names.trim(), "None ['a.html', 'other.bin', 'style.css']");
  }
  await drop([['d.html', '<a href=dropped>']], /^1 link,/);
  assert.equal(await result(), '<a href=http://h/a/dropped>');
});

test('a ZIP file has what is no document, or fails, as it was', { skip }, async () => {
  await drop([['crawl.warc.gz', 'PK\x03\x04 and more']], /kept as it is\.$/);
  assert.equal(await page.textContent('#status'), 'crawl.warc.gz is no document with links: kept as it is.');
  await drop([['a.xml', '<a>'], ['crawl.warc.gz', 'PK\x03\x04 and more'], ['index.html', '<a href=x>']], /^3 files: 1 link/);
  const archive = readFileSync((await saved('#zip')).path);
  for (const text of ['<a>', 'PK\x03\x04 and more', '<a href=http://h/a/x>']) assert.ok(archive.includes(text), text);
  await page.waitForFunction(() => /^1 file is in the ZIP unchanged: a\.xml \(.*\)\.$/.test(document.getElementById('status').textContent));
});

test('a text is pasted before an image beside it', { skip }, async () => {
  const put = (types) => written(() => page.evaluate((all) => {
    const data = new DataTransfer();
    data.items.add(new File(['\x89PNG\0'], 'image.png', { type: 'image/png' }));
    for (const [type, text] of all) data.setData(type, text);
    document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
  }, types));
  for (const types of [[['text/plain', '<a href=x>']], [['text/html', '<a href=x>']], [['text/html', '<b>'], ['text/plain', '<a href=x>']]]) {
    await put(types);
    assert.equal(await page.inputValue('#source'), '<a href=x>');
  }
  await put([]);
  assert.equal(await page.textContent('#status'), 'image.png is no document with links: kept as it is.');
  assert.equal(await result(), '');
});

test('nothing of a document runs or loads', { skip }, async () => {
  await written(() => page.selectOption('#example', { label: 'Markup that tries to run' }));
  const hostile = '</script></textarea></pre><script>window.ran = 1</script><img src=http://i/x onerror="window.ran=1"><style>*{display:none}</style><iframe src=//h></iframe>\u202e';
  await paste(hostile);
  assert.equal(await page.evaluate('window.ran'), undefined);
  assert.equal(await page.title(), 'Try absolve');
  const made = await page.evaluate(() => ['script', 'style', 'img', 'iframe', 'object'].map((name) => document.querySelectorAll(name).length));
  assert.deepEqual(made, [1, 1, 0, 0, 0]);
  const text = await page.textContent('#output');
  assert.ok(text.includes('<script>window.ran = 1</script>') && text.includes('\\u{202e}') && !text.includes('\u202e'));
});

test('of a large document, a part and some rows are shown at a time', { skip }, async () => {
  const file = join(folder, 'large.html');
  await page.evaluate(() => {
    window.progress = false;
    new MutationObserver(() => { window.progress ||= !document.getElementById('progress').hidden; }).observe(document.getElementById('progress'), { attributes: true });
  });
  writeFileSync(file, '<p>Text, and <a href="../page.html?a=1&amp;b=2">a link</a>.</p>\n'.repeat(80_000));
  await written(() => page.setInputFiles('#files', file), /^80,000 links/);
  assert.equal(await page.evaluate(() => window.progress && document.getElementById('progress').hidden), true);
  assert.ok((await result()).length < 75_000 && await page.locator('#rows tr').count() === 100);
  await page.click('#part-after');
  await page.waitForFunction(() => /^Part 2 of/.test(document.getElementById('part').textContent));
  await page.click('#rows-after');
  await page.waitForFunction(() => /^Rows 101 to 200/.test(document.getElementById('range').textContent));
  await page.click('#clear');
  await page.focus('#source');
  // As the keyboard does it, with a text that the field does not take.
  const text = '<a href=y>'.repeat(50_000);
  await written(async () => {
    await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
    await page.keyboard.press('Control+V');
  }, /^50,000 links/);
  assert.ok(await page.inputValue('#source').then(({ length }) => length === 100_000) && await page.isEditable('#source') === false);
});

test('it is accessible, by keyboard and on every width', { skip }, async () => {
  await written(() => page.selectOption('#example', { label: 'A page' }));
  await checkAccess('try');
  await page.focus('#source');
  const passed = new Set();
  for (let key = 0; key < 25; key++) {
    await page.keyboard.press('Tab');
    passed.add(await page.evaluate(() => document.activeElement.id || document.activeElement.textContent));
  }
  for (const id of ['choose', 'save', 'document', 'q', 'csv', 'URL', 'table']) assert.ok(passed.has(id), `${id} of ${[...passed]}`);
});

test('a folder is dropped with the folders in it', { skip }, async () => {
  const site = join(folder, 'site');
  mkdirSync(join(site, 'a/b'), { recursive: true });
  writeFileSync(join(site, 'index.html'), '<a href=x>');
  writeFileSync(join(site, 'a/b/c.html'), '<a href=y>');
  await written(() => page.fill('#url', 'http://h/'));
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [site], dragOperationsMask: 1 };
  await written(async () => {
    for (const type of ['dragEnter', 'dragOver', 'drop']) await session.send('Input.dispatchDragEvent', { type, x: 200, y: 200, data });
  }, /^2 files: 2 links/);
  assert.deepEqual((await page.locator('#file option').allTextContents()).sort(), ['a/b/c.html (1 link)', 'index.html (1 link)']);
  const archive = readFileSync((await saved('#zip')).path, 'latin1');
  assert.ok(archive.includes('<a href=http://h/a/b/y>') && archive.includes('<a href=http://h/x>'));
});

test('what cannot be read leaves the result before it', { skip }, async () => {
  const gone = join(folder, 'gone.html');
  writeFileSync(gone, '<a href=gone>');
  await written(() => page.setInputFiles('#files', gone));
  rmSync(gone);
  await drop([['kept.html', '<a href=kept>']], /^1 link,/);
  const before = await Promise.all(['#status', '#source-name', '#document'].map((id) => page.textContent(id)));
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  const session = await page.context().newCDPSession(page);
  for (const type of ['dragEnter', 'dragOver', 'drop']) await session.send('Input.dispatchDragEvent', { type, x: 200, y: 200, data: { items: [], files: [empty], dragOperationsMask: 1 } });
  await page.waitForSelector('#error:not([hidden])');
  assert.equal(await page.textContent('#error'), 'empty has no files');
  await page.evaluate(() => loadFiles([{ path: 'gone.html', file: document.getElementById('files').files[0] }]).catch((error) => fail(error.message)));
  assert.equal(await page.textContent('#error'), 'gone.html cannot be read. The result is still that of the document before.');
  assert.deepEqual(await Promise.all(['#status', '#source-name', '#document'].map((id) => page.textContent(id))), before);
});

test('a folder has a URL without a slash', { skip }, async () => {
  await written(() => page.fill('#url', 'https://h/sub?q'));
  await drop([['a.html', '<a href=x>'], ['b/c.html', '<a href=y>']], /^2 files: 2 links, 2 values changed/);
  assert.equal(await page.textContent('#url-hint'), 'The files are below https://h/sub/');
  assert.equal(await result(), '<a href=https://h/sub/x>');
  await drop([['a.html', '<a href="x y"><a href=x>'], ['b.html', '<a href=y>']], /^2 files: 3 links/);
  await page.check('#differing');
  await page.waitForFunction(() => document.getElementById('file').textContent === 'a.html (2 links, 1 differs)b.html (1 link, 0 differ)');
  assert.equal(await page.textContent('#count'), '1 of 2');
  await page.uncheck('#differing');
  await page.waitForFunction(() => document.getElementById('file').textContent === 'a.html (2 links)b.html (1 link)');
  await written(() => page.fill('#url', 'https://'), /not usable/);
  assert.equal(await page.textContent('#status'), 'Nothing is changed: the URL of the folder is not usable.');
  assert.equal(await page.isDisabled('#zip'), true);
  await written(() => page.fill('#url', ''));
});

test('it works below any path, and requests nothing else', { skip }, async () => {
  const asked = [];
  const file = readFileSync(new URL(address));
  const server = createServer((request, response) => {
    asked.push(request.url);
    response.setHeader('Content-Type', 'text/html');
    response.end(file);
  });
  await new Promise((done) => { server.listen(0, '127.0.0.1', done); });
  const other = await page.context().newPage();
  await other.goto(`http://127.0.0.1:${server.address().port}/some/where/try.html?x`);
  await other.waitForFunction(() => / links,/.test(document.getElementById('status').textContent));
  await other.close();
  server.close();
  assert.deepEqual(asked, ['/some/where/try.html?x']);
});

test('its policy allows its own script, style and worker alone', { skip }, async () => {
  const policy = await page.getAttribute('meta[http-equiv=Content-Security-Policy]', 'content');
  const hash = /'sha256-[\w+/=]{44}'/;
  assert.equal(policy.replace(hash, 'STYLE').replace(hash, 'SCRIPT'), "default-src 'none'; img-src data:; style-src STYLE; script-src SCRIPT 'wasm-unsafe-eval'; worker-src blob:; base-uri 'none'; form-action 'none'");
});
