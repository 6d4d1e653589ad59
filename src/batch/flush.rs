//! Flushes written files to the disk before they are renamed.

use std::io;
use std::sync::Arc;

use super::folder::Folder;
use super::pending_rename::PendingRename;

/// Whether files are flushed to the disk before they are renamed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sync {
    /// Where a crash could lose data: in place, and in an existing output folder. A new output
    /// folder is not flushed.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never; a crash of the machine can leave files without their content.
    Never,
}

/// Files up to this number are flushed one by one; beyond it, by one flush of the
/// file system, which also writes unflushed data of other programs.
#[cfg(target_os = "linux")]
const FEW: usize = 4;

/// Flushes files.
pub(super) fn files<'p>(
    pending: impl Iterator<Item = &'p PendingRename> + Clone,
) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    if pending.clone().count() > FEW {
        return file_systems(pending.map(|pending| pending.temporary.file()));
    }
    pending.into_iter().try_for_each(|pending| pending.temporary.file().sync_all())
}

/// Flushes the names in folders; a failure does not stop the others.
pub(super) fn folders(folders: &[Arc<Folder>]) -> io::Result<()> {
    folders.iter().map(|folder| folder.flush()).fold(Ok(()), Result::and)
}

/// Flushes everything on the file system of a folder; elsewhere than on Linux, files
/// are flushed as they are written.
pub(super) fn file_system(folder: &Folder) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::fs::syncfs(folder.as_file()?)?;
    #[cfg(not(target_os = "linux"))]
    let _ = folder;
    Ok(())
}

/// One flush for each file system that files are on.
#[cfg(target_os = "linux")]
fn file_systems<'f>(files: impl Iterator<Item = &'f std::fs::File>) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    let mut done: Vec<u64> = Vec::new();
    for file in files {
        let device = file.metadata()?.dev();
        if !done.contains(&device) {
            rustix::fs::syncfs(file)?;
            done.push(device);
        }
    }
    Ok(())
}
