//! Damaged and hostile archives: each record is reported with its position, and the rest is done.

use absolve_archive::warc::Reader;

use crate::warc::archive::{Run, gzip, other, page, small};

const LINK: &str = "<a href=x>";

/// The reports, with the numbers of the places left out; and two pages around it are read.
#[track_caller]
fn reports_are(run: Run, damaged: &[u8], expected: &[&str]) {
    let (before, after) = (page(0, LINK), page(9, LINK));
    for (archive, form) in [
        ([&before[..], damaged, &after].concat(), "plain"),
        ([&gzip(&before)[..], damaged, &gzip(&after)].concat(), "members"),
    ] {
        let came = run.on(&archive);
        let reports: Vec<_> =
            came.reports.iter().map(|reports| reports.split_once(' ').unwrap()).collect();
        let place = if form == "plain" { before.len() } else { gzip(&before).len() };
        assert_eq!(reports.first().unwrap().1, "read", "{form}: {reports:?}");
        assert_eq!(reports.last().unwrap().1, "read", "{form}: {reports:?}");
        assert_eq!(reports[1].0, format!("@{place}"), "{form}: {reports:?}");
        let between: Vec<_> =
            reports[1..reports.len() - 1].iter().map(|reports| reports.1).collect();
        assert_eq!(between, expected, "{form}");
    }
}

fn with_length(length: &str) -> Vec<u8> {
    let text = String::from_utf8(page(5, LINK)).unwrap();
    let at = text.find("Content-Length: ").unwrap() + 16;
    let end = at + text[at..].find('\r').unwrap();
    format!("{}{length}{}", &text[..at], &text[end..]).into_bytes()
}

const LENGTH: &str = "its Content-Length is wrong: no record ends where it says";
const NUMBER: &str = "its Content-Length is not a number";
const CUT: &str = "record is truncated: the file or its compressed member ends inside it";

#[test]
fn wrong_lengths_do_not_hide_the_next_record() {
    let run = Run::default();
    reports_are(run, &with_length("10"), &[LENGTH]);
    reports_are(run, &with_length("0"), &[LENGTH]);
    reports_are(run, &with_length("70"), &[LENGTH]);
    reports_are(run, &with_length("99999"), &[CUT]);
    reports_are(run, &with_length("999999999"), &["record is truncated: the file ends inside it"]);
    reports_are(run, &with_length("18446744073709551616"), &[NUMBER]);
    reports_are(run, &with_length("-1"), &[NUMBER]);
    reports_are(run, &with_length(""), &[NUMBER]);
    let wrong = "its Content-Length is not a number";
    reports_are(run, &with_length("18446744073709551615"), &[wrong]);
    let stream = Run { is_seekable: false, ..run };
    reports_are(stream, &with_length("18446744073709551615"), &[wrong]);
    let tib = "its Content-Length is wrong: it is more than a TiB";
    reports_are(stream, &with_length("9223372036854775808"), &[tib]);
    reports_are(stream, &with_length("99999"), &[CUT]);
}

#[test]
fn wrong_lengths_inside_a_member_do_not_hide_the_next_record() {
    for (length, why) in [("10", LENGTH), ("0", LENGTH), ("99999", CUT), ("-1", NUMBER)] {
        let text = [&page(0, LINK)[..], &with_length(length), &page(9, LINK)].concat();
        let came = Run::default().on(&gzip(&text));
        let reports: Vec<_> =
            came.reports.iter().map(|reports| reports.split_once(' ').unwrap().1).collect();
        assert!(reports.contains(&why), "{reports:?}");
        assert_eq!(came.counts(), (2, 1), "{reports:?}");
        let alone = [gzip(&page(0, LINK)), gzip(&with_length(length)), gzip(&page(9, LINK))];
        let came = Run::default().on(&alone.concat());
        assert_eq!(came.counts(), (2, 1), "{:?}", came.reports);
        assert_eq!(came.reports[1], format!("@{} {why}", alone[0].len()));
    }
}

