//! Finds the targets with problems, after all pages have been read, and the pages to read again.

use std::ops::ControlFlow;

use crate::audit::checks;
use crate::audit::{AuditContext, PageReading, Pass, Recheck, Requesters, Turn};

/// Files that are read at a time.
const WINDOW: usize = 64;

/// The problems of targets, and the pages with links to them.
pub(crate) fn recheck(context: &AuditContext<'_>) -> Recheck {
    read_the_rest(context);
    let mut recheck = Recheck::default();
    checks::RECHECKS.iter().copied().flatten().for_each(|check| check(context, &mut recheck));
    recheck
}

/// Reads the pages with requested anchors that the audit does not cover, and those that they
/// redirect to.
fn read_the_rest(context: &AuditContext<'_>) {
    let mut files = context.state.requests.files();
    files.extend(context.state.redirecting().filter_map(|(_, refresh)| refresh.to));
    let mut tried = vec![false; context.site.files().len()];
    loop {
        files.retain(|&file| {
            let is_new = context.state.has_anchors(file)
                && context.state.anchors(file).is_none()
                && !context.site.is_document(file)
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
