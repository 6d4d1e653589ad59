//! Similar names, for suggestions.

/// The most similar name, if one is near: by one edit, such as two transposed letters, or with the
/// same beginning.
pub fn nearest<'n>(text: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    /// Of the [Jaro-Winkler similarity](https://en.wikipedia.org/wiki/Jaro-Winkler_distance), which
    /// favors a common prefix: 1 is equal, 0 has nothing in common.
    const NEAR: f64 = 0.85;
    /// One edit changes too much of a shorter name.
    const SHORTEST: usize = 3;
    names
        .map(|name| {
            let is_one_edit =
                text.chars().count() >= SHORTEST && strsim::osa_distance(text, name) == 1;
            (is_one_edit, strsim::jaro_winkler(text, name), name)
        })
        .filter(|(is_one_edit, likeness, _)| *is_one_edit || *likeness > NEAR)
        .max_by(|one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)))
        .map(|(.., name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_name_is_one_edit_away_or_begins_alike() {
        let near = |text| nearest(text, ["src", "href", "srcset", "url", "id"].into_iter());
        for (text, name) in [
            ("scr", Some("src")),
            ("hrf", Some("href")),
            ("herf", Some("href")),
            ("urls", Some("url")),
            ("uri", Some("url")),
            ("srcse", Some("srcset")),
            ("srcs", Some("src")),
            ("xd", None),
            ("title", None),
        ] {
            assert_eq!(near(text), name, "{text}");
        }
    }
}
