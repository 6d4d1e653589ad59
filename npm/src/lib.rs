//! The WebAssembly module of the npm package `absolve`, whose exports take and return only numbers.
//!
//! The host asks [`input`] for memory, writes the arguments there one after another, and calls a
//! function with their lengths. It reads the result at [`output`] and [`records`] before the next
//! call. The module returns addresses and never accepts one, so none of its code has to trust the
//! host.

mod options;
mod state;
mod utf16;

use std::collections::HashMap;

use absolve::column::{self, Column, Read};
use absolve::encoding::{Detected, Lines};
use absolve::url::{Base, Standard};
use absolve::{Error, Link, Rewriter};
use encoding_rs::Encoding;
use options::Failure;
use state::{NONE, State, Status, slice};
use utf16::{MISSING, Units, narrow, utf16_length};

/// Returns the text that replaces a link; `None` leaves the link as it is.
type Decide<'d> = dyn FnMut(&Link<'_>) -> Option<String> + 'd;

/// The exports. Their names are the only unsafe code of this crate: a symbol with the same name
/// would be called instead. No dependency exports a symbol.
#[expect(unsafe_code, reason = "an export without a mangled name")]
mod exports {
    use super::state::{self, Status, with_state};

    /// Returns memory for the arguments of the next call, of `length` bytes.
    #[unsafe(no_mangle)]
    pub(crate) extern "C" fn input(length: usize) -> usize {
        with_state(|state| state.input(length))
    }

    /// Returns memory for a piece of a text in UTF-16, of [`PIECE`](super::utf16::PIECE) code
    /// units. The piece follows the arguments up to byte `start`; `rest` code units are left, its
    /// own included.
    #[unsafe(no_mangle)]
    pub(crate) extern "C" fn piece(start: usize, rest: usize) -> usize {
        with_state(|state| state.piece(start, rest))
    }

    /// Appends `count` code units of [`piece`] to the arguments as UTF-8. Returns their end, or
    /// [`NONE`](state::NONE) for half a surrogate pair.
    #[unsafe(no_mangle)]
    pub(crate) extern "C" fn append(count: usize) -> usize {
        with_state(|state| state.append(count))
    }

    /// Returns the address of the text or the bytes of the last result.
    #[unsafe(no_mangle)]
    pub(crate) extern "C" fn output() -> usize {
        with_state(|state| state.output.as_ptr().expose_provenance())
    }

    /// Returns the length of [`output`] in bytes.
    #[unsafe(no_mangle)]
    pub(crate) extern "C" fn output_length() -> usize {
        with_state(|state| state.output.len())
    }

    /// Returns the address of the numbers of the last result.
    #[unsafe(no_mangle)]
    pub(crate) extern "C" fn records() -> usize {
        with_state(|state| state.records.as_ptr().expose_provenance())
    }

    /// Returns the count of [`records`].
    #[unsafe(no_mangle)]
    pub(crate) extern "C" fn records_length() -> usize {
        with_state(|state| state.records.len())
    }

    /// Rewrites a document. The arguments are options, base URL, document, and a decision for each
    /// link: the length of the replacement and its text, or [`NONE`](state::NONE). A missing base
    /// URL and missing decisions have the length [`NONE`](state::NONE). `text` says whether the
    /// document is text.
    #[unsafe(no_mangle)]
    pub(crate) extern "C" fn rewrite(
        options: usize,
        base: usize,
        document: usize,
        text: u32,
        decisions: usize,
    ) -> Status {
        let lengths = [options, base, document, decisions];
        state::call(|state| super::rewrite(state, lengths, text != 0))
    }

    /// Lists the links of a document. The arguments are options, base URL, document.
    #[unsafe(no_mangle)]
    pub(crate) extern "C" fn links(
        options: usize,
        base: usize,
        document: usize,
        text: u32,
    ) -> Status {
        state::call(|state| super::links(state, [options, base, document], text != 0))
    }

    /// Checks options, and the base URL.
    #[unsafe(no_mangle)]
    pub(crate) extern "C" fn check(options: usize, base: usize) -> Status {
        state::call(|state| {
            let [options, base] = state.arguments([options, base])?;
            state.rewriter(&options, &base, false).map(|_| Status::Unchanged)
        })
    }

    /// Resolves a reference. The arguments are the standard, the base URL, the reference.
    #[unsafe(no_mangle)]
    pub(crate) extern "C" fn resolve(standard: usize, base: usize, reference: usize) -> Status {
        state::call(|state| super::resolve(state, [standard, base, reference]))
    }
}

