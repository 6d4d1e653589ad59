//! Reads files that are not documents, with limits on their size.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::read::open;

/// Maximum bytes of a list.
const LIST: u64 = 1 << 30;
/// Maximum bytes of a line of a list: longer than any path and any URL in use.
const LINE: usize = 64 * 1024;

/// Opens a list of files, for [`read_list`].
///
/// # Errors
///
/// If it cannot be opened, or is a file of more than 1 GiB.
pub fn open_list(path: &Path) -> io::Result<File> {
    let file = open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_file() && metadata.len() > LIST {
        return Err(list_too_large());
    }
    Ok(file)
}

/// Reads a list whose lines end with a newline or NUL.
///
/// # Errors
///
/// If it cannot be read. If it has more than 1 GiB, or a line of it has more than 64 KiB, the
/// rest is not read, and the error is of the kind [`io::ErrorKind::FileTooLarge`].
pub fn read_list(mut list: impl Read) -> io::Result<Vec<u8>> {
    let (mut bytes, mut line, mut number) = (Vec::new(), 0, 1_u64);
    loop {
        let from = bytes.len();
        if list.by_ref().take(LINE as u64).read_to_end(&mut bytes)? == 0 {
            return Ok(bytes);
        }
        if bytes.len() as u64 > LIST {
            return Err(list_too_large());
        }
        for &byte in &bytes[from..] {
            if matches!(byte, b'\n' | 0) {
                (line, number) = (0, number + 1);
            } else {
                line += 1;
            }
            if line > LINE {
                let what = "exceeds 64 KiB, more than any path and URL have";
                return Err(too_large(format!("line {number} {what}; give another list")));
            }
        }
    }
}

/// Reads a file of at most so many bytes.
///
/// # Errors
///
/// If it cannot be opened or read. If it has more bytes, the error is of the kind
/// [`io::ErrorKind::FileTooLarge`]; a regular file is not read then.
pub fn read_file(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let metadata = file.metadata()?;
    let exceeds = || too_large(format!("it exceeds {most} bytes"));
    if metadata.is_file() && metadata.len() > most {
        return Err(exceeds());
    }
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(exceeds()) } else { Ok(bytes) }
}

fn list_too_large() -> io::Error {
    too_large("it exceeds 1 GiB; split it".to_owned())
}

fn too_large(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_a_limit() {
        let line = "x".repeat(LINE);
        let list = format!("a\n{line}\nb");
        assert_eq!(read_list(list.as_bytes()).unwrap(), list.as_bytes());
        let error = read_list(format!("a\n{line}x").as_bytes()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        assert!(error.to_string().starts_with("line 2 exceeds 64 KiB"), "{error}");
        // One that never ends is not read to its end.
        let error = read_list(io::repeat(b'x')).unwrap_err();
        assert!(error.to_string().starts_with("line 1 exceeds 64 KiB"), "{error}");
    }

    #[test]
    fn a_file_is_refused_by_its_size() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sparse");
        File::create(&path).unwrap().set_len(LIST + 1).unwrap();
        let error = open_list(&path).unwrap_err();
        assert_eq!(error.to_string(), "it exceeds 1 GiB; split it");
        let error = read_file(&path, LIST).unwrap_err();
        assert_eq!(error.to_string(), "it exceeds 1073741824 bytes");
        File::options().write(true).open(&path).unwrap().set_len(3).unwrap();
        assert_eq!(read_file(&path, 3).unwrap(), [0; 3]);
        assert_eq!(read_file(&path, 2).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    }
}
