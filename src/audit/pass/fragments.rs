//! Resolves the fragments that pages request of each other, after all pages have been read.

use std::collections::HashSet;
use std::ops::ControlFlow;

use crate::audit::anchors::{Fragment, TextDirective, plain};
use crate::audit::context::{
    AuditContext, FragmentStatus, PageReading, Pass, Refresh, Requesters, Requests, SelectedPages,
    TargetProblems, Turn,
};
use crate::audit::hints::{Meant, Wording};
use crate::audit::rules::{Level, Rule};
use crate::audit::target::Problem;
use crate::batch::FileBuffers;
use crate::dom;
use crate::link::{Link, Visit};
use crate::rewrite::detect;

/// Files whose fragments are looked up at a time.
const WINDOW: usize = 64;

/// Limit on the bytes of text that are searched for the texts of one page: 1 GiB, which takes about a
/// second.
const MAX_SEARCHED: u64 = 1 << 30;

/// The problems of targets, and the pages to read again for them.
#[derive(Default)]
pub(crate) struct FragmentPass {
    pub(crate) verdicts: TargetProblems,
    pub(crate) again: SelectedPages,
}

pub(crate) fn of(context: &AuditContext<'_>) -> FragmentPass {
    read_the_rest(context);
    let mut result = FragmentPass::default();
    find_missing(context, &mut result);
    if context.audit.level_of(Rule::OneWayHreflang) != Level::Off {
        select_one_way(context, &mut result.again);
    }
    if context.audit.level_of(Rule::LinkToRedirect) != Level::Off {
        result.verdicts.circles = context.state.in_circles();
        for (file, refresh) in context.state.redirecting() {
            result.again.add(context.state.requests.links_to(file));
            result.verdicts.redirecting.insert(file, redirecting(context, refresh));
        }
    }
    result
}

/// Selects the pages with a translation that does not name them.
fn select_one_way(context: &AuditContext<'_>, again: &mut SelectedPages) {
    let one_way: HashSet<usize> = context.state.one_way_pages().collect();
    let pages = context.files.len();
    for (number, _) in context.files.iter().enumerate().filter(|(_, file)| one_way.contains(file)) {
        again.add(Requesters::one(number, pages));
    }
}

/// The problem of links to a page that redirects, whose proposal is the last page of the chain.
fn redirecting(context: &AuditContext<'_>, refresh: &Refresh) -> Problem {
    let problem = Problem::new(Rule::LinkToRedirect, "the page only redirects (meta refresh)");
    let Some(last) = context.state.last_refresh(refresh) else { return problem };
    let Some(url) = &last.finding.url else { return problem };
    let url = context.lookup.deployment.whole(url).into_owned();
    // A chain ends at a page that is known, or elsewhere.
    // Readers see a page that refreshes, and where it leads may change: no program decides that.
    problem.proposing(Meant::Url(url), Wording::LinkTo, None)
}

/// Looks up all requested fragments.
fn find_missing(context: &AuditContext<'_>, result: &mut FragmentPass) {
    let files = context.state.requests.files();
    context.workers.map_ordered(
        files.len(),
        WINDOW,
        |file_buffers, number| fragments(context, file_buffers, files[number]),
        |numbers, found| {
            for (number, FileVerdict { lacks_anchor, texts, again }) in numbers.zip(found) {
                result.again.append(again);
                if lacks_anchor {
                    result.verdicts.lacking.push(files[number]);
                }
                if !texts.is_empty() {
                    result.verdicts.texts.insert(files[number], texts);
                }
            }
            ControlFlow::Continue(())
        },
    );
}

