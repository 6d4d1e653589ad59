//! Hash tables for the lookups that every link of a site needs.
//!
//! `foldhash` seeds each process at random, as the standard library does. On openjdk-17-doc the
//! standard library's hasher took 6 % of an audit's time.

/// A map by a fast hash.
pub(crate) type HashMap<K, V> = std::collections::HashMap<K, V, foldhash::fast::RandomState>;

/// A set by a fast hash.
pub(crate) type HashSet<T> = std::collections::HashSet<T, foldhash::fast::RandomState>;
