//! Archives that are made for a test.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}
