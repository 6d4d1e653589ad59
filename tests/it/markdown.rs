//! The links of Markdown, and the properties of rewriting them.

use absolve::{Form, Limit, Limits, Policy, Rewriter, SameDocument, Syntax};
use proptest::prelude::*;
use proptest::sample::select;

fn rewriter() -> Rewriter {
    Rewriter::new().base_url("http://h/d/p").unwrap().syntax(Syntax::Markdown)
}

#[track_caller]
fn gives(rewriter: &Rewriter, source: &str, expected: &str) {
    let result = rewriter.rewrite(source.as_bytes()).unwrap();
    assert_eq!(String::from_utf8_lossy(result.bytes()), expected, "{source:?}");
}

/// Each destination that is found, with the element that it is like.
fn links(source: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    let add = |link: &absolve::Link<'_>| {
        found.push(format!("{} {}", link.element(), link.reference()));
    };
    rewriter().links(source, add).unwrap();
    found
}

#[test]
fn destinations_become_absolute_as_they_are_written() {
    for (source, expected) in [
        ("[a](b)", "[a](http://h/d/b)"),
        ("![a]( b 'c' )", "![a]( http://h/d/b 'c' )"),
        ("[![a](b)](c)", "[![a](http://h/d/b)](http://h/d/c)"),
        ("[a]()", "[a](http://h/d/p)"),
        ("[a](<>)", "[a](<http://h/d/p>)"),
        ("![a]()", "![a]()"),
        ("[a](#b)", "[a](http://h/d/p#b)"),
        ("[a](<b c>)", "[a](<http://h/d/b c>)"),
        ("[a](b\\_c\\*)", "[a](http://h/d/b\\_c\\*)"),
        ("[a](../b\\_c)", "[a](http://h/b\\_c)"),
        ("[a](b&amp;c&auml;)", "[a](http://h/d/b&amp;c&auml;)"),
        ("[a](\\.\\./b)", "[a](http://h/b)"),
        ("[a](b(c)d)", "[a](http://h/d/b(c)d)"),
        ("[`]`](b)", "[`]`](http://h/d/b)"),
        ("[a\\]](b)", "[a\\]](http://h/d/b)"),
        ("> [a](\n> b\n> 'c')", "> [a](\n> http://h/d/b\n> 'c')"),
        ("> > - [a](\r\n> >   b)", "> > - [a](\r\n> >   http://h/d/b)"),
        ("[a]: b", "[a]: http://h/d/b"),
        ("[a]:\n  <b>\n  'c'\n", "[a]:\n  <http://h/d/b>\n  'c'\n"),
        ("> [a\\]]:\n> b", "> [a\\]]:\n> http://h/d/b"),
        ("[a]: b\n[A]: c", "[a]: http://h/d/b\n[A]: c"),
        ("|a|\n|-|\n|[b](c\\|d)|", "|a|\n|-|\n|[b](http://h/d/c\\|d)|"),
        ("[^a]\n\n[^a]: [b](c)", "[^a]\n\n[^a]: [b](http://h/d/c)"),
        ("\u{feff}[a](b)", "\u{feff}[a](http://h/d/b)"),
        ("caf\u{e9} [\u{e9}](\u{e9})", "caf\u{e9} [\u{e9}](http://h/d/\u{e9})"),
    ] {
        gives(&rewriter(), source, expected);
        gives(&rewriter(), expected, expected);
    }
}

#[test]
fn what_is_no_link_stays() {
    for source in [
        "`[a](b)` <http://h/a> <a@b.c> http://i/j www.k.l",
        "```\n[a](b)\n<a href=b>\n```",
        "    [a](b)\n",
        "---\na: '[b](c)'\nd: <a href=b>\n---\n",
        "+++\na = '[b](c)'\n+++",
        "---\ra: '[b](c)'\r---\r",
        "\\[a](b) [a]\\(b) [a] (b)",
        "<!-- [a](b) <a href=b> -->",
        "<pre>\n[a](b)\n</pre>",
    ] {
        gives(&rewriter(), source, source);
    }
    // A rule and a heading are no metadata.
    gives(&rewriter(), "---\n\n[a](b)\n---\n", "---\n\n[a](http://h/d/b)\n---\n");
    gives(&rewriter(), "a\n\n---\n[a](b)\n---\n", "a\n\n---\n[a](http://h/d/b)\n---\n");
}

