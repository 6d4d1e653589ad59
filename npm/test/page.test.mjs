// The page to try it, opened from the disk in Chromium. Without Chromium these tests are skipped.

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';

const found = (name) => process.env.PATH.split(':').map((folder) => join(folder, name)).find(existsSync);
const program = ['chromium', 'chromium-browser', 'google-chrome'].map(found).find(Boolean);
const address = new URL('../dist-try/index.html', import.meta.url).href;
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8');
const skip = program ? false : 'chromium is missing';
const pictures = process.env.ABSOLVE_PICTURES;

let browser;
let page;
const [requests, messages] = [[], []];
const status = (pattern) => page.waitForFunction((source) => new RegExp(source).test(document.getElementById('status').textContent), pattern.source, { timeout: 30_000 });
const result = () => page.textContent('#document');

/** Waits for the worker, after the time in which inputs are gathered. */
async function idle() {
  await page.waitForTimeout(160);
  await page.waitForFunction(() => pending.size === 0);
}

/** Waits for the result of an input. */
async function written(work, pattern = / ms/) {
  await idle();
  await page.evaluate(() => { document.getElementById('status').textContent = ''; });
  await work();
  await status(pattern);
  await page.waitForFunction(() => !document.querySelector('#rows td:last-child')?.textContent.includes('…'));
}

const paste = (text) => written(async () => {
  await page.click('#clear');
  await status(/^0 links/);
  await page.evaluate(() => { document.getElementById('status').textContent = ''; });
  await page.fill('#source', text);
});

before(async () => {
  if (skip) return;
  browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox'] });
  const context = await browser.newContext({ viewport: { width: 1440, height: 1000 }, permissions: ['clipboard-read', 'clipboard-write'] });
  page = await context.newPage();
  page.on('request', (request) => requests.push(request.url()));
  page.on('console', (message) => messages.push(message.text()));
  page.on('pageerror', (error) => messages.push(error.message));
  page.on('dialog', (dialog) => { messages.push(dialog.message()); dialog.dismiss(); });
  await page.goto(address);
  await status(/links/);
});

after(async () => {
  await browser?.close();
  assert.deepEqual(messages, [], 'the console');
  const outside = requests.filter((url) => url !== address && !url.startsWith('blob:') && !url.startsWith('data:'));
  assert.deepEqual(outside, [], 'requests');
});

