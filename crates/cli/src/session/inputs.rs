//! The inputs of a command: one document, or the documents of folders, lists and archives.

use std::env;
use std::ffi::OsStr;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use absolve::url::Base;
use absolve::{Diagnosis, Limits, Rewriter};
use absolve_archive::{Format, Seekable, Source};
use absolve_files::{
    Globs, ItemKind, Monitor, Monitored, Origins, RootPlace, Skip, Tree, Walk, archives_below,
};

use super::config::ConfigFolder;
use super::failure::{Failure, reason};
use super::paths::{
    canonicalize_or, is_folder, is_folder_given, open_stored, outside_failure, root_failure,
    split_at_archive, split_at_entry, split_at_root, split_folder,
};

use crate::args::InputArgs;
use crate::terminal::printable_path;

/// The source of one document.
pub enum Input {
    Stdin,
    File(PathBuf),
}

impl Input {
    /// Returns the name for messages.
    pub fn name(&self) -> String {
        printable_path(self.shown())
    }

    /// Returns the path for messages.
    pub fn shown(&self) -> &Path {
        match self {
            Self::Stdin => Path::new("stdin"),
            Self::File(path) => path,
        }
    }

    /// Returns the path for results.
    pub fn path(&self) -> &OsStr {
        match self {
            Self::Stdin => OsStr::new("-"),
            Self::File(path) => path.as_os_str(),
        }
    }

    /// Returns the format, from `--as` or the name.
    pub fn format(&self, args: &InputArgs) -> Format {
        match self {
            Self::Stdin => args.file_format.unwrap_or_default(),
            Self::File(path) => args.format_of(path),
        }
    }

    /// Returns the format, from `--as`, or the name and content.
    pub fn detect(&self, args: &InputArgs, source: &[u8]) -> Result<Format, absolve::Error> {
        args.detect(Path::new(self.path()), source)
    }

    /// Returns the rewriter for the document, with its base URL.
    pub fn rewriter(
        &self,
        mut rewriter: Rewriter,
        mut origins: Origins,
        args: &InputArgs,
    ) -> Result<Rewriter, Failure> {
        let failed = |error| Failure::new(&self.name(), error);
        let Self::File(path) = self else {
            return origins
                .rewriter_of_stdin(&rewriter)
                .map_err(|why| Failure::new(&self.name(), why));
        };
        let (root, inside) = split_at_root(path, args, origins.base())?;
        if args.files.root_dir.is_some() {
            if let Some(base) = origins.base() {
                let url = Base::new(&absolve_files::url_below(base, &inside)).map_err(failed)?;
                origins = origins.base_url(url);
            }
            if let Some(raw) = &rewriter.settings().raw_base {
                let raw = absolve_files::url_below(raw, &inside);
                rewriter = rewriter.raw_base(&raw).map_err(failed)?;
            }
        }
        let rewriter = origins.rewriter_of_file(&rewriter, path, &root, &inside);
        rewriter.map_err(|why| Failure::new(&self.name(), why))
    }

    /// Returns the rewriter for the pages of an archive. A URL recorded for the archive is ignored.
    pub fn rewriter_of_archive(rewriter: Rewriter, origins: &Origins) -> Rewriter {
        match origins.base().map(|base| rewriter.clone().base_url(base.as_str())) {
            Some(Ok(with_base)) => with_base,
            // The base URL was checked when it was parsed.
            _ => rewriter,
        }
    }

    /// Reads the document.
    pub fn read(&self, limits: &Limits) -> Result<Vec<u8>, Failure> {
        match self {
            Self::Stdin => {
                read_stdin(limits).map_err(|error| Failure::unreadable(&self.name(), &error))
            }
            Self::File(path) => absolve_files::read(path, limits)
                .map_err(|error| Failure::unreadable_file(path, error)),
        }
    }

