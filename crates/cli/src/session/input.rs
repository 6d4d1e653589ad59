//! The one document that a command works on.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use absolve::url::Base;
use absolve::{Limits, Rewriter};
use absolve_archive::{Format, Seekable, Source};
use absolve_files::{Monitor, Monitored, Origins};

use crate::args::InputArgs;
use crate::session::entry_path::{open_stored, stored_path};
use crate::session::failure::Failure;
use crate::session::paths::counted;
use crate::terminal::printable_path;

/// Where a document comes from.
pub enum Input {
    Stdin,
    File(PathBuf),
}

impl Input {
    /// The name for messages.
    pub fn name(&self) -> String {
        printable_path(self.shown())
    }

    /// Its path in messages.
    pub fn shown(&self) -> &Path {
        match self {
            Self::Stdin => Path::new("stdin"),
            Self::File(path) => path,
        }
    }

    /// Its path in results.
    pub fn path(&self) -> &OsStr {
        match self {
            Self::Stdin => OsStr::new("-"),
            Self::File(path) => path.as_os_str(),
        }
    }

    /// The format by its name.
    pub fn format(&self, args: &InputArgs) -> Format {
        match self {
            Self::Stdin => args.file_format.unwrap_or_default(),
            Self::File(path) => args.format_of(path),
        }
    }

    /// The format by its name and content.
    pub fn detect(&self, args: &InputArgs, source: &[u8]) -> Result<Format, absolve::Error> {
        args.detect(Path::new(self.path()), source)
    }

    /// The rewriter for the document.
    pub fn rewriter(
        &self,
        mut rewriter: Rewriter,
        mut origins: Origins,
        args: &InputArgs,
    ) -> Result<Rewriter, Failure> {
        let failed = |error| Failure::of(&self.name(), error);
        let Self::File(path) = self else {
            return origins
                .rewriter_of_stdin(&rewriter)
                .map_err(|why| Failure::of(&self.name(), why));
        };
        let (root, below) = counted(path, args, origins.base())?;
        if args.files.root_dir.is_some() {
            if let Some(base) = origins.base() {
                let url = Base::new(&absolve_files::url_below(base, &below)).map_err(failed)?;
                origins = origins.base_url(url);
            }
            if let Some(raw) = &rewriter.settings().raw_base {
                let raw = absolve_files::url_below(raw, &below);
                rewriter = rewriter.raw_base(&raw).map_err(failed)?;
            }
        }
        let rewriter = origins.rewriter_of_file(&rewriter, path, &root, &below);
        rewriter.map_err(|why| Failure::of(&self.name(), why))
    }

    /// The rewriter for an archive, whose own origin is not that of its pages.
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

    /// Opens it, to be read as a stream that `monitor` may stop.
    pub fn open<'m>(&self, monitor: &'m dyn Monitor) -> Result<Source<'m>, Failure> {
        let Self::File(path) = self else { return Ok(Source::Stream(Box::new(io::stdin()))) };
        if let Some((wacz, name)) = stored_path(path) {
            return open_stored(&wacz, name, monitor);
        }
        let opened = absolve_files::open(path).and_then(|file| {
            let metadata = file.metadata()?;
            match (metadata.is_dir(), metadata.is_file()) {
                (true, _) => Err(io::ErrorKind::IsADirectory.into()),
                (_, true) => Ok(monitored(file, metadata.len(), monitor)),
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

/// A source of so many bytes that `monitor` may stop.
fn monitored<'m>(source: impl Seekable + 'm, size: u64, monitor: &'m dyn Monitor) -> Source<'m> {
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
