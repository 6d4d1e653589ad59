//! Decides on the links of a [JSON Feed](https://www.jsonfeed.org/version/1.1/).

use std::collections::HashMap;

use super::page::{Output, Page};
use super::sites::ValueContext;
use super::value::{SourceText, Value};
use crate::attributes::{Namespace, RequiredForm};
use crate::base::{BaseLayer, ResolvedBase};
use crate::error::{Error, Location};
use crate::grammar::Grammar;
use crate::link::{Document, LinkPass, Site};
use crate::reference::{Context, Quote, decode};
use crate::scan::Interest;
use crate::scan::json::FeedString;

/// Decides on every link of a feed, and returns the base of the feed, which is the feed's own URL.
/// The HTML in an item may be relative to the `url` of the item instead.
pub(super) fn decide(
    page: &Page<'_>,
    (strings, interest): (&[FeedString], &Interest),
    below: &BaseLayer,
    pass: &mut LinkPass<'_>,
    output: &mut dyn Output,
) -> Result<ResolvedBase, Error> {
    let document = Document::new(None, below, pass.encoding, pass.settings, None)?;
    let mut urls = HashMap::new();
    if pass.settings.resolves_against_items() {
        let is_url = |string: &&FeedString| string.element == "item" && string.attribute == "url";
        for url in strings.iter().filter(is_url) {
            urls.insert(url.item, url.span.clone());
        }
    }
    let mut last: Option<(Option<usize>, Option<Document>)> = None;
    for string in strings {
        if last.as_ref().is_none_or(|(item, _)| *item != string.item) {
            let item = match urls.get(&string.item) {
                Some(span) => {
                    let location = Location::Byte(page.source_range(span.clone()).start);
                    let url = decode(page.decode(span.clone()).text(), Context::Json).into_owned();
                    document.item(&url, pass.encoding, pass.settings, location)?
                }
                None => None,
            };
            last = Some((string.item, item));
        }
        let item = last.as_ref().and_then(|(_, document)| document.as_ref());
        decide_string(page, string, (&document, item), (pass, interest), output)?;
    }
    Ok(document.established)
}

/// Decides on a string, if the table of attributes has a row for it. HTML is relative to the item.
fn decide_string(
    page: &Page<'_>,
    string: &FeedString,
    (feed, item): (&Document, Option<&Document>),
    (pass, interest): (&mut LinkPass<'_>, &Interest),
    output: &mut dyn Output,
) -> Result<(), Error> {
    let FeedString { element, attribute, span, .. } = string;
    let site = Site::find(pass.settings, element, Namespace::Json, attribute);
    let Some(site) = site else { return Ok(()) };
    let text = page.decode(span.clone());
    let value = Value::new(SourceText { start: span.start, text: &text }, Context::Json);
    let mut value_output = value.output_to(Quote::Double, output);
    pass.form = site.spot.form;
    let is_html = site.spot.grammar == Grammar::Html;
    let document = item.filter(|_| is_html).unwrap_or(feed);
    let context = ValueContext { page, document, interest };
    let decided = context.decide_value(&value, &site, pass, &mut value_output);
    pass.form = RequiredForm::Any;
    decided?;
    value_output.finish()
}
