// Measures the page in Chromium: `node npm/try/bench.mjs [--rounds 5] [--sizes 10,50]`. Documents of these MB are dropped
// and pasted; the time ends when the result is drawn. CPU time, which a busy machine changes less, is that of all tasks, also
// of those after it, which find the URLs by the other standard.

import { parseArgs } from 'node:util';
import { launch } from '../test/browser.mjs';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' }, sizes: { type: 'string', default: '10,50' } } });
const LINE = '<p class="text">Some text, and <a href="../page.html?a=1&amp;b=2">a link</a>, and more text without any link in it, as pages have.</p>\n';
const { browser, page } = await launch();
await page.fill('#url', 'https://example.org/docs/guide/large.html');

/** Makes the document, which is not measured. */
const prepare = (way, size) => page.evaluate(async ([how, text, count]) => {
  const status = document.getElementById('status');
  window.drawn = () => new Promise((done) => { requestAnimationFrame(() => setTimeout(done)); });
  window.until = async (test) => { while (!test()) await drawn(); await drawn(); };
  window.data = new DataTransfer();
  if (how === 'drop') data.items.add(new File([text.repeat(count)], 'large.html'));
  else data.setData('text/plain', text.repeat(count));
  document.getElementById('clear').click();
  await until(() => pending.size === 0 && /^Nothing/.test(status.textContent));
  status.textContent = '';
  await drawn();
}, [way, LINE, Math.ceil((size * 1e6) / LINE.length)]);

/** Gives the document, and waits until its result is drawn and nothing is worked on. */
const measure = (way) => page.evaluate(async (how) => {
  const start = performance.now();
  if (how === 'drop') document.querySelector('main').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
  else document.getElementById('source').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
  await until(() => /\.$/.test(document.getElementById('status').textContent));
  const shown = Math.round(performance.now() - start);
  await until(() => pending.size === 0);
  return { shown };
}, way);

/** The CPU time of tasks, in ms, by thread. */
function tasks(trace) {
  const threads = new Map(trace.filter(({ name }) => name === 'thread_name').map(({ pid, tid, args }) => [`${pid} ${tid}`, args.name]));
  const of = (thread) => trace.filter(({ name, ph, pid, tid }) => name === 'ThreadControllerImpl::RunTask' && ph === 'X' && threads.get(`${pid} ${tid}`) === thread).map(({ tdur = 0 }) => tdur / 1000);
  const sum = (all) => all.reduce((total, one) => total + one, 0);
  const main = of('CrRendererMain');
  return { main: sum(main), longest: Math.max(...main), worker: sum(of('DedicatedWorker thread')) };
}

for (const size of values.sizes.split(',').map(Number)) {
  for (const way of ['drop', 'paste']) {
    const rounds = [];
    for (let round = 0; round < Number(values.rounds); round++) {
      await prepare(way, size);
      await browser.startTracing(page, { categories: ['toplevel'] });
      const time = await measure(way);
      const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
      rounds.push({ ...time, ...tasks(traceEvents) });
    }
    const best = (key) => Math.round(Math.min(...rounds.map((one) => one[key])));
    console.log(`${way} of ${size} MB, best of ${rounds.length}: ${best('shown')} ms until the result is drawn; CPU: worker ${best('worker')} ms, main thread ${best('main')} ms, of which the longest task ${best('longest')} ms`);
  }
}
await browser.close();
