//! The inputs, the configuration, results, progress and failures of commands.

pub mod config;
pub mod direction;
pub mod document_report;
pub mod failure;
pub mod inputs;
pub mod output;
pub mod paths;
pub mod progress;
pub mod provenance;
pub mod redirects;
pub mod signals;
pub mod usage_error;
