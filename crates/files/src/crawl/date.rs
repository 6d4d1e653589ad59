//! Dates of captures.

use std::fmt;
use std::str::FromStr;

/// A date of captures, as 18 digits of `WARC-Date`: the last four are the fraction of the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Date(u64);

/// The error of a date that has no year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidDate;

impl fmt::Display for InvalidDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected a date such as 2026, 2026-01-31 or 2026-01-31T12:00:00Z")
    }
}

impl std::error::Error for InvalidDate {}

/// The last second of a date: that of the year for `2026`.
impl FromStr for Date {
    type Err = InvalidDate;

    fn from_str(text: &str) -> Result<Self, InvalidDate> {
        let is_part =
            |c: char| c.is_ascii_digit() || matches!(c, '-' | ':' | 'T' | 't' | 'Z' | 'z');
        let digits: String = text.chars().filter(char::is_ascii_digit).take(14).collect();
        if !text.chars().all(is_part) || digits.len() < 4 || digits.len() % 2 == 1 {
            return Err(InvalidDate);
        }
        format!("{digits:9<18}").parse().map(Self).map_err(|_| InvalidDate)
    }
}

impl Date {
    /// The date as a field has it; empty if it is not known.
    pub(super) fn field(self) -> String {
        if self == Self::default() {
            return String::new();
        }
        let digits = format!("{:018}", self.0);
        let part = |range| digits.get(range).unwrap_or_default();
        let (day, time) =
            ([part(0..4), part(4..6), part(6..8)], [part(8..10), part(10..12), part(12..14)]);
        format!("{}T{}Z", day.join("-"), time.join(":"))
    }

    /// The date of a field; 0 if the text is not a date.
    pub(super) fn of_field(text: &str) -> Self {
        let (text, fraction) = text.split_once('.').unwrap_or((text, ""));
        let digits = |text: &str, most| -> String {
            text.chars().filter(char::is_ascii_digit).take(most).collect()
        };
        let (second, fraction) = (digits(text, 14), digits(fraction, 4));
        Self(format!("{second:0<14}{fraction:0<4}").parse().unwrap_or_default())
    }

    /// The date without its fraction, which a field that refers to it may lack.
    pub(super) fn second(self) -> u64 {
        self.0 / 10_000
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_may_be_a_part_of_one() {
        let date = |text: &str| text.parse::<Date>().map(|date| date.0);
        assert_eq!(date("2026"), Ok(202_699_999_999_999_999));
        assert_eq!(date("2026-01-31"), Ok(202_601_319_999_999_999));
        assert_eq!(date("20260131"), date("2026-01-31"));
        assert_eq!(date("2026-01-31T12:00:01Z"), Ok(202_601_311_200_019_999));
        for wrong in ["", "x", "26", "2026-1", "2026-01-31 12:00"] {
            assert_eq!(date(wrong), Err(InvalidDate), "{wrong}");
        }
        assert_eq!(Date::of_field("2026-01-31T12:00:01.5Z").0, 202_601_311_200_015_000);
        assert_eq!(Date::of_field("2026-01-31T12:00:01.5Z").field(), "2026-01-31T12:00:01Z");
        assert_eq!((Date::of_field("").0, Date::of_field("").field()), (0, String::new()));
    }
}
