// Generated from the columns of links; GENERATED=overwrite cargo test --test it generated writes this file.

/** The places of the columns in the numbers of a link, and the count of numbers. */
const AT = { element: 0, attribute: 1, grammar: 2, reference: 3, length: 5, url: 6, base: 8, baseSource: 9, span: 10, line: 12, column: 13, enclosing: 14 };
const LINK = 16;

/** The link whose numbers begin here. Engines make an object fastest of a literal. */
const readLink = (records, first) => ({
  element: records.name(first + 0),
  attribute: records.name(first + 1),
  grammar: records.name(first + 2),
  reference: records.text(first + 3),
  length: records.number(first + 5),
  url: records.text(first + 6),
  base: records.name(first + 8),
  baseSource: records.name(first + 9),
  span: records.span(first + 10),
  line: records.number(first + 12),
  column: records.number(first + 13),
  enclosing: records.span(first + 14),
});

export { AT, LINK, readLink };
