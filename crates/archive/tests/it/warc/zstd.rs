//! Archives of Zstandard frames, with and without a dictionary.

use std::io::Cursor;
use std::ops::ControlFlow;

use absolve_archive::EntryId;
use absolve_archive::warc::Reader;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use crate::warc::archive::{Run, gzip, other, page, small};

const LINK: &str = "<a href=x>";

/// Three pages, made by `zstd -D dict`, after the dictionary that `zstd --train --maxdict=1500` made
/// of 300 such pages, as it is and compressed by `zstd -19`.
const DICTIONARIES: [&[u8]; 2] =
    [include_bytes!("zstd/dictionary.warc.zst"), include_bytes!("zstd/packed-dictionary.warc.zst")];

fn zstd(text: &[u8]) -> Vec<u8> {
    compress_to_vec(text, CompressionLevel::Fastest)
}

#[test]
fn frames_hold_what_members_hold() {
    let parts = [other(0, b"info"), page(1, LINK), other(2, b"more"), page(3, &LINK.repeat(99))];
    let gzipped: Vec<u8> = parts.iter().flat_map(|record| gzip(record)).collect();
    let frames: Vec<u8> = parts.iter().flat_map(|record| zstd(record)).collect();
    let expected = Run::default().on(&gzipped).pages;
    assert_eq!(Run::default().on(&frames).pages, expected);
    // All in one frame.
    assert_eq!(Run::default().on(&zstd(&parts.concat())).pages, expected);
}

#[test]
fn records_that_are_too_large_are_passed_over() {
    let records = [page(0, LINK), page(1, &LINK.repeat(500)), other(3, b"x"), page(2, LINK)];
    let members: Vec<u8> = records.iter().flat_map(|record| zstd(record)).collect();
    for is_seekable in [true, false] {
        let run = Run { bounds: small(), is_seekable, ..Run::default() };
        for archive in [&members, &zstd(&records.concat())] {
            let came = run.on(archive);
            assert_eq!(came.counts(), (2, 1), "{:?}", came.reports);
        }
    }
}

#[test]
fn a_dictionary_is_used() {
    for archive in DICTIONARIES {
        let came = Run::default().on(archive);
        assert_eq!(came.counts(), (3, 0), "{:?}", came.reports);
        let expected = "<title>Page 0</title><p>It has a <a href=http://h/0/x0>link</a>";
        assert_eq!(came.pages[0], expected);
        // A record is read by its position, too.
        let position = came.reports[1].split(' ').next().unwrap();
        let EntryId::Record(second) = position.parse().unwrap() else { panic!("{position}") };
        let mut bodies = Vec::new();
        let reader = Reader::seek(Cursor::new(archive), second).unwrap();
        let read = reader.pages(|page| {
            bodies.push(page.unwrap().document().to_vec());
            ControlFlow::Continue(())
        });
        read.unwrap();
        assert_eq!(bodies.len(), 1);
        assert!(bodies[0].starts_with(b"<title>Page 919</title>"));
    }
}

#[test]
fn a_frame_need_not_name_its_dictionary() {
    // Made in the same way, with `--no-dictID`.
    let archive = include_bytes!("zstd/unnamed-dictionary.warc.zst");
    let came = Run::default().on(archive);
    assert_eq!(came.counts(), (3, 0), "{:?}", came.reports);
}

#[test]
fn other_skippable_frames_are_passed_over() {
    let skippable = b"\x50\x2a\x4d\x18\x04\0\0\0WARC";
    let archive = [&skippable[..], &zstd(&page(0, LINK)), skippable, &zstd(&other(1, b"x"))];
    let came = Run::default().on(&archive.concat());
    assert_eq!(came.counts(), (1, 0), "{:?}", came.reports);
}

#[test]
fn damage_is_reported_and_the_next_frame_is_found() {
    let frames = [page(0, LINK), page(1, &LINK.repeat(400)), page(2, LINK)].map(|text| zstd(&text));
    let [first, middle, last] = &frames;
    let mut flipped = middle.clone();
    let at = flipped.len() - 1;
    flipped[at] ^= 1;
    for damaged in [&flipped, &middle[..20].to_vec(), &middle[..middle.len() - 5].to_vec()] {
        let came = Run::default().on(&[&first[..], damaged, last].concat());
        assert_eq!(came.counts(), (2, 1), "{:?}", came.reports);
        // A frame that is cut off may read all bytes after it.
        assert!(came.reports[1].starts_with(&format!("@{} ", first.len())), "{:?}", came.reports);
        assert!(came.reports[1].contains("its compressed member "), "{:?}", came.reports);
    }
    let came = Run::default().on(&[first, &middle[..middle.len() - 5]].concat());
    assert!(came.reports[1].contains("has no end"), "{:?}", came.reports);
}

