//! The links of a document as one text and numbers.

use std::collections::HashMap;

use absolve::encoding::{Detected, Lines};
use absolve::{Error, Link, Rewriter};
use encoding_rs::Encoding;

use crate::utf16::{MISSING, Units, narrow, utf16_length};

/// Lists the links of a document, whose columns are those of `absolve::column` as numbers: to make
/// objects of numbers is what takes least time in JavaScript. The result is a text with all their texts, and `records` has: the
/// count of names; the end of each name in the text; then for each link its
/// element, attribute, grammar, base URL and the base's source as numbers of names; the ends of its
/// reference and URL in the text; the start and end of its span, line, column, and the span of what
/// encloses it. Names are at the end of the text. Offsets count UTF-16 code units, those in a
/// document of bytes bytes.
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
    records.push(list.names.len().try_into().unwrap_or(MISSING));
    let mut names: Vec<_> = list.names.into_iter().collect();
    names.sort_unstable_by_key(|(_, number)| *number);
    for (name, _) in names {
        list.text.push(&name);
        records.push(list.text.length);
    }
    records.append(&mut list.links);
    Ok(list.text.text)
}

/// A text, and its length in UTF-16 code units.
#[derive(Default)]
struct Text {
    text: String,
    length: u32,
}

impl Text {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.length += narrow(utf16_length(text.as_bytes()));
    }
}

#[derive(Default)]
struct List {
    text: Text,
    /// Few texts that many links have, by the order in which they are found.
    names: HashMap<String, u32>,
    links: Vec<u32>,
}

impl List {
    fn add(&mut self, link: &Link<'_>, places: &mut Places<'_>) {
        let names = [
            self.name(link.element()),
            self.name(link.attribute()),
            self.name(link.grammar().name()),
            link.base().map_or(MISSING, |base| self.name(base.as_str())),
            self.name(link.base_source().name()),
        ];
        self.text.push(link.reference());
        let reference = self.text.length;
        let url = link.url().map_or(MISSING, |url| {
            self.text.push(url);
            self.text.length
        });
        let (mut span, mut place) = ([MISSING; 2], [MISSING; 2]);
        if let Some(found) = link.span() {
            let (row, column) = places.lines.place(found.start);
            place = [row, column].map(|number| number.try_into().unwrap_or(MISSING));
            span = [found.start, found.end].map(|byte| places.units.at(byte));
        }
        let [start, end] = &mut places.around;
        let enclosing = link.enclosing();
        let enclosing =
            enclosing.map_or([MISSING; 2], |own| [start.at(own.start), end.at(own.end)]);
        self.links.extend(names);
        self.links.extend([reference, url]);
        self.links.extend([span, place, enclosing].into_iter().flatten());
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
