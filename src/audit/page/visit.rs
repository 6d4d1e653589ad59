//! Receives the links, anchors and `base` elements of a page.

use std::ops::Range;

use crate::audit::anchors::{IdHash, IdStatus};
use crate::audit::context::{Draft, Pass};
use crate::audit::finding::Finding;
use crate::audit::lookup::resolved::split_fragment;
use crate::audit::page::auditor::PageAuditor;
use crate::audit::page::occurrence::Occurrence;
use crate::audit::rules::{Level, Rule};
use crate::audit::target::LinkScope;
use crate::base::BaseSource;
use crate::link::{Anchor, AnchorKind, BaseTag, Link, LinkOutcome, Visit};
use crate::url::{Base, clean};

impl Visit for PageAuditor<'_> {
    fn can_skip(&mut self, reference: &str, base: Option<&Base>) -> bool {
        // A rule needs every link before a base element.
        if !self.facts.bases.is_empty() || self.context.audit.ignores_some() {
            return false;
        }
        // The target may be a file that the manifest does not list.
        if matches!(self.pass, Pass::Read) && self.sink.lookup.site.book().is_some() {
            return false;
        }
        let (before, fragment) = split_fragment(reference);
        if before.is_empty() && self.sink.document.inside.is_some() {
            return false;
        }
        // No check of a reference alone concerns its fragment.
        if fragment.is_none() && before.is_empty() {
            return false;
        }
        if let Pass::Recheck(problems) = self.pass
            && fragment.is_none()
            && problems.are_of_fragments()
        {
            return true;
        }
        let plain = base.and_then(|base| self.buffers.plain.file(before, base, &self.sink.lookup));
        let (file, scope, reference) = if plain.is_some() {
            // A plain reference begins with no slash.
            (plain, LinkScope::Internal, "")
        } else {
            let known = self.buffers.cache.known(before, base, self.sink.lookup.standard);
            let Some(resolved) = known.filter(|resolved| resolved.is_good) else { return false };
            (resolved.target.file, resolved.target.scope, before)
        };
        if let (Some(file), Pass::Recheck(verdicts)) = (file, self.pass) {
            self.link_duplicate(file, fragment);
            let verdict =
                verdicts.of(&self.context.state, file, fragment, self.context.audit.ranges);
            if !verdict.is_good() && !self.only_counts(&verdict) {
                return false;
            }
        }
        self.links.add_reference(scope, reference);
        if let (Some(file), Pass::Read) = (file, self.pass) {
            if file != self.number() {
                self.context.state.requests.link(file, self.requester);
            }
            if let Some(fragment) = fragment {
                self.request(file, fragment);
            }
        }
        true
    }

    fn link(&mut self, link: &Link<'_>) {
        let sibling = |name: &str| link.sibling(name);
        // It is not known where it leads.
        if link.has_entity() {
            return;
        }
        let is_of_other_pass = self.is_no_page() && link.element() == "loc";
        if is_of_other_pass || link.attribute() == "xml:base" {
            return;
        }
        let is_empty =
            clean(link.reference()).is_empty() && matches!(link.outcome(), LinkOutcome::Empty);
        let is_empty = is_empty && !self.is_style_of_site();
        let link = Occurrence::of(link, &sibling);
        if is_empty {
            self.empty_value(&link);
            return;
        }
        if is_without_base(&link) {
            // The finding about the base element covers this link.
            self.links.add(LinkScope::Internal);
            return;
        }
        if link.element == Some("base") && link.attribute == Some("href") {
            if matches!(self.pass, Pass::Read) && !link.is_nested {
                self.base_link(&link);
            }
            return;
        }
        if self.facts.first_relative.is_none() && reference_is_relative(link.reference) {
            self.facts.first_relative = Some(link.span.start);
        }
        self.occurrence(&link);
    }

    fn takes_ignored(&self) -> bool {
        matches!(self.pass, Pass::Read)
    }

    fn ignored_link(&mut self, link: &Link<'_>) {
        self.links.ignored += 1;
        self.ignored(&Occurrence::of(link, &|name| link.sibling(name)));
    }

    fn local_reference(&mut self, link: &Link<'_>) {
        let sibling = |name: &str| link.sibling(name);
        self.local(&Occurrence::of(link, &sibling));
    }

    fn anchor(&mut self, anchor: &Anchor<'_>) {
        if !matches!(self.pass, Pass::Read) {
            return;
        }
        match anchor.kind() {
            AnchorKind::Name => self.buffers.anchors.name(anchor.value()),
            AnchorKind::Id => {
                let status = self.buffers.anchors.id(anchor.value());
                if status == IdStatus::Duplicate
                    && !anchor.is_ignored()
                    && self.buffers.anchors.mark_duplicate(anchor.value())
                    && let Some(level) = self.sink.level_with_room(Rule::DuplicateId)
                {
                    let draft = self.duplicate_id(anchor, level);
                    self.sink.add(draft);
                }
            }
        }
    }

    fn unknown_anchors(&mut self) {
        if matches!(self.pass, Pass::Read) {
            self.buffers.anchors.add_unknown();
        }
    }

    fn malformed_script(&mut self, span: Range<usize>, why: &str) {
        let rule = Rule::MalformedJsonBlock;
        if matches!(self.pass, Pass::Read)
            && let Some(level) = self.sink.level_with_room(rule)
        {
            let message = format!("browsers ignore the script, which is not JSON: {why}");
            let element = Some("script".to_owned());
            let finding =
                Finding { span: Some(span), element, ..self.sink.whole(rule, level, message) };
            self.sink.add(finding);
        }
    }

    fn base(&mut self, base: &BaseTag) {
        self.facts.bases.push(base.clone());
    }
}

impl PageAuditor<'_> {
    /// The finding about an id that an earlier element has, for the first such element.
    fn duplicate_id(&self, anchor: &Anchor<'_>, level: Level) -> Draft {
        let message = format!("another element before it has the id '{}'", anchor.value());
        let finding = Finding {
            span: Some(anchor.span()),
            element: Some(anchor.element().to_owned()),
            attribute: Some("id".to_owned()),
            reference: Some(anchor.value().to_owned()),
            ..self.sink.whole(Rule::DuplicateId, level, message)
        };
        let duplicate = Some((self.number(), IdHash::of(anchor.value())));
        Draft { duplicate, ..finding.into() }
    }
}

/// Whether a link is relative in a page whose `base` element has no usable URL.
fn is_without_base(link: &Occurrence<'_>) -> bool {
    link.base.is_none()
        && link.base_source == BaseSource::BaseElement
        && crate::url::rfc1808::scheme_end(&clean(link.reference)).is_none()
}

fn reference_is_relative(reference: &str) -> bool {
    crate::url::rfc1808::scheme_end(reference.trim_start()).is_none()
        && !reference.trim_start().starts_with('#')
}
