//! The target of a package without code.

fn main() {}
