//! The plain suites, in one program: `cargo test --test it MODULE::` runs one of them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod attributes;
mod base;
mod budget;
mod details;
mod directions;
mod encodings;
mod feeds;
mod ignored;
mod json;
mod layers;
mod learn;
mod markdown;
mod mutation;
mod noscript;
mod options;
mod reference_properties;
mod resolve;
mod rewrite;
mod stylesheets;
mod value_properties;
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
