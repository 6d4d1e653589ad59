import type { Link } from './link.js';
import type { Options, Standard } from './options.js';

export type { Link } from './link.js';
export type { Limits, Options, Source, Standard } from './options.js';

/** The kinds of errors. */
export type ErrorCode =
  /** The base URL is relative, or has a scheme without paths. */
  | 'base-url'
  /** A document reaches a limit; `option` raises it. */
  | 'limit'
  /** The label of an encoding is unknown, `absolve/lite` has no decoder for it, or a string has a lone surrogate. */
  | 'encoding'
  /** A document is not well-formed XML. */
  | 'not-well-formed'
  /** An option is unknown, or has a value that it does not take. */
  | 'option'
  /** The standard refuses a reference. */
  | 'reference'
  /** An argument has a wrong type. */
  | 'type'
  /** The WebAssembly module is not loaded; see `init`. */
  | 'not-initialized'
  /** A bug, or memory is lacking. The next call works. */
  | 'internal';

/** Why a document, a base URL or an option could not be used. */
export class AbsolveError extends Error {
  readonly name: 'AbsolveError';
  /** The kind of error. */
  readonly code: ErrorCode;
  /** The option that it is about, if it is about one. */
  readonly option?: string;
  /** The place in the document, if it is known, in the unit of `Link.span`. */
  readonly offset?: number;
  private constructor();
}

/** A URL that a document was retrieved from; the document's own `base` element goes before it. */
export type BaseUrl = string | URL | null;

/**
 * Loads the WebAssembly module. Node, Deno and Bun have it from the start. A browser has to await this before the
 * first call; without an argument, it is fetched from beside the package. With a module or its bytes, as edge workers
 * have them, functions can be used at once, without await.
 */
export function init(source?: WebAssembly.Module | Uint8Array | ArrayBuffer | URL | string | Response): Promise<void>;

/**
 * Makes every link of a document absolute, or what `to` and `map` say. The result has the document's type, and is the
 * same object where nothing changes. A string is never decoded by its own `meta` element.
 *
 * @throws {AbsolveError} for what cannot be used, and a document that reaches a limit.
 */
export function rewrite(document: string, baseUrl?: BaseUrl, options?: Options | null): string;
export function rewrite(document: Uint8Array, baseUrl?: BaseUrl, options?: Options | null): Uint8Array;
export function rewrite(document: string | Uint8Array, baseUrl?: BaseUrl, options?: Options | null): string | Uint8Array;

/** Lists the links of a document, in their order. */
export function links(document: string | Uint8Array, baseUrl?: BaseUrl, options?: Options | null): Link[];

/** Lists the absolute URLs of the links of a document, in their order; one that occurs twice is there twice. */
export function urls(document: string | Uint8Array, baseUrl?: BaseUrl, options?: Options | null): string[];

/** Resolves a reference against a base URL, by RFC 1808 unless `standard` is given. */
export function resolve(reference: string, baseUrl: string | URL, options?: { standard?: Standard }): string;

/** Options that are read once, for many documents. A `baseUrl` of a method replaces that of the constructor. */
export class Rewriter {
  constructor(baseUrl?: BaseUrl, options?: Options | null);
  /** Makes every link of a document absolute, or what `to` and `map` say. */
  rewrite(document: string, baseUrl?: BaseUrl): string;
  rewrite(document: Uint8Array, baseUrl?: BaseUrl): Uint8Array;
  rewrite(document: string | Uint8Array, baseUrl?: BaseUrl): string | Uint8Array;
  /** Replaces each link by what `decide` returns for it; `null` and `undefined` leave it as it is. */
  rewriteWith(document: string, decide: (link: Link) => string | null | undefined, baseUrl?: BaseUrl): string;
  rewriteWith(document: Uint8Array, decide: (link: Link) => string | null | undefined, baseUrl?: BaseUrl): Uint8Array;
  /** Lists the links of a document, in their order. */
  links(document: string | Uint8Array, baseUrl?: BaseUrl): Link[];
  /** Lists the absolute URLs of the links of a document. */
  urls(document: string | Uint8Array, baseUrl?: BaseUrl): string[];
}

/**
 * A stream that gathers all chunks of a document, and rewrites it when it ends: a `base` element counts for links before
 * it, and an encoding may be declared after them. The chunks are all strings or all bytes.
 */
export class BufferedRewriteStream<T extends string | Uint8Array = Uint8Array> extends TransformStream<T, T> {
  constructor(baseUrl?: BaseUrl | Rewriter, options?: Options | null);
}
