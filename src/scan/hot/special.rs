//! The names of the elements whose start tags mean something for what follows.

/// Elements with raw text, `noscript`, those that enter SVG and MathML, `base`, and those that the fast scanner
/// bails out on.
#[rustfmt::skip]
const NAMES: &[&str] = &[
    "svg", "xmp", "base", "math", "style", "title", "iframe", "script", "noembed", "frameset",
    "noframes", "noscript", "template", "textarea", "plaintext",
];

/// By length of a name: the first letters of the names of that length, as bits.
const LETTERS: [u32; 16] = {
    let mut letters = [0; 16];
    let mut at = 0;
    while at < NAMES.len() {
        let name = NAMES[at].as_bytes();
        letters[name.len()] |= 1 << (name[0] & 31);
        at += 1;
    }
    letters
};

/// Whether a name may be one of them: what is not is known by two lookups.
#[inline]
pub(super) fn may_be_special(name: &[u8]) -> bool {
    let first = name.first().copied().unwrap_or_default();
    LETTERS.get(name.len()).is_some_and(|letters| letters >> (first & 31) & 1 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_names_are_known_in_any_case_and_most_others_are_not() {
        for name in NAMES {
            assert!(may_be_special(name.as_bytes()), "{name}");
            assert!(may_be_special(name.to_ascii_uppercase().as_bytes()), "{name}");
        }
        for name in ["", "a", "p", "li", "div", "span", "code", "h1", "ul", "a-custom-element-s"] {
            assert!(!may_be_special(name.as_bytes()), "{name}");
        }
    }
}
