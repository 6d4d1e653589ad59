// The documents and their results. The page asks for what it shows.

const SYNTAX = { css: 'css', xml: 'xml', svg: 'xml', xhtml: 'xml', xht: 'xml', rss: 'xml', atom: 'xml', html: 'html', htm: 'html', shtml: 'html', md: 'markdown', markdown: 'markdown' };
/** Bytes of a document that are shown at once. */
const PART = 200_000;

let files = [];
let run = 0;

const syntax = (name) => SYNTAX[/\.([a-z]+)$/i.exec(name)?.[1].toLowerCase()];

/** The URL of a file: the page's, or of a folder that with the path. */
function address(file, base) {
  if (!base || files.length === 1) return base || null;
  const path = file.name.split('/').map(encodeURIComponent).join('/');
  return resolve(path, base.replace(/[^/]*$/, ''), { standard: 'whatwg' });
}

function process(file, { base, as, ...given }) {
  Object.assign(file, { links: [], marks: [], other: null, compare: null, decoder: null, result: file.bytes, error: '' });
  const kind = as || syntax(file.name) || (file.isPasted ? 'html' : '');
  if (!kind) return;
  const options = { ...given, as: kind };
  // A pasted text is UTF-8 here, whatever it declares.
  if (file.isPasted) options.encoding = 'utf-8';
  try {
    const url = address(file, base);
    file.result = rewrite(file.bytes, url, options);
    file.links = links(file.bytes, url, options);
    file.marks = marks(file, links(file.result, url, options));
    file.compare = () => links(file.bytes, url, { ...options, standard: options.standard === 'whatwg' ? 'rfc1808' : 'whatwg' });
  } catch (error) {
    file.error = error.message;
    file.result = file.bytes;
  }
}

/** The URLs by the other standard, each where it differs. */
function compared(file) {
  file.other ??= file.compare?.().map(({ url }, number) => (file.links[number].url === url ? '' : url ?? '(none)')) ?? [];
  return file.other;
}

/** The spans of the values that changed, in the result. */
function marks({ links: before, result, bytes }, after) {
  if (result === bytes || before.length !== after.length) return [];
  const changed = after.filter((link, number) => link.reference !== before[number].reference);
  // Of a document inside a value, the whole value is marked once.
  const spans = new Map(changed.map((link) => link.enclosing ?? link.span).map((span) => [span[0], span]));
  return [...spans.values()].sort((a, b) => a[0] - b[0]);
}

/** The encoding that a document is shown in. */
function decoderOf(file) {
  const { bytes } = file;
  const label = () => {
    if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
    if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(bytes);
      return 'utf-8';
    } catch {
      return /(?:charset|encoding)\s*=\s*["']?([\w-]+)/i.exec(String.fromCharCode(...bytes.subarray(0, 1024)))?.[1] ?? 'windows-1252';
    }
  };
  try {
    return new TextDecoder(label());
  } catch {
    return new TextDecoder('windows-1252');
  }
}

/** A part of a result as texts, of which every second one is marked. */
function part(file, number) {
  const { result, marks: all } = file;
  file.decoder ??= decoderOf(file);
  const cut = (at) => {
    if (at >= result.length) return result.length;
    const end = result.subarray(at - 4096, at).lastIndexOf(62);
    const found = end < 0 ? at : at - 4096 + end + 1;
    // A value is not cut.
    return all.find(([from, to]) => from < found && found < to)?.[0] ?? found;
  };
  const [start, end] = [number === 0 ? 0 : cut(number * PART), cut((number + 1) * PART)];
  const texts = [];
  let at = start;
  for (const [from, to] of all) {
    if (from < at || to > end) continue;
    texts.push(file.decoder.decode(result.subarray(at, from)), file.decoder.decode(result.subarray(from, to)));
    at = to;
  }
  texts.push(file.decoder.decode(result.subarray(at, end)));
  return { texts, parts: Math.ceil(result.length / PART) };
}

const COLUMNS = [
  (link) => link.line,
  (link) => `${link.element}[${link.attribute}]`,
  (link) => link.reference,
  (link) => link.url ?? '',
  (link) => link.baseSource,
  (link, other) => other,
];

/** The numbers of the links that are searched, in their order. */
function selected(file, { words, differing, column, descending }, isWhole = false) {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const needsOther = differing || wanted.length > 0 || column === 5 || isWhole;
  const other = needsOther ? compared(file) : file.other;
  const row = (number) => COLUMNS.map((cell) => cell(file.links[number], other?.[number] ?? null));
  let numbers = Array.from(file.links.keys());
  if (differing) numbers = numbers.filter((number) => other[number]);
  if (wanted.length) {
    numbers = numbers.filter((number) => {
      const text = row(number).join('\n').toLowerCase();
      return wanted.every((word) => text.includes(word));
    });
  }
  if (column > 0) {
    const keys = file.links.map((link, number) => COLUMNS[column](link, other?.[number]));
    numbers.sort((a, b) => (keys[a] < keys[b] ? -1 : Number(keys[a] > keys[b])) || a - b);
  }
  return { numbers: descending ? numbers.reverse() : numbers, row };
}

// What begins like a formula is text for a spreadsheet.
const csvCell = (value) => (/[",\r\n]|^[=+\-@\t]/.test(value) ? `"${String(value).replace(/^[=+\-@\t]/, "'$&").replaceAll('"', '""')}"` : value);

const answers = {
  async start({ wasm }) {
    const packed = Uint8Array.from(atob(wasm), (letter) => letter.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
    instantiate(await WebAssembly.compile(await new Response(stream).arrayBuffer()));
  },
  load({ given }) {
    files = given;
  },
  async run({ options }) {
    const own = ++run;
    for (const [number, file] of files.entries()) {
      process(file, options);
      postMessage({ progress: (number + 1) / files.length });
      // A later run takes over here.
      if (files.length > 1 && number % 16 === 15) await new Promise((done) => { setTimeout(done); });
      if (own !== run) return { stopped: true };
    }
    const described = ({ name, error, bytes, links: all, marks: changed }) => ({ name, error, size: bytes.length, links: all.length, changed: changed.length });
    return { files: files.map(described) };
  },
  part: ({ file, number }) => part(files[file], number),
  // Whether the list has changed by it.
  compare: ({ file }) => files[file] !== undefined && files[file].other === null && compared(files[file]).length > 0,
  links({ file, query, from, count }) {
    const { numbers, row } = selected(files[file], query);
    return { total: numbers.length, of: files[file].links.length, rows: numbers.slice(from, from + count).map(row) };
  },
  table({ file, query, head, format }) {
    const { numbers, row } = selected(files[file], query, true);
    const line = format === 'csv' ? (cells) => `${cells.map(csvCell).join(',')}\r\n` : (cells) => `${cells.map((cell) => String(cell).replace(/[\t\r\n]/g, ' ')).join('\t')}\n`;
    return [head, ...numbers.map(row)].map(line).join('');
  },
  text: ({ file }) => (files[file].decoder ??= decoderOf(files[file])).decode(files[file].result),
  save: ({ file }) => new Blob([files[file].result]),
  zip: () => new Blob(zip(files.map(({ name, result }) => ({ name, bytes: result })))),
};

onmessage = async ({ data: { id, name, ...given } }) => {
  try {
    postMessage({ id, result: await answers[name](given) });
  } catch (error) {
    postMessage({ id, error: error.message });
  }
};
