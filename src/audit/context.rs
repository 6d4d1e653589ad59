//! Data shared by the passes of an audit.

mod collector;
mod draft;
mod from_root;
mod requests;
mod state;

use std::borrow::Cow;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::audit::anchors::AnchorsOfPage;
use crate::audit::container::document::Scope;
use crate::audit::container::index::ContainerIndex;
use crate::audit::lookup::Lookup;
use crate::audit::lookup::cache::ResolutionCache;
use crate::audit::lookup::plain::PlainPaths;
use crate::audit::options::Audit;
use crate::audit::site::Site;
use crate::audit::site::files::path_of;
use crate::audit::summary::LinkTotals;
use crate::batch::{Globs, Monitor, Workers};
use crate::container::Format;
use draft::FindingBudget;
use state::State;

pub(crate) use collector::{Collector, Compact, IsKnown};
pub(crate) use draft::{Draft, PageFindings, Selection, Turn};
pub(crate) use from_root::LinksFromRoot;
pub(crate) use requests::{MAX_ANCHORS, Requesters, Requests, SelectedPages};
pub(crate) use state::{
    DocumentFacts, FragmentStatus, Pass, Refresh, StatedRelations, TargetProblems, Verdict,
};

/// A running audit.
pub(crate) struct AuditContext<'a> {
    pub(crate) audit: &'a Audit,
    pub(crate) site: &'a Site,
    pub(crate) containers: &'a ContainerIndex,
    pub(crate) workers: &'a Workers,
    pub(crate) monitor: &'a dyn Monitor,
    pub(crate) lookup: Lookup<'a>,
    pub(crate) state: State,
    pub(crate) budget: FindingBudget,
    /// Buffers that no thread uses now.
    buffers: Mutex<Vec<AuditBuffers>>,
    /// The files to read: pages, then style sheets, messages, and other XML documents.
    pub(crate) files: Vec<usize>,
}

/// Why and when a page is read.
#[derive(Clone, Copy)]
pub(crate) struct PageReading<'a> {
    pub(crate) pass: Pass<'a>,
    /// The page, as that which requests anchors.
    pub(crate) requester: Requesters,
    pub(crate) turn: Turn,
}

/// The result of one page.
#[derive(Default)]
pub(crate) struct PageResult {
    pub(crate) findings: PageFindings,
    pub(crate) links: LinkTotals,
    /// Whether it is a report of an earlier audit, and no page.
    pub(crate) is_own_file: bool,
}

/// Memory that a thread reuses from page to page.
#[derive(Debug, Default)]
pub(crate) struct AuditBuffers {
    pub(crate) cache: ResolutionCache,
    pub(crate) plain: PlainPaths,
    pub(crate) anchors: AnchorsOfPage,
}

impl<'a> AuditContext<'a> {
    pub(crate) fn new(
        audit: &'a Audit,
        site: &'a Site,
        containers: &'a ContainerIndex,
        workers: &'a Workers,
        monitor: &'a dyn Monitor,
        selection: Selection,
    ) -> Self {
        let lookup = Lookup {
            site,
            deployment: &audit.deployment,
            server: &audit.server,
            standard: audit.standard(),
            scope: Scope::Site,
            prefixes: None,
            forbidden: &audit.forbidden,
            compares_standards: audit.compares_standards(),
            external: audit.external.as_deref(),
        };
        let documents = Globs::default();
        let is_document = |path: &Path| {
            matches!(Format::of_name(path), Format::Html | Format::Xml)
                && documents.is_document(path)
        };
        let mut is_page: Vec<bool> =
            site.files().iter().map(|(path, _)| is_document(&path_of(path))).collect();
        for &page in site.pages() {
            is_page[page] = true;
        }
        is_page.extend(containers.are_pages());
        Self {
            audit,
            site,
            containers,
            workers,
            monitor,
            lookup,
            state: State::new(is_page),
            budget: FindingBudget::new(selection, audit.max_findings_size),
            buffers: Mutex::default(),
            files: [site.pages(), site.styles(), site.messages(), site.xml_documents()].concat(),
        }
    }

    /// Whether a number is that of a page to audit, or of a document in a container.
    pub(crate) fn is_page(&self, number: usize) -> bool {
        self.containers.index(number).is_some() || self.site.is_page(number)
    }

    /// Whether a number is that of a document that the audit reads by itself, and that has anchors.
    pub(crate) fn is_read(&self, number: usize) -> bool {
        self.is_page(number) || self.site.is_xml(number)
    }

    /// Whether a file is a report of an earlier audit; it is read.
    pub(crate) fn is_own_file(&self, number: usize) -> bool {
        let shown = self.site.shown(number);
        self.audit.is_own_file(&shown, &|| self.site.read(&shown).map(Cow::Owned))
    }

    pub(crate) fn put_back(&self, buffers: AuditBuffers) {
        self.buffers.lock().unwrap_or_else(PoisonError::into_inner).push(buffers);
    }

    pub(crate) fn take_buffers(&self) -> AuditBuffers {
        // A panic cannot leave the list inconsistent.
        self.buffers.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }
}
