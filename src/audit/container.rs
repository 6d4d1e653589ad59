//! The documents that messages and web archives hold.

pub(crate) mod archive;
pub(crate) mod document;
pub(crate) mod fingerprint;
pub(crate) mod index;
pub(crate) mod parts;
pub(crate) mod url_key;
