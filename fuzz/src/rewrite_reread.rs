//! The links of the output are what was decided, and a second time changes nothing.

use crate::check::{Settings, rewriting};
use crate::common::holds;

pub(crate) fn run(data: &[u8]) {
    let Some((&first, data)) = data.split_first() else { return };
    let bases = ["http://h/d/e?q&copy=1", "file:///d/\"'<> &lt", "http://h", "x:/a/../b//;p"];
    let base = bases.get(usize::from(first % 5)).map(|&base| base.to_owned());
    holds(|| rewriting(&Settings { base, ..Settings::default() }, data));
}
