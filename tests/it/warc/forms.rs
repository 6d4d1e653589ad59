//! Archives as they are, one member a record, one for all, and mixtures of these.

use std::io::Read;
use std::ops::ControlFlow;

use absolve::Rewriter;
use absolve::batch::Workers;
use absolve::container::warc::{Entry, Reader, RecordSelection, Rewriting};
use absolve::url::Standard;

use crate::warc::archive::{Run, field, gunzip, gzip, other, page, record, records, small, whole};

const LINK: &str = "<a href=x>";

/// The types and blocks, `\r\n` as `|`.
fn shown(text: &[u8]) -> Vec<String> {
    let shown = |(kind, block): (String, Vec<u8>)| {
        format!("{kind} {}", String::from_utf8(block).unwrap().replace("\r\n", "|"))
    };
    records(text).into_iter().map(shown).collect()
}

fn three() -> [Vec<u8>; 3] {
    [other(0, b"info"), page(1, LINK), other(2, b"more")]
}

const REWRITTEN: [&str; 4] = [
    "request info",
    "response HTTP/1.1 200 OK|Content-Type: text/html||<a href=x>",
    "conversion <a href=http://h/1/x>",
    "request more",
];

#[test]
fn a_document_gets_a_conversion_and_all_else_is_copied() {
    let archive = three().concat();
    let came = Run::default().on(&archive);
    assert_eq!(shown(&came.archive), REWRITTEN);
    let [info, page, more] = three();
    assert!(came.archive.starts_with(&[&info[..], &page].concat()));
    assert!(came.archive.ends_with(&more));
    let second = info.len();
    let third = archive.len() - more.len();
    let reports =
        ["@0 copied".to_owned(), format!("@{second} rewritten"), format!("@{third} copied")];
    assert_eq!(came.reports, reports);
}

#[test]
fn each_record_is_a_member_of_its_own_where_it_was() {
    let [info, page, more] = three().map(|record| gzip(&record));
    let came = Run::default().on(&[&info[..], &page, &more].concat());
    assert_eq!(shown(&gunzip(&came.archive)), REWRITTEN);
    assert!(came.archive.starts_with(&[&info[..], &page].concat()));
    assert!(came.archive.ends_with(&more));
    assert_eq!(came.totals.split, 0);
    assert_eq!(came.reports[1], format!("@{} rewritten", info.len()));
}

#[test]
fn records_of_one_member_become_members_of_their_own() {
    let came = Run::default().on(&gzip(&three().concat()));
    assert_eq!(shown(&gunzip(&came.archive)), REWRITTEN);
    assert_eq!(came.totals.split, 2);
    let [info, page, _] = three();
    let second = format!("@0+{} rewritten", info.len());
    let third = format!("@0+{} copied", info.len() + page.len());
    assert_eq!(came.reports, ["@0 copied", &second, &third]);
    let mut first = Vec::new();
    flate2::read::GzDecoder::new(&came.archive[..]).read_to_end(&mut first).unwrap();
    assert_eq!(first, info);
}

#[test]
fn forms_are_mixed() {
    let [info, page, more] = three();
    for archive in [
        [&info[..], &gzip(&page), &more].concat(),
        [gzip(&info), page.clone(), gzip(&more)].concat(),
        [gzip(&[&info[..], &page].concat()), more.clone()].concat(),
        [&info[..], &gzip(&[&page[..], &more].concat())].concat(),
    ] {
        let came = Run::default().on(&archive);
        assert_eq!(came.totals.rewritten, 1, "{:?}", came.reports);
        assert_eq!((came.totals.copied, came.totals.failed), (2, 0), "{:?}", came.reports);
    }
}

#[test]
fn what_has_nothing_to_rewrite_is_the_same() {
    let records = [other(0, b"info"), page(1, "<a href=http://h/>"), other(2, b"WARC/1.0\r\n")];
    let members: Vec<u8> = records.iter().flat_map(|record| gzip(record)).collect();
    for archive in [records.concat(), members, gzip(&records.concat()), Vec::new(), gzip(b"")] {
        for run in [Run::default(), Run::in_place()] {
            let came = run.on(&archive);
            assert_eq!(came.archive, archive);
            assert_eq!((came.totals.failed, came.totals.split), (0, 0), "{:?}", came.reports);
        }
    }
}

#[test]
fn a_second_run_changes_nothing() {
    let members: Vec<u8> = three().iter().flat_map(|record| gzip(record)).collect();
    for archive in [three().concat(), members, gzip(&three().concat())] {
        for run in [Run::default(), Run::in_place()] {
            let once = run.on(&archive).archive;
            let twice = run.on(&once);
            assert!(twice.archive == once, "{:?}", twice.reports);
            assert_eq!(twice.totals.rewritten, 0, "{:?}", twice.reports);
            // Also where a program put all records into one member.
            let whole = gzip(&if once.starts_with(b"WARC") { once } else { gunzip(&once) });
            assert!(run.on(&whole).archive == whole);
        }
    }
}

