//! Words of the generated documents.

/// Elements that have to do with each other.
#[rustfmt::skip]
pub(super) const GROUPS: &[&[&str]] = &[
    &["svg", "math", "foreignObject", "desc", "title", "annotation-xml", "mi", "mo", "mtext",
      "mglyph", "malignmark", "g", "style", "script", "font", "svg", "math", "use", "image", "a",
      "linearGradient", "feImage", "path"],
    &["table", "tbody", "thead", "tfoot", "tr", "td", "th", "caption", "colgroup", "col", "table",
      "tr", "td", "form", "input"],
    &["b", "i", "a", "nobr", "font", "code", "em", "u", "b", "a", "big", "small", "strong", "tt",
      "s", "strike"],
    &["p", "div", "li", "ul", "ol", "dd", "dt", "dl", "h1", "h2", "button", "form", "address",
      "pre", "listing", "center", "section", "search", "dialog", "details", "main", "blockquote"],
    &["select", "option", "optgroup", "hr", "input", "textarea", "keygen", "ruby", "rb", "rt",
      "rtc", "rp", "select", "selectedcontent"],
    &["template", "object", "marquee", "applet", "noscript", "template", "span", "x-y", "ins",
      "label", "isindex", "video", "q", "del"],
    &["html", "head", "body", "frameset", "frame", "noframes", "base", "link", "meta", "title",
      "style", "script", "noscript", "template", "base"],
    &["title", "textarea", "style", "xmp", "iframe", "noembed", "noframes", "script", "plaintext"],
    &["img", "image", "br", "wbr", "area", "embed", "param", "source", "track", "basefont",
      "bgsound", "img", "source", "object", "applet", "meta", "iframe", "link", "style"],
];

#[rustfmt::skip]
pub(super) const TEXTS: &[&str] = &[
    " ", "x", "\n", "&#32;", "&Tab;", "&nbsp;", "\0", "<", "</", "<!", "&#x20", "&amp", " y ",
    "-->", "]]>", "<!-- c -->", "<!-->", "<!--->", "<!--a--!>", "<!b>", "<?pi>", "</ x>", "</>",
    "<![CDATA[x]]>", "<![CDATA[ ]]>", "<![CDATA[<a href=no>]]>", "<!doctype html>",
    "<!DOCTYPE html PUBLIC 'x>y'>", "<!--", "<!-- <script> ", "\r\n", "\x0c", "&lt;", "]]",
    "<!--[if IE]><a href=no><![endif]-->", "<!-- <base href=no> -->",
];

/// Attributes that decide about others, or about nothing.
#[rustfmt::skip]
pub(super) const OTHERS: &[&str] = &[
    "", "", "", "", "", "/", " /", " color=x", " face", " type=hidden", " type=text/css",
    " type=HIDDE&#78;", " encoding=text/html", " encoding='application/xhtml+xml'",
    " encoding=text&sol;html", " HREF=again", " src=again", " STYLE='a:url(again)'", " a=1 b=2",
    " b=2 a=1", " class=c", "\n", " size=1 /", " http-equiv=refresh", " target=t", " codebase=cb/",
    " ='", " \"", " xlink:href=xl", " charset=utf-8",
];

/// Declarations of an encoding, and markup that looks like them.
#[rustfmt::skip]
pub(super) const DECLARATIONS: &[&str] = &[
    "<meta charset=LABEL>", "<META CHARSET='LABEL' />", "<meta charset=' &#x20;LABEL'>",
    "<meta http-equiv=Content-Type content='text/html; charset=LABEL'>",
    "<meta content=\"charset='LABEL';\" http-equiv=content-TYPE>", "<meta content=charset=LABEL>",
    "<meta charset=nonsense><meta charset=LABEL>", "<meta name=a charset=LABEL charset=koi8-u>",
    "<!-- --!><meta charset=LABEL><!-- -->", "<!--<meta charset=LABEL>-->",
    "<script>'<meta charset=LABEL>'</script>", "<title><meta charset=LABEL></title>",
    "<template><meta charset=LABEL></template>", "<noscript><meta charset=LABEL></noscript>",
    "<svg><meta charset=LABEL>", "<svg><desc><meta charset=LABEL></desc></svg>",
    "<select><meta charset=LABEL></select>", "<table><meta charset=LABEL></table>",
    "<frameset><meta charset=LABEL>", "<colgroup><meta charset=LABEL>", "<meta charset=LABEL",
];

