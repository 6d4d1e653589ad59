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

/// Raises the limit of open files, so that this many written files can be open at a time
/// ([`Commit::AtEnd`](super::Commit::AtEnd)).
///
/// # Errors
///
/// If the system does not allow it; the error names `path`.
pub fn allow_open_files(files: usize, path: &Path) -> Result<(), PreflightError> {
    let needed = (files as u64).saturating_mul(EACH).saturating_add(RESERVED);
    if open_files() >= needed || raise_open_files() >= needed {
        return Ok(());
    }
    let most = open_files();
    let what = format!(
        "{needed} files would be open until all are written, and this process may open {most}; raise that (ulimit -n), give fewer documents, or write each as it is done"
    );
    Err(PreflightError::new(path, what))
}

/// Raises the limit of open files to its maximum, and returns it.
fn raise_open_files() -> u64 {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let maximum = getrlimit(Resource::Nofile).maximum;
        let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
    }
    open_files()
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
