//! The exit code of a command.

use std::process::ExitCode;

/// The outcome of a command that ran to its end.
pub(crate) enum Status {
    /// 0: all is done.
    Done,
    /// 1: findings, or documents that would change.
    Found,
    /// 2: some files failed, each with a message; the others are done.
    Failed,
    /// 128 + n: signal n ended it.
    Signal(u8),
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        match status {
            Status::Done => Self::SUCCESS,
            Status::Found => Self::from(1),
            Status::Failed => Self::from(2),
            Status::Signal(number) => Self::from(128 + number),
        }
    }
}
