//! Numbers in text for people.

/// A number and what it counts: `1 page`, `1,169 pages`.
pub fn counted(count: impl Into<Count>, name: &str) -> String {
    let Count(count) = count.into();
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {name}{plural}", thousands(count))
}

/// A number with separators, for people; programs and options have it without.
pub fn thousands(count: impl Into<Count>) -> String {
    let Count(count) = count.into();
    let digits = count.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of things, in memory or in a stream.
pub struct Count(u64);

impl From<u64> for Count {
    fn from(count: u64) -> Self {
        Self(count)
    }
}

impl From<usize> for Count {
    fn from(count: usize) -> Self {
        Self(u64::try_from(count).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people_have_separators() {
        let shown = |count: u64, text: &str| assert_eq!(thousands(count), text);
        shown(0, "0");
        shown(999, "999");
        shown(1_000, "1,000");
        shown(1_234_567, "1,234,567");
        assert_eq!(counted(1_u64, "page"), "1 page");
        assert_eq!(counted(1_169_usize, "page"), "1,169 pages");
    }
}
