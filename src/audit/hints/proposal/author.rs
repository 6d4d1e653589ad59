//! A reference and its surroundings.

use crate::audit::site::deployment::Deployment;
use crate::url::{Base, Standard};

/// A reference as an author wrote it, and how it is resolved.
#[derive(Debug, Clone, Copy)]
pub struct AuthoredReference<'a> {
    /// The reference as an HTML parser yields it.
    pub reference: &'a str,
    /// The base URL that it is resolved against.
    pub base: Option<&'a Base>,
    /// The standard that it is resolved by.
    pub standard: Standard,
    /// Where the site is served.
    pub deployment: &'a Deployment,
}
