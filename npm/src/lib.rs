//! The WebAssembly module of the npm package `absolve`: exports with numbers alone.
//!
//! A call goes so: the host asks [`input`] for memory, writes the arguments there one after the
//! other, and calls a function with their lengths. It reads the result at [`output`] and
//! [`records`] before the next call. Addresses leave this module and never enter it, so that no
//! line of it has to trust the host.

mod failure;
mod links;
mod names;
mod options;
mod state;
mod utf16;

use absolve::Link;
use absolve::url::{Base, Standard};

use failure::Failure;
use state::{NONE, State, Status, slice};
use utf16::{Units, narrow, utf16_length};

/// Decides on the text that replaces a link; `None` leaves the link.
type Decide<'d> = dyn FnMut(&Link<'_>) -> Option<String> + 'd;

/// Exports, whose names are all that is unsafe here: another symbol of one of these names would
/// be called instead. A module without imports has no others.
#[expect(unsafe_code, reason = "an export without a mangled name")]
mod exports {
    use super::state::{self, Status, with_state};

    /// Memory for the arguments of the next call, of `length` bytes.
    #[unsafe(no_mangle)]
    pub(crate) extern "C" fn input(length: usize) -> usize {
        with_state(|state| state.input(length))
    }

    /// Memory for a piece of a text in UTF-16, of [`PIECE`](super::utf16::PIECE) code units, which follows
    /// the arguments up to this byte. So many are to come.
    #[unsafe(no_mangle)]
    pub(crate) extern "C" fn piece(start: usize, rest: usize) -> usize {
        with_state(|state| state.piece(start, rest))
    }

    /// Appends so many code units of [`piece`] to the arguments as UTF-8. The result is the end, or
    /// [`NONE`](state::NONE) for half a pair.
    #[unsafe(no_mangle)]
    pub(crate) extern "C" fn append(count: usize) -> usize {
        with_state(|state| state.append(count))
    }

    /// The text or the bytes of the last result.
    #[unsafe(no_mangle)]
    pub(crate) extern "C" fn output() -> usize {
        with_state(|state| state.output.as_ptr().expose_provenance())
    }

    /// The length of [`output`] in bytes.
    #[unsafe(no_mangle)]
    pub(crate) extern "C" fn output_length() -> usize {
        with_state(|state| state.output.len())
    }

    /// The numbers of the last result.
    #[unsafe(no_mangle)]
    pub(crate) extern "C" fn records() -> usize {
        with_state(|state| state.records.as_ptr().expose_provenance())
    }

    /// The count of [`records`].
    #[unsafe(no_mangle)]
    pub(crate) extern "C" fn records_length() -> usize {
        with_state(|state| state.records.len())
    }

    /// Rewrites a document. Arguments: options, base URL, document, and decisions for each link: the
    /// length of what replaces it and that, or [`NONE`](state::NONE). Their lengths, where that of no
    /// base URL and of no decisions is [`NONE`](state::NONE), and whether the document is text.
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

    /// Lists the links of a document. Arguments: options, base URL, document.
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

    /// Resolves a reference. Arguments: the standard, the base URL, the reference.
    #[unsafe(no_mangle)]
    pub(crate) extern "C" fn resolve(standard: usize, base: usize, reference: usize) -> Status {
        state::call(|state| super::resolve(state, [standard, base, reference]))
    }
}

/// Rewrites a document. For each edit, `records` has the start and the end of what goes, and the end of
/// what replaces it in the output. The output of a text is what its edits put in, and offsets count
/// UTF-16 code units; that of bytes is the new document.
fn rewrite(state: &mut State, lengths: [usize; 4], text: bool) -> Result<Status, Failure> {
    let [options, base, document, decisions] = state.arguments(lengths)?;
    let rewriter = state.rewriter(&options, &base, text)?;
    let State { input, buffers, records, output, .. } = state;
    let source = slice(input, &document);
    let mut given = Decisions(slice(input, &decisions));
    let mut decide = |_: &Link<'_>| given.next().flatten();
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
        records.extend([units.at(span.start), units.at(span.end), narrow(end)]);
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
    let listed = links::list(source, text, &rewriter, &mut state.records);
    let listed = listed.map_err(|error| Failure::library(&error, text.then_some(source)))?;
    state.output = listed.into_bytes();
    Ok(Status::Done)
}

fn resolve(state: &mut State, lengths: [usize; 3]) -> Result<Status, Failure> {
    let [standard, base, reference] = state.arguments(lengths)?;
    let standard = options::standard(state.text(&standard)?)?;
    let base = Base::new(state.text(&base)?)?;
    let reference = state.text(&reference)?;
    let resolution = Standard::resolve(standard, Some(&base), reference)
        .map_err(|refusal| Failure::new("reference", "", &format!("'{reference}': {refusal}")))?;
    state.output = resolution.url().unwrap_or(reference).to_owned().into_bytes();
    Ok(Status::Done)
}

/// The texts that replace the links, in the order of the links.
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
