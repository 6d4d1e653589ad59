//! Names that are like a name that does not exist.

/// The name that may have been meant, where one is near.
pub(crate) fn nearest<'n>(text: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    /// By [Jaro and Winkler](https://en.wikipedia.org/wiki/Jaro-Winkler_distance), to
    /// whom the same beginning counts most: 1 is the same, 0 has nothing in common.
    const NEAR: f64 = 0.85;
    names
        .map(|name| (strsim::jaro_winkler(text, name), name))
        .filter(|(likeness, _)| *likeness > NEAR)
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, name)| name)
}
