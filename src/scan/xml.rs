//! What a scan of an XML document finds: the places that may hold references, and the bases.
//!
//! quick-xml finds where markup begins and ends; what it leaves out of [well-formedness][spec] is
//! checked here: tags, names, references, characters, the document type declaration, and
//! [namespaces](https://www.w3.org/TR/xml-names/). No entity is expanded but in the URI of a
//! namespace, nothing external is read, and nothing is called by itself, however deep the elements
//! are.
//!
//! NOTE: of the declarations of a document type, content models and notations are not checked.
//!
//! [spec]: https://www.w3.org/TR/xml/#sec-well-formed

mod candidates;
mod characters;
mod declarations;
mod doctype;
mod element;
mod expanded_names;
mod fault;
mod instruction;
mod namespaces;
mod scanner;
mod tag;

pub(crate) use candidates::{Facts, XmlCandidate, XmlCandidates, XmlContent, XmlPlace};
pub(crate) use fault::{Fault, location};
pub(crate) use namespaces::{attribute_name, local_name, split};
pub(crate) use tag::attributes;
