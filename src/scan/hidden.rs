//! XHTML in files that are read as HTML, as browsers do.

use super::candidates::Candidates;

/// Whether a document begins as XML and has a `script` element that XML closes and HTML does not:
/// in HTML, everything up to the next end tag is the text of that script
/// ([raw text](https://html.spec.whatwg.org/multipage/parsing.html#parsing-main-inhead)).
pub(crate) fn hides_markup(text: &[u8], candidates: &Candidates) -> bool {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    candidates.has_closed_script && text.starts_with(b"<?xml")
}

/// Whether the content of a script is more than white space.
pub(super) fn has_text(content: &[u8]) -> bool {
    !content.trim_ascii_start().is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attributes::Selection;
    use crate::encoding::Confidence;
    use crate::scan::{Interest, ScanOptions, Styles};

    #[test]
    fn a_script_that_xml_closes_hides_the_rest() {
        let mut candidates = Candidates::default();
        let options = ScanOptions { styles: Styles::Skip, confidence: Confidence::Certain };
        let interest = Interest::new(&Selection::default());
        for (source, expected) in [
            ("<?xml version='1.0'?><html><script src='a'/><a href='b'>", true),
            ("\u{feff}<?xml version='1.0'?><!-- a --><script/>\n<p>", true),
            ("<?xml version='1.0'?><script src='a'></script><script/>", false),
            ("<?xml version='1.0'?><script src='a'></script><script/> <p>", true),
            ("<?xml version='1.0'?><html><script src='a'></script><br/>", false),
            ("<?xml version='1.0'?><script src='a'/>\n</SCRIPT><a href='b'>", false),
            ("<?xml version='1.0'?><svg><script href='a'/><a href='b'></svg>", false),
            ("<?xml version='1.0'?><!-- <script src='a'/> --><a href='b'>", false),
            ("<?xml version='1.0'?><!-- <script/> --><script/><a href='b'>", true),
            ("<html><script src='a'/><p>", false),
        ] {
            // A `template` makes the fast scanner bail out, so that the exact one is tested too.
            for after in ["", "</script><template>"] {
                let source = format!("{source}{after}");
                candidates.scan(source.as_bytes(), &interest, options);
                assert_eq!(hides_markup(source.as_bytes(), &candidates), expected, "{source}");
            }
        }
    }
}
