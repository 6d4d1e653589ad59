//! The second signal.

/// What the second signal does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum SecondSignal {
    /// It ends the process at once. A run that only prints may be blocked by a pipe that nobody
    /// reads, and the first signal does not end that.
    Ends,
    /// Nothing: the end of a session sends two signals, and partial output has to be removed.
    Ignored,
}
