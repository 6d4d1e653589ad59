//! What the targets share.

#[allow(dead_code, reason = "each target asks one of the questions")]
#[path = "../../tests/agreement/check/mod.rs"]
pub(crate) mod check;

use std::sync::Once;

/// Ends the process if a property does not hold. html5ever's panics, which the checks catch, are
/// not to end it.
pub(crate) fn holds<T>(property: impl FnOnce() -> Result<T, String>) {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| std::panic::set_hook(Box::new(|_| {})));
    if let Err(error) = property() {
        eprintln!("{error}");
        std::process::abort();
    }
}
