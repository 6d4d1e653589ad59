//! The target of a package that is there for its dependencies.

fn main() {}
