//! Both engines, and both scanners, see the same links.
#![no_main]

mod common;

use common::check::{Settings, agreement};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    common::holds(|| agreement(&Settings::default(), data));
});
