//! XHTML in files that are read as HTML, as browsers do.

use memchr::{memchr, memmem};

/// The end of a tag that matters here is near its start.
const MAX_TAG: usize = 1024;

/// Whether a document begins as XML and has a `script` element that XML closes and HTML does not:
/// as HTML, all up to the next end tag is the text of a script
/// ([raw text](https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inhead)).
pub(crate) fn hides_markup(source: &[u8]) -> bool {
    let source = source.strip_prefix(b"\xef\xbb\xbf").unwrap_or(source);
    if !source.starts_with(b"<?xml") {
        return false;
    }
    let (mut at, mut comment) = (0, Comment::Unknown);
    while let Some(found) = memmem::find(&source[at..], b"<script") {
        at += found;
        let rest = &source[at..];
        let end = memchr(b'>', &rest[..rest.len().min(MAX_TAG)]);
        let is_closed = end.is_some_and(|end| rest[..end].ends_with(b"/"));
        if let Some(end) = end.filter(|_| is_closed)
            && !ends_at_once(&rest[end + 1..])
        {
            let Some(after) = comment.end_around(source, at) else { return true };
            at = after;
        } else {
            at += end.unwrap_or(0) + 1;
        }
    }
    false
}

/// A comment of a document. Few documents have a script that XML closes, so that comments are not
/// searched for before one is found; each byte is searched once.
enum Comment {
    /// None was searched for.
    Unknown,
    /// The first one that ends after the last script that was found.
    At { start: usize, end: usize },
    /// No other one begins.
    None,
}

impl Comment {
    /// The end of the comment that `at` is in; not asked for a place before an earlier one.
    fn end_around(&mut self, source: &[u8], at: usize) -> Option<usize> {
        loop {
            let from = match *self {
                Self::At { start, end } if at < end => return (start < at).then_some(end),
                Self::At { end, .. } => end,
                Self::Unknown => 0,
                Self::None => return None,
            };
            *self = memmem::find(&source[from..], b"<!--").map_or(Self::None, |start| {
                let start = from + start;
                let end = memmem::find(&source[start..], b"-->");
                Self::At { start, end: end.map_or(source.len(), |end| start + end + 3) }
            });
        }
    }
}

/// Whether the script that HTML sees has no text.
fn ends_at_once(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    text.get(..8).is_some_and(|tag| tag.eq_ignore_ascii_case(b"</script"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_that_xml_closes_hides_the_rest() {
        for (source, expected) in [
            ("<?xml version='1.0'?><html><script src='a'/><a href='b'>", true),
            ("\u{feff}<?xml version='1.0'?><!-- a --><script/>\n<p>", true),
            ("<?xml version='1.0'?><script src='a'></script><script/>", true),
            ("<?xml version='1.0'?><html><script src='a'></script><br/>", false),
            ("<?xml version='1.0'?><script src='a'/>\n</SCRIPT><a href='b'>", false),
            ("<?xml version='1.0'?><!-- <script src='a'/> --><a href='b'>", false),
            ("<?xml version='1.0'?><!-- <script/> <script/> --><script/><a href='b'>", true),
            ("<?xml version='1.0'?><script/></script><!-- --><script/><a><!-- -->", true),
            ("<?xml version='1.0'?><!-- <script/><a href='b'>", false),
            ("<html><script src='a'/>", false),
        ] {
            assert_eq!(hides_markup(source.as_bytes()), expected, "{source}");
        }
    }
}
