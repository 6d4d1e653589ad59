//! The base URL of each part of a message
//! ([RFC 1808 section 3](https://www.rfc-editor.org/rfc/rfc1808#section-3)).
//!
//! Below the document's own `base` element, the header of the part counts (3.1):
//! `Content-Base` ([RFC 2110][cb]), which was made to override `Content-Location`;
//! `Content-Location` ([RFC 2557][cl]), which browsers still go by; `Base` of RFC 1808
//! itself. Then the entity around it (3.2), as far out as it takes. Then the URL that the
//! message was retrieved from (3.3): the one given, or what a browser that saved it wrote
//! into `Snapshot-Content-Location`.
//!
//! NOTE: RFC 2557 section 5 ends with the base `thismessage:/`, which leads nowhere outside
//! the message; references that have only that stay as they are.
//!
//! [cb]: https://www.rfc-editor.org/rfc/rfc2110#section-4.2
//! [cl]: https://www.rfc-editor.org/rfc/rfc2557#section-5

use super::header::{Field, Header, Media};
use super::structure::Entity;
use crate::base::{BaseLayer, BaseSource, own_base};
use crate::error::{Error, Limit, Location};
use crate::link::{Credentials, Limits};
use crate::rewrite::Rewriter;
use crate::url::{Base, Resolution};

/// The base URLs of the parts of one message.
#[derive(Debug)]
pub(super) struct Bases {
    /// What parts give themselves, and what the message has.
    layers: Vec<BaseLayer>,
    /// For each part, its layer, and whether it is its own.
    of_parts: Vec<(usize, Owner)>,
    /// What a relative `Content-Location` resolves to.
    locations: Vec<(usize, String)>,
    /// By part, whether its base is not known.
    unknown: Vec<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owner {
    Itself,
    Around,
}

impl Bases {
    /// Establishes the base of each part, without its `base` element.
    ///
    /// A part with one that is longer than the limit is reported in `failures`, and nothing is
    /// known of what is in it.
    ///
    /// # Errors
    ///
    /// If all base URLs are as long as the message as it is written may be.
    pub(super) fn new(
        parts: &[Entity],
        file_len: usize,
        rewriter: &Rewriter,
        failures: &mut Vec<Error>,
    ) -> Result<Self, Error> {
        let mut bases = Self {
            layers: vec![rewriter.settings().below.clone()],
            of_parts: Vec::with_capacity(parts.len()),
            locations: Vec::new(),
            unknown: vec![false; parts.len()],
        };
        // Relative URLs of a few bytes could each come to a long one.
        let max = rewriter.settings().limits.max_output(file_len);
        let mut length = 0;
        for (number, part) in parts.iter().enumerate() {
            let mut around = part.parent.map_or(0, |parent| bases.of_parts[parent].0);
            if let Some(snapshot) = bases.snapshot(&part.header, around, rewriter) {
                around = bases.add(snapshot);
            }
            let own = Own { header: &part.header, around: &bases.layers[around], rewriter };
            let location = own.location();
            let layer = match own.layer() {
                // What holds no document needs none.
                _ if part.header.media == Media::Other => None,
                Ok(layer) => layer,
                Err(error) => {
                    failures.push(error.in_part(number, |byte| byte));
                    bases.unknown[number] = true;
                    None
                }
            };
            bases.unknown[number] |= part.parent.is_some_and(|parent| bases.unknown[parent]);
            let bytes =
                layer.as_ref().and_then(BaseLayer::base).map_or(0, |base| base.as_str().len());
            length += bytes + location.as_ref().map_or(0, String::len);
            if Limits::exceeds(max, length) {
                let place = part.header.content_location.as_ref().map(|field| field.span.start);
                return Err(Error::limit(Limit::Output, max, place.map(Location::Byte)));
            }
            bases.locations.extend(location.map(|location| (number, location)));
            let of_part = match layer {
                Some(layer) => (bases.add(layer), Owner::Itself),
                None => (around, Owner::Around),
            };
            bases.of_parts.push(of_part);
        }
        Ok(bases)
    }

    /// Whether the base of a part is known, be it that there is none.
    pub(super) fn is_known(&self, part: usize) -> bool {
        !self.unknown[part]
    }

    fn add(&mut self, layer: BaseLayer) -> usize {
        self.layers.push(layer);
        self.layers.len() - 1
    }

