//! Renames written files to their final names: batch by batch, or all at the end.

use std::sync::Arc;

use super::failure::Failure;
use super::flush;
use super::folder::Folder;
use super::outcome::{FileOutcome, Monitor, RunStatus};
use super::pending_rename::PendingItem;

/// When written files replace the old ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Commit {
    /// A few hundred at a time, after a flush. A file that fails stays as it was; the others are
    /// replaced.
    #[default]
    InBatches,
    /// When all are flushed, no old file has changed, and all backups are made; if anything fails
    /// before, no file is replaced, and the backups are removed. A crash during the renames leaves
    /// some files new and some old, each complete. Every changed file is open until then:
    /// [`allow_open_files`](super::allow_open_files).
    AtEnd,
}

/// Flushes the files of a batch, then renames them.
pub(super) fn settle_batch(steps: &mut [Option<PendingItem>], monitor: &dyn Monitor) -> RunStatus {
    if !flush_files(steps) {
        return RunStatus::Done;
    }
    place(steps, &|| monitor.is_stopped())
}

/// Flushes all files if `flush` is set, then renames them unless one failed.
pub(super) fn settle_all(
    steps: &mut [Option<PendingItem>],
    flush: bool,
    monitor: &dyn Monitor,
) -> RunStatus {
    if flush {
        flush_files(steps);
    }
    for step in steps.iter_mut().flatten() {
        if monitor.is_stopped() {
            return RunStatus::Stopped;
        }
        let prepared = step.pending.as_mut().map_or(Ok(()), |pending| pending.prepare());
        if let Err(failure) = prepared {
            fail(step, failure);
        }
    }
    if steps.iter().flatten().any(|step| step.report.has_failed()) {
        return RunStatus::NotWritten;
    }
    // Even a signal does not stop it between two renames.
    place(steps, &|| false)
}

/// Flushes the written files; `false` if there are no such files, or the flush fails.
fn flush_files(steps: &mut [Option<PendingItem>]) -> bool {
    let pending = || steps.iter().flatten().filter_map(|step| step.pending.as_deref());
    if pending().next().is_none() {
        return false;
    }
    let Err(error) = flush::files(pending()) else { return true };
    let failure = Failure::write(&error);
    for step in steps.iter_mut().flatten().filter(|step| step.pending.is_some()) {
        fail(step, failure.clone());
    }
    false
}

/// Renames files, and flushes their folders.
fn place(steps: &mut [Option<PendingItem>], is_stopped: &dyn Fn() -> bool) -> RunStatus {
    let mut folders: Vec<Arc<Folder>> = Vec::new();
    for step in steps.iter_mut().flatten() {
        if is_stopped() {
            break;
        }
        let Some(pending) = &step.pending else { continue };
        let folder = pending.folder().clone();
        if !folders.last().is_some_and(|last| Arc::ptr_eq(last, &folder)) {
            folders.push(folder);
        }
        settle(step);
    }
    match flush::folders(&folders) {
        Ok(()) => RunStatus::Done,
        Err(error) => RunStatus::Unflushed(Failure::flush(&error)),
    }
}

/// Renames one file.
pub(super) fn settle(step: &mut PendingItem) {
    let Some(mut pending) = step.pending.take() else { return };
    if let Err(failure) = pending.take_place() {
        fail(step, failure);
    }
}

fn fail(step: &mut PendingItem, failure: Failure) {
    step.pending = None;
    step.report.outcome = FileOutcome::Failed(failure);
}

#[cfg(test)]
mod tests {
    use super::super::backup::Backup;
    use super::super::folder::LastLink;
    use super::super::identity::Identity;
    use super::super::pending_rename::{PendingRename, Replaces};
    use super::super::temporary::Temporary;
    use super::*;
    use std::ffi::OsStr;
    use std::fs;
    use std::io::Write;
    use std::path::Path;

    const NAMES: [&str; 3] = ["a", "b", "c"];

    /// Commits three files with backups at the end, after something happened that no check
    /// saw, and returns what is in the folder.
    fn committed(happens: impl FnOnce(&Path)) -> (RunStatus, Vec<(String, String)>) {
        let at = tempfile::tempdir().unwrap();
        let folder = Arc::new(Folder::open(at.path(), LastLink::Followed).unwrap());
        let mut steps: Vec<Option<PendingItem>> =
            NAMES.map(|name| step(at.path(), &folder, name)).into();
        happens(at.path());
        let end = settle_all(&mut steps, true, &());
        drop(steps);
        let entries = fs::read_dir(at.path()).unwrap().map(|entry| entry.unwrap());
        let mut found: Vec<_> = entries
            .map(|entry| {
                let text = fs::read_to_string(entry.path()).unwrap();
                (entry.file_name().into_string().unwrap(), text)
            })
            .collect();
        found.sort();
        (end, found)
    }

    #[expect(clippy::unnecessary_wraps, reason = "a batch has steps that may not be there")]
    fn step(at: &Path, folder: &Arc<Folder>, name: &str) -> Option<PendingItem> {
        fs::write(at.join(name), "old").unwrap();
        let old = Identity::new(&folder.metadata(OsStr::new(name)).unwrap());
        let temporary = Temporary::to_replace(folder, 0o600, &old).unwrap();
        temporary.file().write_all(b"new").unwrap();
        let backup = Some(Backup::new(folder, format!("{name}~").into()));
        let replaces = Replaces::File { old, backup };
        let pending = PendingRename { temporary, name: name.into(), replaces };
        let step = PendingItem::from(FileOutcome::Rewritten);
        Some(PendingItem { pending: Some(Box::new(pending)), ..step })
    }

    fn texts(found: &[(String, String)]) -> Vec<(&str, &str)> {
        found.iter().map(|(name, text)| (&**name, &**text)).collect()
    }

    #[test]
    fn all_files_are_replaced_with_backups() {
        let (end, found) = committed(|_| {});
        assert_eq!(end, RunStatus::Done);
        let [new, old] = ["new", "old"];
        let all = [("a", new), ("a~", old), ("b", new), ("b~", old), ("c", new), ("c~", old)];
        assert_eq!(texts(&found), all);
    }

    #[test]
    fn a_backup_that_cannot_be_made_leaves_every_file_and_no_other_backup() {
        let (end, found) = committed(|at| fs::write(at.join("b~"), "mine").unwrap());
        assert_eq!(end, RunStatus::NotWritten);
        assert_eq!(texts(&found), [("a", "old"), ("b", "old"), ("b~", "mine"), ("c", "old")]);
    }

    #[test]
    fn the_backup_of_a_killed_run_stays() {
        let (end, found) = committed(|at| {
            fs::hard_link(at.join("a"), at.join("a~")).unwrap();
            fs::write(at.join("c"), "newer").unwrap();
        });
        assert_eq!(end, RunStatus::NotWritten);
        let names = ["a", "a~", "b", "c"];
        assert!(found.iter().map(|(name, _)| &**name).eq(names), "{found:?}");
        assert_eq!(texts(&found)[3], ("c", "newer"));
    }
}
