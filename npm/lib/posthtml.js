// A plugin of PostHTML: the links of a tree.

import { rewriteElements } from './tree.js';

/** Makes the links of a tree absolute: `posthtml([posthtmlAbsolve({ baseUrl, …options })])`. */
function posthtmlAbsolve({ baseUrl, ...options } = {}) {
  return (tree) => {
    const [elements, sheets, work] = [[], [], [[tree, false]]];
    while (work.length > 0) {
      const [node, inSvg] = work.pop();
      if (Array.isArray(node)) [...node].reverse().forEach((child) => work.push([child, inSvg]));
      if (Array.isArray(node) || typeof node !== 'object' || node === null) continue;
      const name = typeof node.tag === 'string' ? node.tag.toLowerCase() : '';
      const isSvg = name === 'svg' || (inSvg && name !== 'foreignobject');
      const attributes = Object.entries(node.attrs ?? {});
      if (name) {
        const set = (index, value) => { node.attrs[attributes[index][0]] = value; };
        elements.push({ name: isSvg ? node.tag : name, isSvg, attributes: attributes.map(([key, value]) => [isSvg ? key : key.toLowerCase(), value]), set });
      }
      const { content } = node;
      if (name === 'style' && content) sheets.push({ text: [content].flat().join(''), set: (css) => { node.content = [css]; } });
      else if (content) work.push([[content].flat(), isSvg]);
    }
    rewriteElements(elements, sheets, baseUrl, options);
    return tree;
  };
}

export default posthtmlAbsolve;
