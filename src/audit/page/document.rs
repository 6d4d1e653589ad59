//! Findings about a page as a whole: its base, its encoding, whether it can be read.

use std::path::PathBuf;

use crate::audit::context::Pass;
use crate::audit::finding::Finding;
use crate::audit::page::auditor::PageAuditor;
use crate::audit::page::occurrence::Occurrence;
use crate::audit::reference::relative_base;
use crate::audit::rules::{Level, Rule};
use crate::audit::site::deployment::Location;
use crate::audit::target::Problem;
use crate::base::{BaseSource, RejectedBase};
use crate::batch::Failure;
use crate::container::EntryId;
use crate::error::{Error, Location as ErrorLocation};
use crate::link::{BasePlace, BaseTag, Syntax};
use crate::rewrite::Summary;
use crate::url::{Standard, clean};

impl PageAuditor<'_> {
    /// Audits the `href` of a `base` element.
    pub(crate) fn base_link(&mut self, link: &Occurrence<'_>) {
        // The bases are in the order of the source.
        let start = |base: &BaseTag| base.href().start;
        let Ok(at) = self.facts.bases.binary_search_by_key(&link.span.start, start) else { return };
        let base = self.facts.bases[at].clone();
        if base.counts() {
            let (rule, url) = (Rule::InvalidBase, link.url());
            let finding = link.finding(rule, Level::Off, &self.sink.lookup, url);
            self.facts.base = Some(self.sink.placed(finding));
        }
        let is_relative =
            relative_base(link.reference).is_some() && !clean(link.reference).is_empty();
        let is_after = self.facts.first_relative.is_some_and(|first| first < link.span.start);
        let found = [
            (Rule::DuplicateBase, at > 0),
            (Rule::BaseInBody, base.place() == BasePlace::Body),
            (Rule::RelativeBase, is_relative),
            (Rule::BaseAfterLink, base.counts() && is_after),
        ];
        for (rule, _) in found.into_iter().filter(|(_, is_found)| *is_found) {
            let problem = Problem::new(rule, rule.summary());
            self.sink.add_link(link, link.url(), problem);
        }
    }

    /// Reports a base that is unusable, or outside the site.
    fn base_of(&mut self, summary: &Summary) {
        let rejected = summary.rejected_base();
        // An `xml:base` is no link of its own here, and neither is a value with an entity.
        let standard = self.sink.lookup.standard;
        let written = || rejected.and_then(|base| rejected_base(base, standard));
        let base = self.facts.base.take();
        let Some(base) = base.or_else(|| written().map(|base| self.sink.placed(base))) else {
            return;
        };
        let own = summary.base().filter(|_| summary.base_source() == BaseSource::BaseElement);
        // Documents in a container may be from many sites.
        let own = own.filter(|_| !self.sink.lookup.scope.is_container());
        let is_elsewhere = own.is_some_and(|own| {
            !matches!(self.sink.lookup.deployment.locate(own.as_str()), Location::Inside { .. })
        });
        let found = [
            (Rule::InvalidBase, rejected.map(RejectedBase::problem)),
            (Rule::BaseElsewhere, is_elsewhere.then(|| Rule::BaseElsewhere.summary().to_owned())),
        ];
        for (rule, message) in found {
            if let (Some(level), Some(message)) = (self.sink.level(rule), message) {
                self.sink.add(Finding { rule, level, message, ..base.clone() });
            }
        }
    }

    /// Adds a finding about the page as a whole.
    fn add_whole(&mut self, rule: Rule, message: String) {
        if let Some(level) = self.sink.level(rule) {
            let finding = self.sink.whole(rule, level, message);
            self.sink.add(finding);
        }
    }

    /// Reports what the summary of a document shows.
    pub(crate) fn summary(&mut self, summary: &Summary, syntax: Syntax) {
        if !matches!(self.pass, Pass::Read) {
            return;
        }
        if self.is_style_of_site() {
            return;
        }
        if summary.is_unreadable() {
            self.facts.is_unreadable = true;
            self.unreadable(&Failure::new(
                "its encoding is not supported; convert the page to UTF-8",
            ));
            return;
        }
        if syntax == Syntax::Css {
            return;
        }
        self.base_of(summary);
        if let Some(what) = summary.unknown_namespace() {
            let what = what.chars().take(60).collect::<String>();
            self.hidden_markup(format!(
                "the namespace of '{what}' is not known, and its links are not found; declare it \
                 by xmlns=\"URI\""
            ));
        }
        let encoding = summary.encoding();
        if encoding != encoding_rs::UTF_8 {
            // https://encoding.spec.whatwg.org/#names-and-labels
            let labels = match encoding.name() {
                "windows-1252" => ", which ISO-8859-1 and US-ASCII are read as",
                _ => "",
            };
            let noun = self.noun();
            let message = format!("the {noun} is in {}{labels}", encoding.name());
            self.add_whole(Rule::LegacyEncoding, message);
        }
    }

    /// Reports the parts of a message that cannot be read.
    pub(crate) fn unknown_parts(&mut self, failures: &[Error]) {
        for error in failures {
            let rule = Rule::Unreadable;
            let Some(level) = self.sink.level_with_room(rule) else { continue };
            let finding = self.sink.whole(rule, level, error.to_string());
            self.sink.add(Finding { inside: error.part().map(EntryId::Part), ..finding });
        }
    }

    /// Reports why the document cannot be read.
    pub(crate) fn failed(&mut self, error: Error) {
        let Some((why, location)) = error.well_formedness() else {
            return self.unreadable(&error.into());
        };
        let is_page = self.sink.document.inside.is_none() && !self.is_no_page();
        let rule = if is_page { Rule::PageNotWellFormed } else { Rule::NotWellFormed };
        let Some(level) = self.sink.level(rule) else { return };
        let mut finding = self.sink.whole(rule, level, why);
        match (location, self.sink.document.inside) {
            // Lines of a part are not those of its file.
            (_, Some(EntryId::Part(_))) => {
                finding.message = format!("{location} of the part: {why}");
            }
            (ErrorLocation::Character { line, column }, _) => {
                (finding.line, finding.column) = (Some(line), Some(column));
            }
            _ => {}
        }
        self.add_well_formedness(finding);
    }

    /// Reports markup that is not found, because its namespace is not known, or because HTML takes
    /// XML for the text of a script.
    fn hidden_markup(&mut self, message: String) {
        let rule = Rule::NotWellFormed;
        if let Some(level) = self.sink.level(rule) {
            self.add_well_formedness(self.sink.whole(rule, level, message));
        }
    }

    /// Reports a page of HTML whose markup is hidden because it is XML.
    pub(crate) fn hidden_xml(&mut self, summary: &Summary) {
        if summary.hides_markup() {
            self.hidden_markup(
                "as HTML, everything after a self-closing script is hidden; name the file .xhtml, \
                 or end the script with </script>"
                    .to_owned(),
            );
        }
    }

    fn add_well_formedness(&mut self, finding: Finding) {
        if self.is_no_page() {
            self.context.state.add_malformed(self.number(), finding);
        } else {
            self.sink.add(finding);
        }
    }

    pub(crate) fn unreadable(&mut self, failure: &Failure) {
        self.add_whole(Rule::Unreadable, failure.to_string());
    }
}

/// A finding about a base of XML, whose element and attribute are shown as those of a link.
fn rejected_base(base: &RejectedBase, standard: Standard) -> Option<Finding> {
    let written = base.written()?;
    Some(Finding {
        span: Some(written.span.clone()),
        element: Some(written.element.clone()),
        attribute: Some(base.attribute().to_owned()),
        reference: Some(standard.masked(None, &written.reference).into_owned()),
        ..Finding::new(Rule::InvalidBase, Level::Off, PathBuf::new(), String::new())
    })
}
