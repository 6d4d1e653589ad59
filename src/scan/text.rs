//! Finds the ends of raw text, scripts and comments, and splits other text into the runs that tree
//! construction distinguishes: white space (also as `&#32;` or `&Tab;`), NUL, and the rest.
//!
//! <https://html.spec.whatwg.org/multipage/parsing.html#tree-construction>.

use memchr::{memchr, memchr2, memmem};

use super::tag::{is_name_end, is_space};

/// The kind of a run of characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextRun {
    Space,
    Null,
    Other,
}

/// The meaning of `&` in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum References {
    /// `&` begins a character reference.
    Decode,
    /// `&` represents itself.
    Literal,
}

/// The named references of white space, and of characters in media types.
const NAMED_REFERENCES: &[(&[u8], u8)] =
    &[(b"&Tab;", b'\t'), (b"&NewLine;", b'\n'), (b"&sol;", b'/'), (b"&plus;", b'+')];

/// Reads the character reference at the start of `text`, which begins with `&`: returns the ASCII
/// character that it represents, if tree construction depends on that character, and the length of
/// the reference. Reads any other text as an `&` alone.
pub(super) fn read_reference(text: &[u8]) -> (Option<u8>, usize) {
    if text.get(1) == Some(&b'#') {
        return read_numeric_reference(text);
    }
    let named = NAMED_REFERENCES.iter().find(|(name, _)| text.starts_with(name));
    named.map_or((None, 1), |&(name, byte)| (Some(byte), name.len()))
}

/// <https://html.spec.whatwg.org/multipage/parsing.html#numeric-character-reference-state>
fn read_numeric_reference(text: &[u8]) -> (Option<u8>, usize) {
    let is_hexadecimal = matches!(text.get(2), Some(b'x' | b'X'));
    let (start, radix) = if is_hexadecimal { (3, 16) } else { (2, 10) };
    let mut end = start;
    let mut code = 0_u32;
    while let Some(digit) = text.get(end).and_then(|&byte| char::from(byte).to_digit(radix)) {
        code = code.saturating_mul(radix).saturating_add(digit);
        end += 1;
    }
    if end == start {
        return (None, 1);
    }
    let byte = u8::try_from(code).ok().filter(|byte| (1..0x80).contains(byte));
    (byte, end + usize::from(text.get(end) == Some(&b';')))
}

/// Splits the first run off a text, which must not be empty; returns its kind and length.
pub(super) fn split_run(text: &[u8], references: References) -> (TextRun, usize) {
    let (first, mut at) = classify(text, references);
    while at < text.len() {
        let (run, length) = classify(&text[at..], references);
        if run != first {
            break;
        }
        at += length;
    }
    (first, at)
}

fn classify(text: &[u8], references: References) -> (TextRun, usize) {
    match text.first() {
        Some(b'&') if references == References::Decode => {
            let (byte, length) = read_reference(text);
            (if byte.is_some_and(is_space) { TextRun::Space } else { TextRun::Other }, length)
        }
        Some(0) => (TextRun::Null, 1),
        Some(&byte) if is_space(byte) => (TextRun::Space, 1),
        _ => (TextRun::Other, 1),
    }
}

/// Finds the end of the comment whose text begins at `start`: returns the end of the text, and the
/// offset after the comment.
///
/// <https://html.spec.whatwg.org/multipage/parsing.html#comment-start-state>
pub(super) fn find_comment_end(source: &[u8], start: usize) -> (usize, usize) {
    let text = source.get(start..).unwrap_or(&[]);
    if text.starts_with(b">") {
        return (start, start + 1);
    }
    if text.starts_with(b"->") {
        return (start, start + 2);
    }
    let mut from = 0;
    while let Some(offset) = memmem::find(&text[from..], b"--") {
        let mut at = from + offset + 2;
        while text.get(at) == Some(&b'-') {
            at += 1;
        }
        let rest = &text[at..];
        if rest.starts_with(b">") {
            return (start + at - 2, start + at + 1);
        }
        if rest.starts_with(b"!>") {
            return (start + at - 2, start + at + 2);
        }
        from = at;
    }
    (source.len(), source.len())
}

/// Whether the `<` at `at` begins an end tag of this name.
fn is_end_tag(source: &[u8], at: usize, name: &[u8]) -> bool {
    let start = at + 2;
    source.get(at + 1) == Some(&b'/')
        && source.get(start..start + name.len()).is_some_and(|word| word.eq_ignore_ascii_case(name))
        && source.get(start + name.len()).is_some_and(|&byte| is_name_end(byte))
}

/// Finds the end of the raw text that begins at `start`: its end tag, or the end of the source.
///
/// <https://html.spec.whatwg.org/multipage/parsing.html#rawtext-state>, and the RCDATA states
pub(super) fn find_raw_end(source: &[u8], start: usize, name: &[u8]) -> usize {
    let mut at = start;
    while let Some(offset) = source.get(at..).and_then(|rest| memchr(b'<', rest)) {
        at += offset;
        if is_end_tag(source, at, name) {
            return at;
        }
        at += 1;
    }
    source.len()
}