#[rustfmt::skip]
pub(super) const LABELS: &[&str] = &[
    "utf-8", "shift_jis", "iso-2022-jp", "euc-jp", "euc-kr", "big5", "gb18030", "latin1", "koi8-r",
    "utf-16", "utf-16be", "x-user-defined", "iso-2022-kr", "nonsense",
];

/// Grammars, and what else a value can be.
#[derive(Clone, Copy)]
pub(super) enum Value {
    Url,
    UrlList,
    CommaList,
    Srcset,
    Refresh,
    Css,
    FuncIri,
    Html,
}

/// Elements and the attributes of theirs that hold references.
pub(super) const ATTRIBUTES: &[(&[&str], &str, Value)] = &[
    (&["a", "area"], "ping", Value::UrlList),
    (&["a", "img", "script"], "attributionsrc", Value::UrlList),
    (&["link"], "imagesrcset", Value::Srcset),
    (&["img", "source", "image"], "srcset", Value::Srcset),
    (&["iframe"], "srcdoc", Value::Html),
    (&["iframe"], "srcdoc", Value::Html),
    (&["video"], "poster", Value::Url),
    (&["object"], "data", Value::Url),
    (&["object", "applet"], "codebase", Value::Url),
    (&["object"], "classid", Value::Url),
    (&["object"], "archive", Value::UrlList),
    (&["applet"], "archive", Value::CommaList),
    (&["form", "isindex"], "action", Value::Url),
    (&["button", "input"], "formaction", Value::Url),
    (&["blockquote", "q", "ins", "del"], "cite", Value::Url),
    (&["meta"], "http-equiv=refresh content", Value::Refresh),
    (&["meta"], "http-equiv=Refre&#115;h content", Value::Refresh),
    (&["meta"], "content", Value::Refresh),
    (&["body", "table", "td", "tr", "th", "tbody"], "background", Value::Url),
    (&["img", "frame", "iframe"], "longdesc", Value::Url),
    (&["img"], "lowsrc", Value::Url),
    (&["img", "input"], "dynsrc", Value::Url),
    (&["head"], "profile", Value::UrlList),
    (&["html"], "manifest", Value::Url),
    (&["embed"], "pluginspage", Value::Url),
    (&["math"], "altimg", Value::Url),
    (&["svg", "g", "path", "desc"], "fill", Value::FuncIri),
    (&["svg", "g", "path", "title"], "clip-path", Value::FuncIri),
    (&["use", "image", "a", "feImage", "linearGradient", "svg"], "xlink:href", Value::Url),
];

/// References and what looks like them, by the script that they are written in.
#[rustfmt::skip]
pub(super) const REFERENCES: &[&str] = &[
    "x", "a/b.png", "../up", "../../..", "/root", "//net/p", "?q=1&b=2", "?a=1&copy=2", "#f", "",
    ";p", "http://abs.example/", "http:g", "mailto:x@y", "javascript:void(0)", "data:,x", "a b",
    "  x  ", "x,y", "x,", "a'b", "a\"b", "a(b)", "a\\b", "&amp", "./", "g/.", "..", "%20",
    "x;y=1?z#w", "urn:x", "C:x", "\u{1}x", "x\ty", "x\ny", "x\r\ny", "></a>", "<b>", "]]>",
    "--!>", "</style>", "</title>", "url(x)", "`", "=", "?&#x26;", "&lt", "x&", "x&#", ".", ",",
    "./a:b", "a/../../b", "x\0y", "\u{c}", "http://u:p@h.example/", "?", "#", "x?y=&lt;", "\\61",
];
#[rustfmt::skip]
pub(super) const SCRIPTS: &[&[&str]] = &[
    &[],
    &["caf\u{e9}", "?\u{f1}=\u{fc}", "\u{a0}x", "x\u{a0}"],
    &["\u{65e5}\u{672c}", "\u{8868}/\u{30bd}.png", "\u{ff76}\u{ff85}?\u{4e88}"],
    &["\u{d55c}\u{ad6d}", "?\u{b3d9}=\u{acc4}"],
    &["\u{4e2d}\u{6587}", "\u{529f}/\u{8a31}.png"],
    &["\u{1f600}", "\u{fffd}", "\u{85}\u{2028}", "\u{e9}\u{65e5}"],
];
