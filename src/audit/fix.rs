//! Fixes: what to write in place of a reference.

use std::ops::Range;

/// How certain a fix is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Safety {
    /// Only this can be meant.
    Safe,
    /// A similar name, which may be a coincidence.
    Unsafe,
}

impl Safety {
    /// The name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Unsafe => "unsafe",
        }
    }
}

/// What to write in place of a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// The bytes of the file to replace: those of the reference, or the part that changes if the
    /// others are not valid in the encoding of the file.
    pub span: Range<usize>,
    /// The line and the column where those bytes begin, counted from 1 like those of the finding.
    pub start: (u64, u64),
    /// The line and the column of their end.
    pub end: (u64, u64),
    /// The source text to write there: escaped for its attribute, in the encoding of the file.
    pub replacement: String,
    /// The new reference, as an HTML parser yields it.
    pub reference: String,
    /// How certain it is.
    pub safety: Safety,
}
