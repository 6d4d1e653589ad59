//! Looking at a message: its pages one after the other.

use super::anchors::Anchors;
use super::draft::Turn;
use super::finding::Finding;
use super::held::Parts;
use super::look::{Look, Why};
use super::places;
use super::run::{Course, Looked, is_hidden};
use super::state::Refresh;
use super::subject::{Scope, Subject};
use super::wanted::Blocks;
use crate::batch::{Failure, FileBuffers};
use crate::container::{Decoded, Message, Part};
use crate::encoding::Lines;
use crate::rewrite::Buffers;

/// A message that is looked at.
struct Opened<'m, 's> {
    message: &'m Message<'s>,
    /// Numbers lines for what is learned of its pages, in their order.
    lines: Lines<'s>,
}

impl Course<'_> {
    /// Looks at the pages of a message, as [`Course::look_at`] does at a page.
    ///
    /// Findings of all of them count together: there may be as many pages as findings in
    /// one.
    pub(super) fn look_at_message(
        &self,
        desk: &mut FileBuffers,
        file: usize,
        block: Blocks,
        why: Why<'_>,
        turn: Turn,
    ) -> Looked {
        let read = self.site.read_number(file, desk, &self.audit.limits());
        let (source, scratch) = desk.parts();
        let _turn = crate::batch::lock_if_large(source.len() as u64);
        let mut kept = self.take_kept();
        let message = read.and_then(|()| self.open(file, source));
        let parts = message
            .as_ref()
            .map_or_else(|_| Parts::default(), |message| self.held.parts(file, message));
        let whole =
            Subject { scope: Scope::Message { file, parts: &parts }, ..Subject::file(file) };
        let mut look = Look::new(self, &mut kept, why, whole, block, turn);
        match &message {
            Ok(message) => {
                let lines = Lines::new(source, places::of_message(source));
                let mut opened = Opened { message, lines };
                self.look_at_parts(&mut opened, &parts, scratch, &mut look);
            }
            Err(failure) if matches!(why, Why::First) => look.unreadable(failure),
            Err(_) => {}
        }
        look.turn_to(whole);
        if let (Ok(message), Why::First) = (&message, why) {
            look.unknown_parts(message.failures());
        }
        if matches!(why, Why::First) && turn == Turn::Parallel {
            self.watch.read(source.len() as u64);
        }
        let (mut findings, links) = (look.take_findings(), look.links);
        places::fill(&mut findings.drafts, source, places::of_message(source));
        self.put_back(kept);
        Looked { findings, links }
    }

    /// Finds the parts of a message and their base URLs. One without a base is at the URL
    /// of its file.
    fn open<'s>(&self, file: usize, source: &'s [u8]) -> Result<Message<'s>, Failure> {
        let is_served = !self.site.is_container() && !self.lookup.deployment.is_nameless();
        if !is_served {
            let message = Message::read(source, self.audit.rewriter_as_set())?;
            if message.parts().all(|part| part.document().is_none() || part.base().is_some()) {
                return Ok(message);
            }
        }
        Ok(Message::read(source, &self.audit.rewriter_for(file, self.site)?)?)
    }

    fn look_at_parts<'l>(
        &'l self,
        opened: &mut Opened<'_, '_>,
        parts: &'l Parts,
        scratch: &mut Buffers,
        look: &mut Look<'l>,
    ) {
        let file = look.subject.file;
        let pages = opened.message.parts().filter_map(|part| Some((part, part.document()?)));
        for (number, (part, document)) in self.held.in_message(file).zip(pages) {
            if self.watch.is_stopped() {
                return;
            }
            look.turn_to(self.held.subject(number, Some(parts)));
            let before = look.findings.drafts.len();
            let learned = look_at_part(part, &document, scratch, look);
            // Of a page that is deferred no finding is left.
            for draft in look.findings.drafts.get_mut(before..).unwrap_or_default() {
                move_to_file(&mut draft.finding, &document);
            }
            if let Some((anchors, mut refresh)) = learned {
                if let Some(refresh) = &mut refresh {
                    move_to_file(&mut refresh.finding, &document);
                    places::put(&mut refresh.finding, &mut opened.lines);
                }
                self.state.learn(number, anchors, refresh);
            }
        }
    }
}

/// Looks at one page; returns what is learned of it at first sight.
fn look_at_part(
    part: Part<'_, '_>,
    document: &Decoded<'_>,
    scratch: &mut Buffers,
    look: &mut Look<'_>,
) -> Option<(Anchors, Option<Refresh>)> {
    let seen = part.rewriter().inspect(document.bytes(), scratch, look);
    let is_first = matches!(look.why, Why::First);
    match &seen {
        Ok(summary) => look.summary(summary),
        Err(error) if is_first => {
            let len = document.bytes().len();
            let start = |byte: usize| document.in_file(byte.min(len)..byte.min(len)).start;
            look.unreadable(&error.clone().in_file(start).into());
        }
        Err(_) => {}
    }
    if !is_first {
        return None;
    }
    let (anchors, refresh) = (look.finish(), look.refresh.take());
    let refresh = refresh.filter(|refresh| !is_hidden(&refresh.finding, document.bytes()));
    (seen.is_ok() && !look.is_unreadable).then_some((anchors, refresh))
}

/// Makes a finding of a part one of the file that the part is in.
fn move_to_file(finding: &mut Finding, document: &Decoded<'_>) {
    if let Some(span) = &mut finding.span {
        *span = document.in_file(span.clone());
    }
}
