//! The folders of a site, and the files of the site that options name.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use absolve::{Diagnosis, Limits};
use absolve_archive::Format;
use absolve_site::report::display::printable_path;
use absolve_site::{FileKind, Site, Sources, path_of};

use crate::args::AuditArgs;
use crate::session::failure::{Failure, reason};
use crate::session::inputs::{list_archives, read_list};
use crate::session::paths::{explain_outside, is_folder_given, refuse_book, split_at_entry};

/// The folder that is served, and the folder in it that is audited.
pub(super) struct Folders<'a> {
    pub(super) root: &'a Path,
    pub(super) dir: &'a Path,
    /// The path of `dir` in `root`.
    pub(super) dir_in_root: PathBuf,
}

impl<'a> Folders<'a> {
    pub(super) fn new(args: &'a AuditArgs) -> Result<Self, Failure> {
        let Some(dir) = args.paths.first() else {
            let problem = "no folder is given; give that of the built site, or set path in the \
                           table [audit] of absolve.toml";
            return Err(Failure::message(problem));
        };
        reject_containers(args, dir)?;
        if let Some(other) = args.paths.get(1) {
            let problem = "audit reads one folder, and another is given before it; give one";
            return Err(Failure::new(&printable_path(other), problem));
        }
        if !is_folder_given(dir)? {
            refuse_book(dir)?;
        }
        if let Some(base) = &args.serving.base_url {
            let checked = absolve_files::check_folder_url(base);
            checked.map_err(Failure::message)?;
        }
        let root = args.serving.root_dir.as_ref().unwrap_or(dir);
        let (real_dir, real_root) = (resolve_folder(dir)?, resolve_folder(root)?);
        let dir_in_root = real_dir
            .strip_prefix(real_root)
            .map_err(|_| Failure::new(&printable_path(dir), explain_outside(root)))?;
        Ok(Self { root, dir, dir_in_root: dir_in_root.to_owned() })
    }
}

/// Returns the path of a folder relative to its repository, or else to the current folder. A folder
/// inside neither gets its absolute path.
pub(super) fn path_in_repository(given: &Path) -> PathBuf {
    let folder = if given.as_os_str().is_empty() { Path::new(".") } else { given };
    let Ok(real) = folder.canonicalize() else { return given.to_owned() };
    let repository = real.ancestors().find(|folder| folder.join(".git").exists());
    let current = || Path::new(".").canonicalize().ok();
    let repository = repository.map(Path::to_owned).or_else(current);
    let inside = repository.and_then(|folder| Some(real.strip_prefix(folder).ok()?.to_owned()));
    inside.unwrap_or(real)
}

/// Rejects web archives and messages, with the command that reads them.
fn reject_containers(args: &AuditArgs, dir: &Path) -> Result<(), Failure> {
    let entry = split_at_entry(dir);
    let file = entry.as_ref().map_or(dir, |(file, _)| file);
    if !file.exists() {
        return Ok(());
    }
    let is_archive = |path: &Path| Format::from_name(path).is_archive();
    let are_archives =
        || list_archives(&args.paths, &args.pages.globs.globs(), is_archive).is_some();
    let problem = if Format::from_name(file).has_parts() && !file.is_dir() {
        format!(
            "it is {}, and audit reads folders; absolve links {} lists its links",
            Format::from_name(file).noun(),
            printable_path(dir)
        )
    } else if entry.is_some() || are_archives() {
        let kind = if file.is_dir() { "it has only web archives" } else { "it is a web archive" };
        let others = args.paths.get(1..).unwrap_or_default().iter().map(|path| &**path);
        let names: Vec<_> = [file].into_iter().chain(others).map(printable_path).collect();
        format!(
            "{kind}, and audit reads folders; make one with absolve extract {} -o DIR --to \
             relative, and audit that",
            names.join(" ")
        )
    } else {
        return Ok(());
    };
    Err(Failure::new(&printable_path(dir), problem))
}

