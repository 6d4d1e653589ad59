//! Whether text is colored.

/// Whether text has escape sequences for color.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Color {
    /// With color.
    Yes,
    /// Without color.
    No,
}