#[test]
fn a_hostile_dictionary_or_window_is_an_error() {
    let frame = |content: &[u8]| {
        let size = u32::try_from(content.len()).unwrap().to_le_bytes();
        [b"\x5d\x2a\x4d\x18", &size, content, &zstd(&page(0, LINK))].concat()
    };
    let bomb = zstd(&vec![0; 3 << 20]);
    for (archive, why) in [
        (frame(b"no dictionary"), "its dictionary is damaged"),
        (frame(b"\x37\xa4\x30\xec\x01\0\0\0\xff\xff"), "its dictionary is damaged"),
        (frame(&bomb), "its dictionary exceeds 2 MiB"),
        (b"\x5d\x2a\x4d\x18\xff\xff\xff\xff".to_vec(), "its dictionary exceeds 2 MiB"),
        (b"\x5d\x2a\x4d\x18\xff\0\0\0abc".to_vec(), "its dictionary has no end"),
    ] {
        let read = Reader::new(&archive[..]).pages(|_| ControlFlow::Continue(()));
        let error = read.unwrap_err().to_string();
        assert!(error.starts_with(why), "{error}");
    }
    // A frame that needs another dictionary, and one that claims a window of 3.75 TB.
    let (_, frames) = DICTIONARIES[0].split_at(1508);
    let window = b"\x28\xb5\x2f\xfd\0\xff\x01\0\0".to_vec();
    let id = u32::from_le_bytes(DICTIONARIES[0][12..16].try_into().unwrap());
    let missing = format!("its Zstandard frame needs the dictionary {id}, which is missing");
    let window_error = "its Zstandard frame needs a window of more than 32 MiB; compress the archive again, with zstd -19 or --long=25";
    let mut reserved = zstd(&page(0, LINK));
    reserved[6] |= 6;
    for (archive, why) in [
        (frames.to_vec(), &*missing),
        (window, window_error),
        (reserved, "corrupt Zstandard frame"),
    ] {
        let came = Run::default().on(&archive);
        assert!(came.counts().1 > 0);
        let expected = format!("its compressed member cannot be read: {why}");
        assert!(came.reports[0].ends_with(&expected), "{:?}", came.reports);
    }
}

/// A frame of raw blocks that declares this exponent of a window.
fn stored(text: &[u8], exponent: u8) -> Vec<u8> {
    let mut frame = [&b"\x28\xb5\x2f\xfd\0"[..], &[(exponent - 10) << 3]].concat();
    let blocks: Vec<_> = text.chunks(128 << 10).collect();
    for (number, block) in blocks.iter().enumerate() {
        let is_last = u32::from(number + 1 == blocks.len());
        let header = u32::try_from(block.len()).unwrap() << 3 | is_last;
        frame.extend([&header.to_le_bytes()[..3], block].concat());
    }
    frame
}

#[test]
fn large_windows_are_read_as_far_as_memory_allows() {
    let text = [page(0, LINK), page(1, LINK)].concat();
    let came = Run::default().on(&stored(&text, 27));
    assert_eq!(came.counts(), (2, 0), "{:?}", came.reports);
    let came = Run::default().on(&stored(&text, 28));
    assert_eq!(came.counts().1, 1, "{:?}", came.reports);
    // More than 64 MiB of content, in windows of 32 and 64 MiB.
    let long = [page(0, LINK), page(1, LINK), other(2, &vec![b' '; 65 << 20])].concat();
    let came = Run::default().on(&stored(&long, 25));
    assert_eq!(came.counts(), (2, 0), "{:?}", came.reports);
    let archive = [stored(&long, 26), stored(&text, 20)].concat();
    let came = Run::default().on(&archive);
    assert_eq!(came.counts(), (2, 1), "{:?}", came.reports);
    assert!(came.reports[0].contains("a window of more than 32 MiB"), "{:?}", came.reports);
}

#[test]
fn a_frame_with_another_size_than_it_declares_is_not_read() {
    let text = page(0, LINK);
    let size = u32::try_from(text.len()).unwrap();
    for (declared, outcomes) in
        [(size, (1, 0)), (size + 1, (0, 1)), (size - 1, (0, 1)), (0, (0, 1))]
    {
        let mut frame = stored(&text, 17);
        frame[4] = 0x80;
        frame.splice(6..6, declared.to_le_bytes());
        let came = Run::default().on(&frame);
        assert_eq!(came.counts(), outcomes, "{declared}: {:?}", came.reports);
    }
}

#[test]
fn frames_between_damaged_ones_are_read() {
    let frame = |number| zstd(&page(number, LINK));
    // Its first block claims bytes of the frames after it.
    let damaged = |number| {
        let mut frame = frame(number);
        frame[6..9].copy_from_slice(&(100_000_u32 << 3).to_le_bytes()[..3]);
        frame
    };
    let mut archive = Vec::new();
    for number in 0..200 {
        archive.extend(if number % 10 == 5 { damaged(number) } else { frame(number) });
    }
    let came = Run::default().on(&archive);
    assert_eq!(came.counts(), (180, 20), "{:?}", came.reports);
    // Not so in any number: all would be read again for each.
    let archive: Vec<u8> = (0..20_000).flat_map(damaged).collect();
    assert!(Run::default().on(&archive).counts().1 > 0);
}
