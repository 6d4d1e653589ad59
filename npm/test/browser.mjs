// The page to try it, opened from the disk in Chromium; its tests are skipped without that.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { chromium } from 'playwright-core';

export const found = (name) => process.env.PATH.split(':').map((folder) => join(folder, name)).find(existsSync);
const program = ['chromium', 'chromium-browser', 'google-chrome'].map(found).find(Boolean);
export const skip = program ? false : 'chromium is missing';
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8');
const pictures = process.env.ABSOLVE_PICTURES;
export const address = new URL('../dist-try/index.html', import.meta.url).href;

export let page;
export const result = () => page.textContent('#document');
export const status = (pattern) => page.waitForFunction((source) => new RegExp(source).test(document.getElementById('status').textContent), pattern.source, { timeout: 60_000 });

/** Waits for the worker, after the time in which inputs are gathered. */
async function idle() {
  await page.waitForTimeout(160);
  await page.waitForFunction(() => pending.size === 0);
}

const forget = () => page.evaluate(() => { document.getElementById('status').textContent = ''; });

/** Waits for the result of an input. */
export async function written(work, pattern = /\.$/) {
  await idle();
  await forget();
  await work();
  await status(pattern);
  await page.waitForFunction(() => !document.querySelector('#rows td:last-child')?.textContent.includes('…'));
}

export const paste = (text, url = '') => written(async () => {
  await page.click('#clear');
  await status(/^Nothing/);
  await page.fill('#url', url);
  await idle();
  await forget();
  await page.fill('#source', text);
});

/** The file that a button saves, and its name. */
export async function saved(button) {
  const [file] = await Promise.all([page.waitForEvent('download'), page.click(button)]);
  return { name: file.suggestedFilename(), path: await file.path() };
}

/** Drops files as a person does: their names and bytes. */
export const drop = (files, pattern) => written(() => page.evaluate((all) => {
  const data = new DataTransfer();
  for (const { name, base64 } of all) data.items.add(new File([Uint8Array.from(atob(base64), (one) => one.charCodeAt(0))], name));
  document.querySelector('main').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
}, files.map(([name, bytes]) => ({ name, base64: Buffer.from(bytes).toString('base64') }))), pattern);

/** Checks the page as it is by axe, light and dark, and that it fits every width; ABSOLVE_PICTURES is a folder for pictures. */
export async function checkAccess(name) {
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
      if (pictures) await page.screenshot({ path: join(pictures, `${name}-${colorScheme}-${width}.png`), fullPage: width === 390 });
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1440, height: 1000 });
}

/** Opens the page; `watch` is called before it is. */
export async function launch(watch = () => {}) {
  const browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox'] });
  const context = await browser.newContext({ viewport: { width: 1440, height: 1000 }, permissions: ['clipboard-read', 'clipboard-write'] });
  page = await context.newPage();
  watch();
  await page.goto(address);
  await status(/links/);
  return { browser, page };
}

/** Opens the page before the tests of a file. At their end, the console is empty and nothing was requested. */
export function openPage() {
  const [requests, messages] = [[], []];
  let browser;
  before(async () => {
    if (skip) return;
    ({ browser } = await launch(() => {
      page.on('request', (request) => requests.push(request.url()));
      page.on('console', (message) => messages.push(message.text()));
      page.on('pageerror', (error) => messages.push(error.message));
      page.on('dialog', (dialog) => { messages.push(dialog.message()); dialog.dismiss(); });
    }));
  });
  after(async () => {
    await browser?.close();
    assert.deepEqual(messages, [], 'the console');
    const outside = requests.filter((url) => url !== address && !url.startsWith('blob:') && !url.startsWith('data:'));
    assert.deepEqual(outside, [], 'requests');
  });
}
