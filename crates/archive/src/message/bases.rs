//! The base URL of each part of a message
//! ([RFC 1808 section 3](https://www.rfc-editor.org/rfc/rfc1808#section-3)).
//!
//! After the `base` element of the document, these sources apply in order:
//!
//! 1. The header of the part (3.1): `Content-Base` ([RFC 2110][cb]), which overrides
//!    `Content-Location`; `Content-Location` ([RFC 2557][cl]), which browsers still use; `Base` of
//!    RFC 1808 itself.
//! 2. The enclosing entities (3.2).
//! 3. The retrieval URL of the message (3.3): the URL that the user gives, or
//!    `Snapshot-Content-Location`, which a browser wrote when it saved the message.
//!
//! NOTE: RFC 2557 section 5 ends with the base `thismessage:/`, which is meaningless outside the
//! message. References without another base stay as they are.
//!
//! [cb]: https://www.rfc-editor.org/rfc/rfc2110#section-4.2
//! [cl]: https://www.rfc-editor.org/rfc/rfc2557#section-5

use std::ops::Range;

use absolve::Credentials;
use absolve::Rewriter;
use absolve::url::{Base, Resolution};
use absolve::{
    BaseSource,
    internal::{BaseLayer, resolve_own_base},
};
use absolve::{Error, Limit, Limits, Location};
use percent_encoding::{AsciiSet, utf8_percent_encode};

use super::header::{Header, Media, UrlField};
use super::structure::Entity;

/// The base URLs of the parts of one message.
#[derive(Debug)]
pub(super) struct Bases {
    /// The layer of the retrieval URL, then the layers that snapshots and parts add.
    layers: Vec<BaseLayer>,
    parts: Vec<PartBase>,
}

/// The base URL of a part: a layer of its own, or that of an enclosing entity.
#[derive(Debug)]
struct PartBase {
    /// The index of its layer in [`Bases::layers`].
    layer: usize,
    owner: LayerOwner,
    /// The resolved form of a relative `Content-Location`.
    resolved_location: Option<String>,
    /// Whether the base, or its absence, is known.
    is_known: bool,
}

/// The entity whose header has the base URL of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LayerOwner {
    Part,
    Enclosing,
}

impl Bases {
    /// Finds the base URL of each part; the rewriter reads the `base` element later.
    ///
    /// A part whose base URL exceeds the limit is reported in `failures`, and the bases of parts
    /// inside it are unknown.
    ///
    /// # Errors
    ///
    /// If all base URLs together exceed the limit of the output.
    pub(super) fn new(
        parts: &[Entity],
        file_len: usize,
        rewriter: &Rewriter,
        failures: &mut Vec<Error>,
    ) -> Result<Self, Error> {
        let mut bases = Self {
            layers: vec![rewriter.settings().retrieval_layer.clone()],
            parts: Vec::with_capacity(parts.len()),
        };
        // Relative URLs of a few bytes can each resolve to a long one.
        let max = rewriter.settings().limits.max_output(file_len);
        let is_absolute = rewriter.settings().policy.is_absolute();
        let mut length = 0;
        for (number, part) in parts.iter().enumerate() {
            let parent = part.parent.map(|parent| &bases.parts[parent]);
            let mut enclosing = parent.map_or(0, |parent| parent.layer);
            let mut is_known = parent.is_none_or(|parent| parent.is_known);
            if let Some(snapshot) = bases.find_snapshot_layer(&part.header, enclosing, rewriter) {
                enclosing = bases.add_layer(snapshot);
            }
            let fields =
                PartFields { header: &part.header, enclosing: &bases.layers[enclosing], rewriter };
            let resolved_location = fields.resolve_location();
            let layer = match fields.find_layer() {
                // Parts of other types have no links.
                _ if part.header.media == Media::Other => None,
                Ok(layer) => layer,
                Err(error) => {
                    // If links become absolute, style sheets are not rewritten, and cannot fail.
                    if part.header.media != Media::Css || !is_absolute {
                        failures.push(error.in_part(number, |byte| byte));
                    }
                    is_known = false;
                    None
                }
            };
            let base_len =
                layer.as_ref().and_then(BaseLayer::base).map_or(0, |base| base.as_str().len());
            length += base_len + resolved_location.as_ref().map_or(0, String::len);
            if Limits::exceeds(max, length) {
                let offset = part.header.content_location.as_ref().map(|field| field.span.start);
                return Err(Error::limit(Limit::Output, max, offset.map(Location::Byte)));
            }
            let (layer, owner) = match layer {
                Some(layer) => (bases.add_layer(layer), LayerOwner::Part),
                None => (enclosing, LayerOwner::Enclosing),
            };
            bases.parts.push(PartBase { layer, owner, resolved_location, is_known });
        }
        Ok(bases)
    }

    /// Whether the base of a part, or its absence, is known.
    pub(super) fn is_known(&self, number: usize) -> bool {
        self.parts[number].is_known
    }

    fn add_layer(&mut self, layer: BaseLayer) -> usize {
        self.layers.push(layer);
        self.layers.len() - 1
    }

    /// Returns the layer of the URL that a page was saved from, if no enclosing entity has a base.
    fn find_snapshot_layer(
        &self,
        header: &Header,
        enclosing: usize,
        rewriter: &Rewriter,
    ) -> Option<BaseLayer> {
        let field = header.snapshot.as_ref().filter(|_| self.layers[enclosing].base().is_none())?;
        let base = resolve_own_base(&field.url, None, rewriter.settings().standard).ok();
        base.map(|base| BaseLayer::new(Some(base), BaseSource::SnapshotLocation))
    }

