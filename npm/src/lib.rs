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

use std::borrow::Cow;

use absolve::url::{Base, Standard};
use absolve::{Link, Rewriter};

use failure::{Code, Failure};
use state::{Argument, NONE, State, Status, slice};
use utf16::{Units, narrow, utf16_length};

/// What replaces a link.
type Decide<'d> = dyn FnMut(&Link<'_>) -> Option<String> + 'd;

/// Does something with a document; the last argument is whether it is text.
type Task = fn(&mut State, [usize; 4], bool) -> Result<Status, Failure>;

/// All tasks, by number.
const TASKS: &[Task] = &[
    rewrite,
    links,
    #[cfg(feature = "page")]
    changes,
];

/// Exports, whose names are all that is unsafe here: another symbol of one of these names would
/// be called instead. A module without imports has no others.
#[expect(unsafe_code, reason = "an export without a mangled name")]
mod exports {
    use super::failure::Failure;
    use super::state::{self, Status, with_state};

    /// Memory for the arguments of the next call, of so many bytes.
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

    /// Does one of [`TASKS`](super::TASKS). Arguments: options, base URL, document, and decisions for each
    /// link: the length of what replaces it and that, or [`NONE`](state::NONE). Their lengths, where that
    /// of no base URL and of no decisions is [`NONE`](state::NONE), and whether the document is text.
    #[unsafe(no_mangle)]
    pub(crate) extern "C" fn document(
        options: usize,
        base: usize,
        document: usize,
        decisions: usize,
        text: u32,
        task: usize,
    ) -> Status {
        let lengths = [options, base, document, decisions];
        state::call(|state| match super::TASKS.get(task) {
            Some(task) => task(state, lengths, text != 0),
            None => Err(Failure::option("", "there is no such task")),
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

fn rewrite(state: &mut State, lengths: [usize; 4], text: bool) -> Result<Status, Failure> {
    let [options, base, document, decisions] = state.arguments(lengths)?;
    let rewriter = state.rewriter(&options, &base, text)?;
    let given = slice(&state.input, &decisions).to_owned();
    let mut given = Decisions(&given);
    let mut decide = |_: &Link<'_>| given.next().flatten();
    if text {
        let decide = decisions.is_some().then_some(&mut decide as &mut Decide<'_>);
        return edits(state, &rewriter, &document, decide);
    }
    let source = slice(&state.input, &document);
    let result = match decisions {
        Some(_) => rewriter.rewrite_with(source, decide),
        None => rewriter.rewrite_in(source, &mut state.buffers),
    };
    let result = result.map_err(|error| Failure::library(&error, None))?;
    if !result.is_changed() {
        return Ok(Status::Unchanged);
    }
    match result.into_bytes() {
        Cow::Borrowed(bytes) => state.result = (bytes.as_ptr().expose_provenance(), bytes.len()),
        Cow::Owned(bytes) => state.set_output(bytes),
    }
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

fn links(state: &mut State, lengths: [usize; 4], text: bool) -> Result<Status, Failure> {
    let [options, base, document, _] = state.arguments(lengths)?;
    let rewriter = state.rewriter(&options, &base, text)?;
    let source = slice(&state.input, &document);
    let listed = links::list(source, text, &rewriter, &mut state.records);
    let listed = listed.map_err(|error| Failure::library(&error, text.then_some(source)))?;
    state.set_output(listed.into_bytes());
    Ok(Status::Done)
}

/// Rewrites a document of bytes, and lists the edits.
#[cfg(feature = "page")]
fn changes(state: &mut State, lengths: [usize; 4], _: bool) -> Result<Status, Failure> {
    let [options, base, document, _] = state.arguments(lengths)?;
    let rewriter = state.rewriter(&options, &base, false)?;
    let mut reply = container::Reply::default();
    container::changes(slice(&state.input, &document), &rewriter, &mut reply)?;
    Ok(reply.into_state(state))
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
