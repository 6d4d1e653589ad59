// How documents come into the page: from the field, examples, files, what is dropped and what is pasted.

/** Takes documents: `{ name, isPasted }`, and text or a file; `show` is called when they are read. */
async function load(given, show) {
  await ask('load', { given });
  Object.assign(view, { file: 0, part: 0, from: 0 });
  await show?.();
  await run();
}

const loadPaste = (text) => load([{ name: 'document.html', text, isPasted: true }]);
const loadText = () => loadPaste(element('source').value);

/** The next task: what is long is not done at once with what is before it. */
const nextTask = () => new Promise((done) => { setTimeout(done); });

/** The URL and the syntax of an example are not those of other documents. */
function leaveExample() {
  const example = EXAMPLES[element('example').value];
  if (!example) return;
  if (element('url').value === example[1]) element('url').value = '';
  if (element('as').value === example[2]) element('as').value = '';
  element('example').value = '';
}

/** Shows the beginning of a document that is no longer edited here. */
function showSource(text, name) {
  Object.assign(element('source'), { value: text, readOnly: true });
  element('source-name').textContent = name;
  view.isPasted = false;
}

const beginning = (length, unit) => `${counted(length, unit)}${length > SHOWN ? `, the first ${SHOWN.toLocaleString('en')} of which are here` : ''}`;

/** Takes files as the browser has them, with their paths. */
async function loadFiles(files) {
  if (files.length === 0) return;
  const before = element('status').textContent;
  element('status').textContent = `Reading ${counted(files.length, 'file')}…`;
  const given = files.map(({ file, path }) => ({ name: path, file }));
  // The folder that all are in is the one that the URL is of.
  const folder = given.length > 1 && given[0].name.includes('/') ? given[0].name.replace(/\/.*$/s, '/') : '';
  if (folder && given.every(({ name }) => name.startsWith(folder))) given.forEach((one) => { one.name = one.name.slice(folder.length); });
  given.sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
  await load(given, async () => {
    leaveExample();
    if (given.length > 1) {
      showSource(given.slice(0, 2000).map(({ name }) => visible(name)).join('\n'), counted(given.length, 'file'));
      return;
    }
    const [{ name, file }] = given;
    const text = await file.slice(0, SHOWN).text();
    const isText = !text.slice(0, 1000).includes('\0') && !/^(PK\x03\x04|\x1f|%PDF)/.test(text);
    showSource(isText ? text : '', `Document: ${visible(name)}, ${isText ? beginning(file.size, 'byte') : counted(file.size, 'byte')}`);
  }).catch((error) => {
    element('status').textContent = before;
    throw new Error(`${error.message}. The result is still that of the document before.`);
  });
}

/** What a dropped item is, which has to be asked before the event ends: a page from a disk reads handles alone. */
const rootOf = (item) => (item.getAsFileSystemHandle ? item.getAsFileSystemHandle().catch(() => null) : item.webkitGetAsEntry?.());

/** The files of what is dropped, and of the folders in it. */
async function readItems(items) {
  const roots = (await Promise.all([...items].map(rootOf))).filter(Boolean);
  const work = roots.map((root) => [root, root.name]);
  const found = [];
  // It grows while it is read.
  for (const [one, path] of work) {
    const add = (inner) => work.push([inner, `${path}/${inner.name}`]);
    try {
      if (one.kind === 'file') found.push({ file: await one.getFile(), path });
      else if (one.kind) for await (const inner of one.values()) add(inner);
      else if (one.isFile) found.push({ file: await new Promise((done, failed) => { one.file(done, failed); }), path });
      else {
        const reader = one.createReader();
        // A reader gives a hundred entries at a time.
        for (let more; (more = await new Promise((done, failed) => { reader.readEntries(done, failed); })).length > 0;) more.forEach(add);
      }
    } catch {
      throw new Error(`${path} cannot be read`);
    }
  }
  if (roots.length && !found.length) throw new Error(`${roots.map(({ name }) => name).join(', ')} has no files`);
  return found;
}

async function showExample() {
  const example = EXAMPLES[element('example').value];
  if (!example) return;
  const [, url, as, text] = example;
  element('url').value = url;
  element('as').value = as;
  await setText(text);
}

/** Puts a text into the field, to be edited. */
function setText(text) {
  Object.assign(element('source'), { value: text, readOnly: false });
  element('source-name').textContent = 'Document';
  view.isPasted = true;
  return loadText();
}

/** Takes what is pasted anywhere but into another field; what replaces everything is another document. */
async function paste(event) {
  const { target, clipboardData } = event;
  // Office and browsers put an image beside a text.
  const areImages = [...clipboardData.files].every(({ type }) => type.startsWith('image/'));
  const isText = clipboardData.types.includes('text/html') || (areImages && clipboardData.types.includes('text/plain'));
  const files = isText ? [] : clipboardData.files;
  if (target.matches('input')) return;
  const field = element('source');
  const isInserted = target === field && !field.readOnly;
  if (!isInserted || (field.selectionStart === 0 && field.selectionEnd === field.value.length)) leaveExample();
  if (files.length > 0) {
    event.preventDefault();
    await loadFiles([...files].map((file) => ({ file, path: file.name })));
    return;
  }
  const plain = clipboardData.getData('text/plain');
  const text = plain || clipboardData.getData('text/html');
  if (text.length <= SHOWN && plain && isInserted) return;
  event.preventDefault();
  if (text.length <= SHOWN) {
    if (!isInserted && text) await setText(text);
    // As a key does it, to be undone.
    else if (text) document.execCommand('insertText', false, text);
    return;
  }
  // A large text is not put into the field, which would take seconds.
  view.isPasted = false;
  await nextTask();
  const loaded = loadPaste(text);
  await nextTask();
  showSource(text.slice(0, SHOWN), `Pasted document, ${beginning(text.length, 'character')}`);
  await loaded;
}
addEventListener('paste', (event) => { paste(event).catch((error) => fail(error.message)); });

const main = document.querySelector('main');
addEventListener('dragover', (event) => { event.preventDefault(); main.classList.add('dragged'); });
addEventListener('dragleave', (event) => { if (!event.relatedTarget) main.classList.remove('dragged'); });
addEventListener('drop', (event) => {
  event.preventDefault();
  main.classList.remove('dragged');
  const [items, files] = [event.dataTransfer.items, [...event.dataTransfer.files].map((file) => ({ file, path: file.name }))];
  readItems(items).then((found) => loadFiles(found.length ? found : files)).catch((error) => fail(error.message));
});
