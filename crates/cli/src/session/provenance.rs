//! The date and the commit that reports name.
//!
//! The commit is read from the files of the repository: their [layout][layout] is stable, and no
//! program has to run. No commit is found if the references are in a `reftable`.
//!
//! [layout]: https://git-scm.com/docs/gitrepository-layout

use std::env;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mail_parser::DateTime;

use super::failure::Failure;

/// The variable that sets the date of a reproducible run, in seconds since 1970:
/// <https://reproducible-builds.org/specs/source-date-epoch/>.
const DATE_VARIABLE: &str = "SOURCE_DATE_EPOCH";

/// Returns the date of this run.
pub fn read_date() -> Result<SystemTime, Failure> {
    let Some(seconds) = env::var_os(DATE_VARIABLE) else { return Ok(SystemTime::now()) };
    let seconds = seconds.to_str().and_then(|seconds| seconds.parse().ok());
    let date = seconds.filter(|&seconds| seconds <= LAST_SECOND).map(Duration::from_secs);
    date.map(|since| UNIX_EPOCH + since).ok_or_else(|| {
        let problem =
            format!("{DATE_VARIABLE} is not a number of seconds since 1970; unset or correct it");
        Failure::message(problem)
    })
}

/// The last second of the year 9999; later dates have more digits.
const LAST_SECOND: u64 = 253_402_300_799;

/// Writes a date as `2026-01-31T12:00:00Z`.
pub fn format_date(date: SystemTime) -> String {
    let since = date.duration_since(UNIX_EPOCH).unwrap_or_default();
    DateTime::from_timestamp(since.as_secs().cast_signed()).to_rfc3339()
}

/// Maximum size of a file with one reference, in bytes.
const MAX_REFERENCE_BYTES: u64 = 4096;

/// Maximum size of the file of packed references, in bytes.
const MAX_PACKED_BYTES: u64 = 16 << 20;

/// Maximum number of symbolic references to follow. Each of them names the next reference.
const MAX_SYMBOLIC_REFERENCES: usize = 5;

/// Returns the commit of the repository that contains a folder; `None` if it cannot be read.
pub fn find_commit(folder: &Path) -> Option<String> {
    let folder = folder.canonicalize().ok()?;
    let git = folder.ancestors().map(|folder| folder.join(".git")).find(|git| git.exists())?;
    let git = find_git_folder(git)?;
    // A worktree has its own HEAD, and shares the other references.
    let common = match read(&git.join("commondir"), MAX_REFERENCE_BYTES) {
        Some(common) => git.join(common.trim_end()),
        None => git.clone(),
    };
    let mut value = read(&git.join("HEAD"), MAX_REFERENCE_BYTES)?;
    for _ in 0..MAX_SYMBOLIC_REFERENCES {
        let Some(name) = value.trim_end().strip_prefix("ref: ") else { break };
        let path = Path::new(name);
        let is_name = path.components().all(|part| matches!(part, Component::Normal(_)));
        if !is_name || !name.starts_with("refs/") {
            return None;
        }
        let mut loose = [&git, &common].into_iter();
        let loose = loose.find_map(|folder| read(&folder.join(path), MAX_REFERENCE_BYTES));
        value = loose.or_else(|| find_packed(&common, name))?;
    }
    let commit = value.trim_end();
    let is_hash = matches!(commit.len(), 40 | 64) && commit.bytes().all(|c| c.is_ascii_hexdigit());
    is_hash.then(|| commit.to_owned())
}

/// Returns the Git folder of a repository. A worktree or a submodule has a file that names it.
fn find_git_folder(git: PathBuf) -> Option<PathBuf> {
    if git.is_dir() {
        return Some(git);
    }
    let text = read(&git, MAX_REFERENCE_BYTES)?;
    let named = text.trim_end().strip_prefix("gitdir: ")?;
    Some(git.parent()?.join(named))
}

/// Returns the value of a reference in the file of packed references.
fn find_packed(common: &Path, name: &str) -> Option<String> {
    let text = read(&common.join("packed-refs"), MAX_PACKED_BYTES)?;
    let mut values = text.lines().filter_map(|line| line.split_once(' '));
    values.find(|(_, reference)| *reference == name).map(|(commit, _)| commit.to_owned())
}

/// Reads a regular file; a pipe would wait for its writer.
fn read(path: &Path, max_bytes: u64) -> Option<String> {
    let is_file = path.metadata().is_ok_and(|metadata| metadata.is_file());
    let bytes = is_file.then(|| absolve_files::read_file(path, max_bytes).ok()).flatten()?;
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

    /// The commit of a repository with these files.
    fn commit(files: &[(&str, &str)], at: &str) -> Option<String> {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let at = folder.path().join(at);
        fs::create_dir_all(&at).unwrap();
        find_commit(&at)
    }

    #[test]
    fn the_commit_is_found_where_git_keeps_it() {
        let line = &*format!("{COMMIT}\n");
        let packed = &*format!("# pack-refs with: peeled\n{COMMIT} refs/heads/main\n^{COMMIT}\n");
        let head = (".git/HEAD", "ref: refs/heads/main\n");
        let gitdir_file = ("tree/.git", "gitdir: ../.git/worktrees/tree\n");
        let common = (".git/worktrees/tree/commondir", "../..\n");
        let worktree_head = (".git/worktrees/tree/HEAD", "ref: refs/heads/main\n");
        let rows: [(&[(&str, &str)], &str); 6] = [
            (&[(".git/HEAD", line)], "a/b"),
            (&[head, (".git/refs/heads/main", line)], ""),
            (&[head, (".git/packed-refs", packed)], "a"),
            (&[gitdir_file, common, worktree_head, (".git/refs/heads/main", line)], "tree/a"),
            (&[gitdir_file, common, worktree_head, (".git/packed-refs", packed)], "tree"),
            (
                &[head, (".git/refs/heads/main", "ref: refs/heads/b"), (".git/refs/heads/b", line)],
                "",
            ),
        ];
        for (files, at) in rows {
            assert_eq!(commit(files, at).as_deref(), Some(COMMIT), "{files:?}");
        }
    }

    #[test]
    fn nothing_else_is_a_commit() {
        let long = "a".repeat(5000);
        for (name, text) in [
            (".git/HEAD", ""),
            (".git/HEAD", "ref: refs/heads/none\n"),
            (".git/HEAD", "ref: ../secret\n"),
            (".git/HEAD", "ref: refs/../../secret\n"),
            (".git/HEAD", "ref: HEAD\n"),
            (".git/HEAD", &long),
            (".git/refs/heads/main", COMMIT),
            (".git", "gitdir: nowhere\n"),
        ] {
            let files = [(name, text), ("secret", COMMIT)];
            assert_eq!(commit(&files, ""), None, "{text}");
        }
    }
}
