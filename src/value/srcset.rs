//! Image candidates: the `srcset` grammar.
//!
//! <https://html.spec.whatwg.org/multipage/images.html#parsing-a-srcset-attribute>. The step
//! numbers are those of that algorithm. Descriptors are skipped by its tokenizer (a comma in
//! parentheses does not end a candidate), but not validated:
//!
//! NOTE: a candidate whose descriptors the standard rejects is reported like any other. No browser
//! fetches it, but its author meant it as a link.

use super::reference::{Container, ValueReference};

/// Reports the URL of every candidate.
pub(super) fn candidates(text: &str, found: &mut dyn FnMut(ValueReference<'_>)) {
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
        found(ValueReference::plain(text, start..end, Container::SrcsetCandidate));
        // Step 8: commas at the end of the URL end the candidate.
        if end == position {
            position = skip_descriptors(bytes, position);
        }
    }
}

/// The position after the descriptors at `position` and the comma that ends them (step 8).
///
/// Among the tokenizer's states only "in parens" treats commas differently, so the others are
/// merged.
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

/// The first position from `position` on whose byte is not `wanted`.
fn skip(bytes: &[u8], position: usize, wanted: impl Fn(u8) -> bool) -> usize {
    let rest = bytes.get(position..).unwrap_or_default();
    position + rest.iter().position(|&byte| !wanted(byte)).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use crate::value::tests::check;

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
