// A plugin of Eleventy: a filter, and a transform of pages.

import { rewrite } from '#absolve';

/**
 * Adds the filter `absolve`, as in `{{ content | absolve(url) }}`, and with `baseUrl` a transform that rewrites
 * every page: `eleventyConfig.addPlugin(eleventyAbsolve, { baseUrl, …options })`.
 */
function eleventyAbsolve(eleventyConfig, { baseUrl, ...options } = {}) {
  const absolute = (path) => (baseUrl ? new URL(path, baseUrl).href : path);
  eleventyConfig.addFilter('absolve', (html, url = '') => rewrite(String(html), absolute(url), options));
  if (!baseUrl) return;
  eleventyConfig.addTransform('absolve', function transform(content) {
    const { outputPath, url } = this.page;
    if (typeof outputPath !== 'string' || !/\.(html?|xhtml)$/.test(outputPath)) return content;
    return rewrite(content, absolute(url), options);
  });
}

export default eleventyAbsolve;
