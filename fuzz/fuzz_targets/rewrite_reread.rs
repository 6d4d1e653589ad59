//! The links of the output are what was decided, and a second time changes nothing.
#![no_main]

mod common;

use common::check::{Settings, rewriting};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((&first, data)) = data.split_first() else { return };
    let bases = ["http://h/d/e?q&copy=1", "file:///d/\"'<> &lt", "http://h", "x:/a/../b//;p"];
    let base = bases.get(usize::from(first % 5)).map(|&base| base.to_owned());
    common::holds(|| rewriting(&Settings { base, ..Settings::default() }, data));
});
