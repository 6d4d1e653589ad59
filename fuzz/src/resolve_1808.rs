//! RFC 1808 as a naive twin has it.

use absolve::url::{Base, Resolution, Standard};

use crate::common::arbitrary;
use crate::naive;

pub(crate) fn run(data: &[u8]) {
    let Some(data) = arbitrary::<(&str, &str)>(data) else { return };
    let (base, reference) = data;
    let resolved = Standard::Rfc1808.resolve(Some(&Base::unchecked(base)), reference);
    let url = resolved.expect("RFC 1808 refuses nothing");
    if let Resolution::Resolved(url) = url {
        assert_eq!(url, naive::resolve(base, reference), "{base:?} {reference:?}");
    }
}
