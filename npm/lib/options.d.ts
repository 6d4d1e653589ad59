// Generated from the options of the command; GENERATED=overwrite cargo test --test it generated writes this file.

/** Names of the sources that a base URL is learned from. */
export type Source =
  | 'saved-from' | 'singlefile' | 'httrack' | 'monolith' | 'webscrapbook' | 'original' | 'xattr' | 'zone-identifier'
  | 'none';

/** The rules that references are resolved by. */
export type Standard = 'rfc1808' | 'rfc3986' | 'whatwg';

/** Limits on documents; 0 is no limit. In defaults, k, M and G are powers of 1,024. */
export interface Limits {
  /** Size of a document, in bytes, at most 4G. Default: 64M. */
  maxInput?: number | null;
  /** Size of a document after rewriting. Default: 16 times the input + 1M, at most 256M. */
  maxOutput?: number | null;
  /** Length of a base URL. Default: 8k. */
  maxBaseUrl?: number | null;
  /** Length of a relative reference. Default: 64k. */
  maxReference?: number | null;
  /** Links in a document. Default: 1000000. */
  maxLinks?: number | null;
  /** Depth of nested documents (srcdoc), at most 16. Default: 3. */
  maxSrcdoc?: number | null;
}

/** The options of documents: those of the command in camel case. `null` is the default of each. */
export interface Options extends Limits {
  /** Standard to resolve references by. Default: `rfc1808`. */
  standard?: Standard | null;
  /**
   * Encoding of documents without a byte order mark. It is a
   * [label](https://encoding.spec.whatwg.org/#names-and-labels) of the Encoding Standard. A string needs none.
   */
  encoding?: string | null;
  /**
   * Count only these attributes as links, such as href,src. (text) is the text of style elements, of style sheets, and
   * of elements of XML such as loc.
   */
  only?: string | readonly string[] | null;
  /** Also count this attribute, such as `img:data-zoom=url`; * is any element. */
  attr?: string | readonly string[] | null;
  /** Also count URLs in meta elements: Open Graph, Twitter cards and similar. */
  meta?: boolean | null;
  /** Also count the data- attributes that scripts load images from. */
  lazy?: boolean | null;
  /**
   * Ignore links whose reference or URL matches; * matches anything. It has * for any text, ? for a character, [ab],
   * {a,b}, and a backslash before these. Links in an element with the attribute `data-absolve-ignore` are ignored too.
   */
  ignoreLink?: string | readonly string[] | null;
  /**
   * How to handle references to the document itself, such as #id. Default: `rewrite`.
   * - `rewrite`: Make them absolute, like other links.
   * - `keep`: Leave them unchanged where the base is the document's own URL.
   */
  sameDocument?: 'rewrite' | 'keep' | null;
  /**
   * URL that images in Markdown are resolved against. Forges serve pages and raw files at two URLs. `absolve/lite` has
   * no Markdown. Default: that of `baseUrl`.
   */
  rawBase?: string | null;
  /**
   * Where a base element must be to take effect. Default: `head`.
   * - `head`: In the head, as RFC 1808 requires.
   * - `document`: Anywhere in the document, as in browsers.
   */
  baseScope?: 'head' | 'document' | null;
  /**
   * What the HTML in items of feeds is relative to. Default: `feed`.
   * - `feed`: The xml:base around it, else the URL of the feed.
   * - `item`: The link of the item, unless an xml:base in the item says otherwise.
   */
  feedBase?: 'feed' | 'item' | null;
  /**
   * How to handle base elements. Default: absolute; remove for `to: 'relative'` and root-relative.
   * - `absolute`: Give their href the form of other links.
   * - `keep`: Leave them unchanged.
   * - `remove`: Remove them, except where one leaves relative links unresolved; one with a target attribute loses
   *   only its href.
   */
  baseElement?: 'absolute' | 'keep' | 'remove' | null;
  /** Copy user and password of a base URL into links; `links` then shows them. */
  keepCredentials?: boolean | null;
  /** Sources of recorded URLs that the base URL is learned from if none is given. */
  learn?: Source | readonly Source[] | null;
  /** Move links: URLs beneath OLD are beneath NEW. It takes `{ OLD: NEW }` or `'OLD=NEW'`, or several. */
  map?: Record<string, string> | ReadonlyMap<string, string> | string | readonly string[] | null;
  /**
   * Form of links. Default: absolute; with moved links, the one that they have.
   * - `absolute`: Absolute URLs.
   * - `relative`: Relative to the document, where the target is on its host.
   * - `root-relative`: The path from the root of the host, for its own links; else absolute.
   */
  to?: 'absolute' | 'relative' | 'root-relative' | null;
  /**
   * Syntax of documents; xhtml, svg, feed and sitemap are other names of xml. `absolve/lite` has no `markdown`.
   * Default: `html`.
   */
  as?: 'html' | 'css' | 'xml' | 'xhtml' | 'svg' | 'feed' | 'sitemap' | 'json-feed' | 'markdown' | null;
}
