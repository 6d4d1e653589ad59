//! Text for people: messages on stderr, colors, columns, and text that a terminal shows literally.

mod color;
mod columns;
mod messages;
mod reader;
mod text;

pub use color::ColorChoice;
pub use columns::{Cells, Columns, write_aligned};
pub use messages::{Messages, Severity, Verbosity};
pub use reader::{Reader, columns, stderr_columns};
pub use text::{TEXT_WIDTH, is_harmless, message, printable, printable_path};
