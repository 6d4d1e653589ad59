//! The jobs of the commands, without a terminal: each takes arguments, reports to a listener, and
//! returns what it did. The command prints that, and the Python package makes objects of it.

pub mod audit;
pub mod extract;
pub mod links;
pub mod rewrite;
