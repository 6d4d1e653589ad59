//! Checks and rewriters for several targets.

use std::sync::Once;

use absolve::{Rewriter, Syntax};
use libfuzzer_sys::arbitrary::{Arbitrary, Unstructured};

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

/// Makes links absolute.
pub(crate) fn rewriter(syntax: Syntax) -> Rewriter {
    Rewriter::new().base_url("http://h/d/p").expect("a usable base").syntax(syntax)
}

/// No decision changes nothing, and a second run makes no edit. Returns the new document if the source
/// is one.
pub(crate) fn stable(rewriter: &Rewriter, data: &[u8]) -> Result<Option<Vec<u8>>, String> {
    let Ok(first) = rewriter.rewrite(data) else { return Ok(None) };
    let second = rewriter.rewrite(first.bytes()).map_err(|error| error.to_string())?;
    if second.bytes() != first.bytes() {
        return Err("a second run makes an edit".to_owned());
    }
    let same = rewriter.rewrite_with(data, |_| None).map_err(|error| error.to_string())?;
    if same.bytes() != data {
        return Err("no decision makes an edit".to_owned());
    }
    Ok(Some(first.bytes().to_vec()))
}

/// The values that a target takes, made of the bytes of an input.
pub(crate) fn arbitrary<'a, T: Arbitrary<'a>>(data: &'a [u8]) -> Option<T> {
    T::arbitrary_take_rest(Unstructured::new(data)).ok()
}
