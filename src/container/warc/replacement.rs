//! Records that keep their type, name and HTTP header, and get a rewritten document.

use super::super::http::{self, HeadEdits, Response};
use super::digest::{self, Sha1Digest};
use super::new_record::NewRecord;
use super::payloads::ChangedPayload;
use super::record::{Record, spaces_encoded};
use crate::link::Settings;
use crate::url::{Base, Resolution};

/// Fields of a response about the body as it was sent, which do not hold for the new one.
const OF_OLD_BODY: &[&str] = &[
    "Transfer-Encoding",
    "Trailer",
    "Content-Encoding",
    "Content-MD5",
    "Digest",
    "Content-Digest",
    "Repr-Digest",
];

/// The prefix of the names of such fields, as browsertrix has it.
const ORIGINAL: &str = "X-Orig-";

/// What changes in a record.
#[derive(Debug, Default)]
pub(super) struct Changes<'a> {
    /// The new document.
    pub(super) document: Option<&'a [u8]>,
    /// The new payload of a revisit, which is in another record.
    pub(super) referred: Option<ChangedPayload>,
    /// The new `Location`.
    pub(super) location: Option<String>,
}

/// The record of this text with changes, and the digest of a new document.
pub(super) fn new_record<'a>(
    text: &[u8],
    record: &Record<'a>,
    changes: &Changes<'a>,
) -> (NewRecord<'a>, Option<Sha1Digest>) {
    let (response, body) = block(record, changes);
    let document_digest = changes.document.map(digest::of);
    let mut edits = HeadEdits::default();
    if record.block().strip_prefix(&*response) != Some(body) {
        // The block of a `resource` is its document.
        let whole = match document_digest {
            Some(digest) if response.is_empty() => digest,
            _ => digest::of_parts(&[&response, body]),
        };
        edits.set("WARC-Block-Digest", digest::text(&whole));
        edits.set("Content-Length", (response.len() + body.len()).to_string());
    }
    if let Some(digest) = document_digest {
        edits.set("WARC-Payload-Digest", digest::text(&digest));
    } else if let Some(payload) = changes.referred {
        edits.replace("WARC-Payload-Digest", digest::text(&payload.digest));
    }
    let old = &text[..http::head_end(text).unwrap_or(text.len())];
    let mut head = Vec::with_capacity(old.len() + response.len() + 256);
    edits.write(&mut head, old);
    head.extend_from_slice(&response);
    (NewRecord { head, body }, document_digest)
}

/// The new block: the head of an HTTP response, and the rest.
fn block<'a>(record: &Record<'a>, changes: &Changes<'a>) -> (Vec<u8>, &'a [u8]) {
    let block = record.block();
    // The end of a header that is too long is not known.
    let Some(response) = record.response().filter(|found| !found.is_cut) else {
        return (Vec::new(), changes.document.unwrap_or(block));
    };
    let mut edits = HeadEdits::default();
    let length = changes.document.map(|document| document.len() as u64);
    if let Some(length) = length.or(changes.referred.map(|payload| payload.length)) {
        undo_codings(&mut edits, response, length);
    }
    if let Some(location) = &changes.location {
        edits.replace_first("Location", location.clone());
    }
    let mut head = Vec::new();
    edits.write(&mut head, &block[..block.len() - response.body.len()]);
    (head, changes.document.unwrap_or(response.body))
}

/// Makes the header of a response that of a body without codings.
fn undo_codings(edits: &mut HeadEdits, response: &Response<'_>, length: u64) {
    let headers = &response.headers;
    for name in OF_OLD_BODY {
        edits.rename(name, ORIGINAL);
    }
    // As a part of the header, a field of the trailer could have another meaning.
    let trailer = http::trailer(response);
    for (name, value) in trailer.iter().filter(|(name, _)| is_name(name)) {
        edits.add([ORIGINAL.as_bytes(), name].concat(), value.to_owned());
    }
    if headers.get("Transfer-Encoding").is_some() {
        edits.set("Content-Length", length.to_string());
    } else {
        edits.replace("Content-Length", length.to_string());
    }
}

