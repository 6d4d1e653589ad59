//! Rows for the CSS grammars.

use crate::value::tests::check;

#[track_caller]
fn css(text: &str, expected: &[&str]) {
    check("css", text, expected);
    check("func-iri", text, expected);
    check("stylesheet", &format!("a{{{text}"), expected);
}

#[track_caller]
fn sheet(text: &str, expected: &[&str]) {
    check("stylesheet", text, expected);
}

#[test]
fn url_tokens() {
    css("", &[]);
    css("color: red", &[]);
    css("background: url(a.png)", &["a.png"]);
    css("background: URL( a.png\n)", &["a.png"]);
    css("a: url(a) , url(b)url(c)", &["a", "b", "c"]);
    css("--custom: url(a)", &["a"]);
    css("a: url(a,b;c{d}e[f]g:h!i@j/*k*/)", &["a,b;c{d}e[f]g:h!i@j/*k*/"]);
    css("a: url(\u{e9}\u{1f600})", &["\u{e9}\u{1f600}"]);
    css("a: my-url(a) url (b) xurl(c)", &[]);
}

#[test]
fn url_functions() {
    css("a: url('a.png')", &["a.png"]);
    css("a: url( \"a(b)c\" )", &["a(b)c"]);
    css("a: src('a') SRC(/**/\"b\")", &["a", "b"]);
    css("a: url('a' modifier 'b' fn('c'))", &["a"]);
    css("a: src(b) src(var(--c)) src(x 'a')", &[]);
    css("a: url('') url(\"\") url() url( )", &[]);
    css("a: url(' a ')", &["a"]);
}

#[test]
fn fragments_stay() {
    css("fill: url(#a) url('#b') url( #c ) url(' #d') red", &[]);
    css("fill: url(x#a)", &["x#a"]);
    css("fill: url(\\23 a)", &[]);
}

