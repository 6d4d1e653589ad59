//! Similar names, for suggestions.

/// The most similar name, if one is near: by one edit, such as two transposed letters, with the
/// same beginning, or with the text as its last word, as `base_url` for `url`.
pub fn nearest<'n>(text: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    /// Names are near above this
    /// [Jaro-Winkler similarity](https://en.wikipedia.org/wiki/Jaro-Winkler_distance), which favors a
    /// common prefix: 1 is equal, 0 has nothing in common.
    const NEAR: f64 = 0.85;
    /// Minimum characters of a name: an edit changes too much of a shorter one.
    const SHORTEST: usize = 3;
    let is_long = text.chars().count() >= SHORTEST;
    let capital = text.get(..1).unwrap_or_default().to_ascii_uppercase();
    let word = capital + text.get(1..).unwrap_or_default();
    let is_last_word = |name: &str| {
        name.strip_suffix(text).is_some_and(|rest| rest.ends_with(['-', '_']))
            || name.strip_suffix(&word).is_some_and(|rest| !rest.is_empty())
    };
    names
        .filter_map(|name| {
            let is_one_edit = is_long && strsim::osa_distance(text, name) == 1;
            let likeness = strsim::jaro_winkler(text, name);
            let is_like = is_one_edit || likeness > NEAR;
            let likeness = if is_like { likeness } else { 0.0 };
            (is_like || is_long && is_last_word(name)).then_some((is_one_edit, likeness, name))
        })
        // If the text is the last word of several names, the shortest wins: `base_url`.
        .max_by(|one, other| {
            let order = one.0.cmp(&other.0).then(one.1.total_cmp(&other.1));
            order.then(other.2.len().cmp(&one.2.len()))
        })
        .map(|(.., name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_name_is_one_edit_away_or_begins_alike() {
        let names = ["src", "href", "srcset", "url", "id", "the-last", "at-the-last", "lastName"];
        let near = |text| nearest(text, names.into_iter());
        for (text, name) in [
            ("scr", Some("src")),
            ("hrf", Some("href")),
            ("herf", Some("href")),
            ("urls", Some("url")),
            ("uri", Some("url")),
            ("srcse", Some("srcset")),
            ("srcs", Some("src")),
            ("last", Some("lastName")),
            ("ast", None),
            ("name", Some("lastName")),
            ("xd", None),
            ("title", None),
        ] {
            assert_eq!(near(text), name, "{text}");
        }
    }
}