#[test]
fn a_page_and_a_conversion_after_it_get_one_each() {
    let conversion = record("conversion", 1, "Content-Type: text/html\r\n", LINK.as_bytes());
    let (first, last) = (page(0, LINK), page(2, LINK));
    for archive in [
        [first.clone(), conversion.clone(), last.clone()].concat(),
        [gzip(&first), gzip(&conversion), gzip(&last)].concat(),
        gzip(&[first, conversion, last].concat()),
    ] {
        let came = Run::default().on(&archive);
        assert_eq!(came.totals.rewritten, 3, "{:?}", came.reports);
        let (_, found) = whole(&came);
        let kinds: Vec<_> = found.iter().map(|(kind, _)| &**kind).collect();
        let added =
            ["response", "conversion", "conversion", "conversion", "response", "conversion"];
        assert_eq!(kinds, added);
        assert!(Run::default().on(&came.archive).archive == came.archive);
    }
}

#[test]
fn no_conversion_is_added_twice() {
    // The standards differ on it.
    let archive = [page(0, "<a href=../../x>"), other(1, b"x")].concat();
    let none = RecordSelection::default().status(200..=200);
    let run = |archive: &[u8], standard, selection: &RecordSelection| {
        let (mut out, rewriter) = (Vec::new(), Rewriter::new().standard(standard));
        let reader = Reader::new(archive).select(selection.clone());
        let (workers, report) = (Workers::new(1), |_: &Entry| ControlFlow::Continue(()));
        Rewriting::new(&rewriter).run(reader, &mut out, &workers, report).unwrap();
        out
    };
    let all = RecordSelection::default();
    for archive in
        [archive.clone(), gzip(&archive), [gzip(&page(0, "<a href=g:h>")), gzip(&archive)].concat()]
    {
        // Where conversions are not selected.
        let once = run(&archive, Standard::Rfc1808, &none);
        assert!(run(&once, Standard::Rfc1808, &none) == once);
        // Where there are those of other options.
        let both = run(&run(&once, Standard::Rfc3986, &all), Standard::Rfc1808, &all);
        assert!(both.len() > once.len());
        assert!(run(&both, Standard::Rfc3986, &all) == both);
        assert!(run(&both, Standard::Rfc1808, &all) == both);
    }
}

#[test]
fn a_record_that_is_there_twice_has_one_conversion() {
    let two = [page(0, LINK), other(1, b"x")];
    let all = [&two[..], &two].concat();
    let members: Vec<u8> = all.iter().flat_map(|record| gzip(record)).collect();
    let unnamed = String::from_utf8(page(0, LINK)).unwrap();
    let unnamed = unnamed.replace("WARC-Record-ID: <urn:test:0>\r\n", "").into_bytes();
    let twice = gzip(&two.concat());
    for archive in [all.concat(), members, gzip(&all.concat()), [&twice[..], &twice].concat()] {
        let came = Run::default().on(&archive);
        assert_eq!((came.totals.rewritten, came.totals.unchanged), (1, 1), "{:?}", came.reports);
        let (heads, _) = whole(&came);
        let kinds: Vec<_> = heads.iter().map(|head| field(head, "WARC-Type").unwrap()).collect();
        assert_eq!(kinds, ["response", "conversion", "request", "response", "request"]);
        let again = Run::default().on(&came.archive);
        assert!(again.archive == came.archive, "{:?}", again.reports);
    }
    // Records without a name have conversions with the names of their positions.
    let came = Run::default().on(&[&unnamed[..], &unnamed].concat());
    assert_eq!(came.totals.rewritten, 2);
    let names: Vec<_> =
        whole(&came).0.iter().filter_map(|head| field(head, "WARC-Record-ID")).collect();
    assert!(names.len() == 2 && names[0] != names[1], "{names:?}");
    assert!(Run::default().on(&came.archive).archive == came.archive);
}

#[test]
fn a_conversion_follows_a_record_without_line_ends() {
    let archive = page(0, LINK);
    for ends in 0..=4 {
        let came = Run::default().on(&archive[..archive.len() - ends]).archive;
        assert_eq!(records(&came).len(), 2, "{ends}");
        assert!(came.starts_with(&archive));
    }
}

#[test]
fn threads_make_no_difference() {
    let records: Vec<Vec<u8>> = (0..500)
        .map(|n| if n % 3 == 0 { other(n, b"x") } else { page(n, &LINK.repeat(n * 4)) })
        .map(|record| gzip(&record))
        .collect();
    let archive = records.concat();
    let one = Run::default().on(&archive);
    let four = Run { threads: 4, is_seekable: false, ..Run::default() }.on(&archive);
    assert_eq!((one.archive == four.archive, one.reports), (true, four.reports));
    assert_eq!(one.totals.rewritten, 333);
}

