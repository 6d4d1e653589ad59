//! Archives as they are, one member a record, one for all, and mixtures of these.

use crate::warc::archive::{Run, gzip, other, page, small};

const LINK: &str = "<a href=x>";

fn three() -> [Vec<u8>; 3] {
    [other(0, b"info"), page(1, LINK), other(2, b"more")]
}

#[test]
fn an_archive_may_mix_members_and_records() {
    let [info, page, more] = three();
    for (archive, place) in [
        ([&info[..], &page, &more].concat(), format!("@{}", info.len())),
        ([gzip(&info), gzip(&page), gzip(&more)].concat(), format!("@{}", gzip(&info).len())),
        (gzip(&three().concat()), format!("@0+{}", info.len())),
        ([&info[..], &gzip(&page), &more].concat(), format!("@{}", info.len())),
        ([gzip(&info), page.clone(), gzip(&more)].concat(), format!("@{}", gzip(&info).len())),
        ([gzip(&[&info[..], &page].concat()), more.clone()].concat(), format!("@0+{}", info.len())),
        ([&info[..], &gzip(&[&page[..], &more].concat())].concat(), format!("@{}", info.len())),
    ] {
        let came = Run::default().on(&archive);
        assert_eq!(came.pages, ["<a href=http://h/1/x>"]);
        assert_eq!(came.reports, [format!("{place} read")]);
    }
    for archive in [Vec::new(), gzip(b""), info] {
        assert_eq!(Run::default().on(&archive).counts(), (0, 0));
    }
}

#[test]
fn a_record_may_have_no_line_ends() {
    let archive = page(0, LINK);
    for ends in 0..=4 {
        assert_eq!(Run::default().on(&archive[..archive.len() - ends]).counts(), (1, 0), "{ends}");
    }
}

#[test]
fn a_version_may_be_written_in_any_case() {
    for version in ["warc", "Warc"] {
        let records = three().map(|mut record| {
            record[..4].copy_from_slice(version.as_bytes());
            record
        });
        for archive in
            [records.concat(), gzip(&records.concat()), records.map(|r| gzip(&r)).concat()]
        {
            assert_eq!(Run::default().on(&archive).counts(), (1, 0), "{version}");
            let damaged = [b"damage\n", &archive[..]].concat();
            assert_eq!(Run::default().on(&damaged).counts(), (1, 1), "{version}");
        }
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
    assert_eq!((one.pages == four.pages, &one.reports), (true, &four.reports));
    assert_eq!(one.counts(), (333, 0));
}

#[test]
fn records_over_the_limit_are_passed_over_and_their_pages_reported() {
    let large = page(1, &LINK.repeat(500));
    let (before, after) = (page(0, LINK), page(2, LINK));
    let noise: Vec<u8> =
        (0..9000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let image = other(3, &noise);
    let records = [before.clone(), large.clone(), image.clone(), after.clone()];
    let members = records.each_ref().map(|record| gzip(record));
    let run = Run { bounds: small(), ..Run::default() };
    let too_large = "record is not read: it exceeds the limit for records";
    for run in [run, Run { is_seekable: false, ..run }] {
        for (archive, place) in [
            (records.concat(), format!("@{}", before.len())),
            (members.concat(), format!("@{}", members[0].len())),
            (gzip(&records.concat()), format!("@0+{}", before.len())),
        ] {
            let came = run.on(&archive);
            assert_eq!(came.counts(), (2, 1), "{:?}", came.reports);
            assert_eq!(came.reports[1], format!("{place} {too_large}"));
        }
        // Records that follow a large one in its member are read.
        let came = run.on(&gzip(&[large.clone(), image.clone(), after.clone()].concat()));
        let after = format!("@0+{} read", large.len() + image.len());
        assert_eq!(came.reports, [format!("@0 {too_large}"), after]);
    }
}

#[test]
fn members_may_have_names_comments_and_checksums_in_their_headers() {
    let plain = gzip(&page(0, LINK));
    let header = |flags: u8, fields: &[u8]| {
        let head = [&[0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 3], fields].concat();
        [&head, &plain[10..]].concat()
    };
    let mut crc = flate2::Crc::new();
    crc.update(&[0x1f, 0x8b, 8, 2, 0, 0, 0, 0, 0, 3]);
    let crc = crc.sum().to_le_bytes();
    for member in [
        header(1, b""),
        header(4, b"\x02\0ab"),
        header(8, b"a.warc\0"),
        header(16, b"comment\0"),
        header(2, &crc[..2]),
        header(12, b"\0\0a.warc\0"),
    ] {
        assert_eq!(Run::default().on(&member).reports, ["@0 read"]);
    }
    let long = [vec![b'a'; 70_000], b"\0".to_vec()].concat();
    for member in [header(2, b"\0\0"), header(8, &long), header(4, b"\xff\xff")] {
        let came = Run::default().on(&member);
        assert_eq!(came.counts(), (0, 1));
        assert!(came.reports[0].contains("its compressed member"), "{:?}", came.reports);
    }
}
