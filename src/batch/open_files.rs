//! How many files the process may have open at a time.

use std::path::Path;

use super::preflight::PreflightError;

/// Descriptors for other uses than written files: roots, standard streams, files being read.
const RESERVED: u64 = 64;

/// Descriptors that a written file needs: its own, and its folder's.
const EACH: u64 = 2;

/// How many files are written before one flush, as far as the limit of open files allows.
pub(super) fn window() -> usize {
    const MOST: usize = 512;
    usize::try_from(open_files().saturating_sub(RESERVED) / EACH).unwrap_or(MOST).clamp(1, MOST)
}

/// Refuses to write if the limit of open files is so low that unfinished files could not be
/// removed.
pub(super) fn check_open_files(path: &Path) -> Result<(), PreflightError> {
    const LEAST: u64 = 32;
    let files = open_files();
    if files < LEAST {
        let what = format!("this process may open {files} files at a time; raise that (ulimit -n)");
        return Err(PreflightError::new(path, what));
    }
    Ok(())
}

/// Files that the process may have open at a time.
fn open_files() -> u64 {
    #[cfg(unix)]
    {
        let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
        limit.unwrap_or(u64::MAX)
    }
    #[cfg(not(unix))]
    u64::MAX
}
