//! Documents in files: reading them, and writing them whole or not at all.

mod read;
mod write;

pub use read::{read, read_from};
pub use write::write;
