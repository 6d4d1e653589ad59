//! The passes of an audit: over files, containers, and requests between pages.

mod archive;
pub(crate) mod base_path;
pub(crate) mod book;
mod file;
pub(crate) mod fixes;
pub(crate) mod fragments;
pub(crate) mod hints;
mod message;
pub(crate) mod orphans;
pub(crate) mod redirects;
mod robots;
pub(crate) mod sitemap;
mod sitemap_urls;
pub(crate) mod source_edits;
mod url_list;
