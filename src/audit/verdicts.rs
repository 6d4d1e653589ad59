//! What became of what pages ask of each other, once all of them are known.

use std::collections::HashMap;
use std::ops::ControlFlow;

use super::anchors::{Fragment, plain};
use super::hints;
use super::look::Why;
use super::rules::{Level, Rule};
use super::run::Course;
use super::state::{Found, Verdicts};
use super::target::Problem;
use super::wanted::Blocks;
use crate::batch::Desk;
use crate::dom;
use crate::link::{Anchor, Link, Visit};
use crate::rewrite::detect;

/// Files whose fragments are looked for at a time.
const WINDOW: usize = 256;

/// What is wrong, and which pages have to be looked at again for it.
pub(super) struct Judged {
    pub(super) verdicts: Verdicts,
    pub(super) blocks: Blocks,
}

pub(super) fn of(course: &Course<'_>) -> Judged {
    read_the_rest(course);
    let mut judged = Judged { verdicts: Verdicts::default(), blocks: 0 };
    // Where some are not known, it would be by chance which of the others are told.
    let is_over = course.state.wanted.is_over();
    let files = if is_over { Vec::new() } else { course.state.wanted.files() };
    course.jobs.in_order(
        files.len(),
        WINDOW,
        |desk, number| fragments(course, desk, files[number]),
        |numbers, found| {
            for (number, (problems, blocks)) in numbers.zip(found) {
                judged.blocks |= blocks;
                if !problems.is_empty() {
                    judged.verdicts.fragments.insert(files[number], problems);
                }
            }
            ControlFlow::Continue(())
        },
    );
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
                course.look_at(desk, files[number], 0, Why::First);
            },
            |_, _| ControlFlow::Continue(()),
        );
        files = files
            .iter()
            .filter_map(|&file| course.state.refresh(file).and_then(|refresh| refresh.to))
            .collect();
    }
}

type Problems = HashMap<Box<str>, Vec<Problem>>;

/// Looks for the fragments that are asked for of a file: what is missing, and who asks
/// for that.
fn fragments(course: &Course<'_>, desk: &mut Desk, file: usize) -> (Problems, Blocks) {
    let mut problems = Problems::new();
    let mut asking = 0;
    let mut page = None;
    for (fragment, blocks) in course.state.wanted.take(file) {
        let is_missing =
            course.state.find(file, &fragment, course.audit.ranges()) == Found::Missing;
        let texts = if course.audit.level_of(Rule::MissingTextFragment) == Level::Off {
            Vec::new()
        } else {
            Fragment::parse(&fragment).texts().collect()
        };
        if !is_missing && texts.is_empty() {
            continue;
        }
        let page = page.get_or_insert_with(|| Content::read(course, desk, file));
        let mut found = Vec::new();
        if is_missing {
            found.push(missing(course, file, &fragment, page));
        }
        // Where the page has no text to look in, nobody knows.
        if let Some(text) = &page.text
            && texts.iter().any(|directive| !directive.is_in_plain(text))
        {
            let shown = course.site.shown(file);
            let message = format!("page '{}' does not have the text", shown.display());
            let target = Some(shown);
            found.push(Problem { target, ..Problem::new(Rule::MissingTextFragment, message) });
        }
        if !found.is_empty() {
            asking |= blocks;
            problems.insert(fragment, found);
        }
    }
    (problems, asking)
}

fn missing(course: &Course<'_>, file: usize, fragment: &str, page: &Content) -> Problem {
    let anchor = Fragment::parse(fragment).anchor.unwrap_or("");
    let decoded = percent_encoding::percent_decode_str(anchor).decode_utf8_lossy();
    let held = course.held.name(file, course.site);
    let target = held.is_none().then(|| course.site.shown(file));
    let path = course.site.files().get(file).map_or(&b""[..], |(path, _)| path);
    let name = held.unwrap_or_else(|| String::from_utf8_lossy(path).into_owned());
    let message = format!("page '{name}' has no anchor '{decoded}'");
    Problem {
        hint: hints::for_anchor(page.anchors.iter().map(String::as_str), &decoded),
        target,
        ..Problem::new(Rule::MissingAnchor, message)
    }
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
        if self.anchors.len() < hints::MAX_NAMES {
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
