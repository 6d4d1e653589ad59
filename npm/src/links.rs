//! The links of a document as one text and numbers.

use std::collections::HashMap;

use absolve::column::{self, Column, Read};
use absolve::encoding::{Detected, Lines};
use absolve::{Error, Link, Rewriter};
use encoding_rs::Encoding;

use crate::utf16::{MISSING, Units, narrow, utf16_length};

/// Lists the links of a document as `npm/lib/link.js` reads them: JavaScript makes objects fastest of
/// numbers. The result is a text with all their texts, and `records` has: the count of names, where
/// they begin in the text, and the end of each; then for each link the numbers of its columns. A
/// name, which many links share, is the number of that; another text and a span are their start and
/// end. Offsets in a document count UTF-16 code units of a text, and else bytes.
pub(crate) fn list(
    source: &[u8],
    is_text: bool,
    rewriter: &Rewriter,
    records: &mut Vec<u32>,
) -> Result<String, Error> {
    let mut list = List::default();
    let mut places = None;
    rewriter.links(source, |link| {
        let places = places.get_or_insert_with(|| Places::new(source, is_text, link.encoding()));
        list.add(link, places);
    })?;
    records.extend([narrow(list.names.len()), list.length]);
    let mut names: Vec<_> = list.names.drain().collect();
    names.sort_unstable_by_key(|(_, number)| *number);
    for (name, _) in names {
        list.push(&name);
        records.push(list.length);
    }
    records.append(&mut list.numbers);
    Ok(list.text)
}

#[derive(Default)]
struct List {
    text: String,
    /// In UTF-16 code units.
    length: u32,
    /// Few texts that many links have, by the order in which they are found.
    names: HashMap<String, u32>,
    /// Of the links.
    numbers: Vec<u32>,
}

impl List {
    fn add(&mut self, link: &Link<'_>, places: &mut Places<'_>) {
        for column in Column::of_objects() {
            let pair = match column.read {
                Read::Span(read) => read(link, places).map(|span| span.map(narrow)),
                Read::Name(_)
                | Read::InElement(_)
                | Read::Base(_)
                | Read::Number(_)
                | Read::Flag(_) => {
                    let number = self.number(column.read, link, places);
                    self.numbers.push(number.unwrap_or(MISSING));
                    continue;
                }
                read => read.text(link).map(|(first, rest)| {
                    let start = self.length;
                    self.push(first);
                    self.push(rest);
                    [start, self.length]
                }),
            };
            self.numbers.extend(pair.unwrap_or([MISSING; 2]));
        }
    }

    fn number(&mut self, read: Read, link: &Link<'_>, places: &mut Places<'_>) -> Option<u32> {
        match read {
            Read::Name(read) | Read::InElement(read) => Some(self.name(read(link))),
            Read::Base(read) => Some(self.name(read(link)?)),
            read => read.number(link, places)?.try_into().ok(),
        }
    }

    fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.length += narrow(utf16_length(text.as_bytes()));
    }

    fn name(&mut self, name: &str) -> u32 {
        if let Some(number) = self.names.get(name) {
            return *number;
        }
        let number = narrow(self.names.len());
        self.names.insert(name.to_owned(), number);
        number
    }
}

/// Finds offsets, lines and columns of a document's bytes, fastest in ascending order.
struct Places<'s> {
    units: Units<'s>,
    /// Of the start and the end of what is around a link, which many links may share.
    around: [Units<'s>; 2],
    lines: Lines<'s>,
}

impl<'s> Places<'s> {
    fn new(source: &'s [u8], is_text: bool, encoding: &'static Encoding) -> Self {
        let bom = Encoding::for_bom(source).map_or(0, |(_, bom)| bom);
        let lines = Lines::new(source, Detected { encoding, bom });
        let units = || Units::new(source, is_text);
        Self { units: units(), around: [units(), units()], lines }
    }
}

impl column::Places for Places<'_> {
    fn span(&mut self, link: &Link<'_>) -> Option<[usize; 2]> {
        let span = link.span()?;
        Some([span.start, span.end].map(|byte| self.units.at(byte) as usize))
    }

    fn line_and_column(&mut self, link: &Link<'_>) -> Option<(u64, u64)> {
        Some(self.lines.place(link.span()?.start))
    }

    fn enclosing(&mut self, link: &Link<'_>) -> Option<[usize; 2]> {
        let (span, [start, end]) = (link.enclosing()?, &mut self.around);
        Some([start.at(span.start) as usize, end.at(span.end) as usize])
    }
}
