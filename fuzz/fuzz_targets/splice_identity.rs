//! No decision changes nothing, and a decision changes the span of its link alone.
#![no_main]

mod common;

use common::check::{Settings, identity, locality};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    common::holds(|| identity(&Settings::default(), data));
    common::holds(|| locality(&Settings::default(), data));
});
