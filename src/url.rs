//! Resolves references by RFC 1808, RFC 3986 or the WHATWG URL Standard.
//!
//! [`Standard`] selects the rules, and [`Base`] is an established base URL. Results contain user
//! and password unmasked, and `rfc1808` re-encodes no component.

mod base;
mod credentials;
mod join;
mod maps;
mod parts;
mod relative;
mod resolve;
#[doc(hidden)]
pub mod rfc1808;
#[cfg(feature = "rfc3986")]
mod rfc3986;
mod standard;
mod whatwg;

pub use base::Base;
pub(crate) use base::is_inert;
#[doc(hidden)]
pub use credentials::masked;
pub(crate) use join::{JoinResult, Joiner};
pub use maps::{InvalidMap, Maps};
pub use parts::clean;
#[doc(hidden)]
pub use parts::{Parts, authority, is_invisible, without_dots};
#[doc(hidden)]
pub use relative::has_dots;
pub(crate) use relative::{OwnPage, is_same_origin, read_by_browsers};
pub(crate) use relative::{make_relative, make_root_relative};
#[doc(hidden)]
pub use standard::UnknownStandard;
pub use standard::{Refusal, Resolution, Standard};
