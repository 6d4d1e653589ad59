//! The rules of an audit, by subject: each file has the rows of its rules, and the checks that find
//! violations.

pub(crate) mod anchors;
mod base;
pub(crate) mod documents;
pub(crate) mod external;
pub(crate) mod links;
pub(crate) mod orphans;
pub(crate) mod redirects;
pub(crate) mod references;
pub(crate) mod relations;
pub(crate) mod resources;
pub(crate) mod schemes;
pub(crate) mod sitemap;
pub(crate) mod style;
pub(crate) mod targets;
mod url_list;
pub(crate) mod urls;

use crate::page::PageChecks;
use crate::{AuditContext, PageAuditor, PageReading, Row, Rule, SiteCheck, TargetCheck};

/// The rows of all rules, by subject.
const ROWS: &[&[Row]] = &[
    anchors::ROWS,
    base::ROWS,
    documents::ROWS,
    external::ROWS,
    links::ROWS,
    orphans::ROWS,
    redirects::ROWS,
    references::ROWS,
    relations::ROWS,
    resources::ROWS,
    schemes::ROWS,
    sitemap::ROWS,
    style::ROWS,
    targets::ROWS,
    urls::ROWS,
];

/// The rows in the order of [`Rule`]. A constant cannot use iterators, so the loops count.
const TABLE: [&Row; Rule::ALL.len()] = {
    let mut table = [&ROWS[0][0]; Rule::ALL.len()];
    let mut subject = 0;
    while subject < ROWS.len() {
        let mut number = 0;
        while number < ROWS[subject].len() {
            let row = &ROWS[subject][number];
            table[row.rule as usize] = row;
            number += 1;
        }
        subject += 1;
    }
    table
};

/// The checks of pages and style sheets.
const PAGE: PageChecks = PageChecks {
    links: &[
        anchors::LINKS,
        redirects::LINKS,
        links::LINKS,
        external::LINKS,
        resources::LINKS,
        relations::LINKS,
    ],
    base: base::check_element,
    empty: links::check_empty,
    local: anchors::check_local,
    repeated_id: anchors::check_id,
    script: documents::check_script,
    documents: &[base::DOCUMENTS, documents::DOCUMENTS, style::DOCUMENTS],
    failed: documents::report_failure,
    ignored_link_rules: orphans::OF_IGNORED,
};

/// The checks that find targets with problems, after all pages have been read.
pub(crate) const RECHECKS: &[&[TargetCheck]] =
    &[anchors::RECHECKS, relations::RECHECKS, redirects::RECHECKS];

/// The checks of the site, after all pages have been read.
pub(crate) const SITE: &[&[SiteCheck]] =
    &[redirects::SITE, resources::SITE, sitemap::SITE, orphans::SITE, documents::SITE];

impl<'a> PageAuditor<'a> {
    /// Begins the audit of a file, with the checks of all subjects.
    pub(crate) fn start(
        context: &'a AuditContext<'a>,
        file: usize,
        reading: PageReading<'a>,
    ) -> Self {
        Self::new(context, &PAGE, file, reading)
    }
}

impl Rule {
    pub(super) fn row(self) -> &'static Row {
        TABLE[self as usize]
    }
}
