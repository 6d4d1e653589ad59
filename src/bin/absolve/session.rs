//! What every subcommand needs: its inputs and configuration, results, progress and failures.

pub(crate) mod book;
pub(crate) mod config;
pub(crate) mod date;
pub(crate) mod direction;
pub(crate) mod document_report;
pub(crate) mod entry_path;
pub(crate) mod failure;
pub(crate) mod failure_log;
pub(crate) mod input;
pub(crate) mod inputs;
pub(crate) mod ordered_output;
pub(crate) mod output;
pub(crate) mod panics;
mod paths;
pub(crate) mod progress;
pub(crate) mod signals;
pub(crate) mod status;
pub(crate) mod stored;
pub(crate) mod unfinished;
pub(crate) mod unresolved;
pub(crate) mod usage_error;

pub(crate) use paths::is_folder_given;
