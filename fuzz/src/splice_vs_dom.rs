//! Both engines, and both scanners, see the same links.

use crate::check::{Settings, agreement};
use crate::common::holds;

pub(crate) fn run(data: &[u8]) {
    holds(|| agreement(&Settings::default(), data));
}
