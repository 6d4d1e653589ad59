//! Patterns of links to ignore.

use std::fmt;
use std::iter::once;
use std::ops::RangeInclusive;

use crate::grammar::Grammar;
use crate::url::clean;
use crate::value::references;

/// Maximum bytes of a pattern; time and memory of a match grow with the length.
const MAX_LENGTH: usize = 4096;

/// Maximum nesting of braces, as parsing and matching recurse.
const MAX_DEPTH: usize = 32;

/// A pattern of links to ignore.
///
/// A pattern matches a whole reference, without the white space around it, or the whole URL that
/// the reference resolves to. `*` matches anything, including slashes; `?` one character; `[ab]`
/// one of these; `{a,b}` either; `\*` an asterisk. Braces without a comma are text, as in shells,
/// so that `{{*}}` matches `{{ url }}`.
///
/// ```
/// use absolve::LinkPattern;
///
/// let pattern = LinkPattern::new("https://example.org/*")?;
/// assert!(pattern.matches("../a", Some("https://example.org/a")));
/// # Ok::<(), absolve::InvalidGlob>(())
/// ```
#[derive(Debug, Clone)]
pub struct LinkPattern(Vec<PatternPart>);

#[derive(Debug, Clone)]
enum PatternPart {
    Text(String),
    /// Any text.
    Star,
    /// A character that is in one of these ranges if the flag is set, or else in none.
    Character(bool, Vec<RangeInclusive<char>>),
    Either(Vec<Vec<PatternPart>>),
}

impl LinkPattern {
    /// Parses a pattern.
    ///
    /// # Errors
    ///
    /// If the pattern is empty, malformed, too long or too deeply nested.
    pub fn new(pattern: &str) -> Result<Self, InvalidGlob> {
        if pattern.is_empty() {
            let what = "the pattern is empty; write a reference or a URL, with * for any text";
            return Err(InvalidGlob(what.to_owned()));
        }
        InvalidGlob::check(pattern)?;
        parse(pattern).map(Self)
    }

    /// Whether a link matches.
    #[must_use]
    pub fn matches(&self, reference: &str, url: Option<&str>) -> bool {
        self.is_match(&clean(reference)) || url.is_some_and(|url| self.is_match(url))
    }

    fn is_match(&self, text: &str) -> bool {
        let mut starts = vec![false; text.len() + 1];
        starts[0] = true;
        mark_ends(&self.0, text, starts)[text.len()]
    }
}

/// Whether a value of several references contains a template that the grammar would cut apart:
/// a pattern matches the value or a part between commas, with or without its descriptor, but no
/// reference in it.
#[must_use]
pub fn is_template(patterns: &[LinkPattern], grammar: Grammar, value: &str) -> bool {
    let has_several = matches!(grammar, Grammar::Srcset | Grammar::UrlList | Grammar::CommaList);
    let is_whole = |pattern: &LinkPattern, text: &str| {
        let mut is_uncut = pattern.matches(text, None);
        if is_uncut {
            references(grammar, text, &mut |part| {
                is_uncut &= !pattern.matches(&part.reference, None);
            });
        }
        is_uncut && !text.is_empty()
    };
    let matches_part = |pattern: &LinkPattern| {
        once(value).chain(value.split(',')).map(str::trim).any(|text| {
            let before = text.rsplit_once(|c: char| c.is_ascii_whitespace()).map(|(text, _)| text);
            is_whole(pattern, text) || before.is_some_and(|text| is_whole(pattern, text))
        })
    };
    has_several && patterns.iter().any(matches_part)
}

/// Marks the offsets of a text at which `parts` may end if they begin at `starts`. All possible
/// matches advance together, so the time is linear in the text.
fn mark_ends(parts: &[PatternPart], text: &str, starts: Vec<bool>) -> Vec<bool> {
    parts.iter().fold(starts, |starts, part| {
        let mut ends = vec![false; starts.len()];
        let mut positions = (0..starts.len()).filter(|&at| starts[at]);
        match part {
            PatternPart::Star => ends[positions.next().unwrap_or(starts.len())..].fill(true),
            PatternPart::Text(text_part) => positions
                .filter(|&at| text.as_bytes()[at..].starts_with(text_part.as_bytes()))
                .for_each(|at| ends[at + text_part.len()] = true),
            PatternPart::Character(is_in, ranges) => {
                for at in positions {
                    let next = text.get(at..).and_then(|rest| rest.chars().next());
                    let has =
                        |next: &char| ranges.iter().any(|range| range.contains(next)) == *is_in;
                    if let Some(next) = next.filter(has) {
                        ends[at + next.len_utf8()] = true;
                    }
                }
            }
            PatternPart::Either(alternatives) => {
                for alternative in alternatives {
                    let branch_ends = mark_ends(alternative, text, starts.clone());
                    ends.iter_mut().zip(branch_ends).for_each(|(end, is_end)| *end |= is_end);
                }
            }
        }
        ends
    })
}

