// Generated documents.

/** Documents whose pieces follow from the seed. */
export function documents(count, seed = 1) {
  const pieces = ['<a href=', '<img src="', '">', '>', ' ', "'", '<base href=/b/>', '<style>a{b:url(', ')}</style>', '</', '<!--', '-->', '<script>',
    '</script>', '<svg><a xlink:href=', '<iframe srcdoc="', '&lt;a href=x&gt;', '&amp', '&#x2f;', '\0', '\u00e9', '\u{1f600}', '<meta charset=utf-16>',
    '<meta charset=shift_jis>', '<![CDATA[', ']]>', '<template>', '<select>', 'srcset="a 1x, b 2x"', 'style="a:url(x)"', '../x', '//h/y', 'http:z', '?q', '#f'];
  let state = seed;
  const next = (below) => (state = (state * 1103515245 + 12345) % 2147483648) % below;
  return Array.from({ length: count }, () => Array.from({ length: 1 + next(40) }, () => pieces[next(pieces.length)]).join(''));
}
