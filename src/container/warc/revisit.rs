//! Revisits of pages whose digest changes
//! ([WARC 1.1, section 6.7](https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/#revisit)).

use super::super::http::BodyKind;
use super::outcome::{Problem, RecordOutcome};
use super::payloads::{CaptureKeys, MOST_CAPTURES, Payloads, Referred};
use super::record::{Record, unbracketed};
use super::record_type::Statuses;
use super::replacement::{self, Changes, new_location};
use super::selection::RecordSelection;
use crate::link::Settings;

/// Makes revisits agree with the pages before them.
#[derive(Debug, Clone, Copy)]
pub(super) struct RevisitUpdate<'a> {
    pub(super) payloads: &'a Payloads,
    pub(super) settings: &'a Settings,
    pub(super) statuses: Statuses,
    pub(super) selection: &'a RecordSelection,
}

impl RevisitUpdate<'_> {
    /// The outcome of the revisit of this text, and its new text if it changes.
    pub(super) fn of(&self, text: &[u8]) -> (RecordOutcome, Option<Vec<u8>>) {
        let record = match Record::parse(text) {
            Ok(record) => record,
            Err(why) => return (RecordOutcome::Failed(Problem::new(why)), None),
        };
        let location = match self.statuses {
            Statuses::All => new_location(&record, self.settings),
            Statuses::Successful => None,
        };
        let mut changes = Changes { location, ..Changes::default() };
        let keys = CaptureKeys::of_referred(&record);
        let stale = match self.payloads.find(keys) {
            Referred::Unchanged => None,
            Referred::Changed(payload) if payload.contradicts(&record) => {
                Some(CONTRADICTORY.to_owned())
            }
            Referred::Changed(payload) => {
                changes.referred = Some(payload);
                other_url(&record).filter(|_| payload.is_of_url)
            }
            Referred::Ambiguous => Some(UNKNOWN.to_owned()),
            Referred::Missing => self.missing(&record, keys),
        };
        let new = (changes.referred.is_some() || changes.location.is_some())
            .then(|| replacement::new_record(text, &record, &changes).0.to_vec());
        let outcome = match (stale, &new) {
            (Some(why), _) => RecordOutcome::Stale(Problem::new(why)),
            (None, Some(_)) => RecordOutcome::Updated,
            (None, None) => RecordOutcome::Copied,
        };
        (outcome, new)
    }

    /// The problem with a revisit of a page that is not in the archive, if that may be a page which
    /// is rewritten.
    fn missing(&self, record: &Record<'_>, keys: CaptureKeys) -> Option<String> {
        if !keys.is_any() && record.headers().get("WARC-Payload-Digest").is_none() {
            // It has nothing that could be wrong.
            return None;
        }
        let written = record.response().and_then(|found| found.headers.text("Content-Type"));
        let media_type = written.or_else(|| record.headers().text("WARC-Identified-Payload-Type"));
        // A response without it may be a page, by its content.
        let is_document = media_type
            .as_deref()
            .is_none_or(|name| BodyKind::of(Some(name), b"").syntax().is_some());
        let status = payload_status(record);
        let has_status = status.is_none_or(|status| self.statuses.include(Some(status)));
        let other = record.headers().text("WARC-Refers-To-Target-URI");
        let own = record.target_uri();
        let url = other.as_deref().map(unbracketed).or(own.as_deref());
        let may_change = is_document
            && has_status
            && self.selection.may_accept(url, status, media_type.as_deref());
        may_change.then(|| match () {
            () if !keys.is_any() => UNKNOWN.to_owned(),
            () if self.payloads.is_full() => format!(
                "revisit keeps its digest: the archive has more than {MOST_CAPTURES} records of URLs, and the page that it refers to is not among the first"
            ),
            () => MISSING.to_owned(),
        })
    }
}

const MISSING: &str =
    "revisit keeps its digest: the page that it refers to is not in the archive before it";

const UNKNOWN: &str = "revisit keeps its digest: the page that it refers to is unknown, because it names no record and no date, or those of several pages";

const CONTRADICTORY: &str = "revisit keeps its digest: the page that its WARC-Refers-To or WARC-Refers-To-Date names has another digest";

/// What is wrong with a revisit of the page of another URL.
fn other_url(record: &Record<'_>) -> Option<String> {
    let other = record.headers().text("WARC-Refers-To-Target-URI")?;
    let other = unbracketed(&other);
    (other != record.target_uri()?).then(|| {
        format!("revisit refers to the page of another URL, and has the links of that: {other}")
    })
}

/// The status of the response that a revisit repeats; `None` if it has no header, or the header of
/// a response that confirms an earlier one.
pub(super) fn payload_status(record: &Record<'_>) -> Option<u16> {
    record.status().filter(|status| *status != NOT_MODIFIED)
}

const NOT_MODIFIED: u16 = 304;

#[cfg(test)]
mod tests {
    use super::super::digest;
    use super::super::payloads::ChangedPayload;
    use super::*;
    use crate::rewrite::Rewriter;

    const HTML: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";

