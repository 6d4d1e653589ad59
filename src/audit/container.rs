//! The documents in messages and web archives.

pub(crate) mod archive;
pub(crate) mod document;
pub(crate) mod fingerprint;
pub(crate) mod index;
pub(crate) mod parts;
pub(crate) mod records;
pub(crate) mod url_key;
