//! The controls: writers that do what the command must not. A harness under which they pass
//! would prove nothing.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use absolve::Rewriter;
use rustix::fs::{FlockOperation, flock};

use crate::check::is_temporary;
use crate::tree::is_page;

/// How a control writes.
#[derive(Clone, Copy)]
pub(crate) enum Way {
    /// Over the page itself: a kill leaves half of it.
    Over,
    /// A temporary file that takes the page's place, both found by their paths: what is swapped
    /// between two looks at a path leads outside.
    ByPath,
}

/// `rewrite DIR -b URL …`, in place.
pub(crate) fn run(way: Way) -> ExitCode {
    let words: Vec<_> = std::env::args_os().skip(2).collect();
    let [root, _, url, ..] = &words[..] else { return ExitCode::from(2) };
    let Some(url) = url.to_str() else { return ExitCode::from(2) };
    match tree(way, Path::new(root), url) {
        Ok(0) => ExitCode::SUCCESS,
        _ => ExitCode::from(2),
    }
}

/// The number of files that failed.
fn tree(way: Way, root: &Path, url: &str) -> io::Result<usize> {
    // Kept open and not used: the trial that swaps the root begins when a run has opened it.
    let _handle = File::open(root)?;
    let mut failed = 0;
    for path in pages(way, root)? {
        failed += usize::from(rewrite(way, root, &path, url).is_err());
    }
    Ok(failed)
}

fn pages(way: Way, root: &Path) -> io::Result<Vec<PathBuf>> {
    let mut pages = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let (path, kind) = (entry.path(), entry.file_type()?);
            if kind.is_dir() {
                folders.push(path);
            } else if matches!(way, Way::ByPath) && is_temporary(&path) {
                remove_if_left(&path);
            } else if kind.is_file() && is_page(&path) {
                pages.push(path);
            }
        }
    }
    pages.sort();
    Ok(pages)
}

/// Removes a temporary file that no run holds.
fn remove_if_left(path: &Path) {
    let Ok(file) = File::open(path) else { return };
    if flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() {
        let _ = fs::remove_file(path);
    }
}

fn rewrite(way: Way, root: &Path, path: &Path, url: &str) -> io::Result<()> {
    let inner = path.strip_prefix(root).map_err(io::Error::other)?;
    let url = format!("{url}{}", inner.to_string_lossy().replace(' ', "%20"));
    let source = fs::read(path)?;
    let rewriter = Rewriter::new().base_url(&url).map_err(io::Error::other)?;
    let rewrite = || rewriter.rewrite(&source).map_err(io::Error::other);
    match way {
        // Opened first, as who writes a page piece by piece does: what is lost is the whole page.
        Way::Over => File::create(path)?.write_all(rewrite()?.bytes()),
        Way::ByPath => {
            let new = rewrite()?;
            if new.bytes() == source { Ok(()) } else { replace(path, new.bytes()) }
        }
    }
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = path.with_file_name(format!(".absolve-tmp-{}-{name}", std::process::id()));
    let result = fill(&temporary, path, bytes).and_then(|()| fs::rename(&temporary, path));
    if result.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    result
}

fn fill(temporary: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create_new(temporary)?;
    flock(&file, FlockOperation::NonBlockingLockExclusive)?;
    file.write_all(bytes)?;
    file.set_permissions(fs::metadata(path)?.permissions())?;
    let mut value = Vec::with_capacity(64);
    if rustix::fs::getxattr(path, "user.absolve", rustix::buffer::spare_capacity(&mut value))
        .is_ok()
    {
        rustix::fs::fsetxattr(&file, "user.absolve", &value, rustix::fs::XattrFlags::empty())?;
    }
    file.sync_all()
}
