//! The one document that a command works on.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use absolve::batch::{self, Origins};
use absolve::container::{ByteRange, Format};
use absolve::url::Base;
use absolve::{Limits, Rewriter};

use crate::args::InputArgs;
use crate::session::failure::Failure;
use crate::session::paths::counted;
use crate::session::stored::{open_stored, stored_path};
use crate::terminal::printable_path;

/// Where a document comes from.
pub(crate) enum Input {
    Stdin,
    File(PathBuf),
}

/// A file that is read as a stream.
pub(crate) enum Stream {
    /// A regular file of so many bytes.
    File(File, u64),
    /// An archive of so many bytes in a WACZ archive.
    Stored(ByteRange<File>, u64),
    /// A pipe, a device.
    Other(Box<dyn Read + Send>),
}

impl Input {
    /// The name for messages.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Stdin => "stdin".to_owned(),
            Self::File(path) => printable_path(path),
        }
    }

    /// Its path in results.
    pub(crate) fn path(&self) -> &OsStr {
        match self {
            Self::Stdin => OsStr::new("-"),
            Self::File(path) => path.as_os_str(),
        }
    }

    /// The format by its name.
    pub(crate) fn format(&self, args: &InputArgs) -> Format {
        match self {
            Self::Stdin => args.file_format.unwrap_or(Format::Html),
            Self::File(path) => args.format_of(path),
        }
    }

    /// Whether it is a WACZ archive by its name.
    pub(crate) fn is_wacz(&self, args: &InputArgs) -> bool {
        matches!(self, Self::File(path) if args.is_wacz(path))
    }

    /// The format by its name and content.
    pub(crate) fn detect(&self, args: &InputArgs, source: &[u8]) -> Result<Format, absolve::Error> {
        args.detect(Path::new(self.path()), source)
    }

    /// The rewriter for the document.
    pub(crate) fn rewriter(
        &self,
        rewriter: &Rewriter,
        origins: Origins,
        args: &InputArgs,
    ) -> Result<Rewriter, Failure> {
        let rewriter = match self {
            Self::Stdin => origins.rewriter_of_stdin(rewriter),
            Self::File(path) => {
                let (root, below) = counted(path, args, origins.base())?;
                let origins = match (&args.files.root_dir, origins.base()) {
                    (Some(_), Some(base)) => {
                        let url = Base::new(&batch::url_below(base, &below));
                        let url = url.map_err(|error| Failure::of(&self.name(), error))?;
                        origins.base_url(url)
                    }
                    _ => origins,
                };
                origins.rewriter_of_file(rewriter, path, &root, &below)
            }
        };
        rewriter.map_err(|why| Failure::of(&self.name(), why))
    }

    /// The rewriter for an archive, whose own origin is not that of its pages.
    pub(crate) fn rewriter_of_archive(rewriter: Rewriter, origins: &Origins) -> Rewriter {
        match origins.base().map(|base| rewriter.clone().base_url(base.as_str())) {
            Some(Ok(with_base)) => with_base,
            // The base URL was checked when it was parsed.
            _ => rewriter,
        }
    }

    /// Reads the document.
    pub(crate) fn read(&self, limits: &Limits) -> Result<Vec<u8>, Failure> {
        let source = match self {
            Self::Stdin => read_stdin(limits),
            Self::File(path) => batch::read(path, limits),
        };
        source.map_err(|error| Failure::unreadable(&self.name(), &error))
    }

    /// Opens it, to be read as a stream.
    pub(crate) fn open(&self) -> Result<Stream, Failure> {
        let opened = match self {
            Self::Stdin => return Ok(Stream::Other(Box::new(io::stdin()))),
            Self::File(path) => match stored_path(path) {
                Some((wacz, name)) => {
                    let (archive, size) = open_stored(&wacz, name)?;
                    return Ok(Stream::Stored(archive, size));
                }
                None => batch::open(path),
            },
        };
        let opened = opened.and_then(|file| {
            let metadata = file.metadata()?;
            match (metadata.is_dir(), metadata.is_file()) {
                (true, _) => Err(io::ErrorKind::IsADirectory.into()),
                (_, true) => Ok(Stream::File(file, metadata.len())),
                _ => Ok(Stream::Other(Box::new(file))),
            }
        });
        opened.map_err(|error| Failure::unreadable(&self.name(), &error))
    }

    /// Whether `path` names the same file.
    pub(crate) fn is_same_file(&self, path: &Path) -> bool {
        match self {
            Self::Stdin => false,
            Self::File(input) => batch::is_same_file(input, path),
        }
    }
}

/// Reads stdin. If it is a file, its size is checked first.
#[cfg(unix)]
fn read_stdin(limits: &Limits) -> io::Result<Vec<u8>> {
    use std::os::fd::AsFd;
    let file = io::stdin().as_fd().try_clone_to_owned()?;
    batch::read_opened(File::from(file), limits)
}

#[cfg(not(unix))]
fn read_stdin(limits: &Limits) -> io::Result<Vec<u8>> {
    batch::read_from(io::stdin().lock(), limits)
}
