// The functions of the package, upon a WebAssembly module that `instantiate` takes.

import { LINK, readLink } from './link.js';

const NONE = 0xffffffff;
const [UNCHANGED, FAILED, NOT_ASCII] = [0, 2, 3];
/** Bytes of memory that are kept for the next call; memory of WebAssembly never shrinks. */
const KEPT_MEMORY = 64 << 20;
/** Numbers of an edit in the records of `rewrite`. */
const EDIT = 3;
/** UTF-16 code units that the module takes at once. */
const PIECE = 1 << 14;

const encoder = new TextEncoder();
// A byte order mark is a character of the document.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** What the module imports. */
const host = { domain_to_ascii: domainToAscii };

let compiled;
let exported;

/** Why a document, a base URL or an option could not be used. */
class AbsolveError extends Error {
  constructor(code, message, { option, offset, cause } = {}) {
    super(message, cause && { cause });
    this.name = 'AbsolveError';
    this.code = code;
    if (option) this.option = option;
    if (offset !== undefined) this.offset = offset;
  }
}

/** Takes the module that all functions use. */
function instantiate(module) {
  compiled = module instanceof WebAssembly.Module ? module : new WebAssembly.Module(module);
  exported = undefined;
}

/** Whether there is a module. */
const isReady = () => compiled !== undefined;

function wasm() {
  if (!exported) {
    if (!compiled) throw new AbsolveError('not-initialized', 'the WebAssembly module is not loaded; await init() first');
    exported = new WebAssembly.Instance(compiled, { host }).exports;
  }
  return exported;
}

/** Memory of a module, whose numbers have a sign here. */
const memoryOf = (module, address, length) => new Uint8Array(module.memory.buffer, address >>> 0, length >>> 0);

/** Puts the ASCII form of an international domain name in its place; more than the capacity is no domain. */
function domainToAscii(address, length, capacity) {
  try {
    const bytes = memoryOf(exported, address, capacity);
    const { hostname } = new URL(`http://${decoder.decode(bytes.subarray(0, length))}/`);
    const { read, written } = encoder.encodeInto(hostname, bytes);
    return read === hostname.length ? written : NONE;
  } catch {
    return NONE;
  }
}

/** Does one call; its result is read by `read` before the memory changes. A module with too much memory is dropped. */
function call(name, lengths, read) {
  const module = wasm();
  try {
    const status = module[name](...lengths);
    if (status === FAILED) throw failure(module);
    return read(module, status);
  } catch (error) {
    if (error instanceof AbsolveError) throw error;
    // A trap leaves the memory as it was in the middle of a call.
    exported = undefined;
    throw new AbsolveError('internal', `a bug or the lack of memory stopped it: ${error.message}`, { cause: error });
  } finally {
    if (module.memory.buffer.byteLength > KEPT_MEMORY) exported = undefined;
  }
}

const bytesOf = (module) => memoryOf(module, module.output(), module.output_length());
const recordsOf = (module) => new Uint32Array(module.memory.buffer, module.records() >>> 0, module.records_length() >>> 0);

function failure(module) {
  const [code, option, ...message] = decoder.decode(bytesOf(module)).split('\n');
  return new AbsolveError(code, message.join('\n'), { option, offset: recordsOf(module)[0] });
}

function requireText(name, text) {
  if (typeof text !== 'string') throw new AbsolveError('type', `${name} must be a string, not ${typeName(text)}`);
  requireUnicode(name, text);
  return text;
}

function requireUnicode(name, text) {
  if (text.isWellFormed ? text.isWellFormed() : !/\p{Surrogate}/u.test(text)) return;
  const offset = text.search(/\p{Surrogate}/u);
  throw new AbsolveError('encoding', `${name}: character ${offset} is a lone surrogate, which no encoding represents`, { offset });
}

function typeName(value) {
  if (value === null) return 'null';
  return typeof value === 'object' ? value.constructor?.name ?? 'object' : typeof value;
}

/** Options as the module reads them: for each value a tag, the option's name, and the value. */
function encodeOptions(options) {
  if (options === undefined || options === null) return new Uint8Array();
  if (typeof options !== 'object') throw new AbsolveError('type', `options must be an object, not ${typeName(options)}`);
  const parts = [];
  const text = (value) => {
    const bytes = encoder.encode(value);
    parts.push(new Uint8Array(Uint32Array.of(bytes.length).buffer), bytes);
  };
  const entry = (tag, ...values) => {
    parts.push(encoder.encode(tag));
    values.forEach(text);
  };
  const scalar = (name, value) => {
    if (typeof value === 'string') entry('t', name, requireText(`'${name}'`, value));
    else if (typeof value === 'boolean') entry('f', name, String(value));
    else if (typeof value === 'number') entry('n', name, String(Math.min(value, NONE)));
    else entry('o', name, typeName(value));
  };
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || value === null) continue;
    if (Array.isArray(value)) value.forEach((one) => scalar(name, one));
    else if (name === 'map' && typeof value === 'object') {
      const pairs = value instanceof Map ? value : Object.entries(value);
      for (const [old, moved] of pairs) entry('p', name, requireText(`'${name}'`, old), requireText(`'${name}'`, moved));
    } else scalar(name, value);
  }
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  parts.reduce((at, part) => (bytes.set(part, at), at + part.length), 0);
  return bytes;
}

