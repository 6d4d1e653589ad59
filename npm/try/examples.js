// What the list of examples has: a name, the document's URL, how it is read, and the document.

const EXAMPLES = [
  ['A page', 'https://example.org/docs/guide/page.html', 'html', `<!doctype html>
<html lang=en>
<title>Links of every kind</title>
<link rel=stylesheet href=style.css>
<h1>Brewing</h1>
<p><a HREF = '../index.html?a=1&amp;b=2#top'>Up</a>, <a href="#steps">steps</a>, <a href=//cdn.example/x>elsewhere</a>
<img src=pot.png srcset="pot.png 1x, pot@2x.png 2x" alt="A pot">
<p style="background: url('paper.png')">The base URL decides what these mean.
<iframe srcdoc="<a href=inner.html>inside</a>" title="A page in a page"></iframe>
<a href="mailto:tea@example.org">Mail</a> <a href="/shop?q=green tea">Shop</a> <a href="../../../../up">Far up</a>
`],
  ['A page with a base element', 'https://example.org/saved/copy.html', 'html', `<html><head>
<base href="http://other.example/a/b/c;p?q">
</head><body>
<a href="g">g</a> <a href="../g">../g</a> <a href="../../../g">../../../g</a> <a href="?y">?y</a> <a href="g;x=1/../y">g;x=1/../y</a>
<a href="http:g">http:g</a> <a href="\\\\host\\path">backslashes</a> <a href="  spaces  ">spaces</a>
</body></html>
`],
  ['A style sheet', 'https://example.org/css/site.css', 'css', `@import "base.css";
@font-face { font-family: Tea; src: url(../fonts/tea.woff2) format("woff2"); }
/* url(comment.png) is no link */
body { background: url('images/paper.png'), image-set("a.png" 1x, "a@2x.png" 2x) }
`],
  ['A feed', 'https://example.org/news/feed.xml', 'xml', `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://example.org/news/">
  <link href="feed.xml" rel="self"/>
  <entry xml:base="2026/"><title>First flush</title><link href="first.html"/><id>urn:x:1</id></entry>
</feed>
`],
  ['Markdown', 'https://example.org/docs/readme.md', 'markdown', `# Brewing

See [the guide](guide/start.md "How to begin") and ![a pot](pot.png), or <a href="faq.html">the questions</a>.

[Steps]: #steps
\`[no link](in-code)\` and [Steps]
`],
  ['Markup that tries to run', 'https://example.org/', 'html', `<script>document.title = 'ran'</script><img src=x onerror="document.title='ran'">
<iframe src="javascript:alert(1)"></iframe><a href="javascript:alert(2)">x</a>
</textarea></pre><style>body { display: none }</style><a href=x>Text that turns: \u202egnp.x</a>
`],
];
