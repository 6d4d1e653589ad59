//! Lists of URLs: separated by white space (`ping`, `profile`, the `archive` of an object) or by
//! commas (the `archive` of an applet).
//!
//! <https://html.spec.whatwg.org/multipage/common-microsyntaxes.html#space-separated-tokens>,
//! <https://www.w3.org/TR/html401/struct/objects.html#adef-archive-APPLET>. Empty items are no
//! references.

use super::reference::{Container, ValueReference, trim};

/// Reports the words between runs of ASCII white space.
pub(super) fn words(text: &str, found: &mut dyn FnMut(ValueReference<'_>)) {
    items(text, |c| c.is_ascii_whitespace(), Container::Word, found);
}

/// Reports the items between commas, without the white space around them.
pub(super) fn comma_items(text: &str, found: &mut dyn FnMut(ValueReference<'_>)) {
    items(text, |c| c == ',', Container::CommaItem, found);
}

/// `is_separator` must only accept ASCII characters.
fn items(
    text: &str,
    is_separator: impl Fn(char) -> bool,
    container: Container,
    found: &mut dyn FnMut(ValueReference<'_>),
) {
    let mut start = 0;
    for item in text.split(is_separator) {
        let span = trim(text, start..start + item.len());
        if !span.is_empty() {
            found(ValueReference::plain(text, span, container));
        }
        start += item.len() + 1;
    }
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
}