test('a pasted page is rewritten, and changed values are marked', { skip }, async () => {
  await page.fill('#url', 'http://h/a/b');
  await paste('<a HREF=../x>é</a><img src=http://i/>');
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

test('options count', { skip }, async () => {
  await page.fill('#url', 'http://h/a/b');
  await paste('<a href="x y"><img src=http://h/c data-src=d>');
  await written(() => page.selectOption('#to', 'relative'));
  assert.equal(await result(), '<a href="x y"><img src=../c data-src=d>');
  await written(() => page.selectOption('#to', 'absolute'));
  await written(() => page.selectOption('#standard', 'whatwg'));
  assert.match(await result(), /http:\/\/h\/a\/x%20y/);
  await page.click('summary');
  await written(() => page.check('#lazy'));
  assert.match(await result(), /data-src=http:\/\/h\/a\/d/);
  await written(() => page.fill('#only', 'src'));
  assert.match(await result(), /href="x y"/);
  await page.fill('#old', 'http://h/');
  await written(() => page.fill('#new', 'https://new/'));
  assert.match(await result(), /src=https:\/\/new\/c/);
  await page.fill('#url', 'relative');
  await page.waitForSelector('#error:not([hidden])');
  assert.match(await page.textContent('#error'), /base URL 'relative' is not usable/);
  for (const id of ['#old', '#new']) await page.fill(id, '');
  await page.fill('#only', 'href, src');
  await page.uncheck('#lazy');
  await page.selectOption('#standard', 'rfc1808');
  await written(() => page.fill('#url', 'http://h/a/b'));
  assert.equal(await page.isHidden('#error'), true);
  await written(() => page.fill('#only', ''));
  await page.click('summary');
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
  const [file] = await Promise.all([page.waitForEvent('download'), page.click('#csv')]);
  assert.match(readFileSync(await file.path(), 'utf8'), /^Line,Element,As written,URL,Base from,Other standard\r\n\d+,a\[href\],\?y,/);
  await page.fill('#q', '');
  await page.click('#table th:nth-child(1) button');
});

test('files and folders are dropped, and saved', { skip }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'absolve-page-'));
  const latin = Buffer.from('<a href=x>\xe9</a>', 'latin1');
  writeFileSync(join(folder, 'a.html'), latin);
  writeFileSync(join(folder, 'style.css'), 'a{b:url(c)}');
  writeFileSync(join(folder, 'other.bin'), Buffer.from([0, 255]));
  await written(async () => { await page.selectOption('#as', ''); });
  await written(() => page.fill('#url', 'http://h/a/'));
  await written(() => page.setInputFiles('#files', join(folder, 'a.html')));
  assert.equal(await result(), '<a href=http://h/a/x>é</a>');
  const [one] = await Promise.all([page.waitForEvent('download'), page.click('#save')]);
  assert.equal(one.suggestedFilename(), 'a.html');
  assert.equal(readFileSync(await one.path(), 'latin1'), '<a href=http://h/a/x>\xe9</a>');
  await written(() => page.setInputFiles('#folder', folder), /^3 files/);
  const [all] = await Promise.all([page.waitForEvent('download'), page.click('#zip')]);
  const archive = readFileSync(await all.path());
  assert.ok(archive.includes('a{b:url(http://h/a/c)}') && archive.includes(Buffer.from([0, 255])));
  if (found('python3')) {
    const { execFileSync } = await import('node:child_process');
    const path = await all.path();
    const names = execFileSync('python3', ['-c', 'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); print(z.testzip(), sorted(z.namelist()))', path], { encoding: 'utf8' });
    assert.equal(names.trim(), "None ['a.html', 'other.bin', 'style.css']");
  }
  // As a person drops it.
  await written(() => page.evaluate(() => {
    const data = new DataTransfer();
    data.items.add(new File(['<a href=dropped>'], 'd.html'));
    document.querySelector('main').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
  }), /^1 link,/);
  assert.equal(await result(), '<a href=http://h/a/dropped>');
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

test('large documents take little time and do not freeze the page', { skip }, async () => {
  const sized = async (size) => {
    const folder = mkdtempSync(join(tmpdir(), 'absolve-page-'));
    const file = join(folder, 'large.html');
    const line = '<p class="text">Some text, and <a href="../page.html?a=1&amp;b=2">a link</a>, and more text without any link in it, as pages have.</p>\n'.repeat(4);
    writeFileSync(file, line.repeat(Math.ceil(size / line.length)));
    await page.evaluate(() => {
      window.longest = 0;
      let last = performance.now();
      const tick = () => { const now = performance.now(); window.longest = Math.max(window.longest, now - last); last = now; window.ticking = requestAnimationFrame(tick); };
      tick();
    });
    const start = performance.now();
    await written(() => page.setInputFiles('#files', file));
    const time = performance.now() - start;
    const longest = await page.evaluate(() => { cancelAnimationFrame(window.ticking); return window.longest; });
    const own = Number(/([\d,]+) ms/.exec(await page.textContent('#status'))[1]);
    console.log(`# ${size / 1e6} MB: ${own} ms of work, ${Math.round(time)} ms until it is shown, longest frame ${Math.round(longest)} ms`);
    return { own, longest };
  };
  // A busy machine takes longer than the page: the bounds find what grows with the square.
  assert.ok((await sized(10e6)).own < 10_000);
  assert.ok((await sized(50e6)).longest < 5_000);
  await page.click('#part-after');
  await page.waitForFunction(() => /^Part 2 of/.test(document.getElementById('part').textContent));
  await page.click('#rows-after');
  await page.waitForFunction(() => /^Rows 501 to/.test(document.getElementById('range').textContent));
});

test('it is accessible, by keyboard and on every width', { skip }, async () => {
  await written(() => page.selectOption('#example', { label: 'A page' }));
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => window.axe.run());
    const list = violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`));
    assert.deepEqual(list, [], colorScheme);
    for (const width of [390, 1440, 2560]) {
      await page.setViewportSize({ width, height: width === 390 ? 844 : 1000 });
      await page.evaluate(() => scrollTo(0, 0));
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= width, `${width}`);
      if (pictures) await page.screenshot({ path: join(pictures, `try-${colorScheme}-${width}.png`), fullPage: width === 390 });
    }
  }
  await page.setViewportSize({ width: 1440, height: 1000 });
  await page.focus('#source');
  const passed = new Set();
  for (let key = 0; key < 25; key++) {
    await page.keyboard.press('Tab');
    passed.add(await page.evaluate(() => document.activeElement.id || document.activeElement.textContent));
  }
  for (const id of ['choose', 'save', 'document', 'q', 'csv', 'URL', 'table']) assert.ok(passed.has(id), `${id} of ${[...passed]}`);
});
