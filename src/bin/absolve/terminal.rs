//! Text for people: messages on stderr, colors, columns, and text that a terminal shows literally.

pub(crate) mod advice;
mod color;
mod columns;
mod messages;
mod reader;
mod text;

pub(crate) use advice::with_options;
pub(crate) use color::ColorChoice;
pub(crate) use columns::{Cells, Columns, write_aligned};
pub(crate) use messages::{Messages, Severity, Verbosity};
pub(crate) use reader::{Reader, columns};
pub(crate) use text::{TEXT_WIDTH, is_harmless, message, printable, printable_path, wrapped};
