//! Code that commands share: inputs, the configuration, results, progress, signals and failures.

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
