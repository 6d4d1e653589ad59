// The documents and their results. The page asks for what it shows.

const SYNTAX = { css: 'css', xml: 'xml', svg: 'xml', xhtml: 'xml', xht: 'xml', rss: 'xml', atom: 'xml', html: 'html', htm: 'html', shtml: 'html', md: 'markdown', markdown: 'markdown' };
/** The URL of the root of a book. */
const BOOK = 'http://book.invalid/';

/** What was given, and the documents in it. */
let given = [];
let files = [];
let run = 0;
let standard;
let latest;

const syntax = (name) => SYNTAX[/\.([a-z]+)$/i.exec(name)?.[1].toLowerCase()];

/** The URL of a folder ends in a slash. */
const folderUrl = (base) => base.replace(/[?#].*$/s, '').replace(/\/?$/, '/');

/** The URL of a file: the page's, or of a folder that with the path. */
function address(file, base) {
  if (!base || given.length === 1) return base || null;
  const path = file.name.split('/').map(encodeURIComponent).join('/');
  return resolve(path, folderUrl(base), { standard: 'whatwg' });
}

const unread = { needing: 0, list: { length: 0 }, marks: [], other: null, compare: null, decoder: null, result: null };
const otherStandard = (options) => ({ ...options, standard: options.standard === 'whatwg' ? 'rfc1808' : 'whatwg' });

/** Reads and rewrites a document by itself. */
function process(file, { base, as, recordType, ...options }) {
  Object.assign(file, unread, { result: file.bytes, error: '', isUnusable: false, links: 0, changed: 0, differing: undefined });
  const kind = as || syntax(file.name) || (file.isPasted ? 'html' : '');
  file.isOther = !kind;
  if (!kind) return;
  options.as = kind;
  // A pasted text is UTF-8 here, whatever it declares.
  if (file.isPasted) options.encoding = 'utf-8';
  try {
    const url = address(file, base);
    const lists = (other) => call('document', [...writeArguments(encodeOptions(other), url, file.bytes), TASK.links], (module) => new Links(module));
    const changes = call('document', [...writeArguments(encodeOptions(options), url, file.bytes), TASK.changes], readChanges);
    take(file, changes, lists(options), () => lists(otherStandard(options)));
    Object.assign(file, { links: file.list.length, changed: file.marks.length, needing: url ? 0 : file.list.needing(options.to) });
  } catch (error) {
    Object.assign(file, { error: error.message, isUnusable: error.code === 'base-url' });
  }
}

function take(file, { result, edits }, list, compare) {
  Object.assign(file, { result: edits.length ? result : file.bytes, list, marks: marks(list, edits), compare });
}

/** The documents of a container, which are read when they are shown. */
function documentsOf(container, options) {
  let rows = [];
  try {
    rows = container.list(options);
    if (rows.length === 0) throw new Error('there is no document with links in it');
  } catch (error) {
    return [{ ...unread, name: container.name, bytes: container.bytes, result: container.bytes, container, error: error.message, links: 0, changed: 0 }];
  }
  return rows.map(({ place, url: own, problem, links: count, changed }) => {
    // In a book, the place is all that a reader knows.
    const url = own.startsWith(BOOK) ? '' : own;
    const file = { ...unread, name: `${container.name}!${place}`, place, url, container, bytes: new Uint8Array(), error: problem, links: count, changed };
    file.read = () => {
      file.bytes = container.source(options, place);
      // What the container keeps as it is, such as an error page, stays here too.
      const changes = changed ? container.changes(options, place) : { edits: [] };
      take(file, changes, container.links(options, place), () => container.links(otherStandard(options), place));
    };
    return file;
  });
}

/** A document whose result is there. Of containers, only the latest one is kept. */
function ready(number) {
  const file = files[number];
  if (!file.read || file === latest) return file;
  if (latest) Object.assign(latest, unread, { bytes: new Uint8Array() });
  latest = file;
  try {
    file.read();
  } catch (error) {
    file.error ||= error.message;
    file.result = file.bytes;
  }
  return file;
}

/** The URLs by the other standard, each where it differs. */
function compared(file) {
  if (file.other) return file.other;
  const list = file.compare?.();
  const differing = (number) => {
    const url = list.url(number);
    return url === file.list.url(number) ? '' : url ?? '(none)';
  };
  file.other = Array.from({ length: list?.length ?? 0 }, (_, number) => differing(number));
  return file.other;
}

const COLUMNS = [
  (link) => link.line,
  (link) => (link.element ? `${link.element}[${link.attribute}]` : link.attribute),
  (link) => link.reference,
  (link) => link.url ?? '',
  (link) => link.baseSource,
  (link, other) => other,
];

/** Why a reference has no URL, by any base URL. */
function reason({ reference, url }) {
  if (url !== null) return '';
  try {
    resolve(reference, 'http://h/', { standard });
    return '';
  } catch (error) {
    return error.message.replace(/^.* refuses it: /s, '');
  }
}

/** The numbers of the links that are searched, in their order. */
function selected(file, { words, differing, column, descending }, isWhole = false) {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const needsOther = differing || wanted.length > 0 || column === 5 || isWhole;
  const other = needsOther ? compared(file) : file.other;
  const row = (number) => COLUMNS.map((cell) => cell(file.list.get(number), other?.[number] ?? null));
  let numbers = Array.from({ length: file.list.length }, (_, number) => number);
  if (differing) numbers = numbers.filter((number) => other[number]);
  if (wanted.length) {
    numbers = numbers.filter((number) => {
      const text = row(number).join('\n').toLowerCase();
      return wanted.every((word) => text.includes(word));
    });
  }
  if (column > 0) {
    const keys = [];
    for (const number of numbers) keys[number] = COLUMNS[column](file.list.get(number), other?.[number]);
    numbers.sort((a, b) => (keys[a] < keys[b] ? -1 : Number(keys[a] > keys[b])) || a - b);
  }
  return { numbers: descending ? numbers.reverse() : numbers, row };
}

// What begins like a formula is text for a spreadsheet.
const csvCell = (value) => (/[",\r\n]|^[=+\-@\t]/.test(value) ? `"${String(value).replace(/^[=+\-@\t]/, "'$&").replaceAll('"', '""')}"` : value);

/** Texts in the way of a folder: host and path of a URL, or the place in the container. */
function pathOf({ url, place }) {
  try {
    const { host, pathname, search } = new URL(url);
    const path = `${host}${pathname}${encodeURIComponent(search)}`;
    return path.replace(/\/$/, '/index.html').replace(/(\/[^./]+)$/, '$1.html');
  } catch {
    return place.replace(/^@(.*)$/, 'record-$1.html').replace(/^\d+$/, 'part-$&.html');
  }
}

/** Bytes for a ZIP file: the result, or what was given and why. */
function entry({ container, bytes, result, error }, options) {
  if (!container) return { bytes: result, reason: error };
  try {
    return { bytes: container.rewrite(options) };
  } catch (failure) {
    return { bytes, reason: failure.message };
  }
}

/** What a ZIP file of all has: the files that were given, or the documents of the only container; and why some are `unchanged` or `missing`. */
function* members(options, { unchanged, missing }) {
  if (given.length > 1 || !given[0].container) {
    for (const file of given) {
      const { bytes, reason } = entry(file, options);
      if (reason) unchanged.push({ name: file.name, reason });
      yield { name: file.name, bytes };
    }
    return;
  }
  const taken = new Map();
  for (const number of files.keys()) {
    const file = ready(number);
    const isMissing = file.place && !file.result?.length && Boolean(file.error);
    if (file.error) (isMissing ? missing : unchanged).push({ name: file.url || file.name, reason: file.error });
    if (isMissing) continue;
    const path = file.place ? pathOf(file) : file.name;
    const count = taken.get(path) ?? 0;
    taken.set(path, count + 1);
    yield { name: count ? path.replace(/(\.[^./]*)?$/, `-${count + 1}$1`) : path, bytes: file.result };
    postMessage({ progress: (number + 1) / files.length });
  }
}

const answers = {
  async start({ wasm }) {
    const packed = Uint8Array.from(atob(wasm), (letter) => letter.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
    instantiate(await WebAssembly.compile(await new Response(stream).arrayBuffer()));
  },
  async load({ given: all }) {
    const loaded = [];
    for (const { file, text, ...one } of all) {
      const read = () => file.arrayBuffer().catch(() => { throw new Error(`${one.name} cannot be read`); });
      const bytes = file ? new Uint8Array(await read()) : encoder.encode(text);
      loaded.push({ ...one, bytes, container: CONTAINER.test(one.name) && new Container(one.name, bytes) });
    }
    given = loaded;
  },
  async run({ options }) {
    const own = ++run;
    const found = [];
    for (const [number, file] of given.entries()) {
      if (file.container) found.push(...documentsOf(file.container, options));
      else {
        process(file, options);
        found.push(file);
      }
      postMessage({ progress: (number + 1) / given.length });
      // A later run takes over here.
      if (number % 16 === 15 || file.container) await new Promise((done) => { setTimeout(done); });
      if (own !== run) return { stopped: true };
    }
    [files, latest, standard] = [found, undefined, options.standard];
    const described = ({ name, url, place, bytes, isPasted, isOther, error, isUnusable, links: count, changed, needing, container }) => (
      { name, url, isEmpty: isPasted && bytes.length === 0, isOther, error, isUnusable, links: count, changed, needing, container: container?.name, isWhole: container && !place });
    return { files: files.map(described), given: given.length, folder: given.length > 1 && options.base ? folderUrl(options.base) : '' };
  },
  part: ({ file, number }) => part(ready(file), number),
  // Whether the list has changed by it.
  compare: ({ file }) => files[file] !== undefined && ready(file).other === null && compared(files[file]).length > 0,
  /** How many links differ by the other standard, in each document. */
  async differing() {
    const [own, all] = [run, files];
    for (const [number, file] of all.entries()) {
      file.differing ??= compared(ready(number)).filter(Boolean).length;
      postMessage({ progress: (number + 1) / all.length });
      if (number % 16 === 15) await new Promise((done) => { setTimeout(done); });
      if (own !== run) return null;
    }
    return all.map((file) => file.differing);
  },
  links({ file, query, from, count }) {
    const { numbers, row } = selected(ready(file), query);
    return { total: numbers.length, of: files[file].list.length, rows: numbers.slice(from, from + count).map((link) => [...row(link), reason(files[file].list.get(link))]), error: files[file].error };
  },
  table({ file, query, head, format, isAll }) {
    const csv = (cells) => `${cells.map(csvCell).join(',')}\r\n`;
    const tsv = (cells) => `${cells.map((cell) => String(cell).replace(/[\t\r\n]/g, ' ')).join('\t')}\n`;
    const line = format === 'csv' ? csv : tsv;
    const parts = [line(isAll ? ['Document', ...head] : head)];
    for (const number of isAll ? files.keys() : [file]) {
      const { numbers, row } = selected(ready(number), query, true);
      const { url, name, container } = files[number];
      const document = url ? `${container.name}!${url}` : name;
      parts.push(numbers.map((link) => line(isAll ? [document, ...row(link)] : row(link))).join(''));
      if (isAll) postMessage({ progress: (number + 1) / files.length });
    }
    return new Blob(parts, { type: 'text/csv' });
  },
  text({ file: number }) {
    const file = ready(number);
    return (file.decoder ??= decoderOf(file)).decode(file.result);
  },
  save: ({ file }) => new Blob([ready(file).result]),
  container: ({ file, options }) => new Blob([files[file].container.rewrite(options)]),
  zip({ options }) {
    const kept = { unchanged: [], missing: [] };
    return { blob: new Blob(zip(members(options, kept))), ...kept };
  },
};

onmessage = async ({ data: { id, name, ...rest } }) => {
  try {
    postMessage({ id, result: await answers[name](rest) });
  } catch (error) {
    postMessage({ id, error: error.message });
  }
};