    /// Opens the input as a stream that `monitor` may stop.
    pub fn open<'m>(&self, monitor: &'m dyn Monitor) -> Result<Source<'m>, Failure> {
        let Self::File(path) = self else { return Ok(Source::Stream(Box::new(io::stdin()))) };
        if let Some((wacz, name)) = split_at_archive(path) {
            return open_stored(&wacz, name, monitor);
        }
        let opened = absolve_files::open(path).and_then(|file| {
            let metadata = file.metadata()?;
            match (metadata.is_dir(), metadata.is_file()) {
                (true, _) => Err(io::ErrorKind::IsADirectory.into()),
                (_, true) => Ok(with_monitor(file, metadata.len(), monitor)),
                _ => Ok(Source::Stream(Box::new(file))),
            }
        });
        opened.map_err(|error| Failure::unreadable_file(path, error))
    }

    /// Whether `path` names the same file.
    pub fn is_same_file(&self, path: &Path) -> bool {
        match self {
            Self::Stdin => false,
            Self::File(input) => absolve_files::is_same_file(input, path),
        }
    }
}

/// Wraps a source of `size` bytes in one that `monitor` may stop.
fn with_monitor<'m>(source: impl Seekable + 'm, size: u64, monitor: &'m dyn Monitor) -> Source<'m> {
    Source::Seekable(Box::new(Monitored::new(source, size, monitor)))
}

/// Reads stdin. If it is a file, its size is checked first.
#[cfg(unix)]
fn read_stdin(limits: &Limits) -> io::Result<Vec<u8>> {
    use std::os::fd::AsFd;
    let file = io::stdin().as_fd().try_clone_to_owned()?;
    absolve_files::read_opened(file.into(), limits)
}

#[cfg(not(unix))]
fn read_stdin(limits: &Limits) -> io::Result<Vec<u8>> {
    absolve_files::read_from(io::stdin().lock(), limits)
}

/// The inputs that the paths of a command select.
pub enum Inputs {
    /// A single document.
    One(Input),
    /// Several web archives, or the archives of folders.
    Archives(Vec<PathBuf>),
    /// A folder, or several paths.
    Many(Paths),
}

/// A folder, or several paths.
pub struct Paths {
    given: Vec<PathBuf>,
    root: PathRoot,
}

/// The folder that the paths of documents are relative to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PathRoot {
    /// The only folder, or the folder of the only file.
    Itself,
    /// The root folder. In the output, only the last name of a given file or folder remains.
    Root,
    /// The root folder, also for the paths in the output.
    RootInOutput,
}

impl Inputs {
    /// Finds the inputs, and checks the base URL. `list_folder` restricts the paths of a list that
    /// a configuration found on disk names.
    pub fn new(
        args: &InputArgs,
        base: Option<&Base>,
        list_folder: Option<&ConfigFolder>,
    ) -> Result<Self, Failure> {
        let inputs = Self::from_args(args, list_folder)?;
        if let Some(base) = base {
            inputs.check_base(args, base)?;
        }
        Ok(inputs)
    }

    fn from_args(args: &InputArgs, list_folder: Option<&ConfigFolder>) -> Result<Self, Failure> {
        if let Some(list) = &args.files.files_from {
            let paths = read_list(list)?;
            if let Some(folder) = list_folder {
                check_list(list, &paths, folder)?;
            }
            return Ok(Self::Many(Paths { given: paths, root: PathRoot::RootInOutput }));
        }
        let is_stdin = |path: &PathBuf| path == Path::new("-");
        match &args.paths[..] {
            [] if io::stdin().is_terminal() => Err(Failure::message(
                "no PATH was given, and stdin is a terminal; give paths, or - to read stdin",
            )),
            [] => Ok(Self::One(Input::Stdin)),
            [path] if is_stdin(path) => Ok(Self::One(Input::Stdin)),
            [path] if !is_folder_given(path)? => {
                let checked = args.check_given_file(path);
                checked.map_err(|error| Failure::new(&printable_path(path), error))?;
                Ok(Self::One(Input::File(path.clone())))
            }
            paths if paths.iter().any(is_stdin) => {
                Err(Failure::message("stdin (-) cannot be one of several, give it alone"))
            }
            paths => {
                if let Some(path) = paths.iter().find(|path| is_in_container(path)) {
                    return Err(Failure::new(&printable_path(path), ENTRY_AMONG_SEVERAL));
                }
                let is_archive = |path: &Path| args.is_archive(path);
                if let Some(archives) = list_archives(paths, &args.globs(), is_archive) {
                    return Ok(Self::Archives(archives));
                }
                let is_one = paths.len() == 1 && args.files.root_dir.is_none();
                let root = if is_one { PathRoot::Itself } else { PathRoot::Root };
                Ok(Self::Many(Paths { given: paths.to_vec(), root }))
            }
        }
    }