    /// The URL that a page was saved from, where there is no base around it.
    fn snapshot(&self, header: &Header, around: usize, rewriter: &Rewriter) -> Option<BaseLayer> {
        let field = header.snapshot.as_ref().filter(|_| self.layers[around].base().is_none())?;
        let base = own_base(&field.url, None, rewriter.settings().standard).ok();
        base.map(|base| BaseLayer::new(Some(base), BaseSource::SnapshotLocation))
    }

    /// The layer below the `base` element of a part.
    pub(super) fn of(&self, part: usize) -> BaseLayer {
        BaseLayer::new(self.base(part).cloned(), self.source(part))
    }

    /// The base URL of a part.
    pub(super) fn base(&self, part: usize) -> Option<&Base> {
        self.layers[self.of_parts[part].0].base()
    }

    /// Where it came from.
    pub(super) fn source(&self, part: usize) -> BaseSource {
        let (layer, owner) = self.of_parts[part];
        match (owner, self.layers[layer].source()) {
            (
                Owner::Around,
                BaseSource::ContentBase | BaseSource::ContentLocation | BaseSource::BaseHeader,
            ) => BaseSource::Enclosing,
            (_, source) => source,
        }
    }

    /// What the `Content-Location` of a part resolves to, where that is not as it is written.
    pub(super) fn location(&self, part: usize) -> Option<&str> {
        let at = self.locations.binary_search_by_key(&part, |(part, _)| *part).ok()?;
        Some(&self.locations[at].1)
    }

    /// The parts with a relative `Content-Location`, and what it resolves to.
    pub(super) fn locations(&self) -> &[(usize, String)] {
        &self.locations
    }
}

/// The fields of a part, and the layer around it.
struct Own<'m> {
    header: &'m Header,
    around: &'m BaseLayer,
    rewriter: &'m Rewriter,
}

impl Own<'_> {
    /// The layer that the part gives itself.
    fn layer(&self) -> Result<Option<BaseLayer>, Error> {
        let max = self.rewriter.settings().limits.base_url;
        let Header { content_base, content_location, base, .. } = self.header;
        let in_order = [
            (content_base, BaseSource::ContentBase),
            (content_location, BaseSource::ContentLocation),
            (base, BaseSource::BaseHeader),
        ];
        for (field, source) in in_order {
            let Some(field) = field else { continue };
            let below = self.below(source);
            let Ok(base) = own_base(&field.url, below.base(), self.rewriter.settings().standard)
            else {
                continue;
            };
            if Limits::exceeds(max, base.as_str().len()) {
                let place = Some(Location::Byte(field.span.start));
                return Err(Error::limit(Limit::BaseUrl, max, place));
            }
            return Ok(Some(BaseLayer::new(Some(base), source)));
        }
        Ok(None)
    }

    /// What a relative URL in the field is resolved against: for `Content-Location`, the base
    /// that the same header gives by another field; else what is around.
    fn below(&self, source: BaseSource) -> BaseLayer {
        if source == BaseSource::ContentLocation {
            let fields = [&self.header.content_base, &self.header.base];
            for field in fields.into_iter().flatten() {
                let standard = self.rewriter.settings().standard;
                if let Ok(base) = own_base(&field.url, self.around.base(), standard) {
                    return BaseLayer::new(Some(base), source);
                }
            }
        }
        self.around.clone()
    }

    /// What a relative `Content-Location` resolves to, in the characters of a URL.
    fn location(&self) -> Option<String> {
        let Field { url, .. } = self.header.content_location.as_ref()?;
        let mut below = self.below(BaseSource::ContentLocation);
        if self.rewriter.settings().credentials == Credentials::Drop {
            below.hide_credentials();
        }
        match self.rewriter.settings().standard.resolve(below.base(), url) {
            Ok(Resolution::Resolved(location)) if location != *url => Some(in_ascii(&location)),
            _ => None,
        }
    }
}

/// A URL as a header can hold it: what is not ASCII is percent-encoded, as [RFC 3987
/// section 3.1](https://www.rfc-editor.org/rfc/rfc3987#section-3.1) has it.
fn in_ascii(url: &str) -> String {
    let mut out = String::with_capacity(url.len());
    for character in url.chars() {
        if character.is_ascii() {
            out.push(character);
        } else {
            let mut buffer = [0; 4];
            let bytes = character.encode_utf8(&mut buffer).bytes();
            out.extend(bytes.map(|byte| format!("%{byte:02X}")));
        }
    }
    out
}
