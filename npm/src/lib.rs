//! The WebAssembly module of the npm package `absolve`: exports with numbers alone.
//!
//! A call goes so: the host asks [`input`] for memory, writes the arguments there one after the
//! other, and calls a function with their lengths. It reads the result at [`output`] and
//! [`records`] before the next call. Addresses leave this module and never enter it, so that no
//! line of it has to trust the host.

#[cfg(feature = "page")]
mod container;
mod failure;
mod limits;
mod links;
mod options;
mod state;
mod utf16;

use absolve::url::{Base, Standard};
use absolve::{Link, Rewriter};

use failure::{Code, Failure};
use state::{Argument, NONE, State, Status, slice};
use utf16::{Units, narrow, utf16_length};

/// What replaces a link.
type Decide<'d> = dyn FnMut(&Link<'_>) -> Option<String> + 'd;

/// Exports, whose names are all that is unsafe here: another symbol of one of these names would
/// be called instead. A module without imports has no others.
#[expect(unsafe_code, reason = "an export without a mangled name")]
mod exports {
    use super::state::{self, Status, with_state};

    /// Memory for the arguments of the next call, of so many bytes.
    #[unsafe(no_mangle)]
    pub(crate) extern "C" fn input(length: usize) -> usize {
        with_state(|state| state.input(length))
    }

    /// The text or the bytes of the last result.
    #[unsafe(no_mangle)]
    pub(crate) extern "C" fn output() -> usize {
        with_state(|state| state.result.0)
    }