    /// Rejects a base URL whose meaning would change if a pattern of the shell matched one more
    /// file, and a base URL that is not the URL of a folder, where a folder is needed.
    fn check_base(&self, args: &InputArgs, base: &Base) -> Result<(), Failure> {
        let root_dir = &args.files.root_dir;
        let is_of_folder = match self {
            Self::One(Input::File(path)) if root_dir.is_some() && !args.is_archive(path) => true,
            Self::One(input) if root_dir.is_some() => {
                let problem = "{root-dir} is not for stdin and web archives, whose {base-url} is \
                               their own; leave it out";
                return Err(Failure::new(&input.name(), Diagnosis::from_words(problem, &[])));
            }
            Self::One(_) | Self::Archives(_) => false,
            Self::Many(Paths { root: PathRoot::Itself, .. }) => true,
            Self::Many(_) if root_dir.is_some() => true,
            Self::Many(paths) => {
                let inputs = match paths.root {
                    PathRoot::RootInOutput => "a list of files",
                    _ => "several paths",
                };
                return Err(Diagnosis::from_words(BASE_OF_SEVERAL, &[&inputs]).into());
            }
        };
        match absolve_files::check_folder_url(base) {
            Err(error) if is_of_folder => Err(Failure::message(error)),
            _ => Ok(()),
        }
    }
}

/// The problem of a position in a container among several paths.
const ENTRY_AMONG_SEVERAL: &str =
    "a position in a container cannot be one of several inputs; give one at a time";

/// Whether a path names a document or an archive in a container.
fn is_in_container(path: &Path) -> bool {
    split_at_entry(path).is_some() || split_at_archive(path).is_some()
}

/// The problem of several paths with a single base URL.
const BASE_OF_SEVERAL: &str = "{base-url} with {} needs {root-dir} DIR, the folder that it is the \
    URL of ({root-dir .} is the current one); or give a URL for each file with {base-map}, or one \
    path at a time";

impl Paths {
    /// Treats a single file like several.
    pub fn from_file(path: PathBuf, args: &InputArgs) -> Self {
        let has_root = args.files.root_dir.is_some();
        let root = if has_root { PathRoot::Root } else { PathRoot::Itself };
        Self { given: vec![path], root }
    }

    /// Finds the files by a walk; the arguments decide whether it follows symbolic links.
    pub fn walk(&self, args: &InputArgs, walk: Walk, base: Option<&Base>) -> Result<Tree, Failure> {
        let files = &args.files;
        let root = match &files.root_dir {
            Some(root) => root.canonicalize(),
            None => env::current_dir().and_then(|current| current.canonicalize()),
        };
        let root = root.map_err(|error| root_failure(files, &error))?;
        let mut walk = walk.symlinks(files.symlinks());
        for path in &self.given {
            let root_place = match self.locate(path, &root, base) {
                Ok(root_place) => root_place,
                Err(error) => {
                    walk.add_failure(path, absolve_files::Failure::read(&error));
                    continue;
                }
            };
            if let Err(error) = args.check_given_file(path) {
                walk.add_failure(path, error.into());
                continue;
            }
            let root_place = root_place.ok_or_else(|| outside_failure(path, files))?;
            walk.add(path, root_place);
        }
        let tree = walk.finish();
        if files.allow_empty || tree.items().iter().any(|item| is_found(item.kind())) {
            return Ok(tree);
        }
        let problem =
            "no documents found; select files with {include}, or allow this with {allow-empty}";
        let problem = Diagnosis::from_words(problem, &[]);
        Err(match &self.given[..] {
            [path] => Failure::new(&printable_path(path), problem),
            _ => problem.into(),
        })
    }