fn parse(mut rest: &str) -> Result<Vec<PatternPart>, InvalidGlob> {
    let mut parts = Vec::new();
    while let Some(first) = rest.chars().next() {
        rest = &rest[first.len_utf8()..];
        let group = if first == '{' { split_alternatives(rest) } else { None };
        let part = match (first, group) {
            ('*', _) => PatternPart::Star,
            ('?', _) => PatternPart::Character(false, Vec::new()),
            ('[', _) => parse_class(&mut rest)?,
            (_, Some((alternatives, after))) => {
                rest = after;
                PatternPart::Either(alternatives.into_iter().map(parse).collect::<Result<_, _>>()?)
            }
            (mut text, None) => {
                if text == '\\' {
                    let escaped = rest.chars().next();
                    text = escaped.ok_or_else(|| InvalidGlob("dangling '\\'".to_owned()))?;
                    rest = &rest[text.len_utf8()..];
                }
                if let Some(PatternPart::Text(last)) = parts.last_mut() {
                    last.push(text);
                    continue;
                }
                PatternPart::Text(text.to_string())
            }
        };
        parts.push(part);
    }
    Ok(parts)
}

/// Splits off the alternatives of an open brace from the text after them; `None` if the brace is
/// not closed, or has no comma.
fn split_alternatives(text: &str) -> Option<(Vec<&str>, &str)> {
    let (mut depth, mut start, mut alternatives) = (0_usize, 0, Vec::new());
    let mut bytes = text.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match (byte, depth) {
            (b'\\', _) => _ = bytes.next(),
            (b'{', _) => depth += 1,
            (b',' | b'}', 0) => {
                alternatives.push(&text[start..at]);
                start = at + 1;
                if byte == b'}' {
                    return (alternatives.len() > 1).then(|| (alternatives, &text[start..]));
                }
            }
            (b'}', _) => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Parses a character class after its `[`, and removes it from the text.
fn parse_class(rest: &mut &str) -> Result<PatternPart, InvalidGlob> {
    let is_in = !rest.starts_with(['!', '^']);
    let text = &rest[usize::from(!is_in)..];
    // A `]` that comes first is in the class.
    let end = text.char_indices().skip(1).find(|(_, c)| *c == ']');
    let unclosed = || InvalidGlob("unclosed character class; missing ']'".to_owned());
    let (end, _) = end.ok_or_else(unclosed)?;
    *rest = &text[end + 1..];
    let (mut ranges, mut members) = (Vec::new(), text[..end].chars());
    while let Some(first) = members.next() {
        let mut last = first;
        if let Some(to) = members.as_str().strip_prefix('-').and_then(|to| to.chars().next()) {
            last = to;
            members.nth(1);
        }
        if last < first {
            return Err(InvalidGlob(format!("invalid range; '{first}' > '{last}'")));
        }
        ranges.push(first..=last);
    }
    Ok(PatternPart::Character(is_in, ranges))
}

/// The reason why a pattern cannot be used.
#[derive(Debug, Clone)]
pub struct InvalidGlob(String);

impl InvalidGlob {
    #[doc(hidden)]
    #[must_use]
    pub fn new(why: String) -> Self {
        Self(why)
    }

    /// Refuses a pattern that is longer, or more deeply nested, than any real pattern.
    #[doc(hidden)]
    pub fn check(pattern: &str) -> Result<(), Self> {
        let (what, it) = if pattern.len() > MAX_LENGTH {
            (format!("the pattern is longer than {MAX_LENGTH} bytes"), "it")
        } else if brace_depth(pattern) > MAX_DEPTH {
            (format!("braces are nested more than {MAX_DEPTH} deep"), "the pattern")
        } else {
            return Ok(());
        };
        Err(Self(format!("{what}; split {it} into several")))
    }
}

/// The nesting depth of braces in a pattern. A brace in a class counts too, which can only
/// increase the depth.
fn brace_depth(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => _ = bytes.next(),
            b'{' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

impl fmt::Display for InvalidGlob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidGlob {}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn matches(pattern: &str, reference: &str, url: &str, expected: bool) {
        let pattern = LinkPattern::new(pattern).unwrap();
        assert_eq!(pattern.matches(reference, Some(url)), expected, "{reference}");
    }

    #[test]
    fn a_pattern_matches_the_reference_or_the_url() {
        matches("../old/*", "../old/a/b.html", "http://h/old/a/b.html", true);
        matches("http://h/old/*", "../old/a.html", "http://h/old/a.html", true);
        matches("old/*", "../old/a.html", "http://h/old/a.html", false);
        matches("*.pdf", "a/b.pdf", "http://h/a/b.pdf", true);
        matches("*.pdf", "a/b.pdf?x", "http://h/a/b.pdf?x", false);
        matches("{a,b}.html", "b.html", "http://h/b.html", true);
    }

    #[track_caller]
    fn takes(pattern: &str, yes: &[&str], no: &[&str]) {
        let pattern = LinkPattern::new(pattern).unwrap();
        for (texts, expected) in [(yes, true), (no, false)] {
            for text in texts {
                assert_eq!(pattern.matches(text, None), expected, "{pattern:?}: {text}");
            }
        }
    }

    #[test]
    fn a_pattern_matches_the_whole_text() {
        takes("*", &["", "a/b?c"], &[]);
        takes("a**b*", &["ab", "a/b", "aXbY", "abab"], &["a", "ba"]);
        takes("*ab", &["ab", "aab", "abab"], &["abc", "b"]);
        takes("*.*.*", &["..", "a.b.c"], &["a.b"]);
        takes("?", &["a", "\u{e9}", "/"], &["", "ab"]);
        takes("*?x", &["\u{e9}x", "xx"], &["x"]);
        takes("[a-c\u{e9}-]x", &["ax", "cx", "\u{e9}x", "-x"], &["dx", "x"]);
        takes("[]a]", &["]", "a"], &["b"]);
        takes("[!a-c]", &["d", "\u{e9}"], &["a", ""]);
        takes("{a*,b,}c", &["c", "bc", "ac", "axxc"], &["b", "xc"]);
        takes("{*,x}{a,{b,c}d}", &["a", "xa", "bd", "xxcd"], &["b", "x"]);
        takes("\\*[*]\\{a,b\\}", &["**{a,b}"], &["x*{a,b}"]);
    }

    #[test]
    fn white_space_around_a_reference_does_not_count() {
        takes("{{*}}", &[" {{ url }}\n", "\t{{\nurl}}"], &["{{ url }} a"]);
        takes("a", &[" a ", "\u{c}a"], &["\u{a0}a"]);
    }

    #[test]
    fn a_template_may_be_read_as_several_references() {
        let ignores = |pattern: &str, grammar: Grammar, value: &str| {
            is_template(&[LinkPattern::new(pattern).unwrap()], grammar, value)
        };
        let srcset = |value: &str| ignores("{{*}}", Grammar::Srcset, value);
        assert!(
            srcset("{{ a }} 2x") && srcset(" {{ a }}, b 2x") && srcset("b 1x,\n{{ a }} {{w}}w")
        );
        assert!(srcset("{{ a | size: 1, 2 }} 2x") && srcset("{{ a }}"));
        assert!(!srcset("a 1x, b 2x") && !srcset("{{a}} 1x, b 2x") && !srcset("{ a } 1x"));
        assert!(!ignores("a*", Grammar::Srcset, "a 1x, b 2x"));
        assert!(!ignores("*", Grammar::Srcset, "a 1x,, b 2x"));
        assert!(!ignores("*.jpg", Grammar::Srcset, "a.png 1x, b.jpg 2x"));
        assert!(ignores("{{*}}", Grammar::UrlList, " {{ a }} "));
        assert!(!ignores("a*", Grammar::UrlList, "a b"));
        assert!(ignores("<%*%>", Grammar::CommaList, "<% a, b %>"));
        assert!(!ignores("{{*}}", Grammar::Url, "{{ a }}"));
    }

    #[test]
    fn braces_without_a_comma_are_text() {
        takes("{{*}}", &["{{ url }}", "{{}}"], &[" url ", "{ url }"]);
        takes("{{ url }}/*", &["{{ url }}/a"], &["{{url}}/a"]);
        takes("${x}", &["${x}"], &["$x"]);
        takes("*{{*", &["a/{{ url }}"], &["a/{ url }"]);
        takes("*|*|*", &["*|UNSUB|*", "a?x=*|Y|*"], &["*|"]);
        takes("{a{b}", &["{a{b}"], &["ab"]);
        takes("a,b}", &["a,b}"], &["a"]);
        takes("{{%*%},{{*}}}", &["{% url %}", "{{ url }}"], &["{url}"]);
    }

    #[test]
    fn a_bad_pattern_is_refused() {
        let error = |pattern: &str| LinkPattern::new(pattern).unwrap_err().to_string();
        let empty = "the pattern is empty; write a reference or a URL, with * for any text";
        assert_eq!(error(""), empty);
        assert_eq!(error("[a"), "unclosed character class; missing ']'");
        assert_eq!(error("{a,[}"), "unclosed character class; missing ']'");
        assert_eq!(error("[z-a]"), "invalid range; 'z' > 'a'");
        assert_eq!(error("a\\"), "dangling '\\'");
        assert!(LinkPattern::new(&"{".repeat(240)).is_err());
        assert!(LinkPattern::new(&"a".repeat(4097)).is_err());
    }

    /// A matcher that tries one way after the other would not return.
    #[test]
    fn the_time_of_a_match_is_bounded() {
        takes(&"{a,aa}*".repeat(40), &["a".repeat(40).as_str()], &[&"a".repeat(39)]);
        takes(&format!("{}b", "*a".repeat(200)), &[], &[&"a".repeat(20_000)]);
    }
}
