//! What holds of every book: locality, idempotence and totality.

use std::io::{Cursor, Write};
use std::ops::ControlFlow;

use absolve::container::ContainerError;
use absolve::container::epub::{Book, BookTotals};
use absolve::url::Maps;
use absolve::{Direction, Form, Limits, Rewriter};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::books::fixture::{Member, members, page, with, zip};

/// Parts of pages, of which one is a link that moves.
const PARTS: &[&str] = &[
    "<a href=\"http://old.example/x\"/>",
    "<a href=\"https://new.example/x\"/>",
    "<a href=\"b.html#x\"/>",
    "<p>text</p>",
    "<img src=\"g.svg\" alt=\"\"/>",
    "<style>p { background: url(http://elsewhere.example/) }</style>",
];

fn rewriter() -> Rewriter {
    let mut maps = Maps::new();
    maps.add("http://old.example/", "https://new.example/").unwrap();
    let policy = Direction::new(Form::AsWritten).maps(maps);
    Rewriter::new().base_url("http://book.invalid/").unwrap().policy(policy.into())
}

/// The new book; empty if no document changes.
fn rewrite(book: &[u8]) -> Result<(BookTotals, Vec<u8>), ContainerError> {
    let mut new = Vec::new();
    let mut book = Book::open(Cursor::new(book), Limits::default())?;
    let totals = book.rewrite(&mut new, &rewriter(), |_| ControlFlow::Continue(()))?;
    Ok((totals, new))
}

/// The bytes of each member with its header, by name.
fn records(book: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut zip = ZipArchive::new(Cursor::new(book)).unwrap();
    let at = |offset: u64| usize::try_from(offset).unwrap();
    let mut record = |number| {
        let file = zip.by_index_raw(number).unwrap();
        let end = file.data_start().unwrap() + file.compressed_size();
        let bytes = book[at(file.header_start())..at(end)].to_owned();
        (file.name().unwrap().into_owned(), bytes)
    };
    let count = ZipArchive::new(Cursor::new(book)).unwrap().len();
    (0..count).map(&mut record).collect()
}

/// The ZIP file, with members that are stored or deflated.
fn packed(members: &[Member<'_>], stored: &[bool]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for ((name, bytes), is_stored) in members.iter().zip(stored.iter().cycle()) {
        let is_stored = *is_stored || *name == "mimetype";
        let method =
            if is_stored { CompressionMethod::Stored } else { CompressionMethod::Deflated };
        zip.start_file(*name, SimpleFileOptions::default().compression_method(method)).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn only_documents_with_such_links_change(
        pages in prop::collection::vec(prop::collection::vec(select(PARTS), 0..6), 2),
        other in prop::collection::vec(any::<u8>(), 0..3000),
        stored in prop::collection::vec(any::<bool>(), 1..9),
    ) {
        let pages: Vec<String> = pages.iter().map(|parts| parts.concat()).collect();
        let book = with(vec![
            ("OEBPS/a.xhtml", page(&pages[0])),
            ("OEBPS/b.html", page(&pages[1])),
            ("OEBPS/other.bin", other),
        ]);
        let old = packed(&book, &stored);
        let (totals, new) = rewrite(&old).unwrap();
        let moves = |page: &String| page.contains(PARTS[0]);
        prop_assert_eq!(totals.rewritten, pages.iter().filter(|page| moves(page)).count() as u64);
        prop_assert_eq!(new.len() as u64, totals.bytes);
        if new.is_empty() {
            prop_assert!(!pages.iter().any(moves));
            return Ok(());
        }
        for (before, after) in records(&old).into_iter().zip(records(&new)) {
            let is_moved = match &*before.0 {
                "OEBPS/a.xhtml" => moves(&pages[0]),
                "OEBPS/b.html" => moves(&pages[1]),
                _ => false,
            };
            prop_assert_eq!(&before.0, &after.0);
            prop_assert_eq!(before.1 != after.1, is_moved, "{}", before.0);
        }
        let (again, nothing) = rewrite(&new).unwrap();
        prop_assert_eq!((again.rewritten, again.bytes, nothing.len()), (0, 0, 0));
    }
}

proptest! {
    /// A damaged book is an error before anything is written, or the new one is a book.
    #[test]
    fn damage_is_an_error_or_has_no_effect(
        changes in prop::collection::vec((any::<Index>(), any::<u8>()), 0..4),
        cut in prop::option::of((any::<Index>(), any::<Index>())),
        doubled in prop::option::of((any::<Index>(), any::<Index>())),
    ) {
        let mut book = zip(&members());
        for (at, byte) in changes {
            let at = at.index(book.len());
            book[at] = byte;
        }
        let range = |ends: (Index, Index), length: usize| {
            let ends = [ends.0.index(length), ends.1.index(length)];
            ends[0].min(ends[1])..ends[0].max(ends[1])
        };
        if let Some(ends) = cut {
            book.drain(range(ends, book.len()));
        }
        if let Some(ends) = doubled.filter(|_| !book.is_empty()) {
            let more = book[range(ends, book.len())].to_owned();
            let at = ends.0.index(book.len());
            book.splice(at..at, more);
        }
        let mut new = Vec::new();
        let Ok(mut opened) = Book::open(Cursor::new(&book), Limits::default()) else { return Ok(()) };
        let written = opened.rewrite(&mut new, &rewriter(), |_| ControlFlow::Continue(()));
        match written {
            Err(_) => prop_assert!(new.is_empty()),
            Ok(totals) if totals.rewritten == 0 => prop_assert!(new.is_empty()),
            Ok(_) => prop_assert_eq!(rewrite(&new).unwrap().0.rewritten, 0),
        }
    }
}
