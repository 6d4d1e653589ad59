// Containers: files with documents inside. A module of its own has the one whose documents are shown.

const CONTAINER = /(\.(warc|warc\.gz|warc\.zst|wacz)(\.open)?|\.(epub|mhtml|mht|eml))$/i;
/** The works of the module, and numbers of a document in its list. */
const [LIST, WHOLE, SOURCE, CHANGES, LINKS] = [0, 1, 2, 3, 4];
const ROW = 5;
/** Milliseconds between two messages about progress. */
const PAUSE = 100;

let opened;
let noted = 0;

host.progress = (byte) => {
  if (performance.now() - noted < PAUSE) return;
  noted = performance.now();
  postMessage({ progress: (byte >>> 0) / opened.container.bytes.length });
};

/** The bytes of a result, and the spans in the document and lengths in the result of its edits. */
const readChanges = (module) => ({ result: bytesOf(module).slice(), edits: recordsOf(module).slice() });

function readRows(module) {
  const [bytes, records] = [bytesOf(module), recordsOf(module)];
  let end = 0;
  const text = (at) => decoder.decode(bytes.subarray(end, end = records[at]));
  return Array.from({ length: records.length / ROW }, (_, row) => {
    const at = row * ROW;
    return { place: text(at), url: text(at + 1), problem: text(at + 2), links: records[at + 3], changed: records[at + 4] };
  });
}

class Container {
  constructor(name, bytes) {
    this.name = name;
    this.bytes = bytes;
  }

  /** The documents. */
  list(options) {
    return this.#work(LIST, options, options.recordType, readRows);
  }

  /** The whole with rewritten documents. */
  rewrite(options) {
    const date = new Date().toISOString().replace(/\.\d+/, '');
    return this.#work(WHOLE, options, `${options.recordType} ${date}`, (module, status) => (status === UNCHANGED ? this.bytes : bytesOf(module).slice()));
  }

  source(options, place) {
    return this.#work(SOURCE, options, place, (module) => bytesOf(module).slice());
  }

  changes(options, place) {
    return this.#work(CHANGES, options, place, readChanges);
  }

  links(options, place) {
    return this.#work(LINKS, options, place, (module) => new Links(module));
  }

  // Documents of a container have their own URLs and formats.
  #work(work, { recordType, to, base, as, ...options }, place, read) {
    if (to && to !== 'absolute') throw new AbsolveError('option', 'links in archives, messages and books become absolute or move to another URL, and not relative');
    const own = exported;
    exported = opened?.container === this ? opened.module : undefined;
    try {
      if (!exported) this.#open();
      const [type] = CONTAINER.exec(this.name);
      const lengths = writeArguments(encodeOptions(options), `x${type}`, place).slice(0, 3);
      return call('container', [...lengths, work], read, Infinity);
    } finally {
      if (exported) opened = { container: this, module: exported };
      else opened = undefined;
      exported = own;
    }
  }

  #open() {
    opened = { container: this };
    try {
      const module = wasm();
      memoryOf(module, module.open(this.bytes.length), this.bytes.length).set(this.bytes);
    } catch (error) {
      exported = undefined;
      throw new AbsolveError('internal', `a file of ${this.bytes.length} bytes is too large for the memory of WebAssembly`, { cause: error });
    }
  }
}
