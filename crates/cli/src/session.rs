//! What every subcommand needs: its inputs and configuration, results, progress and failures.

pub mod config;
pub mod date;
pub mod direction;
pub mod document_report;
pub mod entry_path;
pub mod failure;
pub mod input;
pub mod inputs;
pub mod ordered_output;
pub mod output;
pub mod panics;
mod paths;
pub mod progress;
pub mod redirects;
pub mod revision;
pub mod signals;
pub mod status;
pub mod unresolved;
pub mod usage_error;

pub use paths::{is_folder_given, not_in_root, refuse_book};
