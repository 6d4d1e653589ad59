//! Attributes of one expanded name: their prefixes differ, and their namespaces do not.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use super::declarations::Declarations;
use super::namespaces::{Namespaces, XML};
use super::tag::XmlAttribute;

impl<'s> Namespaces<'s> {
    /// Finds an attribute that has the [expanded name][spec] of one before it.
    ///
    /// [spec]: https://www.w3.org/TR/xml-names/#uniqAttrs
    pub(super) fn duplicate(
        &mut self,
        bytes: &'s [u8],
        list: &[XmlAttribute],
        declared: &Declarations<'s>,
    ) -> Option<usize> {
        let name = |one: &XmlAttribute| one.split(bytes);
        let is_prefixed = |one: &&XmlAttribute| one.prefix > 0 && name(one).0 != b"xmlns";
        if list.iter().filter(is_prefixed).take(2).count() < 2 {
            return None;
        }
        // Most tags with two prefixes have other names after them.
        let mut names = HashSet::new();
        if list.iter().filter(is_prefixed).all(|one| names.insert(name(one).1)) {
            return None;
        }
        let mut names = HashSet::new();
        list.iter().position(|one| {
            let (prefix, local) = name(one);
            if !is_prefixed(&one) {
                return false;
            }
            let uri = match self.bound.get(prefix) {
                Some(binding) => binding.uri.clone(),
                // Others are declared.
                None => 0..0,
            };
            !names.insert((self.number(bytes, uri, declared), local))
        })
    }

    /// The number of the URI that is written at a place: each is compared once, whatever its length.
    fn number(&mut self, bytes: &'s [u8], uri: Range<u32>, declared: &Declarations<'s>) -> usize {
        let numbers = &mut self.numbers;
        *self.number_at.entry(uri.start).or_insert_with(|| {
            let written = match uri.start {
                0 => XML,
                _ => &bytes[uri.start as usize..uri.end as usize],
            };
            let next = numbers.len();
            // What is not known is compared as it is written.
            *numbers.entry(declared.uri(written).unwrap_or(Cow::Borrowed(written))).or_insert(next)
        })
    }
}
