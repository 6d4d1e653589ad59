//! Data shared by the passes of an audit.

mod draft;
mod requests;
mod state;

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use absolve::Syntax;
use absolve_archive::Format;
use absolve_archive::jobs::Workers;
use absolve_files::{Globs, Monitor};
use draft::FindingBudget;
use state::State;

use crate::{AnchorsOfPage, Audit, LinkTotals, Lookup, PlainPaths, ResolutionCache, Site, path_of};

pub(crate) use draft::{Collector, Compact, Draft, IsKnown, PageFindings, Selection, Turn};
pub(crate) use requests::{MAX_ANCHORS, Requesters, SelectedPages};
pub(crate) use state::{
    DocumentFacts, Pass, RareFacts, Refresh, StatedRelations, TargetProblems, Verdict,
};

/// The inputs and the shared state of a running audit.
pub(crate) struct AuditContext<'a> {
    pub(crate) audit: &'a Audit,
    pub(crate) site: &'a Site,
    pub(crate) workers: &'a Workers,
    pub(crate) monitor: &'a dyn Monitor,
    pub(crate) lookup: Lookup<'a>,
    pub(crate) state: State,
    pub(crate) budget: FindingBudget,
    /// Buffers that no thread is using. A panic cannot leave the list inconsistent, so the lock is
    /// taken even if it is poisoned.
    buffers: Mutex<Vec<AuditBuffers>>,
    /// The files to read: pages, then style sheets, and other XML documents.
    pub(crate) files: Vec<usize>,
    /// The pages that the server sends for missing paths, sorted.
    pub(crate) error_pages: Vec<usize>,
}

/// The problems of targets, and the pages to read again for their links to these targets.
#[derive(Default)]
pub(crate) struct Recheck {
    pub(crate) problems: TargetProblems,
    pub(crate) pages: SelectedPages,
}

/// Finds targets with problems, after all pages have been read.
pub(crate) type TargetCheck = fn(&AuditContext<'_>, &mut Recheck);

/// Checks the site, after all pages have been read.
pub(crate) type SiteCheck = fn(&AuditContext<'_>, &mut Collector<'_, '_>);

/// The pass in which a page is read, the page as a requester, and its turn.
#[derive(Clone, Copy)]
pub(crate) struct PageReading<'a> {
    pub(crate) pass: Pass<'a>,
    /// Identifies the page in requests of anchors.
    pub(crate) requester: Requesters,
    pub(crate) turn: Turn,
}

/// The findings and link totals of a page.
#[derive(Default)]
pub(crate) struct PageResult {
    pub(crate) findings: PageFindings,
    pub(crate) links: LinkTotals,
}

/// Buffers that a thread reuses from page to page.
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
        workers: &'a Workers,
        monitor: &'a dyn Monitor,
        selection: Selection,
    ) -> Self {
        let lookup = Lookup {
            site,
            deployment: &audit.deployment,
            server: &audit.server,
            standard: audit.standard(),
            forbidden: &audit.forbidden,
            compares_standards: audit.compares_standards(),
            external: audit.external.as_deref(),
        };
        // Documents that the user excludes have anchors, too.
        let default_globs = Globs::default();
        let is_document = |path: &Path| {
            matches!(Format::from_name(path).syntax(), Some(Syntax::Html | Syntax::Xml))
                && default_globs.is_document(path)
        };
        let mut is_page: Vec<bool> =
            site.files().iter().map(|(path, _)| is_document(&path_of(path))).collect();
        for &page in site.pages() {
            is_page[page] = true;
        }
        Self {
            audit,
            site,
            workers,
            monitor,
            lookup,
            state: State::new(is_page),
            budget: FindingBudget::new(selection, audit.findings.size),
            buffers: Mutex::default(),
            error_pages: audit.server.error_pages(site.files()),
            files: site.documents().collect(),
        }
    }

    pub(crate) fn return_buffers(&self, buffers: AuditBuffers) {
        self.buffers.lock().unwrap_or_else(PoisonError::into_inner).push(buffers);
    }

    pub(crate) fn take_buffers(&self) -> AuditBuffers {
        self.buffers.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }
}
