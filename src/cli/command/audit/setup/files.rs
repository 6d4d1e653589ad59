//! The files of a site that options name.

use std::path::{Path, PathBuf};

use crate::Limits;
use crate::audit::{FileKind, Site};

use crate::cli::args::AuditArgs;
use crate::cli::session::book::member_path;
use crate::cli::session::failure::{Failure, reason};
use crate::cli::session::inputs::read_list;
use crate::cli::terminal::printable_path;

/// The files of a site.
pub(super) struct SiteFiles<'a> {
    pub(super) site: &'a Site,
    pub(super) root: &'a Path,
}

impl SiteFiles<'_> {
    /// The number of the sitemap that an option names, else of the one in the root.
    pub(super) fn sitemap(&self, args: &AuditArgs) -> Result<Option<usize>, Failure> {
        let given = args.checks.sitemap.as_ref().map(|file| self.file(file, "--sitemap"));
        let own = || Ok(self.in_root("sitemap.xml", args));
        given.map_or_else(own, |number| number.map(Some))
    }

    /// The number of the file with this name in the root, unless it is excluded.
    pub(super) fn in_root(&self, name: &str, args: &AuditArgs) -> Option<usize> {
        let is_excluded = args.pages.globs.globs().is_excluded(Path::new(name));
        let number = self.site.files().find(name.as_bytes())?;
        let is_file = self.site.files().get(number)?.1 == FileKind::File;
        (is_file && !is_excluded).then_some(number)
    }

    /// The numbers of the files of `--report-only`, where `-` is a list on stdin, such as that of
    /// `git diff --name-only`; other names go to `unreported`. Typed ones cannot all be wrong.
    pub(super) fn listed(
        &self,
        only: &[PathBuf],
        unreported: &mut Vec<PathBuf>,
    ) -> Result<Vec<usize>, Failure> {
        let stdin = Path::new("-");
        let is_list = only == [stdin];
        let only = if is_list { read_list(stdin)? } else { only.to_vec() };
        let mut numbers = Vec::new();
        let mut wrong = None;
        for path in only {
            match self.file(&path, "--report-only") {
                Ok(number) => numbers.push(number),
                Err(failure) => {
                    wrong = wrong.or(Some(failure));
                    unreported.push(path);
                }
            }
        }
        match wrong {
            Some(failure) if numbers.is_empty() && !is_list => Err(failure),
            _ => Ok(numbers),
        }
    }

    /// The number of a file that an option names.
    pub(super) fn file(&self, path: &Path, option: &str) -> Result<usize, Failure> {
        let number = self.number(path).filter(|&number| {
            let found = self.site.files().get(number);
            found.is_some_and(|(_, kind)| kind == FileKind::File)
        });
        number.ok_or_else(|| {
            let why = match path.metadata() {
                Ok(metadata) if metadata.is_dir() => "it is a folder".to_owned(),
                Ok(_) => format!("it is not in {}", printable_path(self.root)),
                Err(error) => reason(&error),
            };
            Failure::of(&printable_path(path), format!("{why}; {option} takes files of the site"))
        })
    }

    /// The number of a path as it is typed, or of its canonical path.
    pub(super) fn number(&self, path: &Path) -> Option<usize> {
        let below = |path: PathBuf| {
            let root = self.root.canonicalize().ok()?;
            self.site.find(&self.root.join(path.strip_prefix(root).ok()?))
        };
        let beside = || {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
            Some(folder.join(path.file_name()?))
        };
        let typed = || self.site.find(path).filter(|_| path.exists());
        // A file of a book.
        let member = || member_path(path).and_then(|_| self.site.find(path));
        typed()
            .or_else(member)
            .or_else(|| below(beside()?))
            .or_else(|| below(path.canonicalize().ok()?))
    }
}

/// The maximum size of a file that an option names.
pub(super) fn max_size(limits: &Limits) -> u64 {
    if limits.input == 0 { LARGEST } else { limits.input as u64 }
}

/// The maximum size of such a file if documents have no limit.
const LARGEST: u64 = 1 << 30;
