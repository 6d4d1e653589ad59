//! What a scan of an XML document finds: the places that may hold references, and the bases.
//!
//! quick-xml finds where markup begins and ends; what it leaves out of [well-formedness][spec] is
//! checked here: tags, names, references, characters, the document type declaration, and
//! [namespaces](https://www.w3.org/TR/xml-names/). No entity is expanded but in the URI of a
//! namespace, nothing external is read, and nothing is called by itself, however deep the elements
//! are.
//!
//! NOTE: what a parameter entity or the external subset declares is not read. Namespaces in the
//! replacement text of entities are not checked.
//!
//! [spec]: https://www.w3.org/TR/xml/#sec-well-formed

mod attribute_list;
mod candidates;
mod characters;
mod content_model;
mod cursor;
mod declarations;
mod doctype;
mod element;
mod entities;
mod expanded_names;
mod facts;
mod fault;
mod instruction;
mod namespaces;
mod replacement;
mod scanner;
mod tag;
mod target;

pub(crate) use candidates::{Facts, XmlCandidate, XmlCandidates, XmlContent, XmlPlace};
pub(crate) use fault::{Fault, location};
pub(crate) use namespaces::{attribute_name, local_name, split};
pub(crate) use tag::{attributes, has_entity};
