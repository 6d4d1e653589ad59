import type { Options } from './index.js';

/** What is used of the configuration of Eleventy. */
interface Configuration {
  addFilter(name: string, filter: (html: string, url?: string) => string): unknown;
  addTransform(name: string, transform: (content: string) => string): unknown;
}

/**
 * A plugin of Eleventy with the filter `absolve`, as in `{{ content | absolve(page.url) }}`. With `baseUrl`, the URL of
 * the site, a transform makes the links of every page absolute too.
 */
declare function eleventyAbsolve(eleventyConfig: Configuration, options?: Options & { baseUrl?: string }): void;
export default eleventyAbsolve;
