//! References of SVG to parts of the document itself, which are no links.

use super::{LinkPass, Mode, SpanOf};
use crate::attributes::{Namespace, Rule};
use crate::base::BaseLayer;
use crate::grammar::Grammar;
use crate::link::Link;
use crate::link::document::{Document, Site};
use crate::link::resolving::{Replacement, Resolving};
use crate::value;

impl LinkPass<'_> {
    /// Shows the visitor the references in a decoded value that are only a fragment.
    ///
    /// HTML elements have them in style sheets alone, where scripts of old browsers used them for
    /// other things: `behavior: url(#default#VML)`.
    pub(super) fn local_references(
        &mut self,
        document: &Document,
        site: &Site<'_>,
        layer: &BaseLayer,
        value: &str,
        span_of: &SpanOf<'_>,
    ) {
        let spot = site.spot;
        let is_link = spot.grammar == Grammar::Url && spot.rule != Rule::FragmentStays;
        let Mode::Visit(visit) = &mut self.mode else { return };
        if site.namespace != Namespace::Svg || is_link || self.is_ignored || document.is_nested() {
            return;
        }
        let standard = self.settings.standard;
        let resolving = Resolving { standard, written: Replacement::Kept };
        value::local_references(spot.grammar, value, &mut |found| {
            let span = span_of(found.span.clone());
            visit.local_reference(&Link {
                base: layer.base(),
                base_source: layer.source(),
                ..Link::new(site, &found.reference, span, self.encoding, resolving)
            });
        });
    }
}
