//! The ends of a file, by which reports are recognized.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// Bytes read at each end of a file.
const END: u64 = 1 << 16;

/// The first and the last bytes of a file.
pub(crate) fn ends(file: &File) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let mut file = file;
    let (mut first, mut last) = (Vec::new(), Vec::new());
    file.take(END).read_to_end(&mut first)?;
    file.seek(SeekFrom::Start(file.metadata()?.len().saturating_sub(END)))?;
    file.take(END).read_to_end(&mut last)?;
    Ok((first, last))
}
