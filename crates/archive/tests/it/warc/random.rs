//! Properties over archives that are made up, and over damage anywhere.

use proptest::prelude::*;

use crate::warc::archive::{Run, gzip, other, page, record, small};

/// A record, and whether it is a page: one with a number of links, or another.
fn any_record() -> impl Strategy<Value = (bool, Vec<u8>)> {
    let html = "Content-Type: text/html\r\n";
    prop_oneof![
        (0..9_usize, 0..60_usize)
            .prop_map(|(n, links)| (true, page(n, &"<a href=x>y</a>\n".repeat(links)))),
        (0..9_usize, prop::collection::vec(any::<u8>(), 0..3000))
            .prop_map(|(n, block)| (false, other(n, &block))),
        (0..9_usize).prop_map(move |n| (true, record("resource", n, html, b"<p>WARC/1.0\n"))),
    ]
}

/// Records as members of one or more, or as they are, and how many of them are pages.
fn any_archive() -> impl Strategy<Value = (usize, Vec<u8>)> {
    prop::collection::vec((any_record(), 0..4_u8), 0..12).prop_map(|records| {
        let mut archive = Vec::new();
        let mut member: Vec<u8> = Vec::new();
        for ((_, record), form) in &records {
            member.extend(record);
            match form {
                0 => archive.append(&mut member),
                1 => archive.extend(gzip(&std::mem::take(&mut member))),
                // With the next.
                _ => {}
            }
        }
        archive.extend(gzip(&member));
        (records.iter().filter(|((is_page, _), _)| *is_page).count(), archive)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn every_page_is_read_or_too_large((pages, archive) in any_archive(), is_small in any::<bool>()) {
        let bounds = if is_small { small() } else { Run::default().bounds };
        let came = Run { bounds, ..Run::default() }.on(&archive);
        prop_assert_eq!(came.reports.len(), pages, "{:?}", came.reports);
        let large = came.reports.iter().filter(|report| report.contains("exceeds the limit"));
        prop_assert_eq!(came.counts().1, large.count(), "{:?}", came.reports);
        prop_assert!(is_small || came.counts().1 == 0);
    }

    #[test]
    fn damage_anywhere_makes_no_difference_to_threads(
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
        for bounds in [small(), Run::default().bounds] {
            let run = Run { bounds, is_seekable, ..Run::default() };
            let once = run.on(&archive);
            let threads = Run { threads: 3, ..run }.on(&archive);
            prop_assert_eq!((once.reports, once.pages), (threads.reports, threads.pages));
        }
    }
}