/// Returns the path of a folder without symbolic links.
fn resolve_folder(path: &Path) -> Result<PathBuf, Failure> {
    let folder = path.canonicalize().and_then(|path| Ok((path.metadata()?, path)));
    let problem = match folder {
        Ok((metadata, path)) if metadata.is_dir() => return Ok(path),
        Ok(_) => format!(
            "it is a file, and audit reads folders; for what is in this page: absolve audit DIR \
             --report-only {}",
            printable_path(path)
        ),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            "no such folder; give the folder of the built site".to_owned()
        }
        Err(error) => return Err(Failure::unreadable(&printable_path(path), &error)),
    };
    Err(Failure::new(&printable_path(path), problem))
}

/// The problem of a file that exceeds the limit.
pub(super) const TOO_LARGE: &str = "it exceeds {limit input}";

/// Looks up the files of a site that options name.
pub(super) struct SiteFiles<'a> {
    pub(super) site: &'a Site,
    pub(super) root: &'a Path,
}

/// The files of `--report-only`, by kind.
#[derive(Default)]
pub(super) struct ListedFiles {
    /// The numbers of the files of the site.
    pub(super) numbers: Vec<usize>,
    /// The Markdown files of `--sources`.
    pub(super) sources: HashSet<Arc<Path>>,
    /// Names that match neither.
    pub(super) others: Vec<PathBuf>,
}

impl SiteFiles<'_> {
    /// Returns the number of the sitemap that `--sitemap` names, else of `sitemap.xml` in the root.
    pub(super) fn find_sitemap(&self, args: &AuditArgs) -> Result<Option<usize>, Failure> {
        let given = args.checks.sitemap.as_ref().map(|file| self.find_file(file));
        let find_default = || Ok(self.find_in_root("sitemap.xml", args));
        given.map_or_else(find_default, |number| number.map(Some))
    }

    /// Returns the number of a file in the root, unless a pattern excludes it.
    pub(super) fn find_in_root(&self, name: &str, args: &AuditArgs) -> Option<usize> {
        let is_excluded = args.pages.globs.globs().is_excluded(Path::new(name));
        let number = self.site.files().find(name.as_bytes())?;
        let is_file = self.site.files().get(number)?.1 == FileKind::File;
        (is_file && !is_excluded).then_some(number)
    }

    /// Looks up the files of `--report-only`; `-` is a list on stdin, such as that of `git diff
    /// --name-only`.
    pub(super) fn find_listed(
        &self,
        only: &[PathBuf],
        sources: Option<&Sources>,
    ) -> Result<ListedFiles, Failure> {
        let stdin = Path::new("-");
        let mut names = Vec::new();
        for path in only {
            if path == stdin {
                names.extend(read_list(stdin)?.into_iter().map(unquote));
            } else {
                names.push(path.clone());
            }
        }
        let folder = sources.and_then(|sources| sources.folder().canonicalize().ok());
        let files = sources.iter().flat_map(|sources| sources.files());
        let known: HashSet<Arc<Path>> = files.cloned().collect();
        let find_source = |path: &Path| {
            let inside = canonicalize_parent(path)?.strip_prefix(folder.as_ref()?).ok()?.to_owned();
            known.get(&*sources?.folder().join(inside)).cloned()
        };
        let mut listed = ListedFiles::default();
        for path in names {
            let (number, source) = (self.find_file_number(&path), find_source(&path));
            if number.is_none() && source.is_none() {
                listed.others.push(path);
            }
            listed.numbers.extend(number);
            listed.sources.extend(source);
        }
        Ok(listed)
    }

    /// Returns the number of a file; `None` for a folder.
    fn find_file_number(&self, path: &Path) -> Option<usize> {
        self.find_number(path).filter(|&number| {
            let file = self.site.files().get(number);
            file.is_some_and(|(_, kind)| kind == FileKind::File)
        })
    }

    /// Returns the number of a file that has to be in the site.
    fn find_file(&self, path: &Path) -> Result<usize, Failure> {
        self.find_file_number(path).ok_or_else(|| {
            let why = match path.metadata() {
                Ok(metadata) if metadata.is_dir() => "it is a folder".to_owned(),
                Ok(_) => format!("it is not in {}", printable_path(self.root)),
                Err(error) => reason(&error),
            };
            let problem = Diagnosis::from_words("{}; {sitemap} takes files of the site", &[&why]);
            Failure::new(&printable_path(path), problem)
        })
    }

    /// Returns the number of a path in the site. Tries the path as it is typed, then with symbolic
    /// links of its folder resolved, then with all symbolic links resolved.
    pub(super) fn find_number(&self, path: &Path) -> Option<usize> {
        let find_real = |path: PathBuf| {
            let root = self.root.canonicalize().ok()?;
            self.site.find(&self.root.join(path.strip_prefix(root).ok()?))
        };
        let find_typed = || self.site.find(path).filter(|_| path.exists());
        find_typed()
            .or_else(|| find_real(canonicalize_parent(path)?))
            .or_else(|| find_real(path.canonicalize().ok()?))
    }
}

