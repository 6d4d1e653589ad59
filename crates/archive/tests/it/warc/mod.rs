//! Web archives: what is read, and what damage does not hide.

pub(crate) mod archive;
mod damage;
mod forms;
mod pages;
mod random;
mod stylesheets;
mod wacz;
mod xml;
mod zstd;
