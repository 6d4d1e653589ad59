//! Names of open descriptors, such as `/dev/stdout` and `/proc/self/fd/3`.
//!
//! A descriptor may be open on a file, and its name is a link to that file. A shell's `>> FILE`
//! appends, so output to such a name is written through the open descriptor: a file renamed over
//! FILE would drop the contents of FILE.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Maximum of symbolic links in a path, as on Linux.
const MOST_LINKS: usize = 40;

/// The target of a chain of symbolic links.
pub(super) enum LinkTarget {
    /// An open descriptor.
    Descriptor(Descriptor),
    /// A file, which may not exist yet.
    File(PathBuf),
}

/// An open descriptor.
pub(super) struct Descriptor {
    path: PathBuf,
    /// Its number, if it belongs to this process.
    number: Option<u32>,
}

/// Whether a path names the descriptor that is stdout, such as `/dev/stdout`, `/dev/fd/1` and
/// a symbolic link to one of them; `false` where it cannot be followed.
#[must_use]
pub fn is_stdout(path: &Path) -> bool {
    matches!(follow(path), Ok(LinkTarget::Descriptor(Descriptor { number: Some(1), .. })))
}

/// Whether a path names an open descriptor; `false` where it cannot be followed.
#[must_use]
pub fn is_descriptor(path: &Path) -> bool {
    matches!(follow(path), Ok(LinkTarget::Descriptor(_)))
}

/// Follows the symbolic links that a path names, one by one, up to a descriptor.
pub(super) fn follow(path: &Path) -> io::Result<LinkTarget> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        if let Some(descriptor) = Descriptor::named(&path)? {
            return Ok(LinkTarget::Descriptor(descriptor));
        }
        match path.symlink_metadata() {
            Ok(metadata) if metadata.is_symlink() => {
                let link = fs::read_link(&path)?;
                path = path.parent().unwrap_or(Path::new("")).join(link);
            }
            Ok(_) => return Ok(LinkTarget::File(path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(LinkTarget::File(path));
            }
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("too many levels of symbolic links"))
}

impl Descriptor {
    /// The descriptor that a path names itself, without following it.
    fn named(path: &Path) -> io::Result<Option<Self>> {
        let Some(number) = path.file_name().and_then(number) else { return Ok(None) };
        let folder = match super::folder::parent(path).canonicalize() {
            Ok(folder) => folder,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let is = |own: &str| fs::canonicalize(own).is_ok_and(|own| own == folder);
        let is_own = is("/dev/fd") || is("/proc/thread-self/fd");
        if !is_own && !is_of_process(&folder) {
            return Ok(None);
        }
        Ok(Some(Self { path: path.to_owned(), number: is_own.then_some(number) }))
    }

    /// The file to write to: stdin, stdout and stderr as they are open, at the position shared
    /// with other programs; other descriptors are opened again, a regular file at its end.
    pub(super) fn open(&self) -> io::Result<File> {
        #[cfg(unix)]
        {
            use std::os::fd::AsFd;
            let standard = match self.number {
                Some(0) => Some(io::stdin().as_fd().try_clone_to_owned()?),
                Some(1) => Some(io::stdout().as_fd().try_clone_to_owned()?),
                Some(2) => Some(io::stderr().as_fd().try_clone_to_owned()?),
                _ => None,
            };
            if let Some(standard) = standard {
                return Ok(File::from(standard));
            }
        }
        let mut options = fs::OpenOptions::new();
        if fs::metadata(&self.path)?.is_file() {
            options.append(true);
        } else {
            options.write(true);
        }
        options.open(&self.path)
    }
}

/// Whether a folder lists the open descriptors of a process, as Linux names it.
fn is_of_process(folder: &Path) -> bool {
    let names: Vec<_> = folder.iter().skip(1).take(6).collect();
    match &names[..] {
        [proc, process, fd] => *proc == "proc" && *fd == "fd" && number(process).is_some(),
        [proc, process, task, thread, fd] => {
            let is_thread = *task == "task" && number(thread).is_some();
            *proc == "proc" && *fd == "fd" && number(process).is_some() && is_thread
        }
        _ => false,
    }
}

fn number(name: &OsStr) -> Option<u32> {
    let name = name.to_str()?;
    name.bytes().all(|byte| byte.is_ascii_digit()).then(|| name.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folders_of_descriptors_are_known() {
        for folder in ["/proc/12/fd", "/proc/12/task/34/fd"] {
            assert!(is_of_process(Path::new(folder)), "{folder}");
        }
        for folder in ["/proc/12", "/proc/self/fd", "/proc/1/fd/x", "/proc/1/task/fd", "/a/1/fd"] {
            assert!(!is_of_process(Path::new(folder)), "{folder}");
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn stdout_is_known_by_all_of_its_names() {
        let folder = tempfile::tempdir().unwrap();
        let (link, other) = (folder.path().join("link"), folder.path().join("1"));
        std::os::unix::fs::symlink("/dev/stdout", &link).unwrap();
        fs::write(&other, "").unwrap();
        let own = fs::canonicalize("/proc/self").unwrap().join("fd/1");
        let own = own.to_str().unwrap();
        let names = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "/proc/thread-self/fd/1", own];
        for name in names.into_iter().map(Path::new).chain([&*link]) {
            assert!(is_stdout(name), "{}", name.display());
        }
        for name in ["/dev/stderr", "/dev/fd/2", "/dev/fd/1/x", "/dev/fd", "-", "1", ""] {
            assert!(!is_stdout(Path::new(name)), "{name}");
        }
        assert!(!is_stdout(&other) && !is_descriptor(&other));
        assert!(is_descriptor(Path::new("/dev/fd/2")) && is_descriptor(Path::new("/proc/1/fd/1")));
    }
}
