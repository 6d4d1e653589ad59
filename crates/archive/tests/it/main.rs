//! Messages and web archives, in one program.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod directions;
mod messages;
mod messages_xml;
mod policy;
mod section3;
mod warc;
