// Generated from the columns of links; GENERATED=overwrite cargo test --test it generated writes this file.

/** The places of the columns in the numbers of a link, and the count of numbers. */
const AT = { element: 0, attribute: 1, grammar: 2, reference: 3, url: 5, base: 7, baseSource: 8, span: 9, line: 11, column: 12, enclosing: 13 };
const LINK = 15;

/** The link whose numbers begin here. Engines make an object fastest of a literal. */
const readLink = (records, first) => ({
  element: records.name(first + 0),
  attribute: records.name(first + 1),
  grammar: records.name(first + 2),
  reference: records.text(first + 3),
  url: records.text(first + 5),
  base: records.name(first + 7),
  baseSource: records.name(first + 8),
  span: records.span(first + 9),
  line: records.number(first + 11),
  column: records.number(first + 12),
  enclosing: records.span(first + 13),
});

export { AT, LINK, readLink };