    /// A record of `http://h/` with this digest.
    fn record(kind: &str, digest: &str, fields: &str, block: &str) -> String {
        let length = block.len();
        format!(
            "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: http://h/\r\n\
             WARC-Payload-Digest: sha1:{digest}\r\n{fields}Content-Length: {length}\r\n\r\n{block}\r\n\r\n"
        )
    }

    /// A revisit of a record with its digest as its name.
    fn revisit(digest: &str, fields: &str, block: &str) -> String {
        let fields = format!("WARC-Refers-To: <urn:{}>\r\n{fields}", digest.to_lowercase());
        record("revisit", digest, &fields, block)
    }

    fn payloads() -> Payloads {
        let mut payloads = Payloads::default();
        let summary = Rewriter::new().links(b"", |_| {}).unwrap();
        let page = |digest, id: &str| {
            record("response", digest, &format!("WARC-Record-ID: <urn:{id}>\r\n"), HTML)
        };
        for (text, is_changed) in
            [(page("OLD", "old"), true), (page("NEW", "x"), true), (page("SAME", "same"), false)]
        {
            let record = Record::parse(text.as_bytes()).unwrap();
            let mut payload = ChangedPayload::new(&record, digest::of(b"abc"), 3, &summary);
            payload.is_of_url = true;
            payloads.add(CaptureKeys::of(&record), is_changed.then_some(payload));
        }
        payloads
    }

    #[track_caller]
    fn selected(selection: &RecordSelection, text: &str, expected: &str) {
        with_statuses(Statuses::Successful, selection, text, expected);
    }

    #[track_caller]
    fn with_statuses(statuses: Statuses, selection: &RecordSelection, text: &str, expected: &str) {
        let (payloads, settings) = (&payloads(), &Settings::default());
        let update = RevisitUpdate { payloads, settings, statuses, selection };
        let (outcome, new) = update.of(text.as_bytes());
        let outcome = match outcome {
            RecordOutcome::Copied => "copied".to_owned(),
            RecordOutcome::Updated => "updated".to_owned(),
            RecordOutcome::Stale(why) => why.to_string(),
            other => panic!("{other:?}"),
        };
        let is_new = new.is_some_and(|new| {
            let new = String::from_utf8(new).unwrap();
            new.contains("WARC-Payload-Digest: sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5\r\n")
        });
        let found = if is_new { format!("new digest, {outcome}") } else { outcome };
        assert_eq!(found, expected, "{text}");
    }

    #[track_caller]
    fn is(text: &str, expected: &str) {
        selected(&RecordSelection::default(), text, expected);
    }

    #[test]
    fn a_revisit_gets_the_digest_of_the_page_that_it_refers_to() {
        is(&revisit("OLD", "", HTML), "new digest, updated");
        is(&revisit("old", "", ""), "new digest, updated");
        let own = "WARC-Refers-To-Target-URI: <http://h/>\r\n";
        is(&revisit("OLD", own, HTML), "new digest, updated");
        let other = "WARC-Refers-To-Target-URI: http://i/\r\n";
        let why = "new digest, revisit refers to the page of another URL, and has the links of that: http://i/";
        is(&revisit("OLD", other, HTML), why);
        is(&revisit("SAME", "", HTML), "copied");
        is(&revisit("X", "", HTML), CONTRADICTORY);
        let bare = record("revisit", "OLD", "", HTML);
        is(&bare, UNKNOWN);
        is(&bare.replace("WARC-Payload-Digest", "X"), "copied");
    }

    #[test]
    fn a_revisit_of_a_missing_page_is_reported() {
        is(&revisit("OTHER", "", HTML), MISSING);
        is(&revisit("OTHER", "", ""), MISSING);
        is(&revisit("OTHER", "", &HTML.replace("200 OK", "304 Not Modified")), MISSING);
        is(&revisit("OTHER", "", &HTML.replace("200 OK", "404 Not Found")), "copied");
        is(&revisit("OTHER", "", &HTML.replace("text/html", "image/png")), "copied");
        let image = "WARC-Identified-Payload-Type: image/png\r\n";
        is(&revisit("OTHER", image, ""), "copied");
    }

    #[test]
    fn a_revisit_of_a_missing_page_is_true_if_that_is_not_selected() {
        let other = revisit("OTHER", "", HTML);
        let all = RecordSelection::default;
        selected(&all().url(|url| url == "http://i/"), &other, "copied");
        selected(&all().url(|url| url == "http://h/"), &other, MISSING);
        let to = revisit("OTHER", "WARC-Refers-To-Target-URI: http://i/\r\n", HTML);
        selected(&all().url(|url| url == "http://i/"), &to, MISSING);
        selected(&all().media_type("text/css"), &other, "copied");
        selected(&all().media_type("text/*"), &other, MISSING);
        selected(&all().status(404..=404), &other, "copied");
        let error = other.replace("200 OK", "404 No");
        selected(&all().status(404..=404), &error, "copied");
        with_statuses(Statuses::All, &all().status(404..=404), &error, MISSING);
        let css = revisit("OTHER", "", &HTML.replace("html", "css"));
        selected(&all(), &css, MISSING);
    }
}