/// [Raw HTML] in a line has no links of Markdown, and a [title] is separated from its destination.
///
/// [Raw HTML]: https://spec.commonmark.org/0.31.2/#raw-html
/// [title]: https://spec.commonmark.org/0.31.2/#links
#[test]
fn sections_and_titles_are_read_as_in_commonmark() {
    for stays in [
        "a <![CDATA[ [b](c) ]]> d",
        "a <![CDATA[ [b](c) ![d](e) ](f) [g]: h ]]> [i]",
        "a <![CDATA[ b]> [c](d) ]]>",
        "a <![CDATA[ ] <i ]]> b",
        "> a <![CDATA[ [b](c)\n> [d](e) ]]>",
        "# <![CDATA[[a](b)]]>",
        "- <b><![CDATA[[a](b)]]>",
        "|a|\n|-|\n|<![CDATA[[b](c)]]>|",
        "a <?php [b](c) ?> <!X [d](e) > <!x [d](e) > <!-- [f](g) -->",
        "[a](<b>\"t\") ![c](<d>'t') [e](<f>(t)) [g](<>\"\")",
        "[a](<b>\"t\"\n) [a](<b>t) [a](<b> \"t\" [a](b\"t\" [a](b (t) <http://a b>",
        "[a]: <b>\"t\"\n\n[a]:\n<b>'t'\n\n[a]: b \"t\" c",
        "[[a](<b>\"t\")](<c>\"t\")",
    ] {
        gives(&rewriter(), stays, stays);
        assert_eq!(links(stays.as_bytes()), [""; 0], "{stays}");
    }
    for (source, expected) in [
        ("a <![CDATA[ [b](c) ]]> [d](e)", "a <![CDATA[ [b](c) ]]> [d](http://h/d/e)"),
        ("[a <![CDATA[ ](b) ]]>](c)", "[a <![CDATA[ ](b) ]]>](http://h/d/c)"),
        // A section ends in its block, and is neither escaped nor code.
        ("a <![CDATA[ [b](c)\n\nd ]]>", "a <![CDATA[ [b](http://h/d/c)\n\nd ]]>"),
        ("a <![CDATA[](b)>", "a <![CDATA[](http://h/d/b)>"),
        ("a <![CDATA[]> ](b)", "a <![CDATA[]> ](http://h/d/b)"),
        ("a <![CDATA[ <i src=b>]>", "a <![CDATA[ <i src=http://h/d/b>]>"),
        ("\\<![CDATA[ [a](b) ]]>", "\\<![CDATA[ [a](http://h/d/b) ]]>"),
        ("\\\\<![CDATA[ [a](b) ]]> [c](d)", "\\\\<![CDATA[ [a](b) ]]> [c](http://h/d/d)"),
        ("`<![CDATA[` [a](b) ]]>", "`<![CDATA[` [a](http://h/d/b) ]]>"),
        // A tag after the first one is outside of the section, like in HTML.
        ("<![CDATA[ ] <a> <a href='b]c'> ]]> d", "<![CDATA[ ] <a> <a href='http://h/d/b]c'> ]]> d"),
        // In the place of such a link there may be a tag, or another link around it.
        ("[a](<b href=c>\"t\")", "[a](<b href=http://h/d/c>\"t\")"),
        ("[[a](<b>'t')](c)", "[[a](<b>'t')](http://h/d/c)"),
        // The text of an image is no HTML.
        ("![<i src=a> b](c)", "![<i src=a> b](http://h/d/c)"),
        ("![[<i src=a>](b)][c]\n\n[c]: d", "![[<i src=a>](http://h/d/b)][c]\n\n[c]: http://h/d/d"),
        ("[a](<b>(t)) [c](d)", "[a](<b>(t)) [c](http://h/d/d)"),
        ("[a](<b> 't') [c](<d>\n\"t\")", "[a](<http://h/d/b> 't') [c](<http://h/d/d>\n\"t\")"),
    ] {
        gives(&rewriter(), source, expected);
        gives(&rewriter(), expected, expected);
    }
}

