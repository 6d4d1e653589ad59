//! Lists of URLs: separated by white space (`ping`, `profile`, the `archive` of an object) or by
//! commas (the `archive` of an applet), and the image candidates of `srcset`.
//!
//! <https://html.spec.whatwg.org/multipage/common-microsyntaxes.html#space-separated-tokens>,
//! <https://www.w3.org/TR/html401/struct/objects.html#adef-archive-APPLET>,
//! <https://html.spec.whatwg.org/multipage/images.html#parsing-a-srcset-attribute>. Empty items are
//! not references.

use super::reference::{Container, ValueReference, trim};

/// Reports the words between runs of ASCII white space.
pub(super) fn report_words(text: &str, report: &mut dyn FnMut(ValueReference<'_>)) {
    report_items(text, |c| c.is_ascii_whitespace(), Container::Word, report);
}

/// Reports the items between commas, without the white space around them.
pub(super) fn report_comma_items(text: &str, report: &mut dyn FnMut(ValueReference<'_>)) {
    report_items(text, |c| c == ',', Container::CommaItem, report);
}

/// Reports the items between separators. `is_separator` must accept only ASCII characters.
fn report_items(
    text: &str,
    is_separator: impl Fn(char) -> bool,
    container: Container,
    report: &mut dyn FnMut(ValueReference<'_>),
) {
    let mut start = 0;
    for item in text.split(is_separator) {
        let span = trim(text, start..start + item.len());
        if !span.is_empty() {
            report(ValueReference::plain(text, span, container));
        }
        start += item.len() + 1;
    }
}

/// Reports the URL of every image candidate. The step numbers are those of the algorithm.
///
/// NOTE: descriptors are not validated: no browser fetches a candidate with invalid descriptors,
/// but its author meant a link.
pub(super) fn report_image_candidates(text: &str, report: &mut dyn FnMut(ValueReference<'_>)) {
    let bytes = text.as_bytes();
    let mut position = 0;
    loop {
        // Step 4: collect white space and commas.
        position = skip(bytes, position, |byte| byte == b',' || byte.is_ascii_whitespace());
        // Step 5.
        if position >= bytes.len() {
            return;
        }
        // Step 6: the URL extends to the next white space.
        let start = position;
        position = skip(bytes, position, |byte| !byte.is_ascii_whitespace());
        let end = start + text[start..position].trim_end_matches(',').len();
        report(ValueReference::plain(text, start..end, Container::SrcsetCandidate));
        // Step 8: commas at the end of the URL end the candidate.
        if end == position {
            position = skip_descriptors(bytes, position);
        }
    }
}

/// Returns the position after the descriptors at `position` and the comma that ends them (step 8).
///
/// A comma in parentheses does not end the descriptors. The other states of the algorithm's
/// tokenizer treat commas alike, so the loop merges them.
fn skip_descriptors(bytes: &[u8], mut position: usize) -> usize {
    loop {
        position = skip(bytes, position, |byte| byte != b',' && byte != b'(');
        match bytes.get(position) {
            Some(b'(') => position = skip(bytes, position, |byte| byte != b')'),
            Some(_) => return position + 1,
            None => return position,
        }
    }
}

/// Returns the first position from `position` on whose byte is not skipped.
fn skip(bytes: &[u8], position: usize, is_skipped: impl Fn(u8) -> bool) -> usize {
    let rest = bytes.get(position..).unwrap_or_default();
    position + rest.iter().position(|&byte| !is_skipped(byte)).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use crate::value::tests::check;

    #[test]
    fn words_stand_between_white_space() {
        check("url-list", "", &[]);
        check("url-list", " \t\n", &[]);
        check("url-list", "a", &["a"]);
        check("url-list", " a,b\tc\n\x0cd\re ", &["a,b", "c", "d", "e"]);
        check("url-list", "a\u{a0}b \u{e9}", &["a\u{a0}b", "\u{e9}"]);
        check("url-list", "a\x0bb", &["a\x0bb"]);
    }

    #[test]
    fn comma_items_stand_between_commas() {
        check("comma-list", "", &[]);
        check("comma-list", ", ,", &[]);
        check("comma-list", "a.jar", &["a.jar"]);
        check("comma-list", " a.jar , b c.jar,,d.jar ", &["a.jar", "b c.jar", "d.jar"]);
        check("comma-list", "\u{e9},\u{1f600}", &["\u{e9}", "\u{1f600}"]);
    }

    #[test]
    fn candidates_in_order() {
        check("srcset", "", &[]);
        check("srcset", " ,\t, ", &[]);
        check("srcset", "a", &["a"]);
        check("srcset", "a, b", &["a", "b"]);
        check("srcset", "a 1x, b 2x", &["a", "b"]);
        check("srcset", "\na 1x ,\n\tb 2x,\n", &["a", "b"]);
        check("srcset", "a 100w 50h,b", &["a", "b"]);
        check("srcset", "\u{e9}.png 1x,\u{1f600}", &["\u{e9}.png", "\u{1f600}"]);
    }

    #[test]
    fn commas_belong_to_the_url_unless_they_end_it() {
        check("srcset", "a,b", &["a,b"]);
        check("srcset", "a,b 1x,c", &["a,b", "c"]);
        check("srcset", "a,,, b", &["a", "b"]);
        check("srcset", ",,a,", &["a"]);
        check("srcset", "data:image/gif;base64,R0lG 1x, b", &["data:image/gif;base64,R0lG", "b"]);
        check("srcset", "a,\u{a0}b", &["a,\u{a0}b"]);
    }

    #[test]
    fn commas_in_parentheses_do_not_end_a_candidate() {
        check("srcset", "a (b, c), d", &["a", "d"]);
        check("srcset", "a 1x(, b)x, c", &["a", "c"]);
        check("srcset", "a (b, c", &["a"]);
        check("srcset", "a ((b), c), d", &["a", "c)", "d"]);
        check("srcset", "a(b, c", &["a(b", "c"]);
        check("srcset", "a ) b, c", &["a", "c"]);
    }

    #[test]
    fn a_bad_descriptor_does_not_matter() {
        check("srcset", "a 1q, b 0w, c 1x 2x", &["a", "b", "c"]);
    }
}
