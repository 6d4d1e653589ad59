//! Text directives: `text=[prefix-,]start[,end][,-suffix]`
//! ([syntax][syntax]).
//!
//! NOTE: a browser matches whole words, and `start` within one block. This searches the whole text
//! of the page, so that it finds more.
//!
//! [syntax]: https://wicg.github.io/scroll-to-text-fragment/#syntax

use percent_encoding::percent_decode_str;

/// A text that a fragment names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextDirective {
    /// The text before it.
    pub prefix: Option<String>,
    /// The text, or its beginning.
    pub start: String,
    /// Its end.
    pub end: Option<String>,
    /// The text after it.
    pub suffix: Option<String>,
}

impl TextDirective {
    /// Parses a directive; `None` if it is not a text directive.
    #[must_use]
    pub fn parse(directive: &str) -> Option<Self> {
        let mut parts: Vec<&str> = directive.strip_prefix("text=")?.split(',').collect();
        let prefix = parts[0].strip_suffix('-');
        if prefix.is_some() {
            parts.remove(0);
        }
        let suffix = parts.last().and_then(|last| last.strip_prefix('-'));
        if suffix.is_some() {
            parts.pop();
        }
        let (start, end) = match parts[..] {
            [start] => (start, None),
            [start, end] => (start, Some(end)),
            _ => return None,
        };
        let start = decoded(start);
        let optional = |part: Option<&str>| part.map(decoded);
        let (prefix, end, suffix) = (optional(prefix), optional(end), optional(suffix));
        (!start.trim().is_empty()).then_some(Self { prefix, start, end, suffix })
    }

    /// Whether a text contains it, regardless of white space and case.
    #[must_use]
    pub fn is_in(&self, text: &str) -> bool {
        self.is_in_plain(&plain(text))
    }

    /// Whether a text that is [`plain`] already contains it.
    pub(crate) fn is_in_plain(&self, text: &str) -> bool {
        let before = self.prefix.as_deref().map(plain).unwrap_or_default();
        let start = plain(&self.start);
        let suffix = self.suffix.as_deref().map(plain).unwrap_or_default();
        let end = self.end.as_deref().map(plain);
        let mut from = 0;
        while let Some(at) = text[from..].find(&start).map(|at| from + at) {
            let mut rest = &text[at + start.len()..];
            if text[..at].trim_end().ends_with(&before) {
                match &end {
                    None if rest.trim_start().starts_with(&suffix) => return true,
                    None => {}
                    // Any end that precedes the suffix matches.
                    Some(end) => {
                        while let Some(at) = rest.find(end.as_str()).filter(|_| !end.is_empty()) {
                            rest = &rest[at + end.len()..];
                            if rest.trim_start().starts_with(&suffix) {
                                return true;
                            }
                        }
                        return false;
                    }
                }
            }
            from = at + start.chars().next().map_or(1, char::len_utf8);
        }
        false
    }
}

fn decoded(part: &str) -> String {
    percent_decode_str(part).decode_utf8_lossy().into_owned()
}

/// A text in lower case, with single spaces.
pub(crate) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !plain.is_empty() {
            plain.push(' ');
        }
        plain.extend(word.chars().flat_map(char::to_lowercase));
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "Read the\n  First step. Then the second step, and the last one.";

    #[track_caller]
    fn is_in(directive: &str, expected: bool) {
        let parsed = TextDirective::parse(directive).unwrap();
        assert_eq!(parsed.is_in(PAGE), expected, "{directive}");
    }

    #[test]
    fn a_text_is_found_with_what_is_around_it() {
        is_in("text=first%20step", true);
        is_in("text=the%20FIRST", true);
        is_in("text=third", false);
        is_in("text=read,last", true);
        is_in("text=last,read", false);
        is_in("text=then%20the-,second", true);
        is_in("text=read-,second", false);
        is_in("text=step,-%2C%20and", true);
        is_in("text=step,-%2C%20or", false);
        is_in("text=second%20step,-%2C%20and", true);
        is_in("text=the,-last", true);
        is_in("text=then-,the,one,-.", true);
        is_in("text=read,step,-%2C", true);
        is_in("text=read,step,-!", false);
    }

    #[test]
    fn what_is_no_directive_of_a_text_is_none() {
        for directive in [
            "",
            "text",
            "text=",
            "selector(x)",
            "text=a,b,c",
            "text=a-",
            "text=-b",
            "text=%20",
            "text=z-,%20",
        ] {
            assert_eq!(TextDirective::parse(directive), None, "{directive}");
        }
    }
}
