//! Values that several objects of SARIF have.

use serde::Serialize;

use crate::audit::Level;
use crate::report::view;

/// A text in an object of its own, as SARIF has messages.
#[derive(Serialize)]
pub(super) struct Text<T> {
    pub(super) text: T,
}

pub(super) fn level_name(level: Level) -> &'static str {
    match level {
        Level::Off => "none",
        _ => view::level(level),
    }
}