/// Resolves symbolic links of the folder of a path, and keeps the last name, which may be a link.
fn canonicalize_parent(path: &Path) -> Option<PathBuf> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
    Some(folder.join(path.file_name()?))
}

/// Decodes a name in a list by git, which [quotes] characters other than printable ASCII.
///
/// [quotes]: https://git-scm.com/docs/git-config#Documentation/git-config.txt-corequotePath
fn unquote(name: PathBuf) -> PathBuf {
    let quoted = name.as_os_str().as_encoded_bytes();
    let inner = quoted.strip_prefix(b"\"").and_then(|name| name.strip_suffix(b"\""));
    inner.and_then(unescape).map_or(name, |bytes| path_of(&bytes))
}

/// Decodes the escape sequences of C; returns `None` if one is malformed.
fn unescape(mut text: &[u8]) -> Option<Vec<u8>> {
    const ESCAPES: &[u8] = b"abtnvfr\"\\";
    const BYTES: &[u8] = b"\x07\x08\t\n\x0b\x0c\r\"\\";
    let mut bytes = Vec::new();
    while let [byte, rest @ ..] = text {
        text = rest;
        if *byte != b'\\' {
            bytes.push(*byte);
        } else if let [high @ b'0'..=b'3', middle @ b'0'..=b'7', low @ b'0'..=b'7', rest @ ..] =
            text
        {
            bytes.push((high - b'0') << 6 | (middle - b'0') << 3 | (low - b'0'));
            text = rest;
        } else {
            let (letter, rest) = text.split_first()?;
            bytes.push(BYTES[ESCAPES.iter().position(|known| known == letter)?]);
            text = rest;
        }
    }
    Some(bytes)
}

/// Returns the maximum size of a file that an option names, in bytes.
pub(super) fn max_size(limits: &Limits) -> u64 {
    if limits.input == 0 { MAX_SIZE } else { limits.input as u64 }
}

/// Maximum size of a file that an option names, in bytes, if documents have no limit.
const MAX_SIZE: u64 = 1 << 30;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_git_quotes_them() {
        let assert_unquoted = |name: &str, expected: &str| {
            assert_eq!(unquote(name.into()), Path::new(expected), "{name}");
        };
        assert_unquoted("a b.html", "a b.html");
        assert_unquoted(r#""\303\274.html""#, "\u{fc}.html");
        assert_unquoted(r#""a\"b\\c\td\n""#, "a\"b\\c\td\n");
        // git writes none of these names.
        for name in [r#"""#, r#""a"#, r#""\x41""#, r#""\""#, r#""\477""#, r#""\18""#] {
            assert_unquoted(name, name);
        }
    }
}