#[test]
fn escapes_are_undone() {
    css(r"a: \75rl(x) \75 r\6C ('y') \55\52\4c(z)", &["x", "y", "z"]);
    css(r"a: url(\61 b\)c\ d)", &[r"\61 b\)c\ d=>ab)c d"]);
    css(r"a: url( \61  )", &[r"\61 =>a"]);
    css(r"a: url('\61 ')", &[r"\61 =>a"]);
    css(r"a: url('\000061 ')", &[r"\000061 =>a"]);
    css(r"a: url(' b\20  ')", &[r"b\20 =>b "]);
    css(r"a: url('a\'b') url('a\\')", &[r"a\'b=>a'b", r"a\\=>a\"]);
    css("a: url('a\\\nb') url('a\\\r\nb')", &["a\\\nb=>ab", "a\\\r\nb=>ab"]);
    css("a: url('a\\\r\n')", &["a\\\r\n=>a"]);
    css(r"a: url(\000061b)", &[r"\000061b=>ab"]);
    css("a: url(\\61\r\nb)", &["\\61\r\nb=>ab"]);
}

#[test]
fn the_end_of_the_text_closes_everything() {
    css("a: url(x", &["x"]);
    css("a: url( x ", &["x"]);
    css("a: url('x", &["x"]);
    css("a: url('x ", &["x"]);
    css("a: url('x'", &["x"]);
    css(r"a: url('x\'", &[r"x\'=>x'"]);
    css(r"a: url('x\", &[r"x\=>x"]);
    css(r"a: url(x\", &["x\\=>x\u{fffd}"]);
    css(r"a: url('x\\'", &[r"x\\=>x\"]);
    css(r"a: url(\61 ", &[r"\61 =>a"]);
    css("a: url('", &[]);
    css("a: url(", &[]);
    css("a: (url(x", &["x"]);
}

#[test]
fn bad_tokens_hold_nothing() {
    css("a: url(a b) url(c)", &["c"]);
    css("a: url(a'b) url(a\"b) url(a(b) url(c)", &["c"]);
    css("a: url(a\x01b) url(c)", &["c"]);
    css("a: url(a b\\) d) url(c)", &["c"]);
    css("a: url('a\nb') url(c)", &[]);
    css("a: url('a\n) url(c)", &["c"]);
}

#[test]
fn comments_and_strings_hold_nothing() {
    css("/* url(a) */ a: /**/url(/**/)", &["/**/"]);
    css("a: url/**/(a)", &[]);
    css("a: 'url(a)' \"url(b)\" url(c)", &["c"]);
    css("content: 'a'; a: attr('b') format('c') local('d') ('e')", &[]);
    css("/* url(a)", &[]);
}

#[test]
fn image_set_strings() {
    css("a: image-set('a' 1x, \"b\" 2x)", &["a", "b"]);
    css("a: -WebKit-Image-Set(url(a) 1x, 'b' 2x)", &["a", "b"]);
    css("a: image-set('a' type('image/png'), 'b' calc(1x * 2))", &["a", "b"]);
    css("a: image-set(('a') 1x, linear-gradient('b'), [ 'c' ])", &[]);
    css("a: -moz-image-set('a')", &[]);
    css("a: cross-fade(image-set('a' 1x) 'b')", &["a"]);
    css("a: image-set('a' ] 1x, 'b' } 2x", &["a", "b"]);
}

#[test]
fn closing_tokens_match_their_own_block() {
    css("a: image-set(']' [ ) 'a' ] 'b') 'c'", &["]", "b"]);
    css("a: ) ] url(a)", &["a"]);
}

#[test]
fn imports() {
    sheet("@import 'a';", &["a"]);
    sheet("@import url(a); @IMPORT\"b\" screen;@import/**/url('c')layer(x)", &["a", "b", "c"]);
    sheet(r"@\69mport 'a'", &["a"]);
    sheet("<!-- @import 'a'; --> @import 'b'", &["a", "b"]);
    sheet("@charset 'x'; @layer y; @import 'a' supports(b: 'c')", &["a"]);
    sheet("b { c: d } @import 'a'", &["a"]);
    sheet("@media x { b { c: d } } @import 'a'", &["a"]);
    sheet("@import x 'a'; @import-x 'b'; @import; 'c'; @ import 'd'", &[]);
    sheet("@import ''; @import '#a'; @import ' '", &[]);
    sheet("@import 'a", &["a"]);
}

#[test]
fn an_import_begins_a_rule_of_the_style_sheet() {
    check("css", "@import 'a'; b: url(c)", &["c"]);
    sheet("b { @import 'a'; } @media x { @import 'c'; }", &[]);
    sheet("b @import 'a';", &[]);
    sheet("b; @import 'a';", &[]);
    sheet("@import 'a';; @import 'b'; c { d: url(e) }", &["a", "e"]);
    sheet("} @import 'a'; {} @import 'b'", &["b"]);
    sheet("@x (; @import 'a';) ; @import 'b'", &["b"]);
    sheet("{} @import 'a'", &["a"]);
}

#[test]
fn namespaces_stay() {
    sheet("@namespace 'a'; @namespace b url(c); @NAMESPACE url('d');", &[]);
    sheet("@namespace url(a); @import url(b); c { d: url(e) }", &["b", "e"]);
    sheet("@namespace x(url(a) url('b')) image-set('c'); @import 'd'", &["d"]);
    sheet(r"@n\61mespace url(a) {} b { c: url(d) }", &["d"]);
    check("css", "@namespace url(a); b: url(c)", &["c"]);
}

#[test]
fn rules_nest_at_any_depth() {
    sheet("@media x { @supports (a: url(b)) { c { d { e: url(f) } } } }", &["b", "f"]);
    let deep = format!("{}url(a){}url(b)", "{([x(".repeat(1000), ")])}".repeat(1000));
    sheet(&deep, &["a", "b"]);
}