#[test]
fn what_is_no_record_is_passed_over() {
    let run = Run::default();
    let no_record = "expected a record that begins with WARC/";
    reports_are(run, b"junk\r\n", &[no_record]);
    reports_are(run, b"\x1f\x8b\x07 junk\r\n", &[no_record]);
    reports_are(run, b"WARC/1.0\r\nWARC-Type: request\r\n\r\n", &["it has no Content-Length"]);
    reports_are(run, format!("{}\r\n", "x".repeat(200_000)).as_bytes(), &[no_record]);
    let arc = "an ARC archive; convert it to WARC first (warcio recompress IN OUT)";
    reports_are(run, &gzip(b"filedesc://a.arc 0.0.0.0 2026 text/plain 0\n"), &[arc]);
    let head = format!("WARC/1.0\r\nA: {}\r\n", "x".repeat(100_000));
    let long = "its header exceeds 64 KiB, the limit for headers of records";
    reports_are(run, head.as_bytes(), &[long]);
    let fields = format!("WARC/1.0\r\n{}", "A: b\r\n".repeat(100_000));
    reports_are(run, fields.as_bytes(), &[long]);
}

#[test]
fn many_beginnings_of_records_cost_no_more_than_their_bytes() {
    let text = "WARC/1.0\n".repeat(1_000_000);
    let inside = "record is truncated: another begins inside it";
    let came = Run::default().on(&gzip(text.as_bytes()));
    assert_eq!(came.reports, [format!("@0 {inside}")]);
    let came = Run::default().on(&text.as_bytes()[..90_000]);
    let cut = "record is truncated: the file or its compressed member ends inside its head";
    assert_eq!(came.counts(), (0, 10_000));
    assert_eq!(
        (&*came.reports[1], &*came.reports[9999]),
        (&*format!("@9 {inside}"), &*format!("@89991 {cut}"))
    );
    let small = "WARC/1.0\nContent-Length: 0\n\n\n\n".repeat(40_000);
    let archive = gzip(small.as_bytes());
    let mut bounds = Run::default().bounds;
    bounds.ratio = 0;
    let came = Run { bounds, ..Run::default() }.on(&archive);
    assert_eq!(came.counts(), (0, 0));
}

#[test]
fn records_without_blank_lines_are_read_where_lengths_are_right() {
    let text = String::from_utf8([page(0, LINK), page(1, LINK)].concat()).unwrap();
    for ends in ["\r\n", "\n\n", ""] {
        let text = text.replace("<a href=x>\r\n\r\n", &format!("<a href=x>{ends}"));
        let came = Run::default().on(text.as_bytes());
        assert_eq!(came.counts().0, 2, "{ends:?}: {:?}", came.reports);
    }
}

#[test]
fn a_damaged_member_does_not_hide_the_next_one() {
    let member = gzip(&page(5, &"<a href=x>some words that differ</a>".repeat(9)));
    let (start, end) = (b"<a href=x>".len(), member.len());
    let mut checksum = member.clone();
    checksum[end - 6] ^= 1;
    let unreadable = "its compressed member cannot be read: it does not have a matching checksum";
    reports_of_member(&checksum, unreadable);
    for cut in [start + 1, end / 2, end - 9, end - 8, end - 1] {
        reports_of_member(&member[..cut], "its compressed member cannot be read");
    }
    let mut flipped = member.clone();
    flipped[end / 2] ^= 0xff;
    reports_of_member(&flipped, "its compressed member cannot be read");
}

#[track_caller]
fn reports_of_member(damaged: &[u8], expected: &str) {
    let (before, after) = (gzip(&page(0, LINK)), gzip(&page(9, LINK)));
    let came = Run::default().on(&[&before[..], damaged, &after].concat());
    // If only the end of the member is missing, its record is complete.
    let (read, failed) = came.counts();
    assert!(read >= 2 && failed >= 1, "{:?}", came.reports);
    assert!(came.reports.last().unwrap().ends_with("read"), "{:?}", came.reports);
    if read == 2 {
        let place = format!("@{} ", before.len());
        let why = came.reports.iter().find_map(|reports| reports.strip_prefix(&place));
        assert!(why.is_some_and(|why| why.starts_with(expected)), "{:?}", came.reports);
    }
}

