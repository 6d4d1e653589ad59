//! What is audited, and the folder that is served.

use std::io;
use std::path::{Path, PathBuf};

use crate::batch;
use crate::batch::Effect;
use crate::container::Format;

use crate::cli::args::{AuditArgs, FixArgs};
use crate::cli::session::archives::archives_of;
use crate::cli::session::book::{is_book, member_path};
use crate::cli::session::entry_path::entry_path;
use crate::cli::session::failure::Failure;
use crate::cli::session::is_folder_given;
use crate::cli::terminal::printable_path;

/// The folder that is served, and the one in it that is audited.
pub struct Folders<'a> {
    pub root: &'a Path,
    pub(super) dir: &'a Path,
    /// The path of `dir` in `root`.
    pub(super) below: PathBuf,
    /// What `dir` is if it is not the folder of a site; `root` is then its parent folder.
    pub(super) container: Option<SiteFile>,
    /// The web archives, of which `dir` is the first or the folder.
    pub(super) archives: Vec<PathBuf>,
}

/// A file that is audited in place of a folder.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SiteFile {
    /// A message or a web archive.
    Container(Format),
    Book,
}

impl<'a> Folders<'a> {
    pub fn new(args: &'a AuditArgs) -> Result<Self, Failure> {
        let Some(dir) = args.paths.first() else {
            let what = "no folder is given; give that of the built site, or set path in the table \
                        [audit] of absolve.toml";
            return Err(Failure::message(what));
        };
        let is_archive = |path: &Path| Format::of_name(path).is_archive();
        if let Some(found) = archives_of(&args.paths, &args.pages.globs.globs(), is_archive) {
            let archives = found.into_iter().map(|archive| archive.path).collect();
            let container = Self::of_container(args, dir, SiteFile::Container(Format::Warc))?;
            return Ok(Self { archives, ..container });
        }
        if let Some(other) = args.paths.get(1) {
            let what = "only web archives can be several inputs; give one folder";
            return Err(Failure::of(&printable_path(other), what));
        }
        if let Some((book, _)) = member_path(dir) {
            let what = format!(
                "audit reads the whole book: give {}, and the file with --report-only",
                printable_path(&book)
            );
            return Err(Failure::of(&printable_path(dir), what));
        }
        if !is_folder_given(dir)? {
            if entry_path(dir).is_some() {
                let what = "audit reads the whole file: give that, and select records of an \
                            archive with --url";
                return Err(Failure::of(&printable_path(dir), what));
            }
            if is_book(dir) {
                return Self::of_container(args, dir, SiteFile::Book);
            }
            let format = Format::of_name(dir);
            if !matches!(format, Format::Html | Format::Xml | Format::Markdown) {
                return Self::of_container(args, dir, SiteFile::Container(format));
            }
        }
        check_records(args)?;
        if let Some(base) = &args.serving.base_url {
            let checked = batch::check_folder_url(base);
            checked.map_err(Failure::message)?;
        }
        let root = args.serving.root_dir.as_ref().unwrap_or(dir);
        let (real, above) = (canonical(dir)?, canonical(root)?);
        let below = real.strip_prefix(above).map_err(|_| {
            let what =
                format!("it is not in --root-dir {}; give a folder above it", printable_path(root));
            Failure::of(&printable_path(dir), what)
        })?;
        Ok(Self { root, dir, below: below.to_owned(), container: None, archives: Vec::new() })
    }

    /// The path of the root in its repository.
    pub fn in_repository(&self) -> PathBuf {
        in_repository(self.root)
    }

    /// Whether they are of a site, not of a message, an archive or a book.
    pub fn are_of_site(&self) -> bool {
        self.container.is_none()
    }

    /// Rejects options of `--fix` that do not count.
    pub fn check_fixing(&self, fixing: &FixArgs) -> Result<(), Failure> {
        if fixing.diff && !fixing.fix {
            return Err(Failure::message("--diff shows what --fix would write; give --fix too"));
        }
        if fixing.fix && self.container.is_some() {
            let what = "it is not a folder; --fix writes the pages of a folder only";
            return Err(Failure::of(&printable_path(self.dir), what));
        }
        Ok(())
    }

    /// A message, a web archive or a book in place of a folder.
    fn of_container(
        args: &'a AuditArgs,
        dir: &'a Path,
        container: SiteFile,
    ) -> Result<Self, Failure> {
        if container != SiteFile::Container(Format::Warc) {
            check_records(args)?;
        }
        let (serving, checks, globs) = (&args.serving, &args.checks, &args.pages.globs);
        // The manifest of a book says which of its files are documents.
        let have = |effect| container == SiteFile::Book && globs.have(effect);
        let of_folders = [
            ("--root-dir", serving.root_dir.is_some()),
            ("--redirects", serving.redirects.is_some()),
            ("--sitemap", checks.sitemap.is_some()),
            ("--include", have(Effect::Include)),
            ("--exclude", have(Effect::Exclude)),
        ];
        if let Some((option, _)) = of_folders.into_iter().find(|(_, is_given)| *is_given) {
            let what = format!("it is not a folder; {option} is for the folder of a site");
            return Err(Failure::of(&printable_path(dir), what));
        }
        let root = dir.parent().unwrap_or(Path::new(""));
        let (below, archives) = (PathBuf::new(), Vec::new());
        Ok(Self { root, dir, below, container: Some(container), archives })
    }
}

/// The path of a folder relative to the nearest folder with `.git` that contains it, else to the
/// current folder; the absolute path if it is not below that.
pub fn in_repository(given: &Path) -> PathBuf {
    let folder = if given.as_os_str().is_empty() { Path::new(".") } else { given };
    let Ok(real) = folder.canonicalize() else { return given.to_owned() };
    let repository = real.ancestors().find(|folder| folder.join(".git").exists());
    let current = || Path::new(".").canonicalize().ok();
    let repository = repository.map(Path::to_owned).or_else(current);
    let below = repository.and_then(|folder| Some(real.strip_prefix(folder).ok()?.to_owned()));
    below.unwrap_or(real)
}

/// Rejects options that select records of web archives.
fn check_records(args: &AuditArgs) -> Result<(), Failure> {
    args.records.for_archives().map_or(Ok(()), |what| Err(Failure::message(what)))
}

/// The path of an existing folder without symbolic links.
fn canonical(path: &Path) -> Result<PathBuf, Failure> {
    let found = path.canonicalize().and_then(|path| Ok((path.metadata()?, path)));
    let what = match found {
        Ok((metadata, path)) if metadata.is_dir() => return Ok(path),
        Ok(_) => {
            "it is not a folder; give the folder of the built site, a message, a web archive or a book, \
                  and --report-only FILE for what is in one page"
                .to_owned()
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            "no such folder; give the folder of the built site".to_owned()
        }
        Err(error) => return Err(Failure::unreadable(&printable_path(path), &error)),
    };
    Err(Failure::of(&printable_path(path), what))
}
