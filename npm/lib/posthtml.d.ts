import type { Options } from './index.js';

/**
 * A plugin of PostHTML that makes the links of a tree absolute, those of `style` elements and attributes too. The first
 * `base` element counts.
 */
declare function posthtmlAbsolve(options: Options & { baseUrl: string | URL }): <Tree>(tree: Tree) => Tree;
export default posthtmlAbsolve;
