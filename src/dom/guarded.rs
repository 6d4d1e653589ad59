//! Parses within limits, and without panics.

use std::any::Any;
use std::ops::{ControlFlow, Range};
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::parse::{self, Scripting, Tree};
use super::readings;
use crate::error::{Error, Limit, Location};
use crate::link::{Limits, Settings};
use crate::scan::{Sink, StartTag, count_attributes, exact};

/// Fails also where browsers read other elements than the parser, scripting off.
pub(super) fn parse(text: &str, settings: &Settings, scripting: Scripting) -> Result<Tree, Error> {
    if scripting == Scripting::Off {
        readings::check(text)?;
    }
    parse_within(text, &settings.limits, scripting)
}

/// The same whatever browsers read, for the text of a document.
pub(super) fn parse_within(
    text: &str,
    limits: &Limits,
    scripting: Scripting,
) -> Result<Tree, Error> {
    check_attributes(text, limits.attributes)?;
    guarded(|| parse::parse(text, limits, scripting))
}

/// Turns a panic of the parser into an error.
fn guarded(parse: impl FnOnce() -> Result<Tree, Error>) -> Result<Tree, Error> {
    // The tree is dropped with the panic; nothing of it is seen again.
    catch_unwind(AssertUnwindSafe(parse)).map_err(|panic| Error::parser(message(&*panic)))?
}

/// Fails if a tag has more attributes than the limit: html5ever compares each
/// attribute with all before it.
fn check_attributes(text: &str, max: usize) -> Result<(), Error> {
    struct Check<'t> {
        text: &'t [u8],
        max: usize,
        at: Option<usize>,
    }
    impl Sink for Check<'_> {
        fn start_tag(&mut self, tag: &StartTag<'_>) -> ControlFlow<()> {
            if tag.attribute_count <= self.max {
                return ControlFlow::Continue(());
            }
            self.at = self.at.or(Some(tag.span.start));
            ControlFlow::Break(())
        }

        // html5ever reads the attributes of end tags as well.
        fn other_tag(&mut self, span: Range<usize>) {
            // An attribute has two bytes at least, and most end tags have none.
            if span.len() / 2 > self.max
                && self.at.is_none()
                && count_attributes(self.text, span.clone()) > self.max
            {
                self.at = Some(span.start);
            }
        }
    }
    if max == 0 {
        return Ok(());
    }
    let mut check = Check { text: text.as_bytes(), max, at: None };
    let _ = exact::scan_by(exact::Rules::Html5ever, text.as_bytes(), &mut check);
    match check.at {
        Some(at) => {
            let line = 1 + text[..at].bytes().filter(|&byte| byte == b'\n').count() as u64;
            Err(Error::limit(Limit::Attributes, max, Some(Location::Line(line))))
        }
        None => Ok(()),
    }
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("it panicked").to_owned()
}
