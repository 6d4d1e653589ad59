// What the types allow, and what they refuse.

import { AbsolveError, BufferedRewriteStream, Rewriter, init, links, resolve, rewrite, urls } from 'absolve';
import { rewrite as smaller } from 'absolve/lite';
import type { Link, Options } from 'absolve';
import eleventyAbsolve from 'absolve/eleventy';
import posthtmlAbsolve from 'absolve/posthtml';
import rehypeAbsolve from 'absolve/rehype';
import type { Plugin } from 'unified';
import posthtml from 'posthtml';

const options: Options = { as: 'markdown', feedBase: 'item', to: 'relative', map: { 'http://a/': 'http://b/' }, only: ['href'] as const, learn: 'none', maxLinks: 0 };
const text: string = smaller(rewrite('', 'http://h/', options));
const bytes: Uint8Array = rewrite(new Uint8Array(), new URL('http://h/'));
declare const either: string | Uint8Array;
const same: string | Uint8Array = rewrite(either);
const found: Link[] = links(text, null);
const url: string | null = found[0]!.url;
const all: string[] = urls(bytes);
const one: string = resolve('x', 'http://h/', { standard: 'whatwg' });
const rewriter = new Rewriter('http://h/', options);
const decided: string = rewriter.rewriteWith('', (link) => (link.element === 'img' ? link.reference : undefined));
const stream: TransformStream<string, string> = new BufferedRewriteStream<string>(rewriter);
await init(new WebAssembly.Module(new Uint8Array()));
rehypeAbsolve satisfies Plugin<[Options & { baseUrl: string }]>;
posthtml([posthtmlAbsolve({ baseUrl: 'http://h/' })]);
eleventyAbsolve({ addFilter() {}, addTransform() {} });
try {
  rewrite('');
} catch (error) {
  if (error instanceof AbsolveError && error.code === 'limit') error.option satisfies string | undefined;
}
export { all, decided, one, same, stream, url };

// @ts-expect-error: no such option
rewrite('', 'http://h/', { engine: 'dom' });
// @ts-expect-error: no such value
rewrite('', 'http://h/', { to: 'elsewhere' });
// @ts-expect-error: the document has another type
rewrite(1);
// @ts-expect-error: the result of a string is a string
rewrite('') satisfies Uint8Array;
// @ts-expect-error: the base URL is needed
rehypeAbsolve({});
// @ts-expect-error: no such code
new Error() instanceof AbsolveError && ({} as AbsolveError).code === 'other';
