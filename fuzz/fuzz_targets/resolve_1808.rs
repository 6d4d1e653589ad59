//! RFC 1808 as a naive twin has it.
#![no_main]

#[path = "../../tests/it/naive/mod.rs"]
mod naive;

use absolve::url::{Base, Resolution, Standard};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: (&str, &str)| {
    let (base, reference) = data;
    let resolved = Standard::Rfc1808.resolve(Some(&Base::unchecked(base)), reference);
    let url = resolved.expect("RFC 1808 refuses nothing");
    if let Resolution::Resolved(url) = url {
        assert_eq!(url, naive::resolve(base, reference), "{base:?} {reference:?}");
    }
});
