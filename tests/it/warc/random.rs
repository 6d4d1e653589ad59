//! Properties over archives that are made up, and over damage anywhere.

use absolve::Rewriter;
use proptest::prelude::*;

use crate::warc::archive::{Run, gunzip, gzip, other, page, record, records, small};

/// A record: a page with so many links, or another.
fn any_record() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        (0..9_usize, 0..60_usize)
            .prop_map(|(n, links)| page(n, &"<a href=x>y</a>\n".repeat(links))),
        (0..9_usize, prop::collection::vec(any::<u8>(), 0..3000))
            .prop_map(|(n, block)| other(n, &block)),
        (0..9_usize).prop_map(|n| record(
            "resource",
            n,
            "Content-Type: text/html\r\n",
            b"<p>WARC/1.0\n"
        )),
    ]
}

/// Records as members of one or more, or as they are.
fn any_archive() -> impl Strategy<Value = (Vec<Vec<u8>>, Vec<u8>)> {
    prop::collection::vec((any_record(), 0..4_u8), 0..12).prop_map(|records| {
        let mut archive = Vec::new();
        let mut member: Vec<u8> = Vec::new();
        for (record, form) in &records {
            member.extend(record);
            match form {
                0 => archive.append(&mut member),
                1 => archive.extend(gzip(&std::mem::take(&mut member))),
                // With the next.
                _ => {}
            }
        }
        archive.extend(gzip(&member));
        (records.into_iter().map(|(record, _)| record).collect(), archive)
    })
}

/// What can be read of an archive, without compression.
fn text(mut archive: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    while !archive.is_empty() {
        if archive.starts_with(b"\x1f\x8b") {
            let mut member = flate2::bufread::GzDecoder::new(archive);
            std::io::copy(&mut member, &mut text).unwrap();
            archive = member.into_inner();
        } else {
            let next = memchr::memmem::find(archive, b"\r\n\r\n\x1f\x8b\x08\0");
            let (plain, rest) = archive.split_at(next.map_or(archive.len(), |at| at + 4));
            text.extend(plain);
            archive = rest;
        }
    }
    text
}

/// Rewrites nothing: no attribute has that name.
fn nothing() -> Rewriter {
    Rewriter::new().only("no-such-attribute")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn all_records_are_there_in_order((made, archive) in any_archive(), is_small in any::<bool>()) {
        let bounds = if is_small { small() } else { Run::default().bounds };
        let came = Run { bounds, ..Run::default() }.on(&archive);
        // What is after a large record in its member is reported once.
        if !came.reports.iter().any(|reports| reports.contains("begins with")) {
            prop_assert_eq!(came.totals.records, made.len() as u64, "{:?}", came.reports);
        }
        prop_assert_eq!(came.totals.failed, 0);
        let found = records(&text(&came.archive));
        prop_assert_eq!(found.len() as u64, made.len() as u64 + came.totals.rewritten);
        let originals = found.iter().filter(|(kind, _)| kind != "conversion");
        prop_assert_eq!(originals.clone().count(), made.len());
        for ((_, block), made) in originals.zip(&made) {
            prop_assert!(made.ends_with(&[block, &b"\r\n\r\n"[..]].concat()));
        }
        let again = Run { bounds, ..Run::default() }.on(&came.archive);
        prop_assert_eq!(again.totals.rewritten, 0, "{:?}", again.reports);
        let replaced = Run { bounds, ..Run::in_place() }.on(&archive);
        let found = records(&text(&replaced.archive));
        let has_info = u64::from(replaced.totals.rewritten > 0);
        prop_assert_eq!(found.len() as u64, made.len() as u64 + has_info);
        let again = Run { bounds, ..Run::in_place() }.on(&replaced.archive);
        prop_assert_eq!(again.totals.rewritten, 0, "{:?}", again.reports);
    }

    #[test]
    fn nothing_to_rewrite_is_the_same((_, archive) in any_archive()) {
        for run in [Run::default(), Run::in_place()] {
            prop_assert!(run.by(&nothing(), &archive).archive == archive);
        }
    }

    #[test]
    fn damage_anywhere_is_copied(
        (_, mut archive) in any_archive(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
        is_seekable in any::<bool>(),
    ) {
        for (at, byte) in damage {
            if !archive.is_empty() {
                let at = at.index(archive.len());
                archive[at] = byte;
            }
        }
        if let Some(cut) = cut {
            archive.truncate(cut.index(archive.len() + 1));
        }
        for run in [Run::default(), Run::in_place()] {
            let came = Run { is_seekable, ..run }.by(&nothing(), &archive);
            prop_assert!(came.archive == archive, "{:?}", came.reports);
        }
        let small = Run { bounds: small(), is_seekable, ..Run::default() };
        let once = small.on(&archive);
        prop_assert_eq!(once.archive, Run { threads: 3, ..small }.on(&archive).archive);
    }
}

#[test]
fn a_member_is_text_again() {
    assert_eq!(text(&[&gzip(b"a")[..], b"b"].concat()), gunzip(&gzip(b"ab")));
}
