//! A folder for a test, with the command run in it and a look at what it left.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs::{self, Permissions};
use std::io::Write as _;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// A page with a link that is relative to the page's own URL.
pub(crate) const PAGE: &str = "<a href=x>1</a>\n";

/// The page, rewritten in a folder of `http://h/`.
pub(crate) fn done(folder: &str) -> String {
    format!("<a href=http://h/{folder}x>1</a>\n")
}

/// A folder for a test.
pub(crate) struct Site {
    folder: TempDir,
}

/// State of a file or folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) inode: u64,
    pub(crate) mode: u32,
    pub(crate) modified: (i64, i64),
    /// The content of a file; of a link, an arrow and where it leads.
    pub(crate) text: String,
}

impl Site {
    /// Makes files; a path that ends with a slash is an empty folder.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let site = Self { folder: tempfile::tempdir().unwrap() };
        for (path, text) in files {
            site.write(path, text);
        }
        site
    }

    /// The site of most tests: two documents, one in a folder, and a style sheet.
    pub(crate) fn small() -> Self {
        Self::new(&[("site/a.html", PAGE), ("site/d/b.html", PAGE), ("site/s.css", "a{}")])
    }

    pub(crate) fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(path)
    }

    pub(crate) fn write(&self, path: impl AsRef<Path>, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
            return fs::create_dir_all(path).unwrap();
        }
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn link(&self, to: &str, path: &str) {
        std::os::unix::fs::symlink(to, self.path(path)).unwrap();
    }

    pub(crate) fn set_mode(&self, path: &str, mode: u32) {
        fs::set_permissions(self.path(path), Permissions::from_mode(mode)).unwrap();
    }

    pub(crate) fn metadata(&self, path: &str) -> fs::Metadata {
        fs::symlink_metadata(self.path(path)).unwrap()
    }

    pub(crate) fn pipe(&self, path: &str) {
        assert!(Command::new("mkfifo").arg(self.path(path)).status().unwrap().success());
    }

    /// Runs the command with these arguments, which hold no spaces, in the folder.
    #[track_caller]
    pub(crate) fn absolve(&self, args: &str) -> Run {
        self.absolve_with(args.split_whitespace(), "")
    }

    /// Runs the command with text as its stdin.
    #[track_caller]
    pub(crate) fn absolve_with(
        &self,
        args: impl IntoIterator<Item = impl AsRef<OsStr>>,
        stdin: &str,
    ) -> Run {
        let mut command = self.command();
        command.args(args);
        Run::start(command, stdin)
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_absolve"));
        // Written files have a date, which has to be equal in all runs.
        command.current_dir(self.folder.path()).env("SOURCE_DATE_EPOCH", "1700000000");
        command
    }

    /// Returns all files and folders below a folder, by their paths there.
    pub(crate) fn state(&self, root: &str) -> BTreeMap<String, State> {
        let mut found = BTreeMap::new();
        look(&self.path(root), "", &mut found);
        found
    }

    /// Below a folder are just these files, links and empty folders.
    #[track_caller]
    pub(crate) fn holds(&self, root: &str, files: &[(&str, &str)]) {
        let found = self.state(root);
        let is_reported = |path: &String| {
            !path.ends_with('/')
                || !found.keys().any(|other| other != path && other.starts_with(path))
        };
        let found: BTreeMap<&str, &str> = found
            .iter()
            .filter(|(path, _)| is_reported(path))
            .map(|(path, state)| (&**path, &*state.text))
            .collect();
        differ(&files.iter().copied().collect(), &found);
    }

    #[track_caller]
    pub(crate) fn has(&self, path: &str, text: &str) {
        let there = fs::read(self.path(path)).unwrap();
        assert_eq!(String::from_utf8_lossy(&there), text, "{path}");
    }

    #[track_caller]
    pub(crate) fn has_mode(&self, path: &str, mode: u32) {
        let there = fs::symlink_metadata(self.path(path)).unwrap().mode() & 0o7777;
        assert_eq!(format!("{there:o}"), format!("{mode:o}"), "{path}");
    }
}

fn look(at: &Path, path: &str, found: &mut BTreeMap<String, State>) {
    for entry in fs::read_dir(at).unwrap() {
        let entry = entry.unwrap();
        let metadata = entry.metadata().unwrap();
        let mut path = format!("{path}{}", entry.file_name().to_string_lossy());
        let text = if metadata.is_dir() {
            path.push('/');
            look(&entry.path(), &path, found);
            String::new()
        } else if metadata.is_symlink() {
            format!("-> {}", fs::read_link(entry.path()).unwrap().display())
        } else if metadata.file_type().is_fifo() {
            "a pipe".to_owned()
        } else {
            String::from_utf8_lossy(&fs::read(entry.path()).unwrap()).into_owned()
        };
        let (inode, mode) = (metadata.ino(), metadata.mode() & 0o7777);
        let modified = (metadata.mtime(), metadata.mtime_nsec());
        found.insert(path, State { inode, mode, modified, text });
    }
}

/// Fails with what is missing, what is there besides, and what is different.
#[track_caller]
fn differ(expected: &BTreeMap<&str, &str>, found: &BTreeMap<&str, &str>) {
    let mut report = String::new();
    for (path, text) in expected {
        match found.get(path) {
            None => writeln!(report, "missing: {path}").unwrap(),
            Some(there) if there != text => {
                writeln!(report, "{path}:\n  expected {text:?}\n  found    {there:?}").unwrap();
            }
            Some(_) => {}
        }
    }
    for path in found.keys().filter(|path| !expected.contains_key(*path)) {
        writeln!(report, "not expected: {path}").unwrap();
    }
    assert!(report.is_empty(), "{report}");
}

/// Output and exit code of a run.
pub(crate) struct Run {
    code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Run {
    #[track_caller]
    pub(crate) fn start(mut command: Command, stdin: &str) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A command that does not read it closes the pipe.
        let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
        let output = child.wait_with_output().unwrap();
        Self {
            code: output.status.code(),
            stdout: output.stdout,
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    #[track_caller]
    pub(crate) fn ends(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{}", self.stderr);
        self
    }

    /// Each text is on stderr once.
    #[track_caller]
    pub(crate) fn says(self, texts: &[&str]) -> Self {
        for text in texts {
            assert_eq!(self.stderr.matches(text).count(), 1, "{text:?} in\n{}", self.stderr);
        }
        self
    }

    /// The summary is this, but for its numbers of links.
    #[track_caller]
    pub(crate) fn counts(self, files: &str) -> Self {
        let lines = self.stderr.lines().filter_map(|line| line.strip_prefix("absolve: "));
        let is_summary = |line: &&str| line.starts_with("rewrote ") || line.starts_with("would ");
        let summaries: Vec<String> = lines.filter(is_summary).map(without_links).collect();
        assert!(summaries.iter().any(|summary| summary == files), "{}", self.stderr);
        self
    }

    /// Checks the whole of stdout.
    #[track_caller]
    pub(crate) fn prints(self, text: &str) -> Self {
        assert_eq!(String::from_utf8_lossy(&self.stdout), text);
        self
    }
}

/// A summary without its numbers of links.
fn without_links(summary: &str) -> String {
    let (rewritten, others) = summary.split_once(';').unwrap_or((summary, ""));
    let files = rewritten.split([',', '(']).next().unwrap().trim_end();
    let separator = if others.is_empty() { "" } else { ";" };
    format!("{files}{separator}{others}")
}
