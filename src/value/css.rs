//! URLs in CSS: `url()`, `src()`, `@import`, and the strings of `image-set()`.
//!
//! `cssparser` provides the tokens, by <https://www.w3.org/TR/css-syntax-3/>; this module
//! interprets them. It does not report other strings, `url()` in comments or strings, `@namespace`,
//! empty URLs, or the contents of a bad-url or a bad-string token. URLs that are only a fragment
//! are a separate kind ([`ReferenceKind::Local`]).
//!
//! `cssparser` skips a block that its caller does not enter, and its closures enter at most 75
//! levels. The reader avoids both: after every token that opens a block, it starts a new parser on
//! the rest of the text, and keeps the open blocks on a stack of two bytes per level. It takes
//! linear time.

use std::borrow::Cow;
use std::ops::Range;

use cssparser::{Parser, Token};

use super::reference::{Container, QuoteMark, ValueReference, trim};

/// The grammar of a text at its top level.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    /// A list of declarations, or a single value.
    Declarations,
    /// Rules, among which `@import` is valid.
    Stylesheet,
}

/// The kind of references to report.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ReferenceKind {
    /// References to other documents.
    Link,
    /// References that are only a fragment
    /// ([local URLs](https://www.w3.org/TR/css-values-4/#local-urls)).
    Local,
}

/// An open block, or the top level of the text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CssBlock {
    Stylesheet,
    Declarations,
    Curly,
    /// The descriptors of `@font-face`.
    FontFace,
    Square,
    Parenthesis,
    /// `url(` or `src(`: a string at the start is a reference.
    UrlFunction,
    /// `url(` or `src(` after `@import`.
    ImportUrl,
    /// `image-set(`: every string is a reference.
    ImageSet,
    /// Parentheses in `@namespace`: no string is a reference.
    Ignored,
}

impl CssBlock {
    /// Whether rules or declarations can begin in this block.
    fn contains_rules(self) -> bool {
        matches!(self, Self::Stylesheet | Self::Declarations | Self::Curly | Self::FontFace)
    }
}

/// The position in the rule or the function that is open in a block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    /// Nothing has been read.
    Start,
    /// `@import` has been read: a string here is a reference.
    Import,
    /// In the prelude of `@namespace`.
    Namespace,
    /// `@font-face` has been read.
    FontFace,
    /// In the prelude of any other at-rule, which ends at a semicolon.
    AtRule,
    /// Anywhere else. In a style sheet, this is a qualified rule, which no semicolon ends.
    Inside,
}

/// Functions whose strings are references; names are ASCII case-insensitive.
///
/// <https://www.w3.org/TR/css-values-4/#urls>,
/// <https://www.w3.org/TR/css-images-4/#image-set-notation>.
const FUNCTIONS: [(&str, CssBlock); 4] = [
    ("url", CssBlock::UrlFunction),
    ("src", CssBlock::UrlFunction),
    ("image-set", CssBlock::ImageSet),
    ("-webkit-image-set", CssBlock::ImageSet),
];

/// Reports the references of one kind in `text`, in source order.
pub(super) fn report_urls(
    text: &str,
    (level, wanted): (Level, ReferenceKind),
    report: &mut dyn FnMut(ValueReference<'_>),
) {
    // Every function has a parenthesis and every at-rule an `@`, even if its name is escaped.
    if !text.contains(['(', '@']) {
        return;
    }
    let block = match level {
        Level::Declarations => CssBlock::Declarations,
        Level::Stylesheet => CssBlock::Stylesheet,
    };
    let position = Position::Start;
    let mut reader = CssReader { text, wanted, report, block, position, outer: Vec::new() };
    let mut start = 0;
    while let Some(block_start) = reader.read(start) {
        start = block_start;
    }
}

struct CssReader<'t, 'f> {
    text: &'t str,
    wanted: ReferenceKind,
    report: &'f mut dyn FnMut(ValueReference<'_>),
    /// The innermost open block.
    block: CssBlock,
    position: Position,
    /// The blocks around `block`, the outermost first, each with the position after its child.
    outer: Vec<(CssBlock, Position)>,
}

