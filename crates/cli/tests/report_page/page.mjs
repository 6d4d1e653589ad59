// Opens a report page in Chromium: `node page.mjs TRIAL CHROMIUM FILE`.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const [trial, program, file] = process.argv.slice(2);
const address = pathToFileURL(file).href;
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8');

// A busy machine takes longer than the page: these bounds find what grows with the square of the
// findings. The measured times are printed.
const DRAWN_WITHIN = 3000;
const FILTERED_WITHIN = 1000;

const executable = process.env.PATH.split(':').map((folder) => join(folder, program)).find(existsSync);
const browser = await chromium.launch({ executablePath: executable, args: ['--no-sandbox'] });
const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
const [requests, messages] = [[], []];
page.on('request', (request) => requests.push(request.url()));
page.on('console', (message) => messages.push(message.text()));
page.on('pageerror', (error) => messages.push(error.message));
page.on('dialog', (dialog) => messages.push(dialog.message()));
await page.addInitScript(() => {
  const look = () => {
    if (!document.querySelector('#rows [role=row]')) requestAnimationFrame(look);
    // The frame with the rows is on the screen when the next one begins.
    else requestAnimationFrame(() => { window.drawnAt = performance.now(); });
  };
  requestAnimationFrame(look);
});

// Waits until the table shows this number of findings.
const shows = (expected) => page.waitForFunction(
  (pattern) => new RegExp(pattern).test(document.getElementById('count').textContent),
  expected.source, { timeout: 10_000 },
).catch(async () => assert.match(await page.textContent('#count'), expected));
const lines = () => page.locator('#rows [role=row]');
const detail = () => page.textContent('#detail');
const fragment = () => page.evaluate(() => decodeURIComponent(location.hash));

async function open(hash = '') {
  await page.goto('about:blank');
  await page.goto(address + hash);
}

// Milliseconds until the table shows what was searched, with its layout.
const search = (words) => page.evaluate((given) => {
  const start = performance.now();
  const input = document.getElementById('q');
  input.value = given;
  input.dispatchEvent(new Event('input', { bubbles: true }));
  document.getElementById('list').getBoundingClientRect();
  return performance.now() - start;
}, words);

