//! Resolving references: RFC 1808, and two later standards.
//!
//! [`Standard`] is the choice, [`Base`] an established base URL. The
//! algorithms are bare: nothing is masked, and no component is re-encoded by
//! `rfc1808`.

mod base;
mod clean;
mod credentials;
mod join;
mod resolution;
mod resolve;
#[doc(hidden)]
pub mod rfc1808;
#[cfg(feature = "rfc3986")]
mod rfc3986;
mod schemes;
mod standard;
#[cfg(feature = "whatwg")]
mod whatwg;

pub use base::Base;
pub(crate) use base::is_inert;
pub use clean::clean;
pub use credentials::mask_credentials;
#[doc(hidden)]
pub use credentials::{MASK, masked, masked_base, masked_with_names};
pub(crate) use join::{Join, Joiner};
pub use resolution::{Refusal, Resolution};
pub use standard::Standard;
#[doc(hidden)]
pub use standard::UnknownStandard;
