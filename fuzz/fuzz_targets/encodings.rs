//! Every property in every encoding, and a text in another encoding is rewritten as in UTF-8.
#![no_main]

mod common;

use common::check::{Settings, all, encoded};
use libfuzzer_sys::fuzz_target;

#[rustfmt::skip]
const LABELS: [&str; 12] = [
    "utf-16le", "utf-16be", "shift_jis", "euc-kr", "gb18030", "big5", "iso-2022-jp",
    "windows-1252", "euc-jp", "gbk", "koi8-r", "x-user-defined",
];

fuzz_target!(|data: &[u8]| {
    let Some((&first, data)) = data.split_first() else { return };
    let label = LABELS[usize::from(first) % LABELS.len()];
    match str::from_utf8(data) {
        Ok(text) => common::holds(|| encoded(&Settings::default(), text, label)),
        Err(_) => {
            common::holds(|| all(&Settings { encoding: Some(label), ..Settings::default() }, data));
        }
    }
});