function isBytes(document) {
  return document instanceof Uint8Array || Object.prototype.toString.call(document) === '[object Uint8Array]';
}

/** Writes arguments into the memory of the module; the result is their lengths. */
function writeArguments(options, baseUrl, document, decisions) {
  const module = wasm();
  const isText = typeof document === 'string';
  if (!isText && !isBytes(document)) {
    throw new AbsolveError('type', `the document must be a string or a Uint8Array, not ${typeName(document)}`);
  }
  const hasBase = baseUrl !== undefined && baseUrl !== null;
  const base = hasBase ? requireText('the base URL', baseUrl instanceof URL ? baseUrl.href : baseUrl) : '';
  const memory = (length) => memoryOf(module, module.input(length), length);
  try {
    const input = memory(options.length + 3 * base.length + (isText ? 0 : document.length));
    input.set(options);
    const baseLength = encoder.encodeInto(base, input.subarray(options.length)).written;
    const start = options.length + baseLength;
    const end = isText ? writeText(module, document, start) : start + document.length;
    if (!isText) input.set(document, start);
    if (decisions) memory(end + decisions.length).set(decisions, end);
    return [options.length, hasBase ? baseLength : NONE, end - start, isText ? 1 : 0, decisions?.length ?? NONE];
  } catch (error) {
    if (error instanceof AbsolveError) throw error;
    exported = undefined;
    throw new AbsolveError('internal', `a document of ${document.length} is too large for the memory of WebAssembly`, { cause: error });
  }
}

/** Writes a text to the arguments in pieces of UTF-16; the result is its end. `encodeInto` takes twice the time. */
function writeText(module, text, start) {
  for (let [at, end] = [0, 0]; at < text.length; at = end) {
    end = Math.min(at + PIECE, text.length);
    // The halves of a pair stay together.
    if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end--;
    const bytes = memoryOf(module, module.piece(start, text.length - at), 2 * (end - at));
    if (!bufferOf(bytes)?.write(text.slice(at, end), 'utf16le')) {
      const units = new Uint16Array(bytes.buffer, bytes.byteOffset, end - at);
      for (let unit = at; unit < end; unit++) units[unit - at] = text.charCodeAt(unit);
    }
    start = module.append(end - at) >>> 0;
    if (start === NONE) requireUnicode('document', text);
  }
  return start;
}

/** The same memory as a `Buffer`, whose methods take a fourth of the time of others, where there is one. */
const bufferOf = ({ buffer, byteOffset, length }) => globalThis.Buffer?.from(buffer, byteOffset, length);

function rewritten(document) {
  return (module, status) => {
    if (status === UNCHANGED) return document;
    const bytes = bytesOf(module);
    if (typeof document === 'string') return edited(document, bytes, recordsOf(module), status === NOT_ASCII);
    const copy = bytes.slice();
    // A Buffer has other methods than a Uint8Array.
    return globalThis.Buffer?.isBuffer(document) ? globalThis.Buffer.from(copy.buffer) : copy;
  };
}

/** A string with edits. What stays are slices of it: nothing of that is decoded or copied. */
function edited(document, bytes, edits, isWide) {
  const texts = (!isWide && bufferOf(bytes)?.latin1Slice()) || decoder.decode(bytes);
  let [result, at, from] = ['', 0, 0];
  for (let edit = 0; edit < edits.length; edit += EDIT) {
    result += document.slice(at, edits[edit]);
    result += texts.slice(from, from = edits[edit + 2]);
    at = edits[edit + 1];
  }
  return result + document.slice(at);
}

/** The result of `links`: texts, names that many links share, and the numbers of each link. */
class Records {
  #text;
  #numbers;
  #names = [];
  #first;

