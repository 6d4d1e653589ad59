//! The plain suites, in one program: `cargo test --test it MODULE::` runs one of them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod attributes;
#[cfg(feature = "audit")]
mod audit_base_url;
#[cfg(feature = "audit")]
#[cfg(feature = "files")]
mod audit_many;
#[cfg(feature = "audit")]
mod audit_sources;
mod base;
#[cfg(feature = "cli")]
mod budget;
#[cfg(feature = "cli")]
mod cli;
#[cfg(all(feature = "cli", unix))]
mod configuration;
#[cfg(all(feature = "cli", unix))]
mod crawl;
mod details;
#[cfg(all(feature = "cli", unix))]
mod diff;
mod directions;
mod docs;
mod encodings;
#[cfg(all(feature = "cli", unix))]
mod error_messages;
#[cfg(all(feature = "cli", unix))]
mod error_texts;
#[cfg(all(feature = "cli", unix))]
mod external_links;
mod feeds;
#[cfg(feature = "cli")]
mod generated;
mod ignored;
mod json;
mod layers;
mod learn;
#[cfg(feature = "markdown")]
mod markdown;
#[cfg(feature = "files")]
mod messages;
#[cfg(feature = "files")]
mod messages_xml;
mod mutation;
mod noscript;
mod options;
#[cfg(feature = "cli")]
mod passwords;
#[cfg(feature = "containers")]
mod policy;
#[cfg(all(feature = "cli", unix))]
mod process;
mod reference_properties;
mod resolve;
mod rewrite;
#[cfg(feature = "files")]
mod section3;
mod stylesheets;
#[cfg(all(feature = "cli", unix))]
mod trees;
mod value_properties;
#[cfg(feature = "files")]
mod warc;
mod xml;
mod xml_namespaces;
mod xml_properties;
mod xml_rows;

// Simple versions of fast code, and a walk of html5ever's tree, which `suites` uses too.
mod naive;
#[path = "../oracle/mod.rs"]
mod oracle;
mod tokenizer;
mod twins;
