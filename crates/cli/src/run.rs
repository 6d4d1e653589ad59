//! The jobs of the commands, without a terminal. Each takes arguments, reports to a listener, and
//! returns a report, which the command prints and the Python package makes objects of.

pub mod audit;
pub mod extract;
pub mod links;
pub mod rewrite;
