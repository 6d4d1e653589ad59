//! Accesses a folder on Windows by its path, with the functions of `unix`, but without modes and
//! without the effects that need a Unix system call.
//!
//! An open folder and its parents can be neither renamed nor removed, so its path stays valid. The
//! path is the canonical one, with `\\?\`: it may be long, and no name in it has a special meaning.

#![expect(
    clippy::unnecessary_wraps,
    clippy::unused_self,
    reason = "the signatures are those of Unix, where more can be done"
)]

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::windows::fs::{FileTypeExt, OpenOptionsExt, symlink_dir, symlink_file};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::{Identity, Rename};

// Constants of
// [CreateFile](https://learn.microsoft.com/en-us/windows/win32/api/fileapi/nf-fileapi-createfilew).
const FILE_ADD_FILE: u32 = 2;
const FILE_SHARE_READ: u32 = 1;
const FILE_SHARE_WRITE: u32 = 2;
const FILE_FLAG_BACKUP_SEMANTICS: u32 = 0x0200_0000;
const FILE_FLAG_OPEN_REPARSE_POINT: u32 = 0x0020_0000;

/// Opens a folder or another entry itself, not the target of a symbolic link.
const ITSELF_FLAGS: u32 = FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT;

/// An open folder.
#[derive(Debug)]
pub(in super::super) struct Folder {
    path: PathBuf,
    dir: File,
}

impl Folder {
    pub(super) fn open_path(path: &Path) -> io::Result<Self> {
        let path = path.canonicalize()?;
        let opened = Self::open_itself(path)?;
        // Before the folder was open, another program could put a link into its path.
        if opened.path.canonicalize()? != opened.path {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(opened)
    }

    fn open_itself(path: PathBuf) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).share_mode(FILE_SHARE_READ | FILE_SHARE_WRITE);
        let dir = options.custom_flags(ITSELF_FLAGS).open(&path)?;
        if !dir.metadata()?.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Self { path, dir })
    }

    /// Returns the path of a name in it. A name may end with a colon and the name of a stream.
    fn join(&self, name: &OsStr) -> io::Result<PathBuf> {
        let bytes = name.as_encoded_bytes();
        let is_other = |byte: &u8| matches!(byte, b'/' | b'\\' | 0);
        if matches!(bytes, b"" | b"." | b"..") || bytes.iter().any(is_other) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        // `Path::join` would take a name such as `c:d` for a path with a drive.
        Ok([self.path.as_os_str(), r"\".as_ref(), name].into_iter().collect::<OsString>().into())
    }

    pub(super) fn enter_name(&self, name: &OsStr) -> io::Result<Self> {
        if name == "." {
            return Ok(Self { path: self.path.clone(), dir: self.dir.try_clone()? });
        }
        Self::open_itself(self.join(name)?)
    }

    pub(in super::super) fn read(&self, name: &OsStr) -> io::Result<File> {
        let mut options = OpenOptions::new();
        let file = options.read(true).custom_flags(ITSELF_FLAGS).open(self.join(name)?)?;
        if file.metadata()?.is_symlink() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        Ok(file)
    }

    pub(in super::super) fn create(&self, name: &OsStr, _: u32) -> io::Result<File> {
        File::create_new(self.join(name)?)
    }

    pub(in super::super) fn create_folder(&self, name: &OsStr, _: u32) -> io::Result<()> {
        fs::create_dir(self.join(name)?)
    }

    pub(in super::super) fn identity(&self, name: &OsStr) -> io::Result<Identity> {
        let file =
            OpenOptions::new().access_mode(0).custom_flags(ITSELF_FLAGS).open(self.join(name)?)?;
        Identity::from_file(&file, &file.metadata()?)
    }

    pub(in super::super) fn own_identity(&self) -> io::Result<Identity> {
        Identity::from_file(&self.dir, &self.dir.metadata()?)
    }

    pub(super) fn move_to(&self, from: &OsStr, to: &Self, name: &OsStr) -> io::Result<()> {
        fs::rename(self.join(from)?, to.join(name)?)
    }

    pub(super) fn try_rename(&self, _: Rename, _: &OsStr, _: &Self, _: &OsStr) -> io::Result<bool> {
        Ok(false)
    }

    pub(in super::super) fn link(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        fs::hard_link(self.join(from)?, self.join(to)?)
    }

    pub(in super::super) fn check_replaceable(&self, _: &OsStr) -> io::Result<()> {
        Ok(())
    }

    pub(in super::super) fn remove_all(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_dir_all(self.join(name)?)
    }

    pub(in super::super) fn remove_empty(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_dir(self.join(name)?)
    }

    pub(in super::super) fn remove(&self, name: &OsStr) -> io::Result<()> {
        let path = self.join(name)?;
        let is_link = fs::symlink_metadata(&path)?.file_type().is_symlink_dir();
        if is_link { fs::remove_dir(path) } else { fs::remove_file(path) }
    }

    /// Returns the folder as a file that locks it while it is open: another process cannot open it
    /// with write access, which this call requests.
    pub(in super::super) fn as_file(&self) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.access_mode(FILE_ADD_FILE).share_mode(FILE_SHARE_READ);
        options.custom_flags(ITSELF_FLAGS).open(&self.path)
    }

    pub(in super::super) fn read_link(&self, name: &OsStr) -> io::Result<PathBuf> {
        fs::read_link(self.join(name)?)
    }

    pub(in super::super) fn make_link(&self, to: &Path, name: &OsStr) -> io::Result<()> {
        let is_folder = self.path.join(to).is_dir();
        if is_folder {
            symlink_dir(to, self.join(name)?)
        } else {
            symlink_file(to, self.join(name)?)
        }
    }

    pub(in super::super) fn names(&self) -> io::Result<Vec<OsString>> {
        fs::read_dir(&self.path)?.map(|entry| Ok(entry?.file_name())).collect()
    }

    pub(in super::super) fn narrow_mode(&self, _: u32) -> io::Result<()> {
        Ok(())
    }

    pub(in super::super) fn check_writable(&self) -> io::Result<()> {
        Ok(())
    }
}

impl Identity {
    /// Returns the version of an open file that has this metadata, which lacks the file's numbers.
    pub(in super::super) fn from_file(file: &File, metadata: &Metadata) -> io::Result<Self> {
        let information = winapi_util::file::information(file)?;
        let numbers = (information.volume_serial_number(), information.file_index());
        Ok(Self { file: numbers, names: information.number_of_links(), ..Self::from(metadata) })
    }
}

impl From<&Metadata> for Identity {
    /// Leaves the file's numbers at 0, since the metadata of Windows lacks them.
    fn from(metadata: &Metadata) -> Self {
        let modified = metadata.modified().map_or(0, nanos);
        Self {
            file: (0, 0),
            is_file: metadata.is_file(),
            is_folder: metadata.is_dir(),
            names: 1,
            size: metadata.len(),
            modified,
            access: (if metadata.permissions().readonly() { 0o555 } else { 0o777 }, 0, 0),
            changed: modified,
        }
    }
}

/// Returns a time in nanoseconds since 1970.
fn nanos(time: SystemTime) -> i128 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => since.as_nanos().cast_signed(),
        Err(before) => -before.duration().as_nanos().cast_signed(),
    }
}
