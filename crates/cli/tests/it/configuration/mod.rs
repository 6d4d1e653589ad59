//! `absolve.toml`: what it may do where it was found, the tables of both commands, and input
//! that the crates which parse options and files refuse.

mod found;
mod parsed;
mod tables;