    /// The length of [`output`] in bytes.
    #[unsafe(no_mangle)]
    pub(crate) extern "C" fn output_length() -> usize {
        with_state(|state| state.result.1)
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

    /// Rewrites a document. Arguments: options, base URL, document; the lengths of each, where that
    /// of no base URL is [`NONE`](state::NONE), and whether the document is text.
    #[unsafe(no_mangle)]
    pub(crate) extern "C" fn rewrite(
        options: usize,
        base: usize,
        document: usize,
        text: u32,
    ) -> Status {
        state::call(|state| super::rewrite(state, [options, base, document], text != 0))
    }

    /// Lists the links of a document, with the arguments of [`rewrite`].
    #[unsafe(no_mangle)]
    pub(crate) extern "C" fn links(
        options: usize,
        base: usize,
        document: usize,
        text: u32,
    ) -> Status {
        state::call(|state| super::links(state, [options, base, document], text != 0))
    }

    /// Rewrites a document by decisions, which follow it: for each link of [`links`] the length of
    /// what replaces it and that, or [`NONE`](state::NONE).
    #[unsafe(no_mangle)]
    pub(crate) extern "C" fn rewrite_with(
        options: usize,
        base: usize,
        document: usize,
        decisions: usize,
        text: u32,
    ) -> Status {
        state::call(|state| {
            super::rewrite_with(state, [options, base, document, decisions], text != 0)
        })
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

    /// Rewrites a document, with the arguments of [`rewrite`], and lists the edits.
    #[cfg(feature = "page")]
    #[unsafe(no_mangle)]
    pub(crate) extern "C" fn changes(
        options: usize,
        base: usize,
        document: usize,
        _: u32,
    ) -> Status {
        state::call(|state| {
            let [options, base, document] = state.arguments([options, base, document])?;
            let rewriter = state.rewriter(&options, &base, false)?;
            let mut reply = super::container::Reply::default();
            let source = super::slice(&state.input, &document);
            super::container::changes(source, &rewriter, &mut reply)?;
            Ok(reply.into_state(state))
        })
    }

    /// Memory for a container of so many bytes, which stays until there is another.
    #[cfg(feature = "page")]
    #[unsafe(no_mangle)]
    pub(crate) extern "C" fn open(length: usize) -> usize {
        with_state(|state| {
            state.container = vec![0; length];
            state.container.as_ptr().expose_provenance()
        })
    }

    /// Does a job on that container. Arguments: options, its name, and a place in it.
    #[cfg(feature = "page")]
    #[unsafe(no_mangle)]
    pub(crate) extern "C" fn container(
        options: usize,
        name: usize,
        place: usize,
        job: u32,
    ) -> Status {
        state::call(|state| super::container::run(state, [options, name, place], job))
    }
}

fn rewrite(state: &mut State, lengths: [usize; 3], text: bool) -> Result<Status, Failure> {
    let [options, base, document] = state.arguments(lengths)?;
    let rewriter = state.rewriter(&options, &base, text)?;
    if text {
        return edits(state, &rewriter, &document, None);
    }
    let source = slice(&state.input, &document);
    let failed = |error| Failure::library(&error, None);
    let result = rewriter.rewrite_in(source, &mut state.buffers).map_err(failed)?;
    if !result.is_changed() {
        return Ok(Status::Unchanged);
    }
    let bytes = result.bytes();
    state.result = (bytes.as_ptr().expose_provenance(), bytes.len());
    Ok(Status::Done)
}

/// Finds the edits of a text. The output is what they put in; for each, `records` has the start and
/// the end of what goes, and the end of what replaces it in the output, in UTF-16 code units.
fn edits<'d>(
    state: &mut State,
    rewriter: &Rewriter,
    document: &Argument,
    decide: Option<&'d mut Decide<'d>>,
) -> Result<Status, Failure> {
    let State { input, buffers, records, .. } = state;
    let source = slice(input, document);
    let (mut texts, mut units) = (Vec::new(), Units::new(source));
    let mut end = 0;
    let result = rewriter.edits(source, buffers, decide, |span, text| {
        texts.extend_from_slice(text);
        end += utf16_length(text);
        records.extend([units.at(span.start), units.at(span.end), narrow(end)]);
    });
    result.map_err(|error| Failure::library(&error, Some(source)))?;
    let status = match records.len() {
        0 => Status::Unchanged,
        _ if texts.is_ascii() => Status::Done,
        _ => Status::Utf8,
    };
    state.set_output(texts);
    Ok(status)
}

fn links(state: &mut State, lengths: [usize; 3], text: bool) -> Result<Status, Failure> {
    let [options, base, document] = state.arguments(lengths)?;
    let rewriter = state.rewriter(&options, &base, text)?;
    let source = slice(&state.input, &document);
    let listed = links::list(source, text, &rewriter, &mut state.records);
    let listed = listed.map_err(|error| Failure::library(&error, text.then_some(source)))?;
    state.set_output(listed.into_bytes());
    Ok(Status::Done)
}

fn rewrite_with(state: &mut State, lengths: [usize; 4], text: bool) -> Result<Status, Failure> {
    let [options, base, document, decisions] = state.arguments(lengths)?;
    let rewriter = state.rewriter(&options, &base, text)?;
    let decisions = slice(&state.input, &decisions).to_owned();
    let mut decisions = Decisions(&decisions);
    let mut decide = |_: &Link<'_>| decisions.next().flatten();
    if text {
        return edits(state, &rewriter, &document, Some(&mut decide));
    }
    let source = slice(&state.input, &document);
    let result = rewriter.rewrite_with(source, decide);
    let result = result.map_err(|error| Failure::library(&error, None))?;
    if !result.is_changed() {
        return Ok(Status::Unchanged);
    }
    let bytes = result.into_bytes().into_owned();
    state.set_output(bytes);
    Ok(Status::Done)
}

fn resolve(state: &mut State, lengths: [usize; 3]) -> Result<Status, Failure> {
    let [standard, base, reference] = state.arguments(lengths)?;
    let standard = options::standard(state.text(&standard)?)?;
    let base = Base::new(state.text(&base)?).map_err(|error| Failure::library(&error, None))?;
    let reference = state.text(&reference)?;
    let resolution = Standard::resolve(standard, Some(&base), reference).map_err(|refusal| {
        Failure::new(Code::Reference, "", &format!("'{reference}': {refusal}"))
    })?;
    let url = resolution.url().unwrap_or(reference).to_owned();
    state.set_output(url.into_bytes());
    Ok(Status::Done)
}

/// What replaces each link, in their order.
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
