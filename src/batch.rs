//! Documents in files: reading them, and writing them whole or not at all.

mod read;
mod write;

pub use read::{is_same_file, read, read_from};
pub use write::write;
