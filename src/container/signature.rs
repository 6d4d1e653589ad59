//! Detects the type of a file by its first bytes and its extension, so that no image and no
//! archive is read as HTML.
//!
//! Only signatures that no text begins with count. Bytes such as NUL are no evidence: real HTML
//! contains them, and UTF-16 is full of them.

use std::path::Path;

use super::format::{Format, has_end};
use crate::error::Error;

/// Bytes at an offset.
type Bytes = (usize, &'static [u8]);

/// A signature, the type of the file, and the advice.
type Row = (&'static [Bytes], &'static str, Advice);

#[derive(Clone, Copy)]
enum Advice {
    /// The named command decompresses it.
    Decompress(&'static str),
    /// It may be a web archive as well.
    DecompressOrArchive(&'static str),
    Unpack,
    Archive,
    NotHtml,
}

impl Advice {
    fn text(self) -> String {
        match self {
            Self::Decompress(command) => format!("decompress it first ({command} -d)"),
            Self::DecompressOrArchive(command) => format!(
                "decompress it first ({command} -d), or give --as warc if it is a web archive"
            ),
            Self::Unpack => "unpack it first".to_owned(),
            Self::Archive => "give --as warc to read it".to_owned(),
            Self::NotHtml => "use --as html to read it as HTML anyway".to_owned(),
        }
    }
}

/// The unambiguous signatures of the [MIME Sniffing Standard][mime], and those of compressed files
/// and archives.
///
/// [mime]: https://mimesniff.spec.whatwg.org/#matching-a-mime-type-pattern
#[rustfmt::skip]
const SIGNATURES: &[Row] = &[
    (&[(0, b"\x1f\x8b\x08")], "gzip-compressed data", Advice::DecompressOrArchive("gzip")),
    (&[(0, b"\x28\xb5\x2f\xfd")], "Zstandard-compressed data", Advice::DecompressOrArchive("zstd")),
    (&[(1, b"\x2a\x4d\x18")], "Zstandard-compressed data", Advice::DecompressOrArchive("zstd")),
    (&[(0, b"\xfd7zXZ\x00")], "xz-compressed data", Advice::Decompress("xz")),
    (&[(4, b"\x31\x41\x59\x26\x53\x59")], "bzip2-compressed data", Advice::Decompress("bzip2")),
    (&[(0, b"\x04\x22\x4d\x18")], "LZ4-compressed data", Advice::Decompress("lz4")),
    (&[(257, b"ustar\x00")], "a tar archive", Advice::Unpack),
    (&[(257, b"ustar  \x00")], "a tar archive", Advice::Unpack),
    (&[(0, b"PK\x03\x04")], "a ZIP archive", Advice::Unpack),
    (&[(0, b"PK\x05\x06")], "a ZIP archive", Advice::Unpack),
    (&[(0, b"7z\xbc\xaf\x27\x1c")], "a 7z archive", Advice::Unpack),
    (&[(0, b"Rar!\x1a\x07")], "a RAR archive", Advice::Unpack),
    (&[(0, b"WARC/1.")], "a web archive", Advice::Archive),
    (&[(0, b"\x89PNG\r\n\x1a\n")], "a PNG image", Advice::NotHtml),
    (&[(0, b"\xff\xd8\xff")], "a JPEG image", Advice::NotHtml),
    (&[(0, b"GIF87a")], "a GIF image", Advice::NotHtml),
    (&[(0, b"GIF89a")], "a GIF image", Advice::NotHtml),
    (&[(8, b"WEBPVP8")], "a WebP image", Advice::NotHtml),
    (&[(0, b"%PDF-")], "a PDF document", Advice::NotHtml),
    (&[(0, b"BM"), (6, b"\x00\x00\x00\x00")], "a BMP image", Advice::NotHtml),
    (&[(0, b"\x00\x00\x01\x00"), (5, b"\x00"), (9, b"\x00")], "an icon", Advice::NotHtml),
    (&[(0, b"\x00\x00\x02\x00"), (5, b"\x00"), (9, b"\x00")], "a cursor", Advice::NotHtml),
    (&[(0, b"II*\x00")], "a TIFF image", Advice::NotHtml),
    (&[(0, b"MM\x00*")], "a TIFF image", Advice::NotHtml),
    (&[(0, b"\x00\x00"), (4, b"ftyp")], "an MP4 or AVIF file", Advice::NotHtml),
    (&[(0, b"OggS\x00")], "an Ogg file", Advice::NotHtml),
    (&[(0, b"ID3"), (4, b"\x00")], "an MP3 file", Advice::NotHtml),
    // The length follows the flavor; its first byte is 0 in every real font.
    (&[(0, b"wOFF"), (8, b"\x00")], "a WOFF font", Advice::NotHtml),
    (&[(0, b"wOF2"), (8, b"\x00")], "a WOFF font", Advice::NotHtml),
    (&[(0, b"\x00asm")], "a WebAssembly module", Advice::NotHtml),
    (&[(0, b"SQLite format 3\x00")], "an SQLite database", Advice::NotHtml),
    (&[(0, b"\x7fELF")], "an ELF program", Advice::NotHtml),
];

/// Extensions of archives without documents of their own, with the message.
const NAMES: &[(&str, &str)] = &[
    (
        ".wacz",
        "a WACZ archive, which is not among the documents of a folder or a list; give it by its own path, alone",
    ),
    (
        ".epub",
        "a book, which is not among the documents of a folder or a list; give it by its own path, alone",
    ),
];

impl Format {
    /// The format by the name ([`Format::of_name`]), after a check of the first bytes.
    ///
    /// # Errors
    ///
    /// If it is an image, a compressed file, an unsupported archive or another type without
    /// documents.
    pub fn detect(path: &Path, source: &[u8]) -> Result<Self, Error> {
        Self::check_name(path)?;
        let format = Self::of_name(path);
        match signature(source).filter(|_| format != Self::Warc) {
            None => Ok(format),
            Some((what, advice)) => {
                Err(Error::not_a_document(format!("{what}; {}", advice.text())))
            }
        }
    }

    /// Checks that a name is not that of an archive that is not read as one file, such as `.wacz`.
    ///
    /// # Errors
    ///
    /// If it is.
    #[doc(hidden)]
    pub fn check_name(path: &Path) -> Result<(), Error> {
        let found = NAMES.iter().find(|(end, _)| has_end(path, end));
        found.map_or(Ok(()), |(_, what)| Err(Error::not_a_document((*what).to_owned())))
    }

    /// The type by the first bytes, if no document begins with them: `a PNG image`.
    #[must_use]
    #[doc(hidden)]
    pub fn foreign(source: &[u8]) -> Option<&'static str> {
        signature(source).map(|(what, _)| what)
    }
}

fn signature(source: &[u8]) -> Option<(&'static str, Advice)> {
    let has = |&(start, bytes): &Bytes| {
        source.get(start..).is_some_and(|source| source.starts_with(bytes))
    };
    let found = SIGNATURES.iter().find(|(signature, ..)| signature.iter().all(has));
    found.map(|&(_, what, advice)| (what, advice))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn detects(name: &str, source: &[u8], expected: Result<Format, &str>) {
        let found = Format::detect(Path::new(name), source).map_err(|error| error.to_string());
        assert_eq!(found, expected.map_err(str::to_owned), "{name} {source:?}");
    }

    #[test]
    fn what_no_text_begins_with_is_no_document() {
        for (signature, what, advice) in SIGNATURES {
            let mut source = Vec::new();
            for (start, bytes) in *signature {
                source.resize(*start, b'\x50');
                source.extend_from_slice(bytes);
            }
            let end = source.len();
            source.extend_from_slice(b"<a href=x>");
            let message = format!("not HTML: {what}; {}", advice.text());
            detects("a.html", &source, Err(&message));
            detects("a.eml", &source, Err(&message));
            detects("a.warc", &source, Ok(Format::Warc));
            // One byte less says nothing.
            detects("a.html", &source[..end - 1], Ok(Format::Html));
        }
        let message = "not HTML: gzip-compressed data; decompress it first (gzip -d), or give --as warc if \
                       it is a web archive";
        detects("-", b"\x1f\x8b\x08\x00", Err(message));
    }

    #[test]
    fn text_is_a_document_whatever_bytes_it_has() {
        for source in [
            &b""[..],
            b"\0\0\0<a href=x>",
            b"<a href=x>\0\x01\x1f\x8b\x08",
            b"\xff\xfe<\0a\0",
            b"\xfe\xff\0<\0a",
            b"\xef\xbb\xbfPK\x03\x04",
            b"\x1b$B",
            b"\x7fhtml",
            b"PK text",
            b"GIF8 <p>",
            b"WARC/ is a format",
            b"%PDF is a format",
            b"\n%PDF-1.7",
            b"\x80\x81\x82",
            b"BM is a format",
            b"II* MM* ftyp ID3 OggS",
            b"the ftyp box",
            b"ID3 tags",
            b"wOF2 is a format",
            b"\0\0\x01\0<p>\n\n\n\n",
        ] {
            detects("a.html", source, Ok(Format::Html));
        }
    }

    #[test]
    fn archives_that_are_not_read_are_known_by_their_names() {
        for (name, what) in
            [("crawl.wacz", "a WACZ archive, "), ("d/CRAWL.WACZ", "a WACZ archive, ")]
        {
            let error = Format::detect(Path::new(name), b"").unwrap_err().to_string();
            assert!(error.starts_with(&format!("not HTML: {what}")), "{error}");
        }
        detects("wacz", b"", Ok(Format::Html));
        detects("a.open", b"", Ok(Format::Html));
    }
}
