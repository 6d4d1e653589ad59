//! The state of the module between calls.

use std::cell::RefCell;
use std::ops::Range;

use absolve::{Buffers, Rewriter};

use crate::options::{self, Failure};
use crate::utf16::{self, PIECE};

/// The length of a missing argument, and a missing number.
pub(crate) const NONE: usize = u32::MAX as usize;

/// The number of rewriters that are kept for later calls with the same options.
const MAX_REWRITERS: usize = 8;

/// The outcome of a call, as a number for the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Status {
    /// The document did not change.
    Unchanged = 0,
    /// The result is in the output.
    Done = 1,
    /// The result is a text in the output with other characters than ASCII.
    Utf8 = 3,
    /// The output has an error: its code, its option and its message, one per line.
    Failed = 2,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

/// The range of an argument in the input; `None` if the host gave none.
pub(crate) type Argument = Option<Range<usize>>;

/// The buffers that calls share. They never shrink: the host drops a module that grew too large.
#[derive(Default)]
pub(crate) struct State {
    /// The arguments of a call.
    pub(crate) input: Vec<u8>,
    /// A piece of a text, in UTF-16.
    piece: Vec<u16>,
    /// The numbers of the last result.
    pub(crate) records: Vec<u32>,
    pub(crate) buffers: Buffers,
    /// The text or the bytes of the last result.
    pub(crate) output: Vec<u8>,
    rewriters: Vec<(Vec<u8>, Rewriter)>,
}

/// Passes the state to `work`. No other call has the state: the function of the host that the
/// module imports calls no export.
pub(crate) fn with_state<T>(work: impl FnOnce(&mut State) -> T) -> T {
    STATE.with_borrow_mut(work)
}

/// Runs a call, and keeps its error for the host.
pub(crate) fn call(work: impl FnOnce(&mut State) -> Result<Status, Failure>) -> Status {
    with_state(|state| {
        state.records.clear();
        work(state).unwrap_or_else(|Failure { text, offset }| {
            state.output = text.into_bytes();
            state.records = offset.and_then(|offset| offset.try_into().ok()).into_iter().collect();
            Status::Failed
        })
    })
}

impl State {
    /// Returns the address of memory for arguments of `length` bytes, whose contents stay.
    pub(crate) fn input(&mut self, length: usize) -> usize {
        if self.input.len() < length {
            self.input.resize(length, 0);
        }
        self.input.as_ptr().expose_provenance()
    }

    /// Returns the address of memory for a piece of a text that follows the arguments up to byte
    /// `start`.
    pub(crate) fn piece(&mut self, start: usize, rest: usize) -> usize {
        self.input.truncate(start);
        self.input.reserve(rest);
        self.piece.resize(PIECE, 0);
        self.piece.as_ptr().expose_provenance()
    }

    /// Appends the first code units of the piece to the input, and returns the end of the input.
    pub(crate) fn append(&mut self, count: usize) -> usize {
        let units = self.piece.get(..count).unwrap_or_default();
        if utf16::append(&mut self.input, units) { self.input.len() } else { NONE }
    }

    /// Returns the ranges of arguments that follow each other.
    pub(crate) fn arguments<const N: usize>(
        &self,
        lengths: [usize; N],
    ) -> Result<[Argument; N], Failure> {
        let mut end = 0_usize;
        let places = lengths.map(|length| {
            let start = end;
            (length != NONE).then(|| {
                end = end.saturating_add(length);
                start..end
            })
        });
        if end > self.input.len() {
            return Err(Failure::option("", "the arguments exceed the input"));
        }
        Ok(places)
    }

    fn bytes(&self, argument: &Argument) -> &[u8] {
        slice(&self.input, argument)
    }

    /// Returns the text of an argument.
    pub(crate) fn text(&self, argument: &Argument) -> Result<&str, Failure> {
        let text = str::from_utf8(self.bytes(argument));
        text.map_err(|_| Failure::new("encoding", "", "an argument is not UTF-8"))
    }

    /// Returns the rewriter with these options, possibly the one of an earlier call.
    pub(crate) fn rewriter(
        &mut self,
        options: &Argument,
        base: &Argument,
        text: bool,
    ) -> Result<Rewriter, Failure> {
        let bytes = self.bytes(options);
        let kept = self.rewriters.iter().find(|(kept_options, _)| kept_options == bytes);
        let mut rewriter = if let Some((_, rewriter)) = kept {
            rewriter.clone()
        } else {
            let (rewriter, bytes) = (options::read_rewriter(bytes)?, bytes.to_owned());
            if self.rewriters.len() == MAX_REWRITERS {
                self.rewriters.remove(0);
            }
            self.rewriters.push((bytes, rewriter.clone()));
            rewriter
        };
        if base.is_some() {
            rewriter = rewriter.base_url(self.text(base)?)?;
        }
        // The host has decoded the text, so a declaration of an encoding in it has no effect.
        Ok(if text { rewriter.encoding("utf-8")? } else { rewriter })
    }
}

/// Returns the bytes of an argument; an empty slice for a missing argument.
pub(crate) fn slice<'a>(input: &'a [u8], argument: &Argument) -> &'a [u8] {
    argument.clone().and_then(|place| input.get(place)).unwrap_or_default()
}