  constructor(module) {
    this.#text = decoder.decode(bytesOf(module));
    this.#numbers = recordsOf(module).slice();
    let [count, end] = this.#numbers;
    this.#first = count + 2;
    this.length = (this.#numbers.length - this.#first) / LINK;
    for (let name = 2; name < this.#first; name++) this.#names.push(this.#text.slice(end, end = this.#numbers[name]));
  }

  /** The first number of a link. */
  first(link) {
    return this.#first + link * LINK;
  }

  number(at) {
    const number = this.#numbers[at];
    return number === NONE ? null : number;
  }

  flag(at) {
    const number = this.number(at);
    return number === null ? null : number !== 0;
  }

  name(at) {
    const number = this.#numbers[at];
    return number === NONE ? null : this.#names[number];
  }

  text(at) {
    const start = this.#numbers[at];
    return start === NONE ? null : this.#text.slice(start, this.#numbers[at + 1]);
  }

  span(at) {
    const start = this.#numbers[at];
    return start === NONE ? null : [start, this.#numbers[at + 1]];
  }
}

function readLinks(module) {
  const records = new Records(module);
  const links = new Array(records.length);
  for (let link = 0; link < links.length; link++) links[link] = readLink(records, records.first(link));
  return links;
}

function encodeDecisions(links, decide) {
  const texts = links.map((link) => {
    const decision = decide(link);
    return decision === undefined || decision === null ? null : encoder.encode(requireText('what the function returns', decision));
  });
  const bytes = new Uint8Array(texts.reduce((sum, text) => sum + 4 + (text?.length ?? 0), 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const text of texts) {
    view.setUint32(at, text ? text.length : NONE, true);
    if (text) bytes.set(text, at + 4);
    at += 4 + (text?.length ?? 0);
  }
  return bytes;
}

function rewriteBy(options, baseUrl, document, decisions) {
  return call('rewrite', writeArguments(options, baseUrl, document, decisions), rewritten(document));
}

const listLinks = (options, baseUrl, document) => call('links', writeArguments(options, baseUrl, document), readLinks);

/** Options that are read once, for many documents. */
class Rewriter {
  #options;
  #baseUrl;

  constructor(baseUrl, options) {
    this.#options = encodeOptions(options);
    this.#baseUrl = baseUrl;
    const [length, base] = writeArguments(this.#options, baseUrl, '');
    call('check', [length, base], () => undefined);
  }

  rewrite(document, baseUrl = this.#baseUrl) {
    return rewriteBy(this.#options, baseUrl, document);
  }

  links(document, baseUrl = this.#baseUrl) {
    return listLinks(this.#options, baseUrl, document);
  }

  urls(document, baseUrl = this.#baseUrl) {
    return this.links(document, baseUrl).flatMap((link) => link.url ?? []);
  }

  rewriteWith(document, decide, baseUrl = this.#baseUrl) {
    if (typeof decide !== 'function') throw new AbsolveError('type', `the second argument must be a function, not ${typeName(decide)}`);
    // The links are listed before the first call, so that the function may use this package too.
    const decisions = encodeDecisions(this.links(document, baseUrl), decide);
    return rewriteBy(this.#options, baseUrl, document, decisions);
  }
}

/** Makes every link of a document absolute. */
const rewrite = (document, baseUrl, options) => rewriteBy(encodeOptions(options), baseUrl, document);

/** Lists the links of a document. */
const links = (document, baseUrl, options) => listLinks(encodeOptions(options), baseUrl, document);

/** The absolute URLs of the links of a document. */
const urls = (document, baseUrl, options) => links(document, baseUrl, options).flatMap((link) => link.url ?? []);

/** Resolves a reference against a base URL. */
function resolve(reference, baseUrl, options) {
  const given = options ?? {};
  if (typeof given !== 'object') throw new AbsolveError('option', `options must be an object such as { standard: 'whatwg' }, not ${typeName(given)}`);
  const { standard, ...others } = given;
  for (const option of Object.keys(others)) throw new AbsolveError('option', `unknown option '${option}', expected standard`, { option });
  const name = encoder.encode(requireText("'standard'", standard ?? ''));
  const [standardLength, baseLength, length] = writeArguments(name, baseUrl ?? '', requireText('the reference', reference));
  return call('resolve', [standardLength, baseLength, length], (module) => decoder.decode(bytesOf(module)));
}

/** Gathers all chunks of a document, and rewrites it when it ends. */
class BufferedRewriteStream extends TransformStream {
  constructor(baseUrl, options) {
    const rewriter = baseUrl instanceof Rewriter ? baseUrl : new Rewriter(baseUrl, options);
    const chunks = [];
    super({
      transform(chunk) {
        if (typeof chunk !== typeof (chunks[0] ?? chunk)) throw new AbsolveError('type', 'the chunks must be all strings or all bytes');
        chunks.push(chunk);
      },
      flush(controller) {
        if (chunks.length === 0) return;
        controller.enqueue(rewriter.rewrite(typeof chunks[0] === 'string' ? chunks.join('') : joined(chunks)));
      },
    });
  }
}

function joined(chunks) {
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  chunks.reduce((at, chunk) => (bytes.set(chunk, at), at + chunk.length), 0);
  return bytes;
}

export { AbsolveError, BufferedRewriteStream, Rewriter, instantiate, isReady, links, resolve, rewrite, urls };
