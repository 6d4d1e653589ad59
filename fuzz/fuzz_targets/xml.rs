//! XML documents of any bytes: no panic, no decision changes nothing, and a second run makes no edit.
#![no_main]

mod common;

use absolve::Syntax;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| common::holds(|| common::stable(&common::rewriter(Syntax::Xml), data)));
