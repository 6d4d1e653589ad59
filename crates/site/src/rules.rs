//! The names of an audit's rules, and the type of their rows; the files of `checks` have the rows.
//!
//! The names are stable, as reports, configurations and baselines contain them.

use absolve::named_enum;

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

named_enum! {
    /// A group of rules on one subject; an option can set them all by the name of the group.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    pub enum RuleGroup {
        /// `base` elements.
        Base = "base",
        /// References that violate RFCs on URLs, or that the URL Standard treats differently.
        Rfc = "rfc",
        /// Search engines.
        Seo = "seo",
    }

    /// The error of a name that is not a group of rules.
    pub struct UnknownRuleGroup = "no such group of rules";
}

named_enum! {
    /// A kind of problem that an audit finds.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[non_exhaustive]
    #[expect(missing_docs, reason = "the table says what each one is: `Rule::summary`")]
    pub enum Rule {
        BrokenLink = "broken-link",
        MissingAnchor = "missing-anchor",
        DirectoryWithoutIndex = "directory-without-index",
        MissingPrefix = "missing-prefix",
        MissingScheme = "missing-scheme",
        BrokenRedirect = "broken-redirect",
        RedirectLoop = "redirect-loop",
        InvalidBase = "invalid-base",
        InvalidReference = "invalid-reference",
        BadPercent = "bad-percent",
        Unreadable = "unreadable",
        PageNotWellFormed = "page-not-well-formed",
        ForbiddenHost = "forbidden-host",
        BrokenExternal = "broken-external",
        IntegrityMismatch = "integrity-mismatch",
        MissingTrailingSlash = "missing-trailing-slash",
        CaseMismatch = "case-mismatch",
        AboveRoot = "above-root",
        BaseAfterLink = "base-after-link",
        DuplicateBase = "duplicate-base",
        BaseInBody = "base-in-body",
        BadMailto = "bad-mailto",
        BadTel = "bad-tel",
        InvisibleCharacter = "invisible-character",
        BadScheme = "bad-scheme",
        RelativeOnErrorPage = "relative-on-error-page",
        UnpublishedFolder = "unpublished-folder",
        DuplicateId = "duplicate-id",
        MixedContent = "mixed-content",
        BadPercentInQuery = "bad-percent-in-query",
        Backslash = "backslash",
        BrokenFormAction = "broken-form-action",
        NotWellFormed = "not-well-formed",
        UndeclaredEncoding = "undeclared-encoding",
        BrokenCanonical = "broken-canonical",
        DuplicateCanonical = "duplicate-canonical",
        BrokenHreflang = "broken-hreflang",
        InvalidHreflang = "invalid-hreflang",
        OneWayHreflang = "one-way-hreflang",
        SitemapHost = "sitemap-host",
        NoindexInSitemap = "noindex-in-sitemap",
        LeakedDevelopmentUrl = "leaked-development-url",
        ColonInFirstSegment = "colon-in-first-segment",
        FtpTypeD = "ftp-type-d",
        ProtocolRelative = "protocol-relative",
        OwnHostAbsolute = "own-host-absolute",
        BaseElsewhere = "base-elsewhere",
        OutsideBase = "outside-base",
        LinkToRedirect = "link-to-redirect",
        MovedExternal = "moved-external",
        LegacyEncoding = "legacy-encoding",
        RelativeBase = "relative-base",
        UnknownLink = "unknown-link",
        MalformedJsonBlock = "malformed-json-block",
        OrphanPage = "orphan-page",
        OrphanAsset = "orphan-asset",
        StandardsDiffer = "standards-differ",
        EmptyReference = "empty-reference",
        InsecureLink = "insecure-link",
        UncheckedExternal = "unchecked-external",
        NotInSitemap = "not-in-sitemap",
        MissingAlt = "missing-alt",
        EmptyLink = "empty-link",
    }

    /// The error of a name that is not a rule.
    pub struct UnknownRule = "no such rule";
}

/// The explanation of a rule, for users.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explanation {
    /// The reason that it matters.
    pub reason: &'static str,
    /// An example.
    pub example: &'static str,
    /// The way to fix it.
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

/// The row of a rule, in a file of `checks`.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) rule: Rule,
    pub(super) level: Level,
    pub(super) grouping: Grouping,
    /// The group, if any; a slice of at most one, as the macro of the rows needs no `Some` for it.
    pub(super) group: &'static [RuleGroup],
    pub(super) summary: &'static str,
    pub(super) reason: &'static str,
    pub(super) example: &'static str,
    pub(super) fix: &'static str,
}

/// Defines the rows of a subject. A row begins with the rule, its level, its grouping, and its
/// group if it has one; the texts follow.
macro_rules! rows {
    ($(
        $rule:ident: $level:ident, $grouping:ident $(, $group:ident)?;
        summary: $summary:literal,
        reason: $reason:literal,
        example: $example:literal,
        fix: $fix:literal;
    )+) => {
        pub(super) const ROWS: &[$crate::Row] = &[$($crate::Row {
            rule: $crate::Rule::$rule,
            level: $crate::Level::$level,
            grouping: $crate::Grouping::$grouping,
            group: &[$($crate::RuleGroup::$group)?],
            summary: $summary,
            reason: $reason,
            example: $example,
            fix: $fix,
        },)+];
    };
}

pub(super) use rows;

impl Rule {
    /// Returns the name in options and reports, such as `broken-link`.
    #[must_use]
    pub fn id(self) -> &'static str {
        self.name()
    }

    /// Returns the default level.
    #[must_use]
    pub fn level(self) -> Level {
        self.row().level
    }

    /// Returns the group of the rule, if any.
    #[must_use]
    pub fn group(self) -> Option<RuleGroup> {
        self.row().group.first().copied()
    }

    /// Describes the problem that the rule finds, in one line.
    #[must_use]
    pub fn summary(self) -> &'static str {
        self.row().summary
    }

    /// Explains the rule: why its problem matters, with an example and a fix.
    #[must_use]
    pub fn explanation(self) -> Explanation {
        let &Row { reason, example, fix, .. } = self.row();
        Explanation { reason, example, fix }
    }

    /// Returns the property by which reports group the findings of the rule.
    #[must_use]
    #[doc(hidden)]
    pub fn grouping(self) -> Grouping {
        self.row().grouping
    }
}

impl RuleGroup {
    /// Returns the rules of the group.
    pub fn rules(self) -> impl Iterator<Item = Rule> {
        Rule::ALL.iter().copied().filter(move |rule| rule.group() == Some(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_has_rules_and_a_name_of_its_own() {
        for group in RuleGroup::ALL {
            assert!(group.rules().count() > 1, "{group}");
            assert!(group.name().parse::<Rule>().is_err(), "{group}");
        }
    }

    #[test]
    fn every_rule_has_a_row() {
        for (at, &rule) in Rule::ALL.iter().enumerate() {
            // Without its row, a rule would have the row of the next one.
            assert_eq!((rule as usize, rule.row().rule), (at, rule));
            assert_eq!(rule.id().parse(), Ok(rule));
        }
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