/// Rewrites a document. `records` gets, for each edit, the start and the end of the replaced text,
/// and the end of the new text in the output. For a text, the output has only the new texts, and
/// offsets count UTF-16 code units. For bytes, the output is the new document.
fn rewrite(state: &mut State, lengths: [usize; 4], text: bool) -> Result<Status, Failure> {
    let [options, base, document, decisions] = state.arguments(lengths)?;
    let rewriter = state.rewriter(&options, &base, text)?;
    let State { input, buffers, records, output, .. } = state;
    let source = slice(input, &document);
    let mut texts = Decisions(slice(input, &decisions));
    let mut decide = |_: &Link<'_>| texts.next().flatten();
    let decide = decisions.is_some().then_some(&mut decide as &mut Decide<'_>);
    let (mut units, mut copied, mut end) = (Units::new(source, text), 0, 0);
    output.clear();
    let result = rewriter.edits(source, buffers, decide, |span, new| {
        if !text {
            output.extend_from_slice(&source[copied..span.start]);
            copied = span.end;
        }
        output.extend_from_slice(new);
        end = if text { end + utf16_length(new) } else { output.len() };
        records.extend([units.convert(span.start), units.convert(span.end), narrow(end)]);
    });
    result.map_err(|error| Failure::library(&error, text.then_some(source)))?;
    if records.is_empty() {
        return Ok(Status::Unchanged);
    }
    if !text {
        output.extend_from_slice(&source[copied..]);
    }
    Ok(if text && !output.is_ascii() { Status::Utf8 } else { Status::Done })
}

fn links(state: &mut State, lengths: [usize; 3], text: bool) -> Result<Status, Failure> {
    let [options, base, document] = state.arguments(lengths)?;
    let rewriter = state.rewriter(&options, &base, text)?;
    let source = slice(&state.input, &document);
    let listed = list_links(source, text, &rewriter, &mut state.records);
    let listed = listed.map_err(|error| Failure::library(&error, text.then_some(source)))?;
    state.output = listed.into_bytes();
    Ok(Status::Done)
}

fn resolve(state: &mut State, lengths: [usize; 3]) -> Result<Status, Failure> {
    let [standard, base, reference] = state.arguments(lengths)?;
    let standard = options::parse_standard(state.text(&standard)?)?;
    let base = Base::new(state.text(&base)?)?;
    let reference = state.text(&reference)?;
    let resolution = Standard::resolve(standard, Some(&base), reference)
        .map_err(|refusal| Failure::new("reference", "", &format!("'{reference}': {refusal}")))?;
    state.output = resolution.url().unwrap_or(reference).to_owned().into_bytes();
    Ok(Status::Done)
}

/// The texts that replace links, in the order of the links.
struct Decisions<'a>(&'a [u8]);

impl Iterator for Decisions<'_> {
    type Item = Option<String>;

    fn next(&mut self) -> Option<Self::Item> {
        let (length, rest) = self.0.split_first_chunk()?;
        let length = u32::from_le_bytes(*length) as usize;
        if length == NONE {
            self.0 = rest;
            return Some(None);
        }
        let (text, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some(Some(String::from_utf8_lossy(text).into_owned()))
    }
}

/// Lists the links of a document as `npm/lib/link.js` reads them: JavaScript creates objects
/// fastest from numbers. The result is a text with all strings. `records` gets the count of names,
/// their start in the text, and the end of each; then, for each link, the numbers of its columns. A
/// name, which many links share, is written as its number, and another string or a span as its
/// start and end. Offsets in a document count UTF-16 code units in a text, and bytes otherwise.
fn list_links(
    source: &[u8],
    is_text: bool,
    rewriter: &Rewriter,
    records: &mut Vec<u32>,
) -> Result<String, Error> {
    let mut list = LinkText::default();
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
struct LinkText {
    text: String,
    /// The length in UTF-16 code units.
    length: u32,
    /// The few strings that many links share, numbered in the order in which they are found.
    names: HashMap<String, u32>,
    /// The numbers of the links.
    numbers: Vec<u32>,
}

impl LinkText {
    fn add(&mut self, link: &Link<'_>, places: &mut Places<'_>) {
        for column in Column::of_objects() {
            let pair = match column.read {
                Read::Span(read) => read(link, places).map(|span| span.map(narrow)),
                Read::Name(_)
                | Read::InElement(_)
                | Read::Base(_)
                | Read::Number(_)
                | Read::Flag(_) => {
                    let number = self.read_number(column.read, link, places);
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

    fn read_number(&mut self, read: Read, link: &Link<'_>, places: &mut Places<'_>) -> Option<u32> {
        match read {
            Read::Name(read) | Read::InElement(read) => Some(self.number_name(read(link))),
            Read::Base(read) => Some(self.number_name(read(link)?)),
            read => read.number(link, places)?.try_into().ok(),
        }
    }

    fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.length += narrow(utf16_length(text.as_bytes()));
    }

    fn number_name(&mut self, name: &str) -> u32 {
        if let Some(number) = self.names.get(name) {
            return *number;
        }
        let number = narrow(self.names.len());
        self.names.insert(name.to_owned(), number);
        number
    }
}

/// Converts the bytes of a document to offsets, lines and columns, fastest in ascending order.
struct Places<'s> {
    units: Units<'s>,
    /// Offsets of the enclosing spans, which many links may share.
    enclosing: [Units<'s>; 2],
    lines: Lines<'s>,
}

impl<'s> Places<'s> {
    fn new(source: &'s [u8], is_text: bool, encoding: &'static Encoding) -> Self {
        let bom = Encoding::for_bom(source).map_or(0, |(_, bom)| bom);
        let lines = Lines::new(source, Detected { encoding, bom });
        let units = || Units::new(source, is_text);
        Self { units: units(), enclosing: [units(), units()], lines }
    }
}

impl column::Places for Places<'_> {
    fn span(&mut self, link: &Link<'_>) -> Option<[usize; 2]> {
        let span = link.span()?;
        Some([span.start, span.end].map(|byte| self.units.convert(byte) as usize))
    }

    fn line_and_column(&mut self, link: &Link<'_>) -> Option<(u64, u64)> {
        Some(self.lines.locate(link.span()?.start))
    }

    fn enclosing(&mut self, link: &Link<'_>) -> Option<[usize; 2]> {
        let (span, [start, end]) = (link.enclosing()?, &mut self.enclosing);
        Some([start.convert(span.start) as usize, end.convert(span.end) as usize])
    }
}
