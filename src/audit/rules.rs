//! The rules of an audit, as a table: one row per rule.
//!
//! The names are stable, as reports, configurations and baselines contain them.

mod advice;
mod broken;
mod fragile;
mod metadata;
mod table;

use crate::named::named_enum;

named_enum! {
    /// The severity of a finding.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Level {
        /// The rule is off.
        Off = "off",
        /// Worth knowing.
        Note = "note",
        /// Works for some visitors only, or by chance. Other tools spell it `warning`.
        Warn = "warn" | "warning",
        /// Broken.
        Error = "error",
    }

    /// The error of a name that is not a level.
    pub struct UnknownLevel = "no such level, expected off, note, warn or error";
}

/// A kind of problem that an audit finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the table says what each one is: `Rule::summary`")]
pub enum Rule {
    BrokenLink,
    MissingAnchor,
    DirectoryWithoutIndex,
    MissingPrefix,
    MissingScheme,
    BrokenRedirect,
    RedirectLoop,
    InvalidBase,
    InvalidReference,
    BadPercent,
    Unreadable,
    PageNotWellFormed,
    NotInManifest,
    RemoteResource,
    InvalidManifest,
    DuplicateName,
    MissingTrailingSlash,
    CaseMismatch,
    AboveRoot,
    BaseAfterLink,
    DuplicateBase,
    BaseInBody,
    BadMailto,
    BadTel,
    DuplicateId,
    MixedContent,
    BadPercentInQuery,
    Backslash,
    BrokenFormAction,
    NotCaptured,
    NotWellFormed,
    BrokenCanonical,
    DuplicateCanonical,
    BrokenHreflang,
    InvalidHreflang,
    OneWayHreflang,
    LeakedDevelopmentUrl,
    ColonInFirstSegment,
    FtpTypeD,
    ProtocolRelative,
    OwnHostAbsolute,
    BaseElsewhere,
    OutsideBase,
    LinkToRedirect,
    LegacyEncoding,
    RelativeBase,
    UnknownLink,
    OrphanPage,
    OrphanAsset,
    MissingTextFragment,
    StandardsDiffer,
    EmptyReference,
    InsecureLink,
    NotInSitemap,
}

/// The explanation of a rule, for users.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explanation {
    /// Why it matters.
    pub reason: &'static str,
    /// An example.
    pub example: &'static str,
    /// How to fix it.
    pub fix: &'static str,
}

/// The property that findings of a rule share if one correction fixes them all.
///
/// Reports that show a problem once group by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Grouping {
    /// The reference as written, whatever it resolves to on each page; else the URL.
    Reference,
    /// The file that the link leads to, whatever the fragment; else the URL without fragment,
    /// else the reference.
    Target,
    /// The URL; else the reference.
    Url,
    /// The message.
    Message,
}

/// One row of the table.
#[derive(Debug)]
struct Row {
    rule: Rule,
    id: &'static str,
    level: Level,
    grouping: Grouping,
    summary: &'static str,
    reason: &'static str,
    example: &'static str,
    fix: &'static str,
}

impl Rule {
    /// The name in options and reports, such as `broken-link`.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.row().id
    }

    /// The default level.
    #[must_use]
    pub fn level(self) -> Level {
        self.row().level
    }

    /// What it finds, in one line.
    #[must_use]
    pub fn summary(self) -> &'static str {
        self.row().summary
    }

    /// Why it matters, an example, and how to fix it.
    #[must_use]
    pub fn explanation(self) -> Explanation {
        let &Row { reason, example, fix, .. } = self.row();
        Explanation { reason, example, fix }
    }

    /// The property that groups its findings.
    #[must_use]
    #[doc(hidden)]
    pub fn grouping(self) -> Grouping {
        self.row().grouping
    }
}

named_enum! {
    impl Rule by id;

    /// The error of a name that is not a rule.
    pub struct UnknownRule = "no such rule";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_a_row() {
        for (at, &rule) in Rule::ALL.iter().enumerate() {
            // A rule without a row would have another one in its place.
            assert_eq!(rule as usize, at, "{rule}");
            assert_eq!(rule.id().parse(), Ok(rule));
        }
        // The table has a row for the last variant as well.
        assert_eq!(Rule::ALL.last(), Some(&Rule::NotInSitemap));
        assert_eq!(Rule::NotInSitemap as usize + 1, Rule::ALL.len());
    }

    #[test]
    fn a_rule_is_named_after_what_it_finds() {
        for rule in Rule::ALL {
            let id: String = format!("{rule:?}")
                .chars()
                .flat_map(|c| c.is_uppercase().then_some('-').into_iter().chain(c.to_lowercase()))
                .collect();
            assert_eq!(rule.id(), &id[1..]);
        }
        assert_eq!("Broken-Link".parse::<Rule>(), Err(UnknownRule));
    }

    #[test]
    fn every_rule_is_explained() {
        for rule in Rule::ALL {
            let Explanation { reason, example, fix } = rule.explanation();
            assert!(reason.ends_with('.') && fix.ends_with('.'), "{rule}");
            assert!(!example.is_empty(), "{rule}");
            let summary = rule.summary();
            assert!(summary.len() <= 72 && !summary.ends_with('.'), "{rule}");
            assert!(!summary.contains('\n'), "{rule}");
        }
    }

    #[test]
    fn a_level_has_a_name() {
        for level in Level::ALL {
            assert_eq!(level.name().parse(), Ok(*level));
        }
        assert!(Level::ALL.is_sorted());
        assert_eq!("warning".parse(), Ok(Level::Warn));
        assert_eq!("fatal".parse::<Level>(), Err(UnknownLevel));
    }
}
