//! The command over directory trees: what is on the disk afterwards, and what is
//! reported. What is printed is in `tests/cmd/trees.trycmd`.

mod addresses;
pub(crate) mod archive;
mod assets;
mod backups;
mod containers;
mod directions;
mod failures;
mod formats;
mod in_place;
mod integrity;
mod lists;
mod names;
mod output;
mod refusals;
pub(crate) mod site;
mod symlinks;
mod trials;
mod xml;