/// Reads the pages with requested anchors that the audit does not cover, and those that they
/// redirect to.
fn read_the_rest(context: &AuditContext<'_>) {
    let mut files = context.state.requests.files();
    files.extend(context.state.redirecting().filter_map(|(_, refresh)| refresh.to));
    let mut tried = vec![false; context.containers.end()];
    loop {
        files.retain(|&file| {
            let is_new = context.state.has_anchors(file)
                && context.state.anchors(file).is_none()
                && !context.is_read(file)
                && !tried[file];
            tried[file] = true;
            is_new
        });
        if files.is_empty() {
            return;
        }
        context.workers.map_ordered(
            files.len(),
            WINDOW,
            |file_buffers, number| {
                if context.monitor.is_stopped() {
                    return;
                }
                let requester = Requesters::NONE;
                let reading = PageReading { pass: Pass::Read, requester, turn: Turn::Alone };
                context.audit_file(file_buffers, files[number], reading);
            },
            |_, _| ControlFlow::Continue(()),
        );
        files = files
            .iter()
            .filter_map(|&file| context.state.refresh(file).and_then(|refresh| refresh.to))
            .collect();
    }
}

/// The requests of a file that failed.
#[derive(Default)]
struct FileVerdict {
    lacks_anchor: bool,
    /// The fragments with a missing text.
    texts: HashSet<Box<str>>,
    /// The pages with failed requests.
    again: SelectedPages,
}

/// Looks up the requested fragments of a file.
fn fragments(
    context: &AuditContext<'_>,
    file_buffers: &mut FileBuffers,
    file: usize,
) -> FileVerdict {
    let Requests { anchors, texts } = context.state.requests.take(file);
    let mut verdict = FileVerdict::default();
    if context.monitor.is_stopped() {
        return verdict;
    }
    for anchor in anchors.keys().filter_map(|fragment| Fragment::parse(fragment).anchor) {
        context.state.link_to_id(file, anchor);
    }
    if context.audit.level_of(Rule::MissingAnchor) != Level::Off {
        let ranges = context.audit.ranges;
        let lacks =
            |fragment: &str| context.state.find(file, fragment, ranges) == FragmentStatus::Missing;
        verdict.again.add(context.state.requests.unlisted(file));
        for (_, &pages) in anchors.iter().filter(|(fragment, _)| lacks(fragment)) {
            verdict.again.add(pages);
        }
        verdict.lacks_anchor = !verdict.again.is_empty();
    } else if context.state.has_duplicates(file) {
        // The links that are not listed may lead to a duplicate id.
        verdict.again.add(context.state.requests.unlisted(file));
    }
    let plain = (!texts.is_empty()).then(|| text_of(context, file_buffers, file)).flatten();
    let is_searched = |plain: &String| {
        let parts = texts.keys().map(|text| Fragment::parse(text).texts().count() as u64);
        plain.len() as u64 * parts.sum::<u64>() <= MAX_SEARCHED
    };
    // Without the text of the page, its texts are not reported.
    if let Some(plain) = plain.filter(is_searched) {
        let lacks =
            |text: TextDirective| !context.monitor.is_stopped() && !text.is_in_plain(&plain);
        let missing =
            texts.into_iter().filter(|(text, _)| Fragment::parse(text).texts().any(lacks));
        verdict.texts = missing
            .map(|(fragment, pages)| {
                verdict.again.add(pages);
                fragment
            })
            .collect();
    }
    verdict
}

/// The text of a page without markup, [`plain`]; `None` if it cannot be read.
fn text_of(
    context: &AuditContext<'_>,
    file_buffers: &mut FileBuffers,
    file: usize,
) -> Option<String> {
    // A container would have to be read again up to the document.
    let limits = context.audit.limits();
    if context.containers.index(file).is_some()
        || context.site.read_number(file, file_buffers, &limits).is_err()
    {
        return None;
    }
    let (source, buffers) = file_buffers.parts();
    let summary = context.audit.rewriter.inspect(source, buffers, &mut EncodingProbe);
    let known = summary.map_or(context.audit.encoding(), |one| Some(one.encoding()));
    let text = dom::text(&detect(source, known).decode(source), &limits).ok();
    text.as_deref().map(plain)
}

/// Visits a page only to find its encoding.
struct EncodingProbe;

impl Visit for EncodingProbe {
    fn link(&mut self, _: &Link<'_>) {}
}