/// The states inside a script after `<!--`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Escape {
    /// Script data escaped: `</script` ends the script.
    Escaped,
    /// Script data double escaped, after `<script`: `</script` returns to the other state.
    Double,
}

/// Finds the end of the script that begins at `start`: its end tag, or the end of the source.
///
/// <https://html.spec.whatwg.org/multipage/parsing.html#script-data-state>
pub(super) fn find_script_end(source: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(offset) = source.get(at..).and_then(|rest| memchr(b'<', rest)) {
        at += offset;
        if is_end_tag(source, at, b"script") {
            return at;
        }
        if source[at..].starts_with(b"<!--") {
            // The dashes of `<!--` may also be those of the `-->` that ends the escape.
            match find_escaped_end(source, at + 2) {
                Ok(end) => return end,
                Err(escape_end) => at = escape_end,
            }
        } else {
            at += 1;
        }
    }
    source.len()
}

/// Reads escaped script data. Returns the end of the script, or the end of the escape as an `Err`.
fn find_escaped_end(source: &[u8], mut at: usize) -> Result<usize, usize> {
    let mut escape = Escape::Escaped;
    while let Some(offset) = source.get(at..).and_then(|rest| memchr2(b'-', b'<', rest)) {
        at += offset;
        if source[at] == b'-' {
            let dashes = source[at..].iter().take_while(|&&byte| byte == b'-').count();
            at += dashes;
            if dashes >= 2 && source.get(at) == Some(&b'>') {
                return Err(at + 1);
            }
            continue;
        }
        let is_closing = source.get(at + 1) == Some(&b'/');
        match escape {
            Escape::Escaped if is_end_tag(source, at, b"script") => return Ok(at),
            Escape::Escaped if is_closing => at += 2,
            Escape::Escaped => (escape, at) = switch_escape(source, at + 1, escape, Escape::Double),
            Escape::Double if is_closing => {
                (escape, at) = switch_escape(source, at + 2, escape, Escape::Escaped);
            }
            Escape::Double => at += 1,
        }
    }
    Ok(source.len())
}

/// Switches the state at the word `script`; returns the state and the offset to continue at.
fn switch_escape(source: &[u8], at: usize, from: Escape, to: Escape) -> (Escape, usize) {
    let rest = source.get(at..).unwrap_or(&[]);
    let length = rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let is_word = rest.get(length).is_some_and(|&byte| is_name_end(byte));
    if rest[..length].eq_ignore_ascii_case(b"script") && is_word {
        (to, at + length + 1)
    } else {
        (from, at + length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn comment(text: &str, expected: &str, rest: &str) {
        let (end, after) = find_comment_end(text.as_bytes(), 0);
        assert_eq!((&text[..end], &text[after..]), (expected, rest), "{text}");
    }

    #[test]
    fn comments() {
        comment("a-->b", "a", "b");
        comment(">b", "", "b");
        comment("->b", "", "b");
        comment("-->b", "", "b");
        comment("--->b", "-", "b");
        comment("--!>b", "", "b");
        comment("a--!>b", "a", "b");
        comment("a--!-->b", "a--!", "b");
        comment("-!>b-->", "-!>b", "");
        comment("a-- >b-->c", "a-- >b", "c");
        comment("<!-->b", "<!", "b");
        comment("a->b", "a->b", "");
        comment("a--", "a--", "");
    }

    #[track_caller]
    fn script(text: &str, rest: &str) {
        assert_eq!(&text[find_script_end(text.as_bytes(), 0)..], rest, "{text}");
    }

    #[test]
    fn scripts() {
        script("a</script>b", "</script>b");
        script("a</SCRIPT/>b", "</SCRIPT/>b");
        script("a</scripts></script\n>", "</script\n>");
        script("a</script", "");
        script("<!--</script>", "</script>");
        script("<!--<script></script>-->", "");
        script("<!--<script></script></script>", "</script>");
        script("<!--<script>--></script>", "</script>");
        script("<!--><script></script>", "</script>");
        script("<!---><script></script>", "</script>");
        script("<!-<script></script>", "</script>");
        script("<!--<scriptx></script>", "</script>");
        script("<!--<script></scriptx></script></script>", "</script>");
        script("<!--<script <script></script></script>", "</script>");
        script("<!--<script/></script ></script>", "</script>");
    }

    #[track_caller]
    fn runs(text: &str, expected: &[(TextRun, usize)]) {
        let (mut at, mut found) = (0, Vec::new());
        while at < text.len() {
            let (run, length) = split_run(&text.as_bytes()[at..], References::Decode);
            found.push((run, length));
            at += length;
        }
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn text_runs() {
        runs(
            " \t\r\n\x0Ca b",
            &[(TextRun::Space, 5), (TextRun::Other, 1), (TextRun::Space, 1), (TextRun::Other, 1)],
        );
        runs("&#32;&#x20&#9;&Tab;&NewLine;", &[(TextRun::Space, 28)]);
        runs("&Tab&#", &[(TextRun::Other, 6)]);
        runs("&#320;&#0;", &[(TextRun::Other, 10)]);
        runs("\0 ", &[(TextRun::Null, 1), (TextRun::Space, 1)]);
    }
}
