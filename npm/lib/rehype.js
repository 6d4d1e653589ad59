// A plugin of rehype: the links of a tree.

import { rewriteElements } from './tree.js';

/** The attribute of a property of hast. */
function attribute(property) {
  if (/^data[A-Z]/.test(property)) return property.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  if (/^xLink[A-Z]/.test(property)) return `xlink:${property.slice(5).toLowerCase()}`;
  return { httpEquiv: 'http-equiv', acceptCharset: 'accept-charset' }[property] ?? property.toLowerCase();
}

/** Makes the links of a tree absolute: `.use(rehypeAbsolve, { baseUrl, …options })`. */
function rehypeAbsolve({ baseUrl, ...options } = {}) {
  return (tree) => {
    const [elements, sheets, work] = [[], [], [[tree, false]]];
    while (work.length > 0) {
      const [node, inSvg] = work.pop();
      const isSvg = node.tagName === 'svg' || (inSvg && node.tagName !== 'foreignObject');
      if (node.type === 'element') {
        const properties = Object.entries(node.properties ?? {});
        const text = (value) => (Array.isArray(value) ? value.join(' ') : value);
        const set = (index, value) => {
          const [property, old] = properties[index];
          node.properties[property] = Array.isArray(old) ? value.split(' ') : value;
        };
        elements.push({ name: node.tagName, isSvg, attributes: properties.map(([name, value]) => [attribute(name), text(value)]), set });
        if (node.tagName === 'style') node.children.forEach((child) => sheets.push({ text: child.value, set: (css) => { child.value = css; } }));
      }
      const children = [...(node.children ?? []), ...(node.content ? [node.content] : [])];
      children.reverse().forEach((child) => work.push([child, isSvg]));
    }
    rewriteElements(elements, sheets, baseUrl, options);
  };
}

export default rehypeAbsolve;