#[test]
fn records_over_the_limit_are_copied_and_their_pages_reported() {
    let large = page(1, &LINK.repeat(500));
    let (before, after) = (page(0, LINK), page(2, LINK));
    let noise: Vec<u8> =
        (0..9000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let image = other(3, &noise);
    let all = [&before, &large, &image, &after];
    let plain: Vec<u8> = all.iter().flat_map(|record| record.iter().copied()).collect();
    let members: Vec<u8> = all.iter().flat_map(|record| gzip(record)).collect();
    let run = Run { bounds: small(), ..Run::default() };
    for run in [run, Run { is_seekable: false, ..run }] {
        let came = run.on(&plain);
        let text = came.archive;
        assert_eq!(records(&text).len(), 6);
        assert_eq!((came.totals.rewritten, came.totals.copied, came.totals.skipped), (2, 1, 1));
        let too_large = "record stays as it is: it exceeds the limit for records";
        assert_eq!(came.reports[1], format!("@{} {too_large}", before.len()));
        let came = run.on(&members);
        assert_eq!(gunzip(&came.archive), text);
        assert_eq!((came.totals.rewritten, came.totals.copied, came.totals.skipped), (2, 1, 1));
        // One member for all: each buffered record is a member, and so is all that follows.
        let came = run.on(&gzip(&plain));
        assert_eq!(gunzip(&came.archive), text);
        assert_eq!((came.totals.rewritten, came.totals.copied, came.totals.skipped), (2, 1, 1));
    }
}

#[test]
fn records_after_a_large_one_in_its_member_are_copied() {
    let archive = gzip(&[page(0, &LINK.repeat(500)), page(1, LINK)].concat());
    let archive = [archive, gzip(&page(2, LINK))].concat();
    let came = Run { bounds: small(), ..Run::default() }.on(&archive);
    assert_eq!((came.totals.rewritten, came.totals.skipped), (1, 2), "{:?}", came.reports);
    assert!(
        came.reports[1].contains("begins with a record that exceeds the limit for records"),
        "{:?}",
        came.reports
    );
}

#[test]
fn a_record_that_would_be_too_large_stays() {
    let base = "b".repeat(500);
    let grows = |links: usize| {
        page(1, &format!("<base href=http://h/{base}/>{}", "<a href=x>".repeat(links)))
    };
    let before = page(0, LINK);
    let position = before.len();
    for (run, links) in [(Run::default(), 9), (Run::in_place(), 9), (Run::in_place(), 3)] {
        let run = Run { bounds: small(), ..run };
        for is_seekable in [true, false] {
            let archive = [before.clone(), grows(links), page(2, LINK)];
            let came = Run { is_seekable, ..run }.on(&archive.concat());
            assert_eq!((came.totals.rewritten, came.totals.skipped), (2, 1), "{:?}", came.reports);
            let expected = format!(
                "@{position} record stays as it is: the new one would exceed the limit for records"
            );
            assert!(came.reports.contains(&expected), "{:?}", came.reports);
            assert!(came.archive.windows(archive[1].len()).any(|window| window == archive[1]));
            let members: Vec<u8> = archive.iter().flat_map(|record| gzip(record)).collect();
            let gzipped = Run { is_seekable, ..run }.on(&members);
            assert!(records(&gunzip(&gzipped.archive)) == records(&came.archive));
            // Nothing changes in the next run.
            assert!(run.on(&came.archive).archive == came.archive);
        }
    }
    // The same page in a record that may be larger.
    let came = Run::in_place().on(&grows(9));
    assert_eq!(came.totals.rewritten, 1, "{:?}", came.reports);
}

#[test]
fn a_check_reports_what_a_run_does() {
    let large = page(1, &LINK.repeat(500));
    let parts = [page(0, LINK), other(3, b"x"), large, page(2, LINK), vec![b'x'; 300]];
    let members: Vec<u8> = parts.iter().flat_map(|part| gzip(part)).collect();
    let once = Run { bounds: small(), is_seekable: false, ..Run::default() };
    for archive in [parts.concat(), members, gzip(&parts.concat()), gzip(&parts[1..].concat())] {
        // `Run::on` compares both.
        assert!(once.on(&archive).totals.records > 2);
    }
}

#[test]
fn members_may_have_names_comments_and_checksums_in_their_headers() {
    let text = page(0, LINK);
    let plain = gzip(&text);
    let header = |flags: u8, fields: &[u8]| {
        let head = [&[0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 3], fields].concat();
        [&head, &plain[10..]].concat()
    };
    let mut crc = flate2::Crc::new();
    crc.update(&[0x1f, 0x8b, 8, 2, 0, 0, 0, 0, 0, 3]);
    let crc = crc.sum().to_le_bytes();
    let expected = Run::in_place().on(&plain).archive;
    for member in [
        header(1, b""),
        header(4, b"\x02\0ab"),
        header(8, b"a.warc\0"),
        header(16, b"comment\0"),
        header(2, &crc[..2]),
        header(12, b"\0\0a.warc\0"),
    ] {
        assert!(Run::in_place().on(&member).archive == expected);
    }
    let long = [vec![b'a'; 70_000], b"\0".to_vec()].concat();
    for member in [header(2, b"\0\0"), header(8, &long), header(4, b"\xff\xff")] {
        let came = Run::default().on(&member);
        assert_eq!((came.archive == member, came.totals.failed), (true, 1));
        assert!(came.reports[0].contains("its compressed member"), "{:?}", came.reports);
    }
}
