//! The options of limits.

use absolve::{Limit, Limits};

/// A limit among all limits.
type Field = fn(&mut Limits) -> &mut usize;

/// The options of limits; 0 is no limit.
pub(crate) const LIMITS: &[(&str, Limit, Field)] = &[
    ("maxInput", Limit::Input, |limits| &mut limits.input),
    ("maxOutput", Limit::Output, |limits| &mut limits.output),
    ("maxBaseUrl", Limit::BaseUrl, |limits| &mut limits.base_url),
    ("maxBaseUrl", Limit::BaseUrls, |limits| &mut limits.base_url),
    ("maxReference", Limit::Reference, |limits| &mut limits.reference),
    ("maxLinks", Limit::Links, |limits| &mut limits.links),
    ("maxSrcdoc", Limit::Srcdoc, |limits| &mut limits.srcdoc),
];
