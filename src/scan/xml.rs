//! Finds the places of an XML document that may hold references, and the bases.
//!
//! quick-xml finds where markup begins and ends. The scanner checks the parts of
//! [well-formedness][spec] that it leaves out: tags, names, references, characters, and
//! [namespaces](https://www.w3.org/TR/xml-names/). Entities are expanded only in the URI of a
//! namespace, nothing external is read, and no function recurses, however deep the elements are.
//!
//! NOTE: the internal subset is not checked, nor is the replacement text of entities. Defaults of
//! attributes are not read.
//!
//! [spec]: https://www.w3.org/TR/xml/#sec-well-formed

mod candidates;
mod doctype;
mod element;
mod fault;
mod namespaces;
mod scanner;
mod tag;

pub(crate) use candidates::{
    ItemLink, Scope, XmlCandidate, XmlCandidates, XmlContent, XmlPlace, wide,
};
pub(crate) use fault::{Fault, location};
pub(crate) use namespaces::{attribute_name, local_name, split};
pub(crate) use tag::{attributes, has_entity};
