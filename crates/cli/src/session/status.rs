//! The exit code of a command.

/// The outcome of a command that ran to its end.
pub enum Status {
    /// 0: all is done.
    Done,
    /// 1: findings, or documents that would change.
    Found,
    /// 2: some files failed, each with a message; the others are done.
    Failed,
    /// 128 + n: signal n ended it.
    Signal(u8),
}

impl Status {
    /// The exit code.
    pub fn code(&self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Found => 1,
            Self::Failed => 2,
            Self::Signal(number) => 128 + number,
        }
    }
}
