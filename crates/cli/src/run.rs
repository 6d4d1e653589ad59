//! The jobs of the commands, without a terminal. A job reports to a listener or returns a report,
//! which the command prints and the Python package converts to objects.

pub mod audit;
pub mod extract;
pub mod links;
pub mod rewrite;
