//! Whether text is colored.

/// Whether text has the escape sequences that color it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Color {
    /// It has.
    Yes,
    /// It has not.
    No,
}
