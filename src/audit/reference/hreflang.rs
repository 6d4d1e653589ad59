//! What a `link` element states about its page: the canonical URL, or a translation.

/// What a `link` element states about its page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// [The URL that search engines are to show](https://www.rfc-editor.org/rfc/rfc6596).
    Canonical,
    /// [A page in another language](https://html.spec.whatwg.org/multipage/links.html#rel-alternate).
    Translation,
}

/// What a `link` element with this `rel` states; `has_hreflang` is whether it has an `hreflang`.
#[must_use]
pub fn relation(rel: &str, has_hreflang: impl FnOnce() -> bool) -> Option<Relation> {
    let has = |kind: &str| rel.split_ascii_whitespace().any(|one| one.eq_ignore_ascii_case(kind));
    if has("canonical") {
        return Some(Relation::Canonical);
    }
    (has("alternate") && !has("stylesheet") && has_hreflang()).then_some(Relation::Translation)
}

/// Whether a text has the form of a [language tag][bcp47], or is `x-default`.
///
/// [bcp47]: https://www.rfc-editor.org/rfc/rfc5646#section-2.1
#[must_use]
pub fn is_language_tag(tag: &str) -> bool {
    if tag.eq_ignore_ascii_case("x-default") {
        return true;
    }
    let mut subtags = tag.split('-');
    let is_language = subtags.next().is_some_and(|language| {
        (2..=8).contains(&language.len()) && language.bytes().all(|c| c.is_ascii_alphabetic())
    });
    is_language
        && subtags.all(|subtag| {
            (1..=8).contains(&subtag.len()) && subtag.bytes().all(|c| c.is_ascii_alphanumeric())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_tag_has_subtags() {
        for tag in ["en", "en-US", "zh-Hant-TW", "es-419", "X-Default", "de-1996", "en-a-b"] {
            assert!(is_language_tag(tag), "{tag}");
        }
        for tag in ["", "e", "en_US", "en-", "12", "english language", "x-other", "en--US"] {
            assert!(!is_language_tag(tag), "{tag}");
        }
    }

    #[test]
    fn a_link_states_a_relation() {
        let is = |rel: &str, has: bool| relation(rel, || has);
        assert_eq!(is("x CANONICAL", false), Some(Relation::Canonical));
        assert_eq!(is("alternate", true), Some(Relation::Translation));
        assert_eq!(is("alternate", false), None);
        assert_eq!(is("alternate stylesheet", true), None);
        assert_eq!(is("next", true), None);
    }
}
