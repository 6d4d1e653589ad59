//! What became of what pages ask of each other, once all of them are known.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::anchors::{Fragment, TextDirective, plain};
use super::draft::Turn;
use super::held::Held;
use super::hints::Search;
use super::look::Why;
use super::rules::{Level, Rule};
use super::run::Course;
use super::site::Site;
use super::state::{Found, Verdicts};
use super::target::Problem;
use super::wanted::{Blocks, Requests};
use crate::batch::FileBuffers;
use crate::dom;
use crate::link::{Link, Visit};
use crate::rewrite::detect;

/// Files whose fragments are looked for at a time.
const WINDOW: usize = 64;

/// What is wrong, and which pages have to be looked at again for it.
pub(super) struct Judged {
    pub(super) verdicts: Verdicts,
    pub(super) blocks: Blocks,
}

pub(super) fn of(course: &Course<'_>) -> Judged {
    read_the_rest(course);
    let mut judged = Judged { verdicts: Verdicts::default(), blocks: 0 };
    find_missing(course, &mut judged);
    if course.audit.level_of(Rule::LinkToRedirect) != Level::Off {
        judged.verdicts.circles = course.state.in_circles();
        for (file, refresh) in course.state.redirecting() {
            let url = refresh.finding.url.clone().unwrap_or_default();
            judged.blocks |= course.state.wanted.links_to(file);
            judged.verdicts.redirecting.insert(
                file,
                Problem {
                    hint: Some(format!("link to {url}")),
                    ..Problem::new(Rule::LinkToRedirect, "the page only redirects (meta refresh)")
                },
            );
        }
    }
    judged
}

/// Looks for all fragments that are asked for.
fn find_missing(course: &Course<'_>, judged: &mut Judged) {
    let files = course.state.wanted.files();
    course.jobs.map_ordered(
        files.len(),
        WINDOW,
        |desk, number| fragments(course, desk, files[number]),
        |numbers, found| {
            for (number, FileVerdict { lacks_anchor, texts, blocks }) in numbers.zip(found) {
                judged.blocks |= blocks;
                if lacks_anchor {
                    judged.verdicts.lacking.push(files[number]);
                }
                if !texts.is_empty() {
                    judged.verdicts.texts.insert(files[number], texts);
                }
            }
            ControlFlow::Continue(())
        },
    );
}

/// The anchor of a fragment, percent-decoded.
fn anchor_of(fragment: &str) -> Cow<'_, str> {
    let anchor = Fragment::parse(fragment).anchor.unwrap_or("");
    percent_encoding::percent_decode_str(anchor).decode_utf8_lossy()
}

/// Reads the pages that are asked for anchors and are no part of the audit, and those
/// that they lead to.
fn read_the_rest(course: &Course<'_>) {
    let mut files = course.state.wanted.files();
    files.extend(course.state.redirecting().filter_map(|(_, refresh)| refresh.to));
    let mut tried = vec![false; course.held.end()];
    loop {
        files.retain(|&file| {
            let is_new = course.state.has_anchors(file)
                && course.state.anchors(file).is_none()
                && !course.is_page(file)
                && !tried[file];
            tried[file] = true;
            is_new
        });
        if files.is_empty() {
            return;
        }
        course.jobs.map_ordered(
            files.len(),
            WINDOW,
            |desk, number| {
                course.look_at(desk, files[number], 0, Why::First, Turn::Alone);
            },
            |_, _| ControlFlow::Continue(()),
        );
        files = files
            .iter()
            .filter_map(|&file| course.state.refresh(file).and_then(|refresh| refresh.to))
            .collect();
    }
}

/// What is asked for of a file and missing.
#[derive(Default)]
struct FileVerdict {
    lacks_anchor: bool,
    /// The fragments whose texts are missing.
    texts: HashSet<Box<str>>,
    /// The pages that ask for what is missing.
    blocks: Blocks,
}

/// Looks for the fragments that are asked for of a file.
fn fragments(course: &Course<'_>, desk: &mut FileBuffers, file: usize) -> FileVerdict {
    let Requests { anchors, texts } = course.state.wanted.take(file);
    let mut verdict = FileVerdict::default();
    if course.audit.level_of(Rule::MissingAnchor) != Level::Off {
        let ranges = course.audit.ranges();
        let lacks = |fragment: &str| course.state.find(file, fragment, ranges) == Found::Missing;
        let lacking = anchors.iter().filter(|(fragment, _)| lacks(fragment));
        verdict.blocks =
            lacking.fold(course.state.wanted.unlisted(file), |all, (_, one)| all | one);
        verdict.lacks_anchor = verdict.blocks != 0;
    }
    // Where the page has no text to look in, nobody knows.
    if let Some(plain) = (!texts.is_empty()).then(|| text_of(course, desk, file)).flatten() {
        let lacks = |text: TextDirective| !text.is_in_plain(&plain);
        let missing =
            texts.into_iter().filter(|(text, _)| Fragment::parse(text).texts().any(lacks));
        verdict.texts = missing
            .map(|(fragment, blocks)| {
                verdict.blocks |= blocks;
                fragment
            })
            .collect();
    }
    verdict
}

/// What is wrong with a link to an anchor that a file lacks.
pub(super) fn missing_anchor(held: &Held, site: &Site, file: usize, fragment: &str) -> Problem {
    let document = held.name(file, site);
    let anchor = anchor_of(fragment);
    // The anchors of a document in a container are not read again for a hint: that would be
    // the way to it each time.
    let search =
        document.is_none().then(|| Arc::new(Search::Anchor { file, anchor: (&*anchor).into() }));
    let target = document.is_none().then(|| site.shown(file));
    let path = site.files().get(file).map_or(&b""[..], |(path, _)| path);
    let name = document.map_or_else(|| String::from_utf8_lossy(path), Cow::Owned);
    let message = format!("page '{name}' has no anchor '{anchor}'");
    Problem { search, target, ..Problem::new(Rule::MissingAnchor, message) }
}

/// What is wrong with a link to a text that a file lacks.
pub(super) fn missing_text(site: &Site, file: usize) -> Problem {
    let shown = site.shown(file);
    let message = format!("page '{}' does not have the text", shown.display());
    Problem { target: Some(shown), ..Problem::new(Rule::MissingTextFragment, message) }
}

/// The text of a page as a reader sees it but [`plain`], where that is known.
fn text_of(course: &Course<'_>, desk: &mut FileBuffers, file: usize) -> Option<String> {
    // A document in a container is not read again for this: that would be the way to it
    // each time.
    let limits = course.audit.limits();
    if course.held.index(file).is_some() || course.site.read_number(file, desk, &limits).is_err() {
        return None;
    }
    let (source, scratch) = desk.parts();
    let seen = course.audit.rewriter_as_set().inspect(source, scratch, &mut Encoded);
    let known = seen.map_or(course.audit.encoding(), |one| Some(one.encoding()));
    let text = dom::text(&detect(source, known).decode(source), &limits).ok();
    text.as_deref().map(plain)
}

/// Looks at a page for its encoding alone.
struct Encoded;

impl Visit for Encoded {
    fn link(&mut self, _: &Link<'_>) {}
}