    /// Locates a path in the root. Returns `None` if the path must be inside the root and is not.
    fn locate(
        &self,
        path: &Path,
        root: &Path,
        base: Option<&Base>,
    ) -> io::Result<Option<RootPlace>> {
        let is_folder = is_folder(path)?;
        if self.root == PathRoot::Itself {
            let below_base = is_folder.then(PathBuf::new);
            let (counted_from, below_counted) = if is_folder {
                (canonicalize_or(path, Path::new(""))?, PathBuf::new())
            } else {
                split_folder(path, root)?
            };
            return Ok(Some(RootPlace {
                below_base,
                below_counted,
                counted_from,
                ..Default::default()
            }));
        }
        // The given folder, or the folder of the given file.
        let folder = if is_folder { path } else { path.parent().unwrap_or(Path::new("")) };
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let real = canonicalize_or(folder, root)?;
        let inside = real.strip_prefix(root).ok().map(Path::to_owned);
        let must_be_inside = base.is_some() || self.root == PathRoot::RootInOutput;
        if inside.is_none() && must_be_inside {
            return Ok(None);
        }
        let output = match (self.root, &inside) {
            (PathRoot::RootInOutput, Some(inside)) => inside.clone(),
            _ if is_folder && self.given.len() > 1 => {
                real.file_name().map_or_else(PathBuf::new, PathBuf::from)
            }
            _ => PathBuf::new(),
        };
        let counted_from = if inside.is_some() { root.to_owned() } else { real };
        let below_base = Some(inside.unwrap_or_default());
        Ok(Some(RootPlace { output, below_base, counted_from, ..RootPlace::default() }))
    }
}

/// Lists the web archives of paths that are archives or folders of archives, in order; `None` if
/// there are other documents.
pub fn list_archives(
    paths: &[PathBuf],
    globs: &Globs,
    is_archive: impl Fn(&Path) -> bool,
) -> Option<Vec<PathBuf>> {
    let mut archives = Vec::new();
    for path in paths {
        if !path.is_dir() {
            archives.push(is_archive(path).then(|| path.clone())?);
            continue;
        }
        let is_document = |file: &Path| globs.is_document(file.strip_prefix(path).unwrap_or(file));
        // The walk of the documents reports an unreadable folder.
        let inside = archives_below(path, Format::is_archive, is_document).ok()?;
        if inside.is_empty() {
            return None;
        }
        archives.extend(inside);
    }
    Some(archives)
}

/// Rejects paths that may not be in a list which a configuration found on disk names.
fn check_list(list: &Path, paths: &[PathBuf], folder: &ConfigFolder) -> Result<(), Failure> {
    for path in paths {
        folder.check_listed(path).map_err(|why| {
            let list = printable_path(list);
            let problem = format!("{why}, and is in the list {list}; give --files-from {list}");
            Failure::new(&printable_path(path), problem)
        })?;
    }
    Ok(())
}

/// Whether an item is a document, even one that cannot be read.
fn is_found(kind: &ItemKind) -> bool {
    !matches!(kind, ItemKind::Other | ItemKind::Link | ItemKind::Skipped(Skip::Special))
}

/// Reads a list of paths, one per line. If the list has a NUL, which no path has, NULs end the
/// paths.
pub fn read_list(list: &Path) -> Result<Vec<PathBuf>, Failure> {
    let read = if list == Path::new("-") {
        absolve_files::read_list(io::stdin().lock())
    } else {
        absolve_files::open_list(list).and_then(absolve_files::read_list)
    };
    let bytes = read.map_err(|error| {
        let problem = format!("cannot read the list of files: {}", reason(&error));
        Failure::new(&printable_path(list), problem)
    })?;
    let end = if bytes.contains(&0) { 0 } else { b'\n' };
    let lines = bytes.split(|&byte| byte == end);
    let lines = lines
        .map(|line| if end == b'\n' { line.strip_suffix(b"\r").unwrap_or(line) } else { line });
    lines.filter(|line| !line.is_empty()).map(parse_path).collect()
}

fn parse_path(bytes: &[u8]) -> Result<PathBuf, Failure> {
    let path = absolve_files::path_of(bytes).map(absolve_files::with_slashes);
    path.ok_or_else(|| Failure::message("the list of files is not UTF-8"))
}