/// Whether a field may have this name, by its characters.
fn is_name(name: &[u8]) -> bool {
    !name.is_empty() && name.iter().all(u8::is_ascii_graphic)
}

/// What a `Location` becomes: the URL that a rule of the policy moves it to, else its own URL if it is
/// relative. It is relative to the URL of the response
/// ([RFC 9110 section 10.2.2](https://www.rfc-editor.org/rfc/rfc9110#section-10.2.2)).
pub(super) fn new_location(record: &Record<'_>, settings: &Settings) -> Option<String> {
    let response = record.response().filter(|found| !found.is_cut)?;
    let location = std::str::from_utf8(response.headers.get("Location")?).ok()?;
    let base = Base::new(&http::bracketed_url(&spaces_encoded(&record.target_uri()?))).ok()?;
    let written = spaces_encoded(location);
    let found = settings.standard.resolve(Some(&base), &written).ok()?;
    let (url, is_relative) = match found {
        // A fragment alone leads to the page itself, wherever that is.
        _ if written.is_empty() || written.starts_with('#') => return None,
        Resolution::Resolved(url) => (url, true),
        Resolution::Absolute(url) => (url.into(), false),
        Resolution::Unresolved => return None,
    };
    let new = settings.policy.moved(&url).or(is_relative.then_some(url));
    new.filter(|new| new != location)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::{Direction, Form};
    use crate::url::Maps;

    fn record(fields: &str, block: &str) -> String {
        let length = block.len();
        format!("WARC/1.0\r\n{fields}Content-Length: {length}\r\nX: y\r\n\r\n{block}\r\n\r\n")
    }

    #[track_caller]
    fn written(text: &str, changes: &Changes<'_>) -> String {
        let parsed = Record::parse(text.as_bytes()).unwrap();
        let (new, _) = new_record(text.as_bytes(), &parsed, changes);
        String::from_utf8(new.to_vec()).unwrap()
    }

    const DOCUMENT: Changes<'_> =
        Changes { document: Some(b"abc"), referred: None, location: None };

    #[test]
    fn a_resource_is_its_document() {
        let text = record("WARC-Type: resource\r\nWARC-Payload-Digest: sha1:OLD\r\n", "HTTP/1");
        // printf abc | sha1sum, in base 32.
        let expected = "WARC/1.0\r\nWARC-Type: resource\r\n\
            WARC-Payload-Digest: sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5\r\n\
            Content-Length: 3\r\nX: y\r\n\
            WARC-Block-Digest: sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5\r\n\r\nabc\r\n\r\n";
        assert_eq!(written(&text, &DOCUMENT), expected);
    }

    #[test]
    fn the_fields_of_a_trailer_follow_the_header() {
        let header = "HTTP/1.1 200\r\nTransfer-Encoding: chunked\r\n\r\n";
        let block = format!("{header}1\r\na\r\n0\r\nExpires: 0\r\nno field\r\nA: b\r\n\r\n");
        let new = "HTTP/1.1 200\r\nX-Orig-Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\
            X-Orig-Expires: 0\r\nX-Orig-A: b\r\n\r\nabc\r\n\r\n";
        let text = written(&record("WARC-Type: response\r\n", &block), &DOCUMENT);
        assert!(text.ends_with(new), "{text}");
    }

    #[track_caller]
    fn response(headers: &str, changes: &Changes<'_>, expected: &str) {
        let text = record("WARC-Type: response\r\n", &format!("HTTP/1.1 200\r\n{headers}\r\nold"));
        let text = written(&text, changes);
        let new = Record::parse(text.as_bytes()).unwrap();
        let digest = digest::text(&digest::of(new.block()));
        assert_eq!(new.headers().text("WARC-Block-Digest").as_deref(), Some(&*digest));
        let block = String::from_utf8(new.block().to_owned()).unwrap();
        assert_eq!(block, format!("HTTP/1.1 200\r\n{expected}"), "{headers}");
    }

    #[test]
    fn codings_are_undone_in_the_header_too() {
        response("A: b\r\n", &DOCUMENT, "A: b\r\n\r\nabc");
        response(
            "content-length: 9\r\nA: b\r\n",
            &DOCUMENT,
            "content-length: 3\r\nA: b\r\n\r\nabc",
        );
        response(
            "Transfer-Encoding: chunked\r\nContent-Encoding: br\r\nETag: x\r\n",
            &DOCUMENT,
            "X-Orig-Transfer-Encoding: chunked\r\nX-Orig-Content-Encoding: br\r\nETag: x\r\n\
             Content-Length: 3\r\n\r\nabc",
        );
        response(
            "Digest: md5=x\r\nContent-Encoding: gzip\r\nContent-Length: 9\r\n",
            &DOCUMENT,
            "X-Orig-Digest: md5=x\r\nX-Orig-Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc",
        );
    }

    #[test]
    fn a_location_alone_leaves_the_body() {
        let changes = Changes { location: Some("http://h/b".to_owned()), ..Changes::default() };
        response(
            "location: b\r\nContent-Encoding: br\r\n",
            &changes,
            "location: http://h/b\r\nContent-Encoding: br\r\n\r\nold",
        );
    }

    #[test]
    fn a_second_location_stays() {
        let changes = Changes { location: Some("http://h/b".to_owned()), ..Changes::default() };
        response(
            "Location: b\r\nLocation: c\r\n",
            &changes,
            "Location: http://h/b\r\nLocation: c\r\n\r\nold",
        );
    }

    #[test]
    fn a_revisit_has_the_header_of_the_new_payload() {
        let payload =
            ChangedPayload { digest: digest::of(b"abc"), length: 3, is_of_url: true, stated: None };
        let changes = Changes { referred: Some(payload), ..Changes::default() };
        let text = record(
            "WARC-Type: revisit\r\nWARC-Payload-Digest: sha1:OLD\r\n",
            "HTTP/1.1 200\r\nContent-Encoding: br\r\nContent-Length: 9\r\n\r\n",
        );
        let text = written(&text, &changes);
        assert!(text.contains("WARC-Payload-Digest: sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5\r\n"));
        let block = "HTTP/1.1 200\r\nX-Orig-Content-Encoding: br\r\nContent-Length: 3\r\n\r\n";
        assert!(text.ends_with(&format!("\r\n\r\n{block}\r\n\r\n")), "{text}");
        let empty = record("WARC-Type: revisit\r\nWARC-Payload-Digest: sha1:OLD\r\n", "");
        let new = "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5";
        assert_eq!(written(&empty, &changes), empty.replace("sha1:OLD", new));
    }

    #[track_caller]
    fn location(value: &str, expected: Option<&str>) {
        changed_location(&Settings::default(), value, expected);
    }

    #[track_caller]
    fn changed_location(settings: &Settings, value: &str, expected: Option<&str>) {
        let block = format!("HTTP/1.1 302\r\nLocation: {value}\r\n\r\n");
        let text = record("WARC-Type: response\r\nWARC-Target-URI: <http://h/a/b>\r\n", &block);
        let found = new_location(&Record::parse(text.as_bytes()).unwrap(), settings);
        assert_eq!(found.as_deref(), expected, "{value}");
    }

    #[test]
    fn a_relative_location_is_relative_to_the_url_of_the_response() {
        location("c", Some("http://h/a/c"));
        location("//i/", Some("http://i/"));
        location("/", Some("http://h/"));
        location("http://h/", None);
        location("", None);
        location("?q#f", Some("http://h/a/b?q#f"));
        location("#f", None);
        location(" #f", None);
    }

    #[test]
    fn a_location_moves_as_a_link_does() {
        let mut maps = Maps::new();
        maps.add("http://h/a/", "https://new/").unwrap();
        let policy = Direction::new(Form::AsWritten).maps(maps).into();
        let settings = Settings { policy, ..Settings::default() };
        changed_location(&settings, "http://h/a/c", Some("https://new/c"));
        changed_location(&settings, "c", Some("https://new/c"));
        changed_location(&settings, "/c", Some("http://h/c"));
        changed_location(&settings, "http://i/a/c", None);
    }
}