/// No new character ends a malformed link or tag around it.
#[test]
fn a_second_run_changes_nothing() {
    let bases = rewriter().base_url("http://h/a |)/").unwrap();
    for (source, expected) in [
        ("[a]([a](b)", "[a]([a](http://h/a&#32;&#124;&#41;/b)"),
        ("[[a](](<b c>)", "[[a](](<http://h/a&#32;&#124;&#41;/b c>)"),
        ("a <!A [a](b)", "a <!A [a](http://h/a&#32;&#124;&#41;/b)"),
        ("[[a](<b>\"t\")", "[[a](<b>\"t\")"),
        ("> [a]:\n>\u{c}>\n\n[a]", "> [a]:\n>\u{c}>\n\n[a]"),
    ] {
        gives(&bases, source, expected);
        gives(&bases, expected, expected);
    }
}

#[test]
fn the_html_in_it_is_one_document() {
    for (source, expected) in [
        ("<img src=a> [b](c)", "<img src=http://h/d/a> [b](http://h/d/c)"),
        (
            "<p>\n\n[a](b)\n\n<img\nsrc='c'></p>",
            "<p>\n\n[a](http://h/d/b)\n\n<img\nsrc='http://h/d/c'></p>",
        ),
        ("> <img\n> src=\"a\">", "> <img\n> src=\"http://h/d/a\">"),
        ("a <base href=/x/> [b](c)", "a <base href=http://h/x/> [b](http://h/d/c)"),
        // A block that ends in a tag ends the tag.
        ("<p><a href=\n\n[b](c)", "<p><a href=\n\n[b](http://h/d/c)"),
        (
            "<p><img src=a srcset=\n\n[b](c)\n\n<p><img src=d>",
            "<p><img src=http://h/d/a srcset=\n\n[b](http://h/d/c)\n\n<p><img src=http://h/d/d>",
        ),
        ("`<script>` <a href=b>", "`<script>` <a href=http://h/d/b>"),
        ("<style>\np{a:url(b)}\n</style>", "<style>\np{a:url(http://h/d/b)}\n</style>"),
    ] {
        gives(&rewriter(), source, expected);
    }
    let marks = rewriter().base_url("http://h/a|`)/").unwrap();
    for (source, expected) in [
        (
            "|a|\n|-|\n|[b](c)<img src=d>|",
            "|a|\n|-|\n|[b](http://h/a&#124;&#96;&#41;/c)<img src=http://h/a&#124;&#96;&#41;/d>|",
        ),
        ("<p style='a:url(b)'>", "<p style='a:url(http://h/a\\00007c\\000060\\)/b)'>"),
        (
            "<style>\na{b:url(c)}\n</style>",
            "<style>\na{b:url(http://h/a\\00007c\\000060\\)/c)}\n</style>",
        ),
        (
            "<script type=importmap>\n{\"imports\":{\"a\":\"./b\"}}\n</script>",
            "<script type=importmap>\n{\"imports\":{\"a\":\"http://h/a\\u007c\\u0060\\u0029/b\"}}\n</script>",
        ),
    ] {
        gives(&marks, source, expected);
        gives(&marks, expected, expected);
    }
    // Its tag alone on a line would be a block, and no paragraph.
    gives(&rewriter(), "<a href='b\nc'>", "<a href='b\nc'>");
}

