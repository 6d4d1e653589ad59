//! No decision changes nothing, and a decision changes the span of its link alone.

use crate::check::{Settings, identity, locality};
use crate::common::holds;

pub(crate) fn run(data: &[u8]) {
    holds(|| identity(&Settings::default(), data));
    holds(|| locality(&Settings::default(), data));
}
