// Measures the page in Chromium: `node npm/try/bench.mjs [--rounds 5] [--sizes 10,50]`. Documents of so many MB are dropped
// and pasted; the time ends when the result is drawn, and the longest task of the main thread is up to the end of the work.

import { parseArgs } from 'node:util';
import { launch } from '../test/browser.mjs';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' }, sizes: { type: 'string', default: '10,50' } } });
const LINE = '<p class="text">Some text, and <a href="../page.html?a=1&amp;b=2">a link</a>, and more text without any link in it, as pages have.</p>\n';
const { browser, page } = await launch();

/** Gives the document, and waits until its result is drawn and nothing is worked on. */
const measure = (way, size) => page.evaluate(async ([how, text, count]) => {
  const document_ = text.repeat(count);
  const { source, status } = Object.fromEntries(['source', 'status'].map((id) => [id, document.getElementById(id)]));
  const drawn = () => new Promise((done) => { requestAnimationFrame(() => setTimeout(done)); });
  const until = async (test) => { while (!test()) await drawn(); await drawn(); };
  const tasks = [];
  const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => Math.round(duration))));
  document.getElementById('clear').click();
  await until(() => pending.size === 0 && /^0 links/.test(status.textContent));
  const data = new DataTransfer();
  if (how === 'drop') data.items.add(new File([document_], 'large.html'));
  else data.setData('text/plain', document_);
  status.textContent = '';
  await drawn();
  observer.observe({ type: 'longtask' });
  const start = performance.now();
  if (how === 'drop') document.querySelector('main').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
  else source.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
  await until(() => / ms/.test(status.textContent));
  const shown = Math.round(performance.now() - start);
  await until(() => pending.size === 0);
  await drawn();
  observer.disconnect();
  return { shown, all: Math.round(performance.now() - start), longest: Math.max(0, ...tasks) };
}, [way, LINE, Math.ceil((size * 1e6) / LINE.length)]);

for (const size of values.sizes.split(',').map(Number)) {
  for (const way of ['drop', 'paste']) {
    const rounds = [];
    for (let round = 0; round < Number(values.rounds); round++) rounds.push(await measure(way, size));
    const best = (key) => Math.min(...rounds.map((one) => one[key]));
    console.log(`${way} of ${size} MB, best of ${rounds.length}: ${best('shown')} ms until the result is drawn, ${best('all')} ms with the other standard, longest task ${best('longest')} ms`);
  }
}
await browser.close();