impl<'t> CssReader<'t, '_> {
    /// Reads tokens from `start` on until one opens a block; returns the position after it.
    fn read(&mut self, start: usize) -> Option<usize> {
        let mut parser = Parser::new(&self.text[start..]);
        loop {
            parser.skip_whitespace();
            let begin = start + parser.position().byte_index();
            // Without nesting and delimiters, the end of the text is the only error.
            let token = parser.next_including_whitespace_and_comments().ok()?.clone();
            let end = start + parser.position().byte_index();
            if self.open_block(&token) {
                return Some(end);
            }
            self.process(&token, begin..end);
        }
    }

    /// Enters the block that `token` opens, if any; returns whether it opens one.
    fn open_block(&mut self, token: &Token<'_>) -> bool {
        let is_inert = self.block == CssBlock::Ignored || self.position == Position::Namespace;
        let block = match token {
            Token::CurlyBracketBlock if self.position == Position::FontFace => CssBlock::FontFace,
            Token::CurlyBracketBlock => CssBlock::Curly,
            Token::SquareBracketBlock => CssBlock::Square,
            Token::ParenthesisBlock | Token::Function(_) if is_inert => CssBlock::Ignored,
            Token::ParenthesisBlock => CssBlock::Parenthesis,
            Token::Function(name) => match find_block(name) {
                CssBlock::UrlFunction if self.position == Position::Import => CssBlock::ImportUrl,
                block => block,
            },
            _ => return false,
        };
        let after = match (self.position, block) {
            // A block in braces ends its rule.
            (_, CssBlock::Curly | CssBlock::FontFace) if self.block.contains_rules() => {
                Position::Start
            }
            (position, _) => after_token(position),
        };
        self.outer.push((self.block, after));
        (self.block, self.position) = (block, Position::Start);
        true
    }

    /// Processes a token that opens no block.
    fn process(&mut self, token: &Token<'t>, span: Range<usize>) {
        if self.closes(token) {
            // The top level is never closed, so the stack is never empty here.
            (self.block, self.position) = self.outer.pop().unwrap_or((self.block, self.position));
            return;
        }
        match token {
            Token::QuotedString(value) if self.string_is_reference() => {
                self.report_string(value, span);
            }
            Token::UnquotedUrl(value) if self.url_is_reference() => {
                self.report_unquoted(value, span);
            }
            _ => {}
        }
        self.position = self.next_position(token);
    }

    /// Whether `token` closes the innermost block. CSS ignores all other closing tokens.
    fn closes(&self, token: &Token<'_>) -> bool {
        match self.block {
            CssBlock::Stylesheet | CssBlock::Declarations => false,
            CssBlock::Curly | CssBlock::FontFace => *token == Token::CloseCurlyBracket,
            CssBlock::Square => *token == Token::CloseSquareBracket,
            _ => *token == Token::CloseParenthesis,
        }
    }

    /// Returns the position after `token`: <https://www.w3.org/TR/css-syntax-3/#parser-algorithms>.
    ///
    /// NOTE: an `@import` is read wherever a rule begins at the top level. The standard ignores an
    /// `@import` after a valid rule of another kind, but the validity of rules depends on the
    /// properties and selectors that a reader supports. In a block, `@import` is never valid.
    fn next_position(&self, token: &Token<'_>) -> Position {
        let starts_rule = self.block.contains_rules() && self.position == Position::Start;
        match token {
            Token::AtKeyword(name) if starts_rule => {
                let imports = self.block == CssBlock::Stylesheet;
                if name.eq_ignore_ascii_case("namespace") {
                    Position::Namespace
                } else if name.eq_ignore_ascii_case("font-face") {
                    Position::FontFace
                } else if imports && name.eq_ignore_ascii_case("import") {
                    Position::Import
                } else {
                    Position::AtRule
                }
            }
            Token::CDO | Token::CDC if starts_rule && self.block == CssBlock::Stylesheet => {
                Position::Start
            }
            Token::Semicolon if self.semicolon_ends() => Position::Start,
            _ => after_token(self.position),
        }
    }

    /// Whether a semicolon ends the rule: in a style sheet it only ends at-rules.
    fn semicolon_ends(&self) -> bool {
        match self.block {
            CssBlock::Stylesheet => !matches!(self.position, Position::Start | Position::Inside),
            block => block.contains_rules(),
        }
    }

    fn string_is_reference(&self) -> bool {
        match self.block {
            CssBlock::UrlFunction | CssBlock::ImportUrl => self.position == Position::Start,
            CssBlock::ImageSet => true,
            _ => self.position == Position::Import,
        }
    }

    fn url_is_reference(&self) -> bool {
        self.block != CssBlock::Ignored && self.position != Position::Namespace
    }

    /// Reports the contents of a string token.
    fn report_string(&mut self, value: &str, span: Range<usize>) {
        let source = &self.text[span.clone()];
        let Some(mark) = source.bytes().next().and_then(QuoteMark::from_byte) else { return };
        let contents = span.start + 1..span.end - usize::from(is_closed(source, mark));
        let end = contents.start + trimmed_length(&self.text[contents.clone()]);
        // Unescaped white space represents itself, so the value has the same amount of it.
        let length = value.len().saturating_sub(contents.end - end);
        let value = value.get(..length).unwrap_or(value);
        self.report_reference(value, contents.start..end, Container::CssString(mark));
    }

    /// Reports the contents of a url-token.
    fn report_unquoted(&mut self, value: &str, span: Range<usize>) {
        // The name before the first parenthesis is `url`; no escape in it represents a parenthesis.
        let source = &self.text[span.clone()];
        let Some(parenthesis) = source.find('(') else { return };
        let start = trim(self.text, span.start + parenthesis + 1..span.end).start;
        let end = start + unquoted_length(&self.text[start..span.end]);
        self.report_reference(value, start..end, Container::CssUrl);
    }

    /// Whether the innermost block is that of `@font-face`, or a function directly in it.
    fn is_in_font_face(&self) -> bool {
        let outer = self.outer.last().map(|(block, _)| *block);
        self.block == CssBlock::FontFace || outer == Some(CssBlock::FontFace)
    }

    /// Reports a reference of the wanted kind, without the white space before it. `span` has no
    /// white space at its end; `value` and `span` begin with the same white space.
    fn report_reference(&mut self, value: &str, span: Range<usize>, container: Container) {
        let start = trim(self.text, span.clone()).start;
        let value = value.get(start - span.start..).unwrap_or_default();
        let kind = if value.starts_with('#') { ReferenceKind::Local } else { ReferenceKind::Link };
        let is_font = self.is_in_font_face();
        if value.is_empty() || kind != self.wanted || is_font && kind == ReferenceKind::Local {
            return;
        }
        let span = start..span.end;
        let reference = match &self.text[span.clone()] {
            source if source == value => Cow::Borrowed(source),
            _ => Cow::Owned(value.to_owned()),
        };
        let is_import = self.block == CssBlock::ImportUrl || self.position == Position::Import;
        (self.report)(ValueReference { span, reference, container, is_font, is_import });
    }
}

