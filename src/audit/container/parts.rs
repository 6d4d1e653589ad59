//! Looks up URLs in a message: the parts that they name
//! ([RFC 2557 section 8](https://www.rfc-editor.org/rfc/rfc2557#section-8),
//! [RFC 2392](https://www.rfc-editor.org/rfc/rfc2392)).

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use percent_encoding::percent_decode_str;

use crate::audit::container::fingerprint::{BasePrefixes, Fingerprint, Hashers};
use crate::audit::container::url_key::key;
use crate::audit::rules::Rule;
use crate::audit::target::{Problem, Target};
use crate::container::{Message, PartKind};

/// The parts of a message by URL and id, with the document numbers of pages.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    /// By fingerprint of the key of their URL.
    locations: HashMap<Fingerprint, Option<usize>>,
    hashers: Hashers,
    /// By `Content-ID`.
    ids: HashMap<String, Option<usize>>,
    /// The `Message-ID`s.
    messages: HashSet<String>,
}

/// The resource that a URL names.
enum Referent {
    Part(Option<usize>),
    /// No part of this message.
    Missing,
    /// A resource outside the message.
    External,
}

/// Whether parts of this kind are documents.
pub(crate) fn is_document(kind: PartKind) -> bool {
    matches!(kind, PartKind::Html | PartKind::Css | PartKind::Xml)
}

impl Parts {
    /// The parts of a message, whose documents have these numbers, in order. Of parts with the same
    /// name, the first one counts.
    pub(crate) fn new(message: &Message<'_>, mut numbers: Range<usize>, hashers: Hashers) -> Self {
        let mut parts = Self { hashers, ..Self::default() };
        for part in message.parts() {
            let number = if is_document(part.kind()) { numbers.next() } else { None };
            let page = number.filter(|_| part.kind() != PartKind::Css);
            if let Some(location) = part.location() {
                let fingerprint = parts.hashers.of(&key(location));
                parts.locations.entry(fingerprint).or_insert(page);
            }
            if let Some(id) = part.content_id() {
                parts.ids.entry(id.to_owned()).or_insert(page);
            }
            parts.messages.extend(part.message_id().map(str::to_owned));
        }
        parts
    }

    /// The fingerprints of the prefixes of a base URL.
    pub(crate) fn prefixes(&self, base: &str) -> BasePrefixes {
        BasePrefixes::of(base, &self.hashers)
    }

    /// Looks up a URL; `None` if it neither names a part nor has the scheme `cid` or `mid`.
    pub(crate) fn target(&self, url: &str, prefixes: Option<&BasePrefixes>) -> Option<Target> {
        let continued = prefixes.and_then(|known| known.continued(url, &self.hashers));
        let fingerprint = continued.unwrap_or_else(|| self.hashers.of(&key(url)));
        if let Some(&page) = self.locations.get(&fingerprint) {
            return Some(Target::in_site(page));
        }
        let (scheme, rest) = url.trim().split_once(':')?;
        let rest = rest.split('#').next().unwrap_or_default();
        let (named, id) = match scheme.to_ascii_lowercase().as_str() {
            "cid" => self.part(rest),
            "mid" => self.in_message(rest),
            _ => return None,
        };
        Some(match named {
            Referent::Part(page) => Target::in_site(page),
            Referent::External => Target::OUTSIDE,
            Referent::Missing => {
                let message = format!("no part of the message has the Content-ID '{id}'");
                let problems = vec![Problem::new(Rule::BrokenLink, message)];
                Target { problems, ..Target::in_site(None) }
            }
        })
    }

    fn part(&self, id: &str) -> (Referent, String) {
        let id = percent_decode_str(id).decode_utf8_lossy();
        let named = self.ids.get(&*id).map_or(Referent::Missing, |&page| Referent::Part(page));
        (named, id.into_owned())
    }

    /// The part that a `mid:` URL names.
    fn in_message(&self, rest: &str) -> (Referent, String) {
        let (message, part) = match rest.split_once('/') {
            Some((message, part)) => (message, Some(part)),
            None => (rest, None),
        };
        let message = percent_decode_str(message).decode_utf8_lossy();
        match part {
            _ if !self.messages.contains(&*message) => (Referent::External, String::new()),
            Some(part) => self.part(part),
            None => (Referent::Part(None), String::new()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::target::LinkScope;
    use crate::rewrite::Rewriter;

    const MESSAGE: &[u8] = b"Message-ID: <m@h>\nContent-Type: multipart/related; boundary=b\n\n\
        --b\nContent-Type: text/html\nContent-Location: http://h/%7Ea\n\n\
        --b\nContent-ID: <i%25@h>\n\n\
        --b\nContent-Type: text/html\nContent-Location: cid:f@h\n\n--b--";

    #[track_caller]
    fn comes_to(url: &str, expected: Option<(LinkScope, Option<usize>, bool)>) {
        let message = Message::read(MESSAGE, &Rewriter::new()).unwrap();
        let parts = Parts::new(&message, 7..9, Hashers::default());
        let prefixes = parts.prefixes("http://h/%7Eb");
        let target = parts.target(url, None);
        let found = target.map(|found| (found.scope, found.file, found.problems.is_empty()));
        assert_eq!(found, expected, "{url}");
        let again = parts.target(url, Some(&prefixes)).map(|found| (found.scope, found.file));
        assert_eq!(again, expected.map(|(side, file, _)| (side, file)), "{url}");
    }

    #[test]
    fn parts_are_named_by_location_and_id() {
        let there = |page| Some((LinkScope::Internal, page, true));
        comes_to("https://H/~a#x", there(Some(7)));
        comes_to("http://h/%7ea", there(Some(7)));
        comes_to("cid:f@h", there(Some(8)));
        comes_to("CID:i%2525%40h", there(None));
        comes_to("mid:m@h/i%2525@h", there(None));
        comes_to("mid:m%40h", there(None));
    }

    #[test]
    fn an_id_that_names_nothing_is_reported() {
        comes_to("cid:x@h", Some((LinkScope::Internal, None, false)));
        comes_to("mid:m@h/x@h", Some((LinkScope::Internal, None, false)));
        comes_to("mid:other@h/x@h", Some((LinkScope::External, None, true)));
        comes_to("http://h/b", None);
        comes_to("mailto:a@h", None);
    }
}