#[test]
fn a_damaged_member_of_several_keeps_what_can_be_read() {
    let mut state = 1_u64;
    let mut letter = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        char::from(b'a' + (state >> 60) as u8)
    };
    let noise: String = (0..40_000).map(|_| letter()).collect();
    let several = gzip(&[page(0, LINK), other(1, noise.as_bytes()), page(2, LINK)].concat());
    let cut = &several[..several.len() - 5000];
    let came = Run::default().on(&[cut, &gzip(&page(9, LINK))].concat());
    assert_eq!(came.counts(), (2, 1), "{:?}", came.reports);
}

#[test]
fn records_of_a_member_that_is_not_what_its_checksum_is_of_are_not_read() {
    let records = [page(0, LINK), other(1, b"x"), page(2, LINK)].concat();
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    std::io::Write::write_all(&mut encoder, &records).unwrap();
    // Stored as it is, a record in it looks like one that is not compressed.
    let mut stored = encoder.finish().unwrap();
    let word = memchr::memmem::find(&stored, b"http://h/0").unwrap();
    stored[word + 9] ^= 1;
    let archive = [&stored[..], &gzip(&page(9, LINK))].concat();
    let came = Run::default().on(&archive);
    assert_eq!(came.counts(), (1, 2), "{:?}", came.reports);
}

#[test]
fn a_last_record_that_is_cut_off_is_an_error_and_the_rest_is_done() {
    let (first, last) = (page(0, LINK), page(1, LINK));
    for cut in [1, 20, last.len() / 2, last.len() - 8] {
        let came = Run::default().on(&[&first[..], &last[..cut]].concat());
        assert_eq!(came.counts(), (1, 1), "{:?}", came.reports);
    }
    let member = gzip(&last);
    for cut in [3, 12, member.len() - 1] {
        let came = Run::default().on(&[&gzip(&first)[..], &member[..cut]].concat());
        assert_eq!(came.counts(), (1, 1), "{:?}", came.reports);
        let why = "record is truncated: its compressed member has no end";
        assert_eq!(came.reports[1], format!("@{} {why}", gzip(&first).len()));
    }
}

#[test]
fn a_last_record_of_a_member_without_end_is_read_if_it_is_whole() {
    let records = [page(0, LINK), other(1, b"x"), page(2, LINK)];
    let last = records[..2].concat().len();
    let member = gzip(&records.concat());
    for cut in [1, 4, 8] {
        let came = Run::default().on(&member[..member.len() - cut]);
        let whole = format!(
            "@0+{} the records before it are whole, but their compressed member has no end",
            records.concat().len()
        );
        assert_eq!(came.reports, [whole, "@0 read".to_owned(), format!("@0+{last} read")]);
    }
}

#[test]
fn bombs_stop_at_the_ratio() {
    let run = Run { bounds: small(), ..Run::default() };
    for bomb in [gzip(&other(5, &vec![0; 1_000_000])), gzip(&vec![b'\n'; 1_000_000])] {
        let archive = [gzip(&page(0, LINK)), bomb, gzip(&page(9, LINK))].concat();
        let came = run.on(&archive);
        assert_eq!(came.counts().0, 2, "{:?}", came.reports);
        let reports = came.reports.join("\n");
        assert!(reports.contains("grows to more than 20 times its size"), "{reports}");
    }
}

#[test]
fn a_chunked_body_with_bad_sizes_is_reported() {
    let body = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n";
    let record = |chunks: &str| {
        let block = format!("{body}{chunks}");
        crate::warc::archive::record("response", 5, "", block.as_bytes())
    };
    let whole = "it is chunked, and the last chunk is incomplete";
    reports_are(Run::default(), &record("ffffffffffffffff\r\n<a href=x>"), &[whole]);
    let size = "it is chunked, and the size of a chunk cannot be read";
    reports_are(Run::default(), &record("1\r\n<\r\nq\r\n"), &[size]);
    let missing = "it is chunked, and the last chunk is missing";
    reports_are(Run::default(), &record("1\r\n<\r\n"), &[missing]);
}

#[test]
fn a_zip_file_is_an_error() {
    for bytes in [&b"PK\x03\x04 and more"[..], b"PK\x05\x06", b"\x89PNG\r\n\x1a\n"] {
        let read = Reader::new(bytes).pages(|_| panic!("it has no page"));
        let error = read.unwrap_err().to_string();
        assert!(error.ends_with("and not a web archive") || error.contains("WACZ"), "{error}");
    }
}
