//! A case: a site tree, arguments, and what is found.
//!
//! A case is a folder. Escapes are those of Rust: `\n`, `\t`, `\\`, `\xff`, `\u{e9}`.
//!
//! | file | what it holds |
//! |---|---|
//! | `site/` | the tree |
//! | `names` | files of the tree that cannot be kept as files everywhere: a line is a name below `site`, a tab and the content, both escaped; a name that ends with a slash is a folder, and `-> TARGET` for the content makes a symbolic link |
//! | `about` | what the case shows, in one sentence; then lines `without RULE`: the rules that a page like this might be thought to break |
//! | `args` | arguments after `audit --no-config` and before `site`, one a line |
//! | `command` | instead of `args`: all arguments, one a line |
//! | `expected` | the findings in the order of the report, see [`Expected`] |
//! | `exit` | the exit code, where it is not 1 with an error among the findings and 0 without |
//! | `text` | lines that are in the report as text |
//! | `stderr` | lines that are on stderr |
//!
//! Any other file is there for an argument that names it, or to be found by itself.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use absolve_site::Rule;
use tempfile::TempDir;

use crate::finding::Expected;

/// Result of a check; the error says why it failed, or why it cannot run.
pub(crate) type Checked<T> = Result<T, String>;

/// A case, read from its folder.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) folder: PathBuf,
    pub(crate) about: String,
    /// The rules that it shows not to be found.
    pub(crate) without: Vec<Rule>,
    pub(crate) expected: Vec<Expected>,
    pub(crate) exit: i32,
    /// Parts of the report as text.
    pub(crate) text: Vec<String>,
    /// Parts of stderr.
    pub(crate) stderr: Vec<String>,
    names: Vec<(Vec<u8>, Vec<u8>)>,
    /// Arguments before the options of the runner, and after them.
    args: (Vec<String>, Vec<String>),
}

impl Case {
    /// Reads a case.
    pub(crate) fn read(folder: &Path) -> Checked<Self> {
        let lines = |name: &str| lines(folder, name);
        let about = lines("about")?;
        let (about, without) = about.split_first().ok_or("it has no file 'about'")?;
        let rule = |line: &String| {
            let id = line.strip_prefix("without ").ok_or(format!("{line}: expected 'without'"))?;
            id.parse().map_err(|error| format!("{id}: {error}"))
        };
        let args = match lines("command")? {
            command if command.is_empty() => {
                let mut args = vec!["audit".to_owned(), "--no-config".to_owned()];
                args.extend(lines("args")?);
                (args, vec!["site".to_owned()])
            }
            command => (command, Vec::new()),
        };
        let expected = Expected::read(&lines("expected")?)?;
        let exit = match lines("exit")?.first() {
            Some(code) => code.parse().map_err(|error| format!("{code}: {error}"))?,
            None => i32::from(expected.iter().any(Expected::is_error)),
        };
        let names = lines("names")?;
        let names = names.iter().map(|line| {
            let (name, content) = line.split_once('\t').unwrap_or((line, ""));
            Ok((unescaped(name)?, unescaped(content)?))
        });
        Ok(Self {
            folder: folder.to_owned(),
            about: about.clone(),
            without: without.iter().map(rule).collect::<Checked<_>>()?,
            expected,
            exit,
            text: lines("text")?,
            stderr: lines("stderr")?,
            names: names.collect::<Checked<_>>()?,
            args,
        })
    }

    /// The arguments of the command, with those of the runner among them.
    pub(crate) fn arguments(&self, ours: &[String]) -> Vec<String> {
        [&self.args.0, ours, &self.args.1].concat()
    }

    /// Whether an argument that begins so is given.
    pub(crate) fn has_argument(&self, start: &str) -> bool {
        self.args.0.iter().any(|given| given.starts_with(start))
    }

    /// Whether it has names that not every file system takes.
    pub(crate) fn has_names(&self) -> bool {
        !self.names.is_empty()
    }

