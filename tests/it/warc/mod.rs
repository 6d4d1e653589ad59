//! Web archives: what is read, what is written, and what damage does to neither.

pub(crate) mod archive;
mod damage;
mod forms;
mod index;
mod pages;
mod random;
mod replacing;
mod revisits;
mod stylesheets;
#[cfg(feature = "wacz")]
mod wacz;
mod xml;
mod zstd;