/// Finds the block that a function opens.
fn find_block(name: &str) -> CssBlock {
    let row = FUNCTIONS.iter().find(|(known, _)| name.eq_ignore_ascii_case(known));
    row.map_or(CssBlock::Parenthesis, |(_, block)| *block)
}

/// Returns the position after a token that has no effect on the rule.
fn after_token(position: Position) -> Position {
    match position {
        Position::Start => Position::Inside,
        Position::Import => Position::AtRule,
        position => position,
    }
}

/// Whether a string token ends with its closing mark. The end of the text also ends a string.
fn is_closed(raw: &str, mark: QuoteMark) -> bool {
    let Some(contents) = raw.as_bytes()[1..].strip_suffix(&[mark.byte()]) else { return false };
    // In a run of backslashes, every other one is escaped by the one before it.
    let backslashes = contents.iter().rev().take_while(|&&byte| byte == b'\\').count();
    backslashes % 2 == 0
}

/// Returns the length of a string's contents without the white space at its end.
///
/// White space that ends an escape is part of the escape, and stays.
fn trimmed_length(contents: &str) -> usize {
    let bytes = contents.as_bytes();
    let (mut at, mut end) = (0, 0);
    while let Some(byte) = bytes.get(at) {
        let is_space = byte.is_ascii_whitespace();
        at = skip_character(bytes, at);
        end = if is_space { end } else { at };
    }
    end
}

/// Returns the length of an unquoted URL, which ends at unescaped white space or a parenthesis.
fn unquoted_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while bytes.get(at).is_some_and(|&byte| byte != b')' && !byte.is_ascii_whitespace()) {
        at = skip_character(bytes, at);
    }
    at
}

/// Returns the position after the byte at `at`, or the escape, which may be an escaped newline:
/// <https://www.w3.org/TR/css-syntax-3/#consume-escaped-code-point>.
fn skip_character(bytes: &[u8], at: usize) -> usize {
    if bytes[at] != b'\\' {
        return at + 1;
    }
    let rest = &bytes[at + 1..];
    let digits = rest.iter().take(6).take_while(|byte| byte.is_ascii_hexdigit()).count();
    let space = match &rest[digits..] {
        [b'\r', b'\n', ..] => 2,
        [byte, ..] if byte.is_ascii_whitespace() || digits == 0 => 1,
        _ => 0,
    };
    at + 1 + digits + space
}

#[cfg(test)]
mod tests {
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
}
