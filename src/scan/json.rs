//! Finds the strings of a [JSON Feed](https://www.jsonfeed.org/version/1.1/) that may hold links.

use std::borrow::Cow;
use std::ops::Range;

use super::xml::Fault;
use crate::reference::{Context, decode};
use crate::value::json::{JsonFault, PathStep, Role, strings};

/// A string of a feed that may hold links.
#[derive(Debug)]
pub(crate) struct FeedString {
    pub(crate) element: &'static str,
    pub(crate) attribute: String,
    /// The span between the quotes.
    pub(crate) span: Range<usize>,
    /// The index of the item that contains the string, if any.
    pub(crate) item: Option<usize>,
}

/// Finds the strings of a feed that may hold links, in the order of the source.
///
/// # Errors
///
/// If the document is not JSON, or not a JSON Feed.
pub(crate) fn scan_feed(bytes: &[u8], feed_strings: &mut Vec<FeedString>) -> Result<(), Fault> {
    let fault = |at, why: &str| Fault { at, why: why.to_owned() };
    let text = std::str::from_utf8(bytes)
        .map_err(|error| fault(error.valid_up_to(), "bytes that are not UTF-8"))?;
    feed_strings.clear();
    let mut is_feed = false;
    let read = strings(text, &mut |path, role, span| {
        if role == Role::Value {
            is_feed |= is_version(text, path, &text[span.clone()]);
            feed_strings.extend(read_feed_string(text, path, span));
        }
    });
    read.map_err(|JsonFault { at, why }| fault(at, why))?;
    if is_feed {
        return Ok(());
    }
    Err(fault(0, "no version of JSON Feed, https://jsonfeed.org/version/1.1"))
}

/// Whether a string is the `version` of a JSON Feed.
fn is_version(text: &str, path: &[PathStep], value: &str) -> bool {
    if !matches!(path, [step] if step.name(text) == "version") {
        return false;
    }
    let value = decode(value, Context::Json);
    let address = value.strip_prefix("https://").or_else(|| value.strip_prefix("http://"));
    address.is_some_and(|address| address.starts_with("jsonfeed.org/version/"))
}

/// Classifies the string at the end of a path by the object that has it: the feed, an item, an
/// attachment or an author; `None` for any other string.
fn read_feed_string(text: &str, path: &[PathStep], span: Range<usize>) -> Option<FeedString> {
    let mut names = [const { Cow::Borrowed("") }; 5];
    let length = path.len();
    let steps = names.get_mut(..length)?.iter_mut().zip(path);
    steps.for_each(|(name, step)| *name = step.name(text));
    let names: [&str; 5] = names.each_ref().map(|name| &**name);
    let item = match (names[0], path.get(1)) {
        ("items", Some(PathStep::Item(number))) => Some(*number),
        _ => None,
    };
    let (rest, owner) =
        if item.is_some() { (&names[2..length], "item") } else { (&names[..length], "feed") };
    let (element, attribute) = match rest {
        [attribute] => (owner, attribute),
        ["author", attribute] | ["authors", "*", attribute] => ("author", attribute),
        ["attachments", "*", attribute] if item.is_some() => ("attachment", attribute),
        _ => return None,
    };
    Some(FeedString { element, attribute: (*attribute).to_owned(), span, item })
}