#[test]
fn new_text_is_written_so_that_it_reads_back() {
    for new in [
        "http://h/a b",
        "http://h/(",
        "http://h/(a)",
        "((((a))))",
        "<a",
        "a>b",
        "a|b",
        "a`b`",
        "a\\b",
        "a\\*",
        "&amp;",
        "&lt",
        "a&b",
        "\n",
        "",
        "'a'",
        "(a)",
        "]",
        "](",
        "#a",
        "\u{e9}",
        "a\\",
    ] {
        for source in
            ["[a](b)", "![a](<b> 't')", "[a]: b", "|a|\n|-|\n|[b](c)|", "[a](b\\*)", "`[a](b)"]
        {
            let decide = |_: &absolve::Link<'_>| Some(new.to_owned());
            let result = rewriter().rewrite_with(source.as_bytes(), decide).unwrap();
            let found = links(result.bytes());
            let written = String::from_utf8_lossy(result.bytes());
            assert_eq!(found.len(), 1, "{source:?} {written:?}");
            assert!(found[0].ends_with(&format!(" {new}")), "{source:?} {written:?} {found:?}");
        }
    }
    // An attribute without quotes ends at `=` in Markdown.
    let decide = |_: &absolve::Link<'_>| Some("?a=`b`".to_owned());
    let result = rewriter().rewrite_with(b"x <a href=b> y", decide).unwrap();
    assert_eq!(result.bytes(), b"x <a href=\"?a=&#96;b&#96;\"> y");
    // cmark reads the reference in `\&lt;`.
    let result = rewriter().rewrite_with(b"[a](b)", |_| Some("?&lt;".to_owned())).unwrap();
    assert_eq!(result.bytes(), b"[a](?&amp;lt;)");
}

#[test]
fn an_autolink_stays_absolute() {
    let mut maps = absolve::url::Maps::new();
    maps.add("http://old/", "http://h/d/").unwrap();
    let source = "<http://old/a> [b](http://old/b)";
    let moving = absolve::Direction::default().maps(maps.clone());
    let moved = rewriter().policy(moving.clone().into());
    gives(&moved, source, "<http://h/d/a> [b](http://h/d/b)");
    let relative = moved.policy(moving.form(Form::Relative).into());
    gives(&relative, source, "<http://h/d/a> [b](b)");
    assert_eq!(links(source.as_bytes()), ["a http://old/a", "a http://old/b"]);
}

#[test]
fn images_have_a_base_of_their_own() {
    let raw = rewriter().raw_base("http://raw/d/p").unwrap();
    for (source, expected) in [
        ("![a](b) [c](d)", "![a](http://raw/d/b) [c](http://h/d/d)"),
        ("![a][b]\n\n[b]: c", "![a][b]\n\n[b]: http://raw/d/c"),
        ("![a][b] [b]\n\n[b]: c", "![a][b] [b]\n\n[b]: http://h/d/c"),
        ("<img src=a srcset='b 2x'>", "<img src=http://raw/d/a srcset='http://raw/d/b 2x'>"),
        ("<video poster=/a src=../b>", "<video poster=http://raw/a src=http://raw/b>"),
    ] {
        gives(&raw, source, expected);
    }
    let mut maps = absolve::url::Maps::new();
    maps.add("http://raw/", "http://moved/").unwrap();
    for (form, source, expected) in [
        (Form::Relative, "![a](http://raw/d/b) [c](http://h/d/e)", "![a](b) [c](e)"),
        (Form::Relative, "![a](/b) [c](http://raw/d/b)", "![a](../b) [c](http://raw/d/b)"),
        (Form::Relative, "![a](http://h/d/b)", "![a](http://h/d/b)"),
        (Form::RootRelative, "![a](b)", "![a](/d/b)"),
        (Form::AsWritten, "![a](b) ![c](http://raw/e)", "![a](b) ![c](http://moved/e)"),
    ] {
        let direct = |direction: absolve::Direction| match form {
            Form::AsWritten => direction.maps(maps.clone()),
            _ => direction.form(form),
        };
        let directed = raw.clone().policy(direct(absolve::Direction::default()).into());
        gives(&directed, source, expected);
        gives(&directed, expected, expected);
    }
    let keep = raw.same_document(SameDocument::Keep);
    gives(&keep, "[a](#b) ![c](d)", "[a](#b) ![c](http://raw/d/d)");
    let html = keep.syntax(Syntax::Html);
    gives(&html, "<img src=a>", "<img src=http://h/d/a>");
}

