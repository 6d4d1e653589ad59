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

    /// Whether a text that is [`plain`] already contains it; its time grows with the text alone.
    pub(crate) fn is_in_plain(&self, text: &str) -> bool {
        let optional = |part: &Option<String>| part.as_deref().map(plain).unwrap_or_default();
        let (prefix, suffix) = (optional(&self.prefix), optional(&self.suffix));
        let starts = joined(&prefix, &plain(&self.start));
        let ends_after = |from: usize, last: &str| {
            joined(last, &suffix).iter().any(|last| find(&text[from..], last).is_some())
        };
        let Some(end) = self.end.as_deref().map(plain) else {
            return starts.iter().any(|start| ends_after(0, start));
        };
        let first = starts.iter().filter_map(|start| Some(find(text, start)? + start.len())).min();
        !end.is_empty() && first.is_some_and(|first| ends_after(first, &end))
    }
}

/// The texts that two parts are together, with and without a space between them.
fn joined(first: &str, second: &str) -> Vec<String> {
    let separators: &[&str] =
        if first.is_empty() || second.is_empty() { &[""] } else { &["", " "] };
    separators.iter().map(|separator| [first, separator, second].concat()).collect()
}

fn find(text: &str, part: &str) -> Option<usize> {
    memchr::memmem::find(text.as_bytes(), part.as_bytes())
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
        is_in("text=first-,step", true);
        is_in("text=fir-,st,-step", true);
    }

    #[test]
    fn the_time_grows_with_the_text_alone() {
        let (text, prefix) = ("a".repeat(1 << 20), "a".repeat(1 << 19));
        for directive in [format!("text={prefix}b-,a"), format!("text=a,-{prefix}b")] {
            assert!(!TextDirective::parse(&directive).unwrap().is_in_plain(&text));
        }
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
