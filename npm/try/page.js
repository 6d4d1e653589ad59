// The page: it asks the worker for what it shows. Everything of a document is set as text.

const element = (id) => document.getElementById(id);
/** Rows of the table at once. */
const ROWS = 100;
/** Characters of a document that the field for input shows; more would freeze it. */
const SHOWN = 100_000;
/** Documents in the list to choose from. */
const LISTED = 5000;
/** Milliseconds without a key until an error is shown. */
const PAUSE = 600;
const HEAD = ['Line', 'Element', 'As written', 'URL', 'Base from', 'By the URL Standard'];

const worker = new Worker(URL.createObjectURL(new Blob([WORKER], { type: 'text/javascript' })));
const pending = new Map();
worker.onmessage = ({ data }) => {
  if (data.progress !== undefined) { element('progress').value = data.progress; return; }
  const { done, failed } = pending.get(data.id);
  pending.delete(data.id);
  if (data.error === undefined) done(data.result);
  else failed(new Error(data.error));
};
let requests = 0;
const ask = (name, given = {}) => new Promise((done, failed) => {
  const id = requests++;
  pending.set(id, { done, failed });
  worker.postMessage({ id, name, ...given });
});

// Characters that turn the direction of text or cannot be seen, as escapes.
const visible = (text) => text.replace(/[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/g, (one) => `\\u{${one.codePointAt(0).toString(16)}}`);

const view = { file: 0, files: [], part: 0, from: 0, column: 0, descending: false, isPasted: true };
const query = () => ({ words: element('q').value, differing: element('differing').checked, column: view.column, descending: view.descending });

function options() {
  const text = (id) => element(id).value.trim();
  const [old, moved, only] = [text('old'), text('new'), text('only')];
  return {
    base: text('url'), as: text('as'), standard: text('standard'), encoding: text('encoding') || null,
    // With a map, links keep the form that they have.
    to: old && text('to') === 'absolute' ? null : text('to'), map: old && moved ? { [old]: moved } : null,
    only: only ? only.split(/[\s,]+/).filter(Boolean) : null, meta: element('meta').checked, lazy: element('lazy').checked,
    sameDocument: element('keep').checked ? 'keep' : null,
  };
}

const otherStandard = () => (element('standard').value === 'whatwg' ? 'RFC 1808' : 'the URL Standard');

let [typed, timer, showError] = [-Infinity, 0, () => {}];

/** Shows an error, but not while a text is typed; a screen reader says it at once. */
function fail(message) {
  clearTimeout(timer);
  showError = () => {
    if (element('error').textContent !== visible(message)) element('error').textContent = visible(message);
    element('error').hidden = !message;
  };
  if (message && performance.now() - typed < PAUSE) timer = setTimeout(showError, PAUSE);
  else showError();
}

/** The end of typing. */
function settle() {
  typed = -Infinity;
  clearTimeout(timer);
  showError();
}

/** The first few of a list. */
const few = (list, text) => `${visible(list.slice(0, 3).map(text).join(', '))}${list.length > 3 ? ` and ${list.length - 3} more` : ''}`;
const counted = (number, noun) => `${number.toLocaleString('en')} ${noun}${number === 1 ? '' : 's'}`;

/** Works on the documents, and shows the result. */
async function run() {
  const start = performance.now();
  showSet();
  await busy(async () => {
    const { files, folder, stopped } = await ask('run', { options: options() });
    if (stopped) return;
    HEAD[5] = `By ${otherStandard()}`;
    document.querySelector('#table th:last-child button').textContent = HEAD[5];
    const sum = (key) => files.reduce((total, file) => total + file[key], 0);
    const isUnusable = sum('changed') === 0 && files.some((file) => file.isUnusable);
    Object.assign(view, { files, folder, isUnusable, differing: null });
    if (view.file >= files.length) view.file = 0;
    await showFile();
    element('time').textContent = `${Math.round(performance.now() - start)} ms`;
    const [{ name: only, isEmpty, isOther }] = files;
    const place = files.length > 1 ? 'folder' : 'page';
    const instead = (isUnusable && `Nothing is changed: the URL of the ${place} is not usable.`)
      || (isEmpty && 'Nothing to do yet.') || (isOther && files.length === 1 && `${visible(only)} is no document with links: kept as it is.`);
    if (instead) {
      element('status').textContent = instead;
      return;
    }
    const name = files.length === 1 ? '' : `${counted(files.length, 'file')}: `;
    const failures = files.filter((file) => file.error);
    const failed = failures.length && files.length > 1 ? `; unchanged because of an error: ${few(failures, (file) => file.name)}` : '';
    const needing = sum('needing');
    const needed = needing ? `; ${counted(needing, 'link')} need${needing === 1 ? 's' : ''} the URL of the ${place}` : '';
    element('status').textContent = `${name}${counted(sum('links'), 'link')}, ${counted(sum('changed'), 'value')} changed${needed}${failed}.`;
  });
  await compare().then(showDiffering).catch((error) => fail(error.message));
}

/** How many of the options are set that a click opens. */
function showSet() {
  const isSet = (field) => (field.type === 'checkbox' ? field.checked : field.selectedIndex > 0 || (field.type === 'text' && field.value.trim() !== ''));
  const count = [...document.querySelectorAll('.more input, .more select')].filter(isSet).length;
  document.querySelector('summary').textContent = `More options${count ? ` (${count} set)` : ''}`;
}

let works = 0;

/** Shows that something is worked on, and its error. */
async function busy(work) {
  works++;
  element('progress').hidden = false;
  element('progress').removeAttribute('value');
  try {
    await work();
  } catch (error) {
    fail(error.message);
  }
  element('progress').hidden = --works === 0;
}

/** Shows what can be done with the documents, and one of them. */
async function showFile() {
  const { files, folder, isUnusable } = view;
  const { error } = files[view.file] ?? {};
  const several = files.length > 1;
  for (const id of ['chosen', 'zip', 'csv-all']) element(id).hidden = !several;
  element('differ').textContent = '';
  element('save').disabled = Boolean(error);
  element('zip').disabled = isUnusable;
  const url = element('url');
  url.setAttribute('aria-invalid', isUnusable);
  if (isUnusable) url.setAttribute('aria-describedby', 'error');
  else url.removeAttribute('aria-describedby');
  element('url-hint').textContent = folder && !isUnusable ? `The files are below ${visible(folder)}` : '';
  element('url-name').textContent = `URL of the ${several ? 'folder' : 'page'}`;
  if (several) listFiles();
  fail(error ?? '');
  await Promise.all([showPart(), showLinks()]);
}

/** The documents to choose from. */
function listFiles() {
  const { files, differing } = view;
  const state = ({ links, error, isOther }, number) => {
    if (error || isOther) return error ? 'failed' : 'no document';
    return `${counted(links, 'link')}${differing ? `, ${differing[number].toLocaleString('en')} differ${differing[number] === 1 ? 's' : ''}` : ''}`;
  };
  const label = (file, number) => visible(`${file.name} (${state(file, number)})`);
  const list = files.slice(0, LISTED).map((file, number) => new Option(label(file, number), number));
  if (files.length > LISTED) list.push(Object.assign(new Option(`and ${counted(files.length - LISTED, 'document')} more`), { disabled: true }));
  element('file').replaceChildren(...list);
  element('file').value = view.file;
}

/** Shows in the list how many links of each document differ, if only those are shown. */
async function showDiffering() {
  if (element('chosen').hidden) return;
  if (!element('differing').checked) view.differing = null;
  else await busy(async () => { view.differing = await ask('differing'); });
  listFiles();
}

/** Shows what differs by the other standard, which a second pass over the document finds. */
async function compare() {
  const count = await ask('compare', { file: view.file });
  element('differ').textContent = count ? `${counted(count, 'link')} ${count === 1 ? 'has' : 'have'} another URL by ${otherStandard()}` : '';
  const { differing } = await ask('part', { file: view.file, number: view.part });
  markDiffering(differing);
  await showLinks();
}

function markDiffering(differing) {
  document.querySelectorAll('#document mark').forEach((mark, number) => mark.classList.toggle('differs', differing[number]));
}

async function showPart() {
  const { texts, differing, parts } = await ask('part', { file: view.file, number: view.part });
  if (view.part > 0 && view.part >= parts) { view.part = 0; await showPart(); return; }
  element('document').replaceChildren(...texts.map((text, number) => {
    if (number % 2 === 0) return document.createTextNode(visible(text));
    const mark = document.createElement('mark');
    mark.textContent = visible(text);
    return mark;
  }));
  markDiffering(differing);
  element('document').scrollTop = 0;
  element('parts').hidden = parts <= 1;
  element('part').textContent = `Part ${view.part + 1} of ${parts}`;
  element('part-before').disabled = view.part === 0;
  element('part-after').disabled = view.part + 1 >= parts;
}

async function showLinks() {
  const { rows, total, of, error } = await ask('links', { file: view.file, query: query(), from: view.from, count: ROWS });
  if (view.from > 0 && rows.length === 0) { view.from = 0; await showLinks(); return; }
  if (error) { fail(error); element('save').disabled = true; }
  element('count').textContent = total === of ? of.toLocaleString('en') : `${total.toLocaleString('en')} of ${of.toLocaleString('en')}`;
  element('rows').replaceChildren(...rows.map((cells) => {
    const row = document.createElement('tr');
    const reason = cells.pop();
    row.className = cells[5] ? 'differs' : '';
    row.append(...cells.map((cell, column) => {
      const td = document.createElement('td');
      td.textContent = visible(String(cell));
      if (column === 3 && reason) Object.assign(td, { textContent: `(${visible(reason)})`, className: 'muted' });
      if (column === 5 && !cell) td.textContent = cell === null ? '…' : cells[3] && 'the same';
      if (column === 0) td.className = 'number';
      if (column === 5) td.className = cell ? 'differs' : 'muted';
      return td;
    }));
    return row;
  }));
  element('pages').hidden = total <= ROWS;
  element('range').textContent = `Rows ${(view.from + 1).toLocaleString('en')} to ${Math.min(view.from + ROWS, total).toLocaleString('en')}`;
  element('rows-before').disabled = view.from === 0;
  element('rows-after').disabled = view.from + ROWS >= total;
}

function download(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

async function copy(button, text) {
  await navigator.clipboard.writeText(text);
  const label = button.textContent;
  button.textContent = 'Copied';
  setTimeout(() => { button.textContent = label; }, 1500);
}

const table = (format, isAll = false) => ask('table', { file: view.file, query: query(), head: HEAD, format, isAll });
const on = (id, event, work) => element(id).addEventListener(event, (...given) => Promise.resolve(work(...given)).catch((error) => fail(error.message)));
const later = (work) => { let timer; return () => { clearTimeout(timer); timer = setTimeout(work, 150); }; };
const rerun = () => { Object.assign(view, { part: 0, from: 0 }); return run(); };

HEAD.forEach((name, column) => {
  const [th, button] = [document.createElement('th'), document.createElement('button')];
  button.type = 'button';
  button.textContent = name;
  button.addEventListener('click', () => {
    Object.assign(view, { descending: view.column === column && !view.descending, column, from: 0 });
    document.querySelectorAll('#table th').forEach((other, number) => {
      if (number === column) other.setAttribute('aria-sort', view.descending ? 'descending' : 'ascending');
      else other.removeAttribute('aria-sort');
    });
    showLinks();
  });
  th.scope = 'col';
  th.append(button);
  document.querySelector('#table thead tr').append(th);
});
EXAMPLES.forEach(([name], number) => element('example').append(new Option(name, number)));

on('options', 'submit', (event) => event.preventDefault());
on('filter', 'submit', (event) => event.preventDefault());
for (const id of ['options', 'source']) {
  on(id, 'input', ({ target }) => { if (target.matches('[type="text"], textarea')) typed = performance.now(); });
  on(id, 'change', settle);
}
on('options', 'input', later(rerun));
on('source', 'input', later(() => view.isPasted && loadText()));
on('example', 'change', showExample);
on('choose', 'click', () => element('files').click());
on('choose-folder', 'click', () => element('folder').click());
for (const id of ['files', 'folder']) on(id, 'change', ({ target }) => loadFiles([...target.files].map((file) => ({ file, path: file.webkitRelativePath || file.name }))));
on('clear', 'click', () => {
  const kept = ['to', 'standard'].map((id) => [id, element(id).value]);
  element('options').reset();
  for (const [id, value] of kept) element(id).value = value;
  return setText('');
});
on('file', 'change', ({ target }) => { Object.assign(view, { file: Number(target.value), part: 0, from: 0 }); return showFile().then(compare); });
on('q', 'input', later(() => { view.from = 0; return showLinks(); }));
on('differing', 'change', () => { view.from = 0; return showLinks().then(showDiffering); });
for (const [id, key, step, show] of [['part-before', 'part', -1, showPart], ['part-after', 'part', 1, showPart], ['rows-before', 'from', -ROWS, showLinks], ['rows-after', 'from', ROWS, showLinks]]) {
  on(id, 'click', () => { view[key] += step; return show(); });
}
on('save', 'click', async () => download(await ask('save', { file: view.file }), view.files[view.file].name.split('/').pop()));
on('zip', 'click', () => busy(async () => {
  const { blob, unchanged } = await ask('zip');
  download(blob, 'absolve.zip');
  const { length } = unchanged;
  if (length) element('status').textContent = `${counted(length, 'file')} ${length === 1 ? 'is' : 'are'} in the ZIP unchanged: ${few(unchanged, ({ name, reason }) => `${name} (${reason})`)}.`;
}));
on('csv', 'click', async () => download(await table('csv'), 'links.csv'));
on('csv-all', 'click', () => busy(async () => download(await table('csv', true), 'links.csv')));
on('copy', 'click', async ({ target }) => copy(target, await (await table('tsv')).text()));
on('copy-document', 'click', async ({ target }) => copy(target, await ask('text', { file: view.file })));

// The result of the example is in the page from the start; it is made again where the module is ready.
element('example').value = 0;
ask('start', { wasm: WASM }).then(showExample).catch((error) => fail(`WebAssembly does not start: ${error.message}`));