#[test]
fn options_of_links_are_those_of_attributes() {
    gives(&rewriter().only("src"), "[a](b) ![c](d)", "[a](b) ![c](http://h/d/d)");
    let relative = rewriter().policy(Policy::form(Form::Relative));
    gives(&relative, "[a](http://h/d/b) ![c](/e)", "[a](b) ![c](../e)");
    let counts = rewriter().rewrite(b"[a](b) [c](http://d/) <e@f>").unwrap().counts();
    assert_eq!((counts.links, counts.rewritten, counts.absolute), (2, 1, 1));
}

#[test]
fn size_and_depth_have_limits() {
    let reaches = |rewriter: &Rewriter, source: &str| {
        rewriter.rewrite(source.as_bytes()).err().and_then(|error| error.limit_reached())
    };
    let nested = [
        "> ".repeat(600) + "a",
        "a\n\n".to_owned() + &"- ".repeat(600) + "a",
        "+ ".repeat(600),
        "[^1]: - ".repeat(300) + "a",
        "```\n".to_owned() + &" ".repeat(1100) + "- ```\n```\n" + &">".repeat(600),
        (0..600).map(|level| "  ".repeat(level) + "- a\n").collect(),
    ];
    let mut limits = Limits::default();
    limits.depth = 0;
    let unlimited = rewriter().limits(limits);
    for source in nested {
        assert_eq!(reaches(&rewriter(), &source), Some(Limit::BlockDepth));
        assert_eq!(reaches(&unlimited, &source), None);
    }
    let deep = |front: &str| front.to_owned() + &"> ".repeat(600) + "a";
    for (front, line) in [("", 1), ("\r\n\n", 3), ("---\na: b\n---\n", 4)] {
        let error = rewriter().rewrite(deep(front).as_bytes()).unwrap_err();
        let start = format!("line {line}: the nesting of quotes and lists exceeds 512 levels, ");
        assert!(error.to_string().starts_with(&start), "{error}");
    }
    for wide in [
        "-".repeat(2000) + "\n" + &" ".repeat(2000) + "\n" + &"1.2.".repeat(600),
        "* ".repeat(600) + "\n" + &"> ".repeat(300) + &"- ".repeat(600) + "\n",
        deep("```\n"),
        deep("<!--\n") + " --> [^1]: - a",
        " ".repeat(1100) + "1. a",
        ">".repeat(512),
    ] {
        assert_eq!(reaches(&rewriter(), &wide), None);
    }
    let large = " ".repeat((16 << 20) + 1);
    assert_eq!(reaches(&rewriter(), &large), Some(Limit::Markdown));
    let most = 4_000_000;
    for mark in ["[", "![", "<", "a\n", "- "] {
        assert_eq!(reaches(&rewriter(), &mark.repeat(most + 2)), Some(Limit::Marks));
    }
}

#[test]
fn bytes_that_are_not_utf_8_stay() {
    let result = rewriter().rewrite(b"\xff [\xe9](b) \x80").unwrap();
    assert_eq!(result.bytes(), b"\xff [\xe9](http://h/d/b) \x80");
    // The bytes of a destination would be lost.
    for source in [&b"[a](b\xffc)"[..], b"[a]: \xe9", b"![\xff](<\x80>)"] {
        assert_eq!(rewriter().rewrite(source).unwrap().bytes(), source);
    }
    let latin = rewriter().encoding("latin1").unwrap();
    assert_eq!(latin.rewrite(b"[\xe9](\xe9)").unwrap().bytes(), b"[\xe9](http://h/d/\xe9)");
    let utf_16 = "\u{feff}[a](b)".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
    let result = rewriter().rewrite(&utf_16).unwrap();
    assert_eq!(result.bytes().len(), utf_16.len() + "http://h/d/".len() * 2);
}

