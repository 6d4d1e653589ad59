import type { Options } from './index.js';

/** A node of a tree of hast. */
interface Node { type: string }

/**
 * A plugin of rehype that makes the links of a tree absolute, those of `style` elements and attributes too. The first
 * `base` element counts.
 */
declare function rehypeAbsolve(options: Options & { baseUrl: string | URL }): (tree: Node) => void;
export default rehypeAbsolve;
