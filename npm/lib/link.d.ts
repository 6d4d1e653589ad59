// Generated from the columns of links; GENERATED=overwrite cargo test --test it generated writes this file.

/** One occurrence of a reference in a document. */
export interface Link {
  /** The name of the element, in lower case. */
  element: string;
  /** The name of the attribute, in lower case; `(text)` for the text of the element. */
  attribute: string;
  /** How the attribute holds references, such as `url` or `srcset`. */
  grammar: string;
  /** The reference as an HTML parser reads it: character references are decoded. */
  reference: string;
  /** The absolute URL; `null` if the reference stays unresolved. */
  url: string | null;
  /** The base URL that the reference was resolved against. */
  base: string | null;
  /** Where the base URL came from, such as `retrieval-url` or `base-element`. */
  baseSource: string;
  /** Start and end of the reference as it is written: bytes of a `Uint8Array`, UTF-16 code units of a string. */
  span: [start: number, end: number];
  /** The line of the reference, from 1. */
  line: number;
  /** The column of the reference in characters, from 1. */
  column: number;
  /** For a link of a document inside a `srcdoc`: the span of that attribute's value. */
  enclosing: [start: number, end: number] | null;
}
