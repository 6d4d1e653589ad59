//! Errors, as the host reads them.

use absolve::{Advice, Error, HasAdvice, Limit, Location};

use crate::names::limit_option;
use crate::utf16::utf16_length;

/// Why a call failed: the text of the output, and the offset in the document if it is known.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) text: String,
    pub(crate) offset: Option<usize>,
}

impl Failure {
    /// An error of a kind of `ErrorCode` in `lib/index.d.ts`, and the option that it is about, which may be empty.
    pub(crate) fn new(code: &str, option: &str, message: &str) -> Self {
        Self { text: [code, option, message].join("\n"), offset: None }
    }

    pub(crate) fn option(option: &str, why: &str) -> Self {
        Self::new("option", option, why)
    }

    /// An error of the library; offsets of a document that is text count UTF-16 code units.
    pub(crate) fn library(error: &Error, text: Option<&[u8]>) -> Self {
        let code = match error {
            error if error.limit_reached().is_some() => "limit",
            error if error.is_unusable_base() => "base-url",
            error if error.is_unknown_encoding() => "encoding",
            error if error.is_not_well_formed() => "not-well-formed",
            _ => "option",
        };
        let limit = error.limit_reached().and_then(Limit::row);
        let limit = limit.filter(|row| row.users.contains(&"npm"));
        let option = limit.map(|row| limit_option(row.name)).unwrap_or_default();
        let mut advice = String::new();
        if code == "encoding" && cfg!(not(feature = "full")) {
            advice.push_str("; decode it first, or import 'absolve'");
        }
        if let (Some(raise @ Advice::Raise(_)), Some(_)) = (error.advice(), limit) {
            advice += &raise.spelled(|_, _| option.clone());
        }
        let Some(Location::Byte(byte)) = error.location() else {
            return Self::new(code, &option, &format!("{error}{advice}"));
        };
        let (unit, offset) = match text {
            Some(text) => ("character", utf16_length(&text[..byte.min(text.len())])),
            None => ("byte", byte),
        };
        let message = format!("{unit} {offset}: {}{advice}", error.problem());
        Self { offset: Some(offset), ..Self::new(code, &option, &message) }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::library(&error, None)
    }
}
