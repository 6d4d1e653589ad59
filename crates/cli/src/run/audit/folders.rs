//! The folder that is audited, and the one that is served.

use std::io;
use std::path::{Path, PathBuf};

use absolve_archive::Format;
use absolve_site::report::display::printable_path;

use crate::args::AuditArgs;
use crate::session::entry_path::entry_path;
use crate::session::failure::Failure;
use crate::session::inputs::archives_of;
use crate::session::{is_folder_given, not_in_root, refuse_book};

/// The folder that is served, and the one in it that is audited.
pub(super) struct Folders<'a> {
    pub(super) root: &'a Path,
    pub(super) dir: &'a Path,
    /// The path of `dir` in `root`.
    pub(super) below: PathBuf,
}

impl<'a> Folders<'a> {
    pub(super) fn new(args: &'a AuditArgs) -> Result<Self, Failure> {
        let Some(dir) = args.paths.first() else {
            let what = "no folder is given; give that of the built site, or set path in the table \
                        [audit] of absolve.toml";
            return Err(Failure::message(what));
        };
        reject_containers(args, dir)?;
        if let Some(other) = args.paths.get(1) {
            let what = "audit reads one folder, and another is given before it; give one";
            return Err(Failure::of(&printable_path(other), what));
        }
        if !is_folder_given(dir)? {
            refuse_book(dir)?;
        }
        if let Some(base) = &args.serving.base_url {
            let checked = absolve_files::check_folder_url(base);
            checked.map_err(Failure::message)?;
        }
        let root = args.serving.root_dir.as_ref().unwrap_or(dir);
        let (real, above) = (canonical(dir)?, canonical(root)?);
        let below = real
            .strip_prefix(above)
            .map_err(|_| Failure::of(&printable_path(dir), not_in_root(root)))?;
        Ok(Self { root, dir, below: below.to_owned() })
    }
}

/// The path of a folder relative to the nearest folder with `.git` that contains it, else to the
/// current folder; the absolute path if it is not below that.
pub(super) fn in_repository(given: &Path) -> PathBuf {
    let folder = if given.as_os_str().is_empty() { Path::new(".") } else { given };
    let Ok(real) = folder.canonicalize() else { return given.to_owned() };
    let repository = real.ancestors().find(|folder| folder.join(".git").exists());
    let current = || Path::new(".").canonicalize().ok();
    let repository = repository.map(Path::to_owned).or_else(current);
    let below = repository.and_then(|folder| Some(real.strip_prefix(folder).ok()?.to_owned()));
    below.unwrap_or(real)
}

/// Rejects web archives and messages, and names the command that reads them.
fn reject_containers(args: &AuditArgs, dir: &Path) -> Result<(), Failure> {
    let entry = entry_path(dir);
    let file = entry.as_ref().map_or(dir, |(file, _)| file);
    if !file.exists() {
        return Ok(());
    }
    let is_archive = |path: &Path| Format::from_name(path).is_archive();
    let are_archives = || archives_of(&args.paths, &args.pages.globs.globs(), is_archive).is_some();
    let what = if Format::from_name(file).has_parts() && !file.is_dir() {
        format!(
            "it is {}, and audit reads folders; absolve links {} lists its links",
            Format::from_name(file).noun(),
            printable_path(dir)
        )
    } else if entry.is_some() || are_archives() {
        let what = if file.is_dir() { "it has only web archives" } else { "it is a web archive" };
        let others = args.paths.get(1..).unwrap_or_default().iter().map(|path| &**path);
        let names: Vec<_> = [file].into_iter().chain(others).map(printable_path).collect();
        format!(
            "{what}, and audit reads folders; make one with absolve extract {} -o DIR --to \
             relative, and audit that",
            names.join(" ")
        )
    } else {
        return Ok(());
    };
    Err(Failure::of(&printable_path(dir), what))
}

/// The path of an existing folder without symbolic links.
fn canonical(path: &Path) -> Result<PathBuf, Failure> {
    let found = path.canonicalize().and_then(|path| Ok((path.metadata()?, path)));
    let what = match found {
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
    Err(Failure::of(&printable_path(path), what))
}
