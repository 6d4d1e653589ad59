//! What became of what pages ask of each other, once all of them are known.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::anchors::{Fragment, plain};
use super::draft::Turn;
use super::held::Held;
use super::hints::{Effort, MAX_NAMES, Names, nearest_anchor};
use super::look::Why;
use super::rules::{Level, Rule};
use super::run::Course;
use super::site::Site;
use super::state::{Found, Missing, Verdicts};
use super::target::Problem;
use super::wanted::Blocks;
use crate::batch::Desk;
use crate::dom;
use crate::link::{Anchor, Link, Visit};
use crate::rewrite::detect;

/// Files whose fragments are looked for at a time.
const WINDOW: usize = 64;

/// Bytes of the longest anchor that is proposed.
const MAX_PROPOSED: usize = 256;

/// What is wrong, and which pages have to be looked at again for it.
pub(super) struct Judged {
    pub(super) verdicts: Verdicts,
    pub(super) blocks: Blocks,
    /// Anchors for which no near one was searched, as the effort of a run was used up.
    pub(super) unsearched: u64,
}

pub(super) fn of(course: &Course<'_>) -> Judged {
    read_the_rest(course);
    let mut judged = Judged { verdicts: Verdicts::default(), blocks: 0, unsearched: 0 };
    if course.state.wanted.is_over() {
        course.state.wanted.clear();
        judged.verdicts.is_direct = true;
        judged.blocks = Blocks::MAX;
    } else {
        find_missing(course, &mut judged);
    }
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
    let mut effort = Effort::default();
    course.jobs.in_order(
        files.len(),
        WINDOW,
        |desk, number| fragments(course, desk, files[number]),
        |numbers, found| {
            for (number, FileVerdict { mut missing, blocks, anchors }) in numbers.zip(found) {
                judged.blocks |= blocks;
                // One file after the other, so that it does not depend on threads what there
                // is no effort left for.
                propose(&mut missing, &anchors, &mut effort);
                if !missing.is_empty() {
                    judged.verdicts.fragments.insert(files[number], missing.into_iter().collect());
                }
            }
            ControlFlow::Continue(())
        },
    );
    judged.unsearched = effort.refused;
}

/// Searches what may have been meant by the fragments that a page lacks.
fn propose(missing: &mut [(Box<str>, Missing)], anchors: &[String], effort: &mut Effort) {
    if anchors.is_empty() {
        return;
    }
    let mut names = Names::new(anchors.iter().map(String::as_str).collect());
    for (fragment, missing) in missing.iter_mut().filter(|(_, missing)| missing.anchor) {
        let hint = nearest_anchor(&mut names, &anchor_of(fragment), effort);
        missing.hint = hint.map(Arc::from);
    }
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
        course.jobs.in_order(
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
    missing: Vec<(Box<str>, Missing)>,
    /// The pages that ask for that.
    blocks: Blocks,
    /// The anchors that the file has.
    anchors: Vec<String>,
}

/// Looks for the fragments that are asked for of a file.
fn fragments(course: &Course<'_>, desk: &mut Desk, file: usize) -> FileVerdict {
    let mut verdict = FileVerdict::default();
    let mut page = None;
    for (fragment, blocks) in course.state.wanted.take(file) {
        let anchor = course.state.find(file, &fragment, course.audit.ranges()) == Found::Missing;
        let texts = if course.audit.level_of(Rule::MissingTextFragment) == Level::Off {
            Vec::new()
        } else {
            Fragment::parse(&fragment).texts().collect()
        };
        if !anchor && texts.is_empty() {
            continue;
        }
        let page = page.get_or_insert_with(|| Content::read(course, desk, file));
        // Where the page has no text to look in, nobody knows.
        let lacks = |text: &String| texts.iter().any(|directive| !directive.is_in_plain(text));
        let text = page.text.as_ref().is_some_and(lacks);
        if anchor || text {
            verdict.blocks |= blocks;
            verdict.missing.push((fragment, Missing { anchor, text, hint: None }));
        }
    }
    verdict.anchors = page.map(|page| page.anchors).unwrap_or_default();
    verdict
}

/// What is wrong with a link to something that a file lacks.
pub(super) fn missing_problems(
    held: &Held,
    site: &Site,
    file: usize,
    fragment: &str,
    missing: &Missing,
) -> impl Iterator<Item = Problem> {
    let document = held.name(file, site);
    let shown = site.shown(file);
    let anchor = missing.anchor.then(|| {
        let target = document.is_none().then(|| shown.clone());
        let path = site.files().get(file).map_or(&b""[..], |(path, _)| path);
        let name = document.unwrap_or_else(|| String::from_utf8_lossy(path).into_owned());
        let message = format!("page '{name}' has no anchor '{}'", anchor_of(fragment));
        let hint = missing.hint.as_deref().map(str::to_owned);
        Problem { hint, target, ..Problem::new(Rule::MissingAnchor, message) }
    });
    let text = missing.text.then(|| {
        let message = format!("page '{}' does not have the text", shown.display());
        Problem { target: Some(shown), ..Problem::new(Rule::MissingTextFragment, message) }
    });
    anchor.into_iter().chain(text)
}

/// What a page has, as text.
struct Content {
    anchors: Vec<String>,
    /// As a reader sees it but [`plain`], where that is known and asked for.
    text: Option<String>,
}

impl Visit for Content {
    fn link(&mut self, _: &Link<'_>) {}

    fn anchor(&mut self, anchor: &Anchor<'_>) {
        if self.anchors.len() < MAX_NAMES && anchor.value().len() <= MAX_PROPOSED {
            self.anchors.push(anchor.value().to_owned());
        }
    }
}

impl Content {
    fn read(course: &Course<'_>, desk: &mut Desk, file: usize) -> Self {
        let mut content = Self { anchors: Vec::new(), text: None };
        let limits = course.audit.limits();
        // What is held is not read again for a hint: that would be the way to it each time.
        if course.held.index(file).is_some() {
            return content;
        }
        if course.site.read_number(file, desk, &limits).is_err() {
            return content;
        }
        let (source, scratch) = desk.parts();
        // What cannot be read has been told of: there is no hint then.
        let seen = course.audit.rewriter_as_set().inspect(source, scratch, &mut content);
        if course.audit.level_of(Rule::MissingTextFragment) != Level::Off {
            let known = seen.map_or(course.audit.encoding(), |one| Some(one.encoding()));
            let detected = detect(source, known);
            let text = dom::text(&detected.decode(source), &limits).ok();
            content.text = text.as_deref().map(plain);
        }
        content
    }
}
