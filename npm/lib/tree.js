// The links of elements that are objects, for plugins of other programs.

import { Rewriter, resolve } from '#absolve';

const ESCAPES = { '&': '&amp;', '<': '&lt;', '"': '&quot;', '\n': '&#10;', '\r': '&#13;', '\t': '&#9;' };
const NAMES = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const escape = (text) => text.replace(/[&<"\n\r\t]/g, (one) => ESCAPES[one]);
const unescape = (text) => text.replace(/&(?:#(\d+)|(\w+));/g, (_, number, name) => (number ? String.fromCodePoint(number) : NAMES[name]));

const isName = (name) => /^[a-zA-Z][\w.-]*(:[a-zA-Z][\w.-]*)?$/.test(name);
// XML has no character for these, which no link needs.
// eslint-disable-next-line no-control-regex
const isText = (value) => typeof value === 'string' && !/[\0-\x08\v\f\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/u.test(value);

/** The base URL of a tree: that of its first `base` element, which becomes absolute, if it is usable. */
function documentBase(elements, baseUrl) {
  const hrefs = elements.filter(({ name }) => name === 'base').map((base) => [base, base.attributes.findIndex(([name]) => name === 'href')]);
  const [base, index] = hrefs.find(([, found]) => found >= 0) ?? [];
  if (!base || !isText(base.attributes[index][1])) return baseUrl;
  try {
    const url = resolve(base.attributes[index][1], baseUrl);
    // A URL such as `data:` is no base.
    resolve('', url);
    if (url !== base.attributes[index][1]) base.set(index, url);
    return url;
  } catch {
    return baseUrl;
  }
}

/**
 * Rewrites elements that a program has as objects. Each is `{ name, isSvg, attributes, set }`, with a list of names and
 * values; `set(index, value)` gets what changes. `sheets` are texts of `style` elements: `{ text, set }`.
 */
function rewriteElements(elements, sheets, baseUrl, options) {
  const url = documentBase(elements, baseUrl);
  // An element is a line of an XML document, whose attributes are lines too. Lines keep their order, so that
  // the values can be read back.
  const [places, lines] = [[], ['<html xmlns="http://www.w3.org/1999/xhtml" xmlns:xlink="http://www.w3.org/1999/xlink">']];
  for (const element of elements) {
    if (!isName(element.name) || element.name.includes(':') || element.name === 'base') continue;
    lines.push(element.isSvg ? `<${element.name} xmlns="http://www.w3.org/2000/svg"` : `<${element.name}`);
    element.attributes.forEach(([name, value], index) => {
      const known = isName(name) && isText(value) && !/^(xmlns|xml:)/.test(name) && (!name.includes(':') || name.startsWith('xlink:'));
      if (!known) return;
      places[lines.length] = [element, index];
      lines.push(`${name}="${escape(value)}"`);
    });
    lines.push('/>');
  }
  lines.push('</html>');
  const written = new Rewriter(url, { ...options, as: 'xml' }).rewrite(lines.join('\n')).split('\n');
  places.forEach(([element, index], line) => {
    if (written[line] !== lines[line]) element.set(index, unescape(written[line].slice(written[line].indexOf('"') + 1, -1)));
  });
  for (const { text, set } of sheets) {
    const result = new Rewriter(url, { ...options, as: 'css' }).rewrite(text);
    if (result !== text) set(result);
  }
}

export { rewriteElements };
