//! Checking the links of a site, offline: what there is to find, and where.

mod finding;
mod rules;

pub use finding::Finding;
pub use rules::{Explanation, Level, Rule, UnknownLevel, UnknownRule};