async function checkAccessibility() {
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => window.axe.run());
    const found = violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`));
    assert.deepEqual(found, [], colorScheme);
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

const trials = {
  async large() {
    const loads = [];
    for (let load = 0; load < 3; load++) {
      await open();
      await page.waitForFunction('window.drawnAt');
      loads.push(await page.evaluate('window.drawnAt'));
    }
    const times = [];
    for (const words of ['missing7', 'broken page00', 'nothing has this', 'module03 insecure', '']) times.push(await search(words));
    const worst = Math.max(...times);
    const shown = (list) => list.map((time) => Math.round(time)).join(', ');
    console.log(`drawn ${shown(loads)} ms after the navigation began, filtered in ${shown(times)} ms`);
    assert.ok(Math.min(...loads) < DRAWN_WITHIN && worst < FILTERED_WITHIN);
    await shows(/^40,847 of 40,847 findings in 100 targets$/);
    assert.ok(await lines().count() < 100);
    await page.selectOption('#group', 'none');
    await page.focus('#list');
    await page.keyboard.press('End');
    assert.equal(await page.locator('[aria-selected=true]').getAttribute('aria-rowindex'), '40848');
    assert.ok(await lines().count() < 100);
  },

  async usable() {
    assert.match(await page.title(), /^Links of site$/);
    assert.match(await page.textContent('.about'), /example\.org.*netlify.*0123456789ab.*2026-01-31 12:00:00 UTC.*absolve/s);
    assert.match(await page.textContent('.excerpt'), /<a href=missing\/page\.html#part>/);
    assert.equal(await page.textContent('mark'), 'missing/page.html#part');
    await page.keyboard.press('/');
    await page.keyboard.type('MISSING42 module03');
    await shows(/^\d+ of 2,000 findings/);
    assert.equal(await fragment(), '#q=MISSING42+module03');
    await page.keyboard.press('Escape');
    await page.click('#reset');
    await shows(/^2,000 of/);
    // A group opens, its rows are selected, and the address holds the row.
    await page.focus('#list');
    assert.equal(await page.locator('[aria-selected=true]').getAttribute('aria-expanded'), 'false');
    for (const key of ['ArrowRight', 'ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
    assert.equal(await page.locator('[aria-selected=true]').getAttribute('aria-level'), '2');
    const [selected, hash] = [await detail(), await fragment()];
    assert.match(hash, /^#row=\d+$/);
    await open(hash);
    assert.equal(await detail(), selected);
    await page.focus('#list');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    assert.equal(await page.locator('[aria-selected=true]').getAttribute('aria-expanded'), 'false');
    for (const group of ['page', 'rule', 'none', 'target']) {
      await page.selectOption('#group', group);
      assert.ok(await lines().count() > 2, group);
    }
    // The heads of the columns sort, up, down and not at all.
    await page.selectOption('#group', 'none');
    const cell = (line, name) => page.textContent(`#line-${line} .${name}`);
    const order = (name) => page.getAttribute(`#head .${name}`, 'aria-sort');
    await page.click('#head .reference button');
    assert.equal(await order('reference'), 'ascending');
    assert.equal(await cell(0, 'reference'), '../../missing0');
    await page.keyboard.press('Enter');
    assert.equal(await order('reference'), 'descending');
    assert.equal(await cell(0, 'reference'), '../../missing99');
    assert.match(await fragment(), /sort=-reference/);
    await page.keyboard.press('Enter');
    assert.equal(await order('reference'), 'none');
    for (const name of ['level', 'place', 'rule', 'message']) {
      await page.focus(`#head .${name} button`);
      await page.keyboard.press('Space');
      assert.equal(await order(name), 'ascending');
    }
    assert.match(await cell(0, 'message'), /^target '.*' does not exist$/);
    assert.match(await detail(), /target 'site\/api\/missing\d+' does not exist/);
    // A finding leads to its source, and its place is copied.
    const link = page.locator('#detail p.place a');
    assert.match(await link.getAttribute('href'), /^https:\/\/example\.org\/blob\/main\/site\/api\/.*\.html#L2$/);
    await page.evaluate(() => { navigator.clipboard.writeText = async (text) => { window.copied = text; }; });
    await page.click('#detail .copy');
    assert.match(await page.evaluate('window.copied'), /^site\/api\/.*\.html:2$/);
    assert.equal(await page.textContent('#detail .copy'), 'Copied');
    await page.selectOption('#group', 'target');
    await page.click('#reset');
    assert.equal(await page.locator('#new').count(), 0);
    await page.selectOption('#rule', 'duplicate-id');
    await shows(/^200 of/);
    await page.uncheck('[value=warning]');
    await shows(/^0 of/);
    await page.click('#reset');
    // Bars lead to their findings.
    await page.click('.bars a >> text=insecure-link');
    await shows(/^200 of/);
    await page.click('[aria-labelledby=by-folder] .bars a >> nth=0');
    await shows(/^2[2-9]\d of/);
    assert.match(await fragment(), /^#file=site\/api\/module/);
    await page.goBack();
    await shows(/^200 of/);
    assert.equal(await page.inputValue('#rule'), 'insecure-link');
    await checkAccessibility();
    await open('#group=none');
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    assert.equal(await lines().count(), 1000);
    assert.ok((await page.pdf()).length > 10_000);
    await open();
    for (const width of [900, 390]) {
      await page.setViewportSize({ width, height: 844 });
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= width, `${width}`);
    }
    // On a telephone the first rows are on the first screen, in two lines.
    const box = (part) => page.locator(part).boundingBox();
    assert.ok((await box('#line-2')).y + (await box('#line-2')).height < 844);
    const line = await box('#line-0');
    assert.ok(line.height < 50 && line.width < 390);
    const tops = [];
    for (const name of ['level', 'rule', 'number', 'reference']) {
      const { x, y, width, height } = await box(`#line-0 .${name}`);
      assert.ok(x >= line.x && x + width <= line.x + line.width && width > 20, name);
      assert.ok(y >= line.y && y + height <= line.y + line.height + 1, name);
      tops.push(Math.round(y));
    }
    assert.ok(tops[0] === tops[1] && tops[1] === tops[2] && tops[3] > tops[0], `${tops}`);
    assert.ok(!await page.isVisible('#rule'));
    await page.click('#more');
    await page.selectOption('#rule', 'duplicate-id');
    await shows(/^200 of/);
    await checkAccessibility();
  },

  async hostile() {
    for (const group of ['page', 'rule', 'target', 'none']) {
      await page.selectOption('#group', group);
      for (let line = 0; line < 8; line++) {
        await page.focus('#list');
        for (const key of ['ArrowRight', 'ArrowDown']) await page.keyboard.press(key);
      }
    }
    await page.click('summary');
    await search('<script>');
    await open('#q=%3Cimg%20src=x%20onerror=alert(1)%3E&rule=__proto__&group=constructor&row=x&sort=__proto__&level=</script>');
    await open('#group=none');
    const made = await page.evaluate(() => ['script', 'img', 'iframe', 'style', 'object']
      .map((name) => document.querySelectorAll(name).length));
    assert.deepEqual(made, [2, 0, 0, 1, 0]);
    assert.equal(await page.evaluate('window.ran'), undefined);
    const text = await page.textContent('body');
    assert.ok(text.includes('</script><script>window.ran = 1</script>'));
    assert.ok(text.includes('\\u{202e}lmth.x') && !text.includes('\u202e'));
    await checkAccessibility();
  },

  async compared() {
    assert.match(await page.textContent('.tiles'), /200\s+new since the baseline/);
    assert.match(await page.textContent('.tiles'), /100\s+known to the baseline/);
    await page.click('.tiles .fixed a');
    await shows(/^1 of 201 findings$/);
    assert.match(await detail(), /fixed since the baseline.*site\/gone\.html/s);
    assert.equal(await page.locator('.plot polygon').count(), 3);
    assert.match(await page.textContent('.legend'), /total\s+\d+\s+errors\s+\d+/);
    assert.equal(await page.locator('.trend tbody tr').count(), 12);
    await page.click('#reset');
    const [, added] = (await page.textContent('label:has(#new)')).match(/\((\d+)\)/);
    assert.ok(added > 0 && added < 200);
    await page.check('#new');
    await shows(new RegExp(`^${added} of 201 findings`));
    assert.match(await fragment(), /new=1/);
    await page.click('summary');
    await checkAccessibility();
  },

  async empty() {
    assert.match(await page.textContent('.clean'), /No findings/);
    assert.equal(await page.locator('section, form').count(), 0);
    await checkAccessibility();
  },
};

try {
  await open();
  await trials[trial]();
  assert.deepEqual(messages, [], 'the console');
  assert.deepEqual(requests.filter((url) => url.split('#')[0] !== address && url !== 'about:blank'), []);
  if (trial !== 'large') console.log('passed');
} finally {
  await browser.close();
}