/// Parts of documents.
const PARTS: &[&str] = &[
    "[a](b)",
    "![c](d \"e\")",
    "[![f](g)](h)",
    "[i][j]",
    "![k][l]",
    "[m]",
    "[n](",
    "](o)",
    "<p q>)",
    "(r)",
    "\\",
    "`",
    "``",
    "*",
    "_",
    "~~",
    "[",
    "]",
    "![",
    "(",
    ")",
    "<",
    ">",
    "&",
    "&amp;",
    "&#41;",
    "<http://s/t>",
    "<u@v>",
    "<img src=w>",
    "<a href='x",
    "'>",
    "<!--",
    "-->",
    "<script>",
    "</script>",
    " ",
    "    ",
    "\t",
    "\n",
    "\r\n",
    "\n\n",
    "\n> ",
    "\n- ",
    "\n1. ",
    "\n# ",
    "\n```\n",
    "\n---\n",
    "\n+++\n",
    "\n|y|z|\n|-|-|\n|",
    "|",
    "\\|",
    "\n[j]: a\n",
    "\n[l]: <b c>\n",
    "\n[m]:\n",
    "\n[^1]: ",
    "[^1]",
    "\u{e9}",
    "\0",
    "\u{feff}",
    "\"",
    "<![CDATA[",
    "]]>",
    "]>",
    "<!x",
    "(<b>'t')",
];

/// Base URLs, some with characters that mean something in Markdown.
const BASES: &[&str] = &[
    "http://h/d/p",
    "http://h/a|`)/",
    "http://h/(a b/<c>/",
    "http://h/](a)/!/",
    "http://h/&amp;/\\*_/'\"/",
];

fn document() -> impl Strategy<Value = String> {
    prop::collection::vec(select(PARTS), 0..24).prop_map(|parts| parts.concat())
}

/// Checks identity, locality, idempotence and totality.
fn holds(source: &[u8], base: &str) -> Result<(), TestCaseError> {
    let rewriter = rewriter().base_url(base).unwrap();
    let same = rewriter.rewrite_with(source, |_| None).unwrap();
    prop_assert_eq!(same.bytes(), source);
    let first = rewriter.rewrite(source).unwrap();
    let second = rewriter.rewrite(first.bytes()).unwrap();
    prop_assert_eq!(second.bytes(), first.bytes());
    prop_assert_eq!(links(first.bytes()).len(), links(source).len());
    let mut spans = Vec::new();
    rewriter.links(source, |link| spans.extend(link.span())).unwrap();
    // The text between the links stays.
    let (mut rest, mut done) = (first.bytes(), 0);
    spans.sort_unstable_by_key(|span| (span.start, span.end));
    for span in spans {
        let between = &source[done..span.start.max(done)];
        let at = memchr::memmem::find(rest, between);
        prop_assert!(at.is_some(), "{:?}", String::from_utf8_lossy(first.bytes()));
        rest = &rest[at.unwrap() + between.len()..];
        done = done.max(span.end);
    }
    prop_assert!(rest.ends_with(&source[done..]));
    Ok(())
}

/// A `)` ends a link whose text and destination are in two tags.
#[test]
fn an_edit_in_a_tag_ends_no_link() {
    holds(b"[n](<a href='x-->\"\"&#41; '>", BASES[0]).unwrap();
}

proptest! {
    #[test]
    fn any_document_keeps_what_is_no_link(source in document(), base in select(BASES)) {
        holds(source.as_bytes(), base)?;
    }

    #[test]
    fn any_bytes_keep_what_is_no_link(source in prop::collection::vec(any::<u8>(), 0..64)) {
        holds(&source, BASES[0])?;
    }
}
