//! Groups findings, so that reports list a fault that many pages share once.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::report::baseline::hash_parts;
use crate::report::{Fingerprint, are_of_one_page, printable, view};
use crate::{Finding, Grouping, Level, Rule};

/// Findings that a single correction probably fixes: they share rule, level and subject.
pub(super) struct Group<'a> {
    pub(super) first: &'a Finding,
    /// All findings of the group, the first included, in the order of the report.
    pub(super) findings: Vec<&'a Finding>,
    /// The number of different pages.
    pub(super) pages: usize,
    /// The word for the pages: `page`, or `file` if one of them is no page.
    pub(super) noun: &'static str,
}

impl<'a> Group<'a> {
    /// Returns the sort key that puts the highest level first, and within a level the most pages.
    pub(super) fn worst_first_key(&self) -> impl Ord + use<> {
        std::cmp::Reverse((self.first.level, self.pages))
    }

    /// Returns the number of findings.
    pub(super) fn finding_count(&self) -> usize {
        self.findings.len()
    }

    /// Returns the first finding with a source, which an author can edit; else the first finding.
    pub(super) fn editable(&self) -> &'a Finding {
        let sourced = self.findings.iter().find(|finding| finding.source.is_some());
        sourced.copied().unwrap_or(self.first)
    }
}

/// The key that the findings of a group share.
#[derive(PartialEq, Eq, Hash)]
struct GroupKey<'a> {
    rule: Rule,
    level: Level,
    /// The subject, or the number of a finding without a subject, which has a group of its own.
    subject: Result<Subject<'a>, usize>,
}

/// The property that the findings of a group share, by the [`Grouping`] of their rule.
#[derive(PartialEq, Eq, Hash)]
pub(super) enum Subject<'a> {
    Url(&'a str),
    Reference(&'a str),
    /// The path of the target file.
    Target(&'a OsStr),
    Message(&'a str),
}

impl Subject<'_> {
    /// Returns the subject in printable form.
    pub(super) fn format(&self) -> String {
        match self {
            Self::Url(text) | Self::Reference(text) | Self::Message(text) => printable(text),
            Self::Target(path) => view::format_path(Path::new(path)),
        }
    }
}

/// Groups findings. The groups are in the order of their first findings.
///
/// The findings must be in the order of [`Finding::order`], so the findings of a page are adjacent.
pub(super) fn group_findings(findings: &[Finding]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    let mut numbers = HashMap::new();
    let mut nouns = view::NounCache::default();
    for (number, finding) in findings.iter().enumerate() {
        let noun = nouns.get(finding);
        let key = GroupKey {
            rule: finding.rule,
            level: finding.level,
            subject: find_subject(finding).ok_or(number),
        };
        let at = *numbers.entry(key).or_insert(groups.len());
        let Some(group) = groups.get_mut(at) else {
            groups.push(Group { first: finding, findings: vec![finding], pages: 1, noun });
            continue;
        };
        if group.findings.last().is_some_and(|last| !are_of_one_page(last, finding)) {
            group.pages += 1;
            if noun == "file" {
                group.noun = noun;
            }
        }
        group.findings.push(finding);
    }
    groups
}

/// Groups findings, and sorts the groups by level, and then by the number of pages.
pub(super) fn group_worst_first(findings: &[Finding]) -> Vec<Group<'_>> {
    let mut groups = group_findings(findings);
    groups.sort_by_key(Group::worst_first_key);
    groups
}

/// Hashes the group of a finding. The hash stays the same if findings of the group are added, moved
/// or removed. `path` returns the path of a target in a form that does not depend on the machine.
pub(super) fn group_hash(finding: &Finding, path: impl Fn(&Path) -> PathBuf) -> u64 {
    let Some(subject) = find_subject(finding) else { return Fingerprint::new(finding).hash() };
    let file;
    let (kind, text) = match &subject {
        Subject::Url(url) => ("url", url.as_bytes()),
        Subject::Reference(reference) => ("reference", reference.as_bytes()),
        Subject::Message(message) => ("message", message.as_bytes()),
        Subject::Target(target) => {
            file = path(Path::new(target));
            ("target", file.as_os_str().as_encoded_bytes())
        }
    };
    hash_parts([finding.rule.id().as_bytes(), kind.as_bytes(), text].into_iter().map(Some))
}

/// Finds the subject of a finding, by the grouping of its rule.
pub(super) fn find_subject(finding: &Finding) -> Option<Subject<'_>> {
    let reference = finding.reference.as_deref().map(Subject::Reference);
    let url = finding.url.as_deref().map(Subject::Url);
    match finding.rule.grouping() {
        Grouping::Reference => reference.or(url),
        Grouping::Target => {
            let page = || finding.url.as_deref().and_then(|url| url.split('#').next());
            let target = finding.target.as_deref().map(|path| Subject::Target(path.as_os_str()));
            target.or_else(|| page().map(Subject::Url)).or(reference)
        }
        Grouping::Message => Some(Subject::Message(&finding.message)),
        _ => url.or(reference),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::{broken, finding};

    fn describe(findings: &[Finding]) -> Vec<String> {
        let line = |group: &Group<'_>| {
            let (places, pages) = (group.finding_count(), group.pages);
            format!("{} {places} on {pages}", group.first.reference.as_deref().unwrap_or("-"))
        };
        group_findings(findings).iter().map(line).collect()
    }

    #[test]
    fn a_target_is_reported_once_whatever_the_reference() {
        let mut findings = [broken("a", "x"), broken("a", "x"), broken("b/c", "../x")];
        assert_eq!(describe(&findings), ["x 3 on 2"]);
        findings[2].target = Some("site/b/x".into());
        assert_eq!(describe(&findings), ["x 2 on 1", "../x 1 on 1"]);
    }

    #[test]
    fn a_target_that_is_no_file_is_a_url_without_its_fragment() {
        let mut findings = [broken("a", "x#1"), broken("a", "x#2")];
        for finding in &mut findings {
            (finding.url, finding.target) = (finding.reference.clone(), None);
        }
        assert_eq!(describe(&findings), ["x#1 2 on 1"]);
    }

    #[test]
    fn a_rule_about_the_reference_looks_at_no_url() {
        let mut findings = [broken("a", "u@h"), broken("b/c", "u@h")];
        findings[1].target = Some("site/b/u@h".into());
        assert_eq!(describe(&findings).len(), 2);
        for finding in &mut findings {
            finding.rule = Rule::MissingScheme;
        }
        assert_eq!(describe(&findings), ["u@h 2 on 2"]);
    }

    #[test]
    fn findings_without_a_reference_are_not_grouped() {
        let orphan = |file| finding(Rule::OrphanPage, Level::Note, file);
        assert_eq!(describe(&[orphan("a"), orphan("b")]), ["- 1 on 1", "- 1 on 1"]);
    }

    #[test]
    fn the_worst_and_the_most_come_first() {
        let mut findings = [broken("a", "n"), broken("a", "x"), broken("a", "y"), broken("b", "y")];
        findings[0].level = Level::Note;
        for finding in &mut findings {
            (finding.url, finding.target) = (None, None);
        }
        let groups = group_worst_first(&findings);
        let order: Vec<_> = groups.iter().map(|group| group.first.reference.clone()).collect();
        assert_eq!(order, ["y", "x", "n"].map(|reference| Some(reference.to_owned())));
    }
}