    /// Returns the layer that the `base` element in the document of a part is resolved against.
    pub(super) fn layer(&self, number: usize) -> BaseLayer {
        BaseLayer::new(self.base(number).cloned(), self.source(number))
    }

    /// Returns the base URL of a part.
    pub(super) fn base(&self, number: usize) -> Option<&Base> {
        self.layers[self.parts[number].layer].base()
    }

    /// Returns the source of the base URL of a part.
    pub(super) fn source(&self, number: usize) -> BaseSource {
        let PartBase { layer, owner, .. } = self.parts[number];
        match (owner, self.layers[layer].source()) {
            (
                LayerOwner::Enclosing,
                BaseSource::ContentBase | BaseSource::ContentLocation | BaseSource::BaseHeader,
            ) => BaseSource::Enclosing,
            (_, source) => source,
        }
    }

    /// Returns the resolved `Content-Location` of a part, if it differs from the written one.
    pub(super) fn location(&self, number: usize) -> Option<&str> {
        self.parts[number].resolved_location.as_deref()
    }

    /// Counts the parts with a relative `Content-Location`.
    pub(super) fn count_relative_locations(&self) -> usize {
        self.parts.iter().filter(|part| part.resolved_location.is_some()).count()
    }

    /// Returns the spans of URLs in the header of a part that change, with the new URLs, in
    /// ascending order. A relative `Content-Location` becomes absolute. A URL that a move rule
    /// covers becomes its new URL, so that moved links still lead to the part.
    pub(super) fn list_changed_fields(
        &self,
        number: usize,
        part: &Entity,
        rewriter: &Rewriter,
    ) -> Vec<(Range<usize>, String)> {
        let settings = rewriter.settings();
        let Header { content_base, content_location, base, snapshot, .. } = &part.header;
        let enclosing = part.parent.map_or(0, |parent| self.parts[parent].layer);
        let part_fields =
            PartFields { header: &part.header, enclosing: &self.layers[enclosing], rewriter };
        let move_url = |field: &UrlField, source| {
            let base = part_fields.resolve_field_base(source);
            let resolved = settings.standard.resolve(base.base(), &field.url).ok();
            resolved.and_then(|resolved| settings.policy.direction()?.moved(resolved.url()?))
        };
        let fields = [
            (content_base, BaseSource::ContentBase),
            (content_location, BaseSource::ContentLocation),
            (base, BaseSource::BaseHeader),
            (snapshot, BaseSource::SnapshotLocation),
        ];
        let changed = fields.into_iter().filter_map(|(field, source)| {
            let field = field.as_ref()?;
            let url = match move_url(field, source) {
                Some(moved) => encode_ascii(&moved),
                None if source == BaseSource::ContentLocation => self.location(number)?.to_owned(),
                None => return None,
            };
            Some((field.span.clone(), url))
        });
        let mut changed: Vec<_> = changed.collect();
        changed.sort_by_key(|(span, _)| span.start);
        changed
    }
}

/// The header fields of a part, and the layer of the entity that encloses it.
struct PartFields<'m> {
    header: &'m Header,
    enclosing: &'m BaseLayer,
    rewriter: &'m Rewriter,
}

impl PartFields<'_> {
    /// Returns the layer from the part's own fields; fails if the base URL exceeds the limit.
    fn find_layer(&self) -> Result<Option<BaseLayer>, Error> {
        let max = self.rewriter.settings().limits.base_url;
        let Header { content_base, content_location, base, .. } = self.header;
        let in_order = [
            (content_base, BaseSource::ContentBase),
            (content_location, BaseSource::ContentLocation),
            (base, BaseSource::BaseHeader),
        ];
        for (field, source) in in_order {
            let Some(field) = field else { continue };
            let outer = self.resolve_field_base(source);
            let Ok(base) =
                resolve_own_base(&field.url, outer.base(), self.rewriter.settings().standard)
            else {
                continue;
            };
            if Limits::exceeds(max, base.as_str().len()) {
                let at = Some(Location::Byte(field.span.start));
                return Err(Error::limit(Limit::BaseUrl, max, at));
            }
            return Ok(Some(BaseLayer::new(Some(base), source)));
        }
        Ok(None)
    }

    /// Returns the base for a relative URL in a field. For `Content-Location`, a base field of the
    /// same header takes precedence over the enclosing layer.
    fn resolve_field_base(&self, source: BaseSource) -> BaseLayer {
        if source == BaseSource::ContentLocation {
            let fields = [&self.header.content_base, &self.header.base];
            for field in fields.into_iter().flatten() {
                let standard = self.rewriter.settings().standard;
                if let Ok(base) = resolve_own_base(&field.url, self.enclosing.base(), standard) {
                    return BaseLayer::new(Some(base), source);
                }
            }
        }
        self.enclosing.clone()
    }

    /// Resolves a relative `Content-Location`, and encodes it in ASCII.
    fn resolve_location(&self) -> Option<String> {
        let UrlField { url, .. } = self.header.content_location.as_ref()?;
        let mut outer = self.resolve_field_base(BaseSource::ContentLocation);
        if self.rewriter.settings().credentials == Credentials::Drop {
            outer.hide_credentials();
        }
        match self.rewriter.settings().standard.resolve(outer.base(), url) {
            Ok(Resolution::Resolved(location)) if location != *url => Some(encode_ascii(&location)),
            _ => None,
        }
    }
}

/// Percent-encodes the non-ASCII characters of a URL for a header ([RFC 3987 section
/// 3.1](https://www.rfc-editor.org/rfc/rfc3987#section-3.1)).
fn encode_ascii(url: &str) -> String {
    utf8_percent_encode(url, &AsciiSet::EMPTY).to_string()
}
