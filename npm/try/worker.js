// The documents and their results. The page asks for what it shows.

const SYNTAX = { css: 'css', xml: 'xml', svg: 'xml', xhtml: 'xml', xht: 'xml', rss: 'xml', atom: 'xml', html: 'html', htm: 'html', shtml: 'html', md: 'markdown', markdown: 'markdown' };
/** What was given, and the same when there are results. */
let given = [];
let files = [];
let run = 0;
let standard;

const syntax = (name) => SYNTAX[/\.([a-z]+)$/i.exec(name)?.[1].toLowerCase()];

/** The URL of a folder ends in a slash. */
const folderUrl = (base) => base.replace(/[?#].*$/s, '').replace(/\/?$/, '/');

/** The URL of a file: the page's, or of a folder that with the path. */
function address(file, base) {
  if (!base || given.length === 1) return base || null;
  const path = file.name.split('/').map(encodeURIComponent).join('/');
  return resolve(path, folderUrl(base), { standard: 'whatwg' });
}

const unread = { error: '', isUnusable: false, links: 0, changed: 0, needing: 0, list: { length: 0 }, marks: [], other: null, compare: null, decoder: null };
const otherStandard = (options) => ({ ...options, standard: options.standard === 'whatwg' ? 'rfc1808' : 'whatwg' });

/** The bytes of a result, and its edits. */
const readChanges = (module) => ({ result: bytesOf(module).slice(), edits: recordsOf(module).slice() });

/** Reads and rewrites a document. */
function process(file, { base, as, ...options }) {
  Object.assign(file, unread, { result: file.bytes, differing: undefined });
  const kind = as || syntax(file.name) || (file.isPasted ? 'html' : '');
  file.isOther = !kind;
  if (!kind) return;
  options.as = kind;
  // A pasted text is UTF-8 here, whatever it declares.
  if (file.isPasted) options.encoding = 'utf-8';
  try {
    const url = address(file, base);
    const work = (name, own, read) => call(name, writeArguments(encodeOptions(own), url, file.bytes), read);
    const lists = (own) => work('links', own, (module) => new Links(module));
    const { result, edits } = work('rewrite', options, readChanges);
    const list = lists(options);
    const found = marks(list, edits);
    Object.assign(file, { result: edits.length ? result : file.bytes, list, marks: found, links: list.length, changed: found.length, needing: url ? 0 : list.needing(options.to) });
    file.compare = () => lists(otherStandard(options));
  } catch (error) {
    Object.assign(file, { error: error.message, isUnusable: error.code === 'base-url' });
  }
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

/** What a ZIP file of all has, and why some are `unchanged`. */
function* members(unchanged) {
  for (const { name, result, error } of files) {
    if (error) unchanged.push({ name, reason: error });
    yield { name, bytes: result };
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
      loaded.push({ ...one, bytes });
    }
    given = loaded;
  },
  async run({ options }) {
    const own = ++run;
    for (const [number, file] of given.entries()) {
      process(file, options);
      postMessage({ progress: (number + 1) / given.length });
      // A later run takes over here.
      if (number % 16 === 15) await new Promise((done) => { setTimeout(done); });
      if (own !== run) return { stopped: true };
    }
    [files, standard] = [given, options.standard];
    const described = ({ name, bytes, isPasted, isOther, error, isUnusable, links: count, changed, needing }) => (
      { name, isEmpty: isPasted && bytes.length === 0, isOther, error, isUnusable, links: count, changed, needing });
    return { files: files.map(described), folder: files.length > 1 && options.base ? folderUrl(options.base) : '' };
  },
  part: ({ file, number }) => part(files[file], number),
  /** How many links of a document differ by the other standard. */
  compare: ({ file }) => (files[file] ? compared(files[file]).filter(Boolean).length : 0),
  /** How many links differ by the other standard, in each document. */
  async differing() {
    const [own, all] = [run, files];
    for (const [number, file] of all.entries()) {
      file.differing ??= compared(files[number]).filter(Boolean).length;
      postMessage({ progress: (number + 1) / all.length });
      if (number % 16 === 15) await new Promise((done) => { setTimeout(done); });
      if (own !== run) return null;
    }
    return all.map((file) => file.differing);
  },
  links({ file, query, from, count }) {
    const { numbers, row } = selected(files[file], query);
    return { total: numbers.length, of: files[file].list.length, rows: numbers.slice(from, from + count).map((link) => [...row(link), reason(files[file].list.get(link))]), error: files[file].error };
  },
  table({ file, query, head, format, isAll }) {
    const csv = (cells) => `${cells.map(csvCell).join(',')}\r\n`;
    const tsv = (cells) => `${cells.map((cell) => String(cell).replace(/[\t\r\n]/g, ' ')).join('\t')}\n`;
    const line = format === 'csv' ? csv : tsv;
    const parts = [line(isAll ? ['Document', ...head] : head)];
    for (const number of isAll ? files.keys() : [file]) {
      const { numbers, row } = selected(files[number], query, true);
      const document = files[number].name;
      parts.push(numbers.map((link) => line(isAll ? [document, ...row(link)] : row(link))).join(''));
      if (isAll) postMessage({ progress: (number + 1) / files.length });
    }
    return new Blob(parts, { type: 'text/csv' });
  },
  text({ file: number }) {
    const file = files[number];
    return (file.decoder ??= decoderOf(file)).decode(file.result);
  },
  save: ({ file }) => new Blob([files[file].result]),
  zip() {
    const unchanged = [];
    return { blob: new Blob(zip(members(unchanged))), unchanged };
  },
};

onmessage = async ({ data: { id, name, ...rest } }) => {
  try {
    postMessage({ id, result: await answers[name](rest) });
  } catch (error) {
    postMessage({ id, error: error.message });
  }
};
