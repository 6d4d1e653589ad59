//! The fuzz targets in one program; the environment variable `FUZZ_TARGET` names the one that runs.
#![no_main]

#[path = "../../tests/agreement/check/mod.rs"]
#[allow(dead_code, reason = "targets need a part of what the tests need")]
mod check;
mod common;
mod encodings;
mod grammars;
mod inspect;
mod json;
mod learn;
mod markdown;
mod message;
#[path = "../../tests/it/naive/mod.rs"]
mod naive;
mod reference_decoder;
mod resolve_1808;
mod rewrite_reread;
mod scan_spans;
mod site;
mod splice_identity;
mod splice_vs_dom;
#[path = "../../tests/it/tokenizer/mod.rs"]
mod tokenizer;
mod warc;
mod xml;

use std::env;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;

/// Checks one input, and panics or aborts if a property does not hold.
type Target = fn(&[u8]);

/// Each target by its name, which is that of its corpus too.
const TARGETS: &[(&str, Target)] = &[
    ("encodings", encodings::run),
    ("grammars", grammars::run),
    ("inspect", inspect::run),
    ("json", json::run),
    ("learn", learn::run),
    ("markdown", markdown::run),
    ("message", message::run),
    ("reference_decoder", reference_decoder::run),
    ("resolve_1808", resolve_1808::run),
    ("rewrite_reread", rewrite_reread::run),
    ("scan_spans", scan_spans::run),
    ("site", site::run),
    ("splice_identity", splice_identity::run),
    ("splice_vs_dom", splice_vs_dom::run),
    ("warc", warc::run),
    ("xml", xml::run),
];

static RUN: LazyLock<Target> = LazyLock::new(|| {
    let wanted = env::var("FUZZ_TARGET").expect("FUZZ_TARGET names a target");
    let found = TARGETS.iter().find(|(name, _)| *name == wanted);
    found.unwrap_or_else(|| panic!("no fuzz target is named {wanted}")).1
});

fuzz_target!(|data: &[u8]| RUN(data));