    /// Copies the case into a folder of its own, with the names that it has not as files.
    ///
    /// # Errors
    ///
    /// If a name cannot be given to a file here.
    pub(crate) fn lay_out(&self) -> Checked<TempDir> {
        let copy = tempfile::tempdir().map_err(|error| error.to_string())?;
        copy_folder(&self.folder, copy.path()).map_err(|error| error.to_string())?;
        let site = copy.path().join("site");
        for (name, content) in &self.names {
            let path = site.join(path_of(name)?);
            let refused = |error| format!("{}: {error}", escaped(name));
            if name.ends_with(b"/") {
                fs::create_dir_all(&path).map_err(refused)?;
                continue;
            }
            let parent = path.parent().ok_or("a name is a path below 'site'")?;
            fs::create_dir_all(parent).map_err(refused)?;
            if let Some(to) = content.strip_prefix(b"-> ") {
                symbolic_link(Path::new(&path_of(to)?), &path).map_err(refused)?;
                continue;
            }
            // On a file system that ignores letter case, another name may have made this file.
            let file = OpenOptions::new().write(true).create_new(true).open(&path);
            file.and_then(|mut file| file.write_all(content)).map_err(refused)?;
        }
        Ok(copy)
    }
}

#[cfg(unix)]
fn symbolic_link(to: &Path, path: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(to, path)
}

#[cfg(not(unix))]
fn symbolic_link(_: &Path, _: &Path) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// The lines of a file of a case, none where it is not there.
fn lines(folder: &Path, name: &str) -> Checked<Vec<String>> {
    match fs::read_to_string(folder.join(name)) {
        Ok(text) => Ok(text.lines().map(str::to_owned).collect()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(format!("{name}: {error}")),
    }
}

fn copy_folder(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &to)?;
        } else {
            fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere a name has to be text")]
fn path_of(name: &[u8]) -> Checked<OsString> {
    use std::os::unix::ffi::OsStringExt;
    Ok(OsString::from_vec(name.to_vec()))
}

#[cfg(not(unix))]
fn path_of(name: &[u8]) -> Checked<OsString> {
    let text = str::from_utf8(name).map_err(|_| "a name that is not UTF-8".to_owned())?;
    Ok(text.into())
}

/// The bytes that an escaped text represents.
pub(crate) fn unescaped(text: &str) -> Checked<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        bytes.extend_from_slice(before.as_bytes());
        let wrong = || format!("{text}: an escape that is none");
        let kind = after.chars().next().ok_or_else(wrong)?;
        rest = &after[kind.len_utf8()..];
        let mut digits = |digits: &str, after: usize| {
            rest = rest.get(after..)?;
            u32::from_str_radix(digits, 16).ok()
        };
        match kind {
            'n' => bytes.push(b'\n'),
            'r' => bytes.push(b'\r'),
            't' => bytes.push(b'\t'),
            '\\' => bytes.push(b'\\'),
            'x' => {
                let byte = after.get(1..3).and_then(|hex| digits(hex, 2));
                bytes.push(u8::try_from(byte.ok_or_else(wrong)?).map_err(|_| wrong())?);
            }
            'u' => {
                let hex = after[1..].strip_prefix('{').and_then(|hex| hex.split_once('}'));
                let c = hex.and_then(|(hex, _)| digits(hex, hex.len() + 2));
                let c = c.and_then(char::from_u32).ok_or_else(wrong)?;
                bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
            _ => return Err(wrong()),
        }
    }
    bytes.extend_from_slice(rest.as_bytes());
    Ok(bytes)
}

/// Bytes as they are written in a case.
pub(crate) fn escaped(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                ' ' => text.push(' '),
                c if c.is_alphanumeric() || c.is_ascii_punctuation() && c != '\\' => text.push(c),
                c => text.extend(c.escape_default()),
            }
        }
        for &byte in chunk.invalid() {
            text.extend(std::ascii::escape_default(byte).map(char::from));
        }
    }
    text
}

/// Escapes as they are written, and the bytes that they represent.
pub(crate) fn escapes_come_back() -> Checked<()> {
    let rows: &[(&str, &[u8])] = &[
        ("a b", b"a b"),
        ("\\n\\r\\t\\\\", b"\n\r\t\\"),
        ("\\xff\\xe9x", b"\xff\xe9x"),
        ("\\u{1b}\\u{202e}", "\u{1b}\u{202e}".as_bytes()),
        ("\u{e9}\u{65e5}\"'<", "\u{e9}\u{65e5}\"'<".as_bytes()),
    ];
    for &(written, bytes) in rows {
        let found = (unescaped(written)?, escaped(bytes));
        if found != (bytes.to_vec(), written.to_owned()) {
            return Err(format!("{written}: {found:?}"));
        }
    }
    let wrong = ["\\", "\\q", "\\x", "\\xg0", "\\u{110000}", "\\u{1"];
    match wrong.into_iter().find(|text| unescaped(text).is_ok()) {
        Some(text) => Err(format!("{text}: is taken for an escape")),
        None => Ok(()),
    }
}
