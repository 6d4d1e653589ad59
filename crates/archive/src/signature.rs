//! Detects the type of a file by its first bytes and its extension, so that no image and no
//! archive is read as HTML.
//!
//! The evidence is a signature that no text begins with, or many control characters. Bytes such as
//! NUL are no evidence: real HTML contains them, and UTF-16 is full of them.

use std::path::Path;

use absolve::Error;

use super::format::{Format, has_end, is_json_feed};

/// Bytes at an offset: the first bytes of some formats vary, or also begin texts.
type BytesAt = (usize, &'static [u8]);

/// A signature, the type of the file as a noun, and the hint.
type SignatureRow = (&'static [BytesAt], &'static str, Hint);

/// The hint for a file that is no document; [`Hint::text`] has its words.
#[derive(Clone, Copy)]
pub(super) enum Hint {
    /// Decompress the file with this command.
    Decompress(&'static str),
    /// Decompress the file with this command, or read it as a web archive.
    DecompressOrArchive(&'static str),
    Unpack,
    Archive,
    Convert,
    Book,
    Xml,
    Markdown,
    NotHtml,
    NotAMessage,
}

impl Hint {
    pub(super) fn text(self) -> String {
        match self {
            Self::Decompress(command) => format!("decompress it first ({command} -d)"),
            Self::DecompressOrArchive(command) => format!(
                "decompress it first ({command} -d), or read it as a web archive if it is one"
            ),
            Self::Unpack => "unpack it first".to_owned(),
            Self::Archive => "read it as a web archive".to_owned(),
            Self::Convert => "convert it to WARC first (warcio recompress IN OUT)".to_owned(),
            Self::Book => "books are not read: unpack it (unzip book.epub -d book); epubcheck \
                           checks books"
                .to_owned(),
            Self::Xml => "read the file as XML".to_owned(),
            Self::Markdown => "read it as Markdown or as HTML".to_owned(),
            Self::NotHtml => "read it as HTML anyway".to_owned(),
            Self::NotAMessage => "expected a message (RFC 5322) or MHTML".to_owned(),
        }
    }

    /// Returns the advice on the options that follow the hint.
    fn advice(self) -> Option<absolve::Advice> {
        Some(absolve::Advice::Set(match self {
            Self::Archive | Self::DecompressOrArchive(_) => "links {as warc}, or extract",
            Self::Xml => "{as xml}",
            Self::Markdown => "{as markdown}, {as html}",
            Self::NotHtml => return Some(absolve::Advice::AS_HTML),
            _ => return None,
        }))
    }
}

const ZIP: &str = "a ZIP archive";

pub(super) const BOOK: &str = "an EPUB book";

/// File extensions of books.
pub(super) const BOOK_EXTENSIONS: &[&str] = &[".epub"];

pub(super) const ARC: &str = "an ARC archive";

/// The first bytes of an ARC archive.
pub(super) const ARC_MAGIC: &[u8] = b"filedesc://";

/// The unambiguous signatures of the [MIME Sniffing Standard][mime], and those of compressed files
/// and archives.
///
/// [mime]: https://mimesniff.spec.whatwg.org/#matching-a-mime-type-pattern
#[rustfmt::skip]
const SIGNATURES: &[SignatureRow] = &[
    (&[(0, b"\x1f\x8b\x08")], "gzip-compressed data", Hint::DecompressOrArchive("gzip")),
    (&[(0, b"\x28\xb5\x2f\xfd")], "Zstandard-compressed data", Hint::DecompressOrArchive("zstd")),
    (&[(1, b"\x2a\x4d\x18")], "Zstandard-compressed data", Hint::DecompressOrArchive("zstd")),
    (&[(0, b"\xfd7zXZ\x00")], "xz-compressed data", Hint::Decompress("xz")),
    (&[(4, b"\x31\x41\x59\x26\x53\x59")], "bzip2-compressed data", Hint::Decompress("bzip2")),
    (&[(0, b"\x04\x22\x4d\x18")], "LZ4-compressed data", Hint::Decompress("lz4")),
    (&[(257, b"ustar\x00")], "a tar archive", Hint::Unpack),
    (&[(257, b"ustar  \x00")], "a tar archive", Hint::Unpack),
    (&[(0, b"PK\x03\x04"), (30, b"mimetypeapplication/epub+zip")], BOOK, Hint::Book),
    (&[(0, b"PK\x03\x04")], ZIP, Hint::Unpack),
    (&[(0, b"PK\x05\x06")], ZIP, Hint::Unpack),
    (&[(0, b"7z\xbc\xaf\x27\x1c")], "a 7z archive", Hint::Unpack),
    (&[(0, b"Rar!\x1a\x07")], "a RAR archive", Hint::Unpack),
    (&[(0, b"WARC/1.")], "a web archive", Hint::Archive),
    (&[(0, ARC_MAGIC)], ARC, Hint::Convert),
    (&[(0, b"\x89PNG\r\n\x1a\n")], "a PNG image", Hint::NotHtml),
    (&[(0, b"\xff\xd8\xff")], "a JPEG image", Hint::NotHtml),
    (&[(0, b"GIF87a")], "a GIF image", Hint::NotHtml),
    (&[(0, b"GIF89a")], "a GIF image", Hint::NotHtml),
    (&[(8, b"WEBPVP8")], "a WebP image", Hint::NotHtml),
    (&[(0, b"%PDF-")], "a PDF document", Hint::NotHtml),
    (&[(0, b"BM"), (6, b"\x00\x00\x00\x00")], "a BMP image", Hint::NotHtml),
    (&[(0, b"\x00\x00\x01\x00"), (5, b"\x00"), (9, b"\x00")], "an icon", Hint::NotHtml),
    (&[(0, b"\x00\x00\x02\x00"), (5, b"\x00"), (9, b"\x00")], "a cursor", Hint::NotHtml),
    (&[(0, b"II*\x00")], "a TIFF image", Hint::NotHtml),
    (&[(0, b"MM\x00*")], "a TIFF image", Hint::NotHtml),
    (&[(0, b"\x00\x00"), (4, b"ftyp")], "an MP4 or AVIF file", Hint::NotHtml),
    (&[(0, b"OggS\x00")], "an Ogg file", Hint::NotHtml),
    (&[(0, b"ID3"), (4, b"\x00")], "an MP3 file", Hint::NotHtml),
    // The length follows the flavor; its first byte is 0 in every real font.
    (&[(0, b"wOFF"), (8, b"\x00")], "a WOFF font", Hint::NotHtml),
    (&[(0, b"wOF2"), (8, b"\x00")], "a WOFF font", Hint::NotHtml),
    (&[(0, b"\x00asm")], "a WebAssembly module", Hint::NotHtml),
    (&[(0, b"SQLite format 3\x00")], "an SQLite database", Hint::NotHtml),
    (&[(0, b"\x7fELF")], "an ELF program", Hint::NotHtml),
    (&[(0, b"MZ"), (4, b"\x03\x00\x00\x00")], "a Windows program", Hint::NotHtml),
    (&[(0, b"\xcf\xfa\xed\xfe")], "a Mach-O program", Hint::NotHtml),
    (&[(0, b"\xca\xfe\xba\xbe\x00")], "a Java class or a Mach-O program", Hint::NotHtml),
    (&[(0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")], "an Office document", Hint::NotHtml),
    (&[(0, b"\x1a\x45\xdf\xa3")], "a Matroska or WebM file", Hint::NotHtml),
    (&[(0, b"fLaC\x00")], "a FLAC file", Hint::NotHtml),
    (&[(8, b"WAVEfmt ")], "a WAVE file", Hint::NotHtml),
    (&[(0, b"\x00\x01\x00\x00\x00")], "a TrueType font", Hint::NotHtml),
    (&[(0, b"OTTO\x00")], "an OpenType font", Hint::NotHtml),
    (&[(0, b"8BPS\x00")], "a Photoshop image", Hint::NotHtml),
    (&[(0, b"\x00\x00\x00\x0cjP  ")], "a JPEG 2000 image", Hint::NotHtml),
    (&[(0, b"!<arch>\n")], "an ar archive", Hint::Unpack),
];

/// Bytes at the beginning of a file that contain every signature.
pub(super) const BEGINNING_LEN: usize = 265;

const WACZ_PROBLEM: &str = "a WACZ archive, which is not among the documents of a folder or a list; give it by its own path, alone";

impl Format {
    /// Returns the format by the name ([`Format::from_name`]), after a check of the first bytes.
    ///
    /// # Errors
    ///
    /// If it is an image, a compressed file, an unsupported archive or another type without
    /// documents.
    pub fn detect(path: &Path, source: &[u8]) -> Result<Self, Error> {
        let format = match Self::check_name(path)? {
            Self::Html if is_json_feed(path, source) => Self::JsonFeed,
            Self::Html if has_end(path, &[".json"]) => {
                return Err(not_a_document("JSON by its name", Hint::NotHtml));
            }
            format => format,
        };
        let other = match format {
            Self::Warc => None,
            // The parts of a message may be binary.
            Self::Message => find_signature(source),
            _ => find_foreign_type(source),
        };
        match other {
            None => Ok(format),
            Some((noun, Hint::NotHtml)) if format == Self::Message => {
                Err(not_a_document(noun, Hint::NotAMessage))
            }
            Some((noun, hint)) => Err(not_a_document(noun, hint)),
        }
    }

    /// Returns the format that a user gives for a file, after a check that the file is neither a
    /// ZIP archive, such as a book, nor an ARC archive: no format reads their documents.
    ///
    /// # Errors
    ///
    /// If the file is a ZIP archive or an ARC archive.
    #[doc(hidden)]
    pub fn check_given(self, source: &[u8]) -> Result<Self, Error> {
        match find_signature(source) {
            Some((noun, hint)) if [BOOK, ZIP, ARC].contains(&noun) => {
                Err(not_a_document(noun, hint))
            }
            _ => Ok(self),
        }
    }

    /// Returns the format by the name, after a check that the name does not end with `.wacz`: WACZ
    /// archives are not read with other files.
    ///
    /// # Errors
    ///
    /// If the name ends with `.wacz`.
    #[doc(hidden)]
    pub fn check_name(path: &Path) -> Result<Self, Error> {
        match Self::from_name(path) {
            Self::Wacz => Err(Error::not_a_document(WACZ_PROBLEM, None)),
            format => Ok(format),
        }
    }

    /// Checks that a web archive does not begin with the signature of another type. A damaged
    /// archive may begin with any other bytes.
    pub(super) fn check_archive(beginning: &[u8]) -> Result<(), String> {
        match find_signature(beginning) {
            Some((noun, Hint::Unpack)) => Err(format!(
                "{noun}, and not a web archive; a WACZ archive is read from a file with that extension"
            )),
            Some((noun, hint @ (Hint::Convert | Hint::Book))) => {
                Err(format!("{noun}; {}", hint.text()))
            }
            Some((noun, Hint::NotHtml | Hint::Decompress(_))) => {
                Err(format!("{noun}, and not a web archive"))
            }
            _ => Ok(()),
        }
    }

    /// Returns the problem of a file that is a book by its name or its first bytes.
    #[must_use]
    #[doc(hidden)]
    pub fn find_book_problem(path: &Path, beginning: &[u8]) -> Option<String> {
        let begins_as_book = || find_signature(beginning).is_some_and(|(noun, _)| noun == BOOK);
        let is_book = has_end(path, BOOK_EXTENSIONS) || begins_as_book();
        is_book.then(|| format!("{BOOK}; {}", Hint::Book.text()))
    }

    /// Whether a stream of unknown format begins like a web archive.
    #[must_use]
    #[doc(hidden)]
    pub fn begins_archive(source: &[u8]) -> bool {
        matches!(find_signature(source), Some((_, Hint::Archive)))
    }

    /// Returns the type by the first bytes, such as `a PNG image`, if no document begins with them.
    #[must_use]
    #[doc(hidden)]
    pub fn foreign(source: &[u8]) -> Option<&'static str> {
        find_foreign_type(source).map(|(noun, _)| noun)
    }
}

pub(super) fn not_a_document(noun: &str, hint: Hint) -> Error {
    Error::not_a_document(&format!("{noun}; {}", hint.text()), hint.advice())
}

pub(super) fn find_foreign_type(source: &[u8]) -> Option<(&'static str, Hint)> {
    find_signature(source).or_else(|| is_binary(source).then_some(("binary data", Hint::NotHtml)))
}

/// Whether more than one byte in twenty at the beginning is a control character; in compressed
/// data, one in twelve is. NUL, white space, the controls of ISO 2022 and the end-of-file character
/// of DOS are not counted.
fn is_binary(source: &[u8]) -> bool {
    const MAX_CONTROLS: usize = 8;
    let beginning = &source[..source.len().min(4096)];
    let is_control = |byte: u8| matches!(byte, 0x01..=0x08 | 0x10..=0x19 | 0x1c..=0x1f);
    // A file is text if its first and last 512 bytes have few control characters and NULs. With
    // this check, and 8-bit counts, which the compiler vectorizes, a tree of small pages
    // (`absolve rewrite -j 1`, postgresql-doc-15) takes 2 and not 57 of 242 million instructions.
    let is_text =
        |part: &[u8]| count_bytes(part, |byte| byte == 0 || is_control(byte)) <= MAX_CONTROLS;
    let sample_len = beginning.len().min(512);
    if is_text(&beginning[..sample_len]) && is_text(&beginning[beginning.len() - sample_len..]) {
        return false;
    }
    // Half of the bytes of UTF-16 may be control characters, as in Cyrillic text.
    let is_utf_16 = || {
        let has_mark = beginning.starts_with(b"\xff\xfe") || beginning.starts_with(b"\xfe\xff");
        has_mark || beginning.windows(2).any(|pair| pair == b"<\0" || pair == b"\0<")
    };
    count_bytes(beginning, is_control) > MAX_CONTROLS.max(beginning.len() / 20) && !is_utf_16()
}

/// Counts bytes in parts of 128, in which a count of eight bits does not overflow.
fn count_bytes(bytes: &[u8], is_counted: impl Fn(u8) -> bool) -> usize {
    let count_part = |part: &[u8]| part.iter().map(|&byte| u8::from(is_counted(byte))).sum::<u8>();
    bytes.chunks(128).map(|part| usize::from(count_part(part))).sum()
}

fn find_signature(source: &[u8]) -> Option<(&'static str, Hint)> {
    // The first byte is compared inline, as most signatures differ in it.
    let has = |&(start, bytes): &BytesAt| {
        source.get(start) == bytes.first() && source[start..].starts_with(bytes)
    };
    let row = SIGNATURES.iter().find(|(signature, ..)| signature.iter().all(has));
    row.map(|&(_, noun, hint)| (noun, hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_detects(name: &str, source: &[u8], expected: Result<Format, &str>) {
        let found = Format::detect(Path::new(name), source).map_err(|error| error.to_string());
        assert_eq!(found, expected.map_err(str::to_owned), "{name} {source:?}");
    }

    #[test]
    fn what_no_text_begins_with_is_no_document() {
        for (signature, noun, hint) in SIGNATURES {
            let mut source = Vec::new();
            for (start, bytes) in *signature {
                source.resize(*start, b'\x50');
                source.extend_from_slice(bytes);
            }
            let end = source.len();
            source.extend_from_slice(b"<a href=x>");
            let message = format!("not HTML: {noun}; {}", hint.text());
            assert_detects("a.html", &source, Err(&message));
            let of_message = message.replace(&Hint::NotHtml.text(), &Hint::NotAMessage.text());
            assert_detects("a.eml", &source, Err(&of_message));
            assert_detects("a.warc", &source, Ok(Format::Warc));
            // A signature without its last byte is none; that of a book is still one of ZIP.
            if *noun != BOOK {
                assert_detects("a.html", &source[..end - 1], Ok(Format::Html));
            }
        }
        let message = "not HTML: gzip-compressed data; decompress it first (gzip -d), or read it as a web \
                       archive if it is one";
        assert_detects("-", b"\x1f\x8b\x08\x00", Err(message));
    }

    #[test]
    fn many_control_characters_are_no_text() {
        let binary: Vec<u8> =
            (0..=255).cycle().take(6000).map(|byte: u8| byte.wrapping_mul(167)).collect();
        let message = "not HTML: binary data; read it as HTML anyway";
        assert_detects("a.html", &binary, Err(message));
        assert_detects("a.css", &binary[..256], Err(message));
        assert_detects("a.eml", &binary, Ok(Format::Message));
        assert_detects("a.warc", &binary, Ok(Format::Warc));
        assert_detects("a.html", &[b"\xff\xfe", &binary[..]].concat(), Ok(Format::Html));
        let markup = [&binary[..100], b"\0<\0a", &binary[100..]].concat();
        assert_detects("a.html", &markup, Ok(Format::Html));
        // Some in a page.
        let page = [&b"<p>".repeat(100)[..], &b"\x01\x02\x03\x04\x05"[..]].concat();
        assert_detects("a.html", &page, Ok(Format::Html));
        // Data after text, and after the header of a tar archive of 1979.
        for header in [b"<p>".repeat(300), [&b"site/page.html"[..], &[0; 498]].concat()] {
            assert_detects("a.html", &[header, binary.repeat(8)].concat(), Err(message));
        }
        assert_detects("a.html", &[&[0; 5000][..], b"<p>"].concat(), Ok(Format::Html));
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
            assert_detects("a.html", source, Ok(Format::Html));
        }
    }

    #[test]
    fn files_of_other_types_are_no_web_archives() {
        for (beginning, expected) in [
            (&b""[..], Ok(())),
            (b"WARC/1.0\r\n", Ok(())),
            (b"\x1f\x8b\x08\0", Ok(())),
            (b"\x28\xb5\x2f\xfd", Ok(())),
            (b"damage", Ok(())),
            (
                b"PK\x03\x04",
                Err(
                    "a ZIP archive, and not a web archive; a WACZ archive is read from a file with that extension",
                ),
            ),
            (
                b"PK\x05\x06",
                Err(
                    "a ZIP archive, and not a web archive; a WACZ archive is read from a file with that extension",
                ),
            ),
            (
                b"filedesc://x.arc 0.0.0.0 ",
                Err("an ARC archive; convert it to WARC first (warcio recompress IN OUT)"),
            ),
            (b"\x89PNG\r\n\x1a\n", Err("a PNG image, and not a web archive")),
            (b"\xfd7zXZ\0", Err("xz-compressed data, and not a web archive")),
        ] {
            let found = Format::check_archive(beginning);
            assert_eq!(found, expected.map_err(str::to_owned), "{beginning:?}");
        }
    }

    #[test]
    fn archives_that_are_not_read_are_known_by_their_names() {
        for (name, noun) in [
            ("crawl.wacz", "a WACZ archive, "),
            ("d/CRAWL.WACZ", "a WACZ archive, "),
            ("crawl.wacz.open", "a WACZ archive, "),
        ] {
            let error = Format::detect(Path::new(name), b"").unwrap_err().to_string();
            assert!(error.starts_with(&format!("not HTML: {noun}")), "{error}");
        }
        let arc = "not HTML: an ARC archive; convert it to WARC first (warcio recompress IN OUT)";
        assert_detects("-", b"filedesc://x", Err(arc));
        assert_eq!(Format::Html.check_given(b"filedesc://x").unwrap_err().to_string(), arc);
        let book = b"PK\x03\x04abcdefghijklmnopqrstuvwxyzmimetypeapplication/epub+zip";
        let message = format!("not HTML: {BOOK}; {}", Hint::Book.text());
        for name in ["a.epub", "a.html", "-"] {
            assert_detects(name, book, Err(&message));
        }
        for format in [Format::Html, Format::Xml, Format::Css, Format::Message] {
            assert_eq!(format.check_given(book).unwrap_err().to_string(), message);
            assert!(format.check_given(&book[..40]).is_err());
            assert_eq!(format.check_given(b"\x89PNG\r\n\x1a\n"), Ok(format));
        }
        assert_detects("wacz", b"", Ok(Format::Html));
        assert_detects("a.open", b"", Ok(Format::Html));
    }
}
