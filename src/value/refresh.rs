//! The content of `<meta http-equiv=refresh>`.
//!
//! <https://html.spec.whatwg.org/multipage/semantics.html#shared-declarative-refresh-steps>. The
//! step numbers are those of the algorithm. The time is skipped, not returned. White space around
//! the URL is not part of the span; the URL parser drops it anyway.

use super::reference::{Container, QuoteMark, RefreshForm, ValueReference, trim};

/// Reports the URL, if the value has one.
///
/// After `url=` or a quotation mark, an empty URL is the empty reference; a value that ends before
/// either has no URL.
pub(super) fn report_url(text: &str, report: &mut dyn FnMut(ValueReference<'_>)) {
    let Some(start) = find_target(text) else { return };
    let (form, start) = find_form(text, start);
    let mut end = text.len();
    // Step 11.10: a quoted URL ends at the next mark of the same kind.
    if let RefreshForm::Quoted(mark) = form {
        end = text[start..].find(char::from(mark.byte())).map_or(end, |length| start + length);
    }
    report(ValueReference::plain(text, trim(text, start..end), Container::RefreshUrl(form)));
}

/// Finds the offset after the time and its separator (steps 2 to 10), unless the value ends there.
fn find_target(text: &str) -> Option<usize> {
    let rest = skip_space(text);
    let rest = match rest.trim_start_matches(|c: char| c.is_ascii_digit()) {
        after if after.len() == rest.len() && !after.starts_with('.') => return None,
        after => after.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.'),
    };
    if !rest.starts_with(|c: char| c == ';' || c == ',' || c.is_ascii_whitespace()) {
        return None;
    }
    let rest = skip_space(rest);
    let rest = skip_space(rest.strip_prefix([';', ',']).unwrap_or(rest));
    (!rest.is_empty()).then(|| text.len() - rest.len())
}

/// Finds the syntax that introduces the URL, and the URL's offset (steps 11.2 to 11.9).
fn find_form(text: &str, start: usize) -> (RefreshForm, usize) {
    let rest = &text[start..];
    let prefixed = strip_url_equals(rest);
    // NOTE: if the value continues with `u`, but not with `url=`, the standard skips to step 11.11
    // and does not look for quotation marks. The result is the same here, as the URL then begins
    // with that `u`.
    let unquoted = prefixed.unwrap_or(rest);
    let position = text.len() - unquoted.len();
    match unquoted.bytes().next().and_then(QuoteMark::from_byte) {
        Some(mark) => (RefreshForm::Quoted(mark), position + 1),
        None if prefixed.is_some() => (RefreshForm::Prefixed, position),
        None => (RefreshForm::Bare, position),
    }
}

/// Strips `url`, `=` and the white space after each, if they begin the text (steps 11.2 to 11.7).
fn strip_url_equals(text: &str) -> Option<&str> {
    let (name, rest) = text.split_at_checked(3)?;
    if !name.eq_ignore_ascii_case("url") {
        return None;
    }
    skip_space(rest).strip_prefix('=').map(skip_space)
}

fn skip_space(text: &str) -> &str {
    text.trim_start_matches(|c: char| c.is_ascii_whitespace())
}

/// Whether `url` would be misread without a `url=` before it.
pub(super) fn needs_prefix(url: &str) -> bool {
    url.starts_with([';', ',']) || strip_url_equals(url).is_some()
}

#[cfg(test)]
mod tests {
    use crate::value::tests::check;

    #[test]
    fn the_url_follows_the_time() {
        check("refresh", "5; url=a", &["a"]);
        check("refresh", "0;URL=a", &["a"]);
        check("refresh", " 5 , uRl = a b ", &["a b"]);
        check("refresh", "5 url=a", &["a"]);
        check("refresh", "5\turl\n=\x0ca", &["a"]);
        check("refresh", "5.5.5;url=a", &["a"]);
        check("refresh", ".5;url=a", &["a"]);
        check("refresh", "99999999999999999999999;url=a", &["a"]);
        check("refresh", "5;url=\u{e9}", &["\u{e9}"]);
    }

    #[test]
    fn no_url_without_a_time_or_a_separator() {
        check("refresh", "", &[]);
        check("refresh", "url=a", &[]);
        check("refresh", "; url=a", &[]);
        check("refresh", "-1; url=a", &[]);
        check("refresh", "5url=a", &[]);
        check("refresh", "5", &[]);
        check("refresh", "5;", &[]);
        check("refresh", "5 ; ", &[]);
        check("refresh", "5\u{a0};url=a", &[]);
    }

    #[test]
    fn the_prefix_may_be_missing() {
        check("refresh", "5; a", &["a"]);
        check("refresh", "5 a", &["a"]);
        check("refresh", "5;;a", &[";a"]);
        check("refresh", "5; url a", &["url a"]);
        check("refresh", "5; ur=a", &["ur=a"]);
        check("refresh", "5; u\u{e9}=a", &["u\u{e9}=a"]);
        check("refresh", "5; 'a'b", &["a"]);
    }

    #[test]
    fn a_quoted_url_ends_at_its_mark() {
        check("refresh", "5; url='a'", &["a"]);
        check("refresh", "5; url=\"a'b\" c", &["a'b"]);
        check("refresh", "5; url='a", &["a"]);
        check("refresh", "5; url=' a '", &["a"]);
        check("refresh", "5; url=a'b'", &["a'b'"]);
    }

    #[test]
    fn an_empty_url_is_the_empty_reference() {
        check("refresh", "5; url=", &[""]);
        check("refresh", "5; url=''", &[""]);
        check("refresh", "5; '", &[""]);
        check("refresh", "5; url=' '", &[""]);
    }
}
