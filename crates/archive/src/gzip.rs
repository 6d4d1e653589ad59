//! Files that gzip packed.

use std::io::Read;

use flate2::bufread::MultiGzDecoder;

/// The unpacked bytes, at most `most`; `None` if a file is not packed.
///
/// # Errors
///
/// If there are more bytes, or the file is damaged.
pub fn gunzip(bytes: &[u8], most: usize) -> Result<Option<Vec<u8>>, String> {
    if !bytes.starts_with(b"\x1f\x8b") {
        return Ok(None);
    }
    let mut unpacked = Vec::new();
    let read = MultiGzDecoder::new(bytes).take(most as u64 + 1).read_to_end(&mut unpacked);
    match read {
        _ if unpacked.len() > most => Err(format!("it is unpacked larger than {most} bytes")),
        Err(error) => Err(format!("it cannot be unpacked: {error}")),
        Ok(_) => Ok(Some(unpacked)),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    #[test]
    fn a_packed_file_is_unpacked_within_its_limit() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(b"abc").unwrap();
        let packed = encoder.finish().unwrap();
        assert_eq!(gunzip(&packed, 3), Ok(Some(b"abc".to_vec())));
        assert_eq!(gunzip(&packed, 2), Err("it is unpacked larger than 2 bytes".to_owned()));
        assert!(gunzip(&packed[..12], 3).unwrap_err().starts_with("it cannot be unpacked: "));
        assert_eq!(gunzip(b"abc", 3), Ok(None));
    }
}
