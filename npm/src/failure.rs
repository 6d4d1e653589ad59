//! Errors, as the host reads them.

use absolve::{Error, Limit, Location};

use crate::limits::LIMITS;
use crate::utf16::utf16_length;

/// The kinds of errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Code {
    /// The base URL is not usable.
    BaseUrl,
    /// The document reaches a limit.
    Limit,
    /// The label of an encoding is unknown, or a text is no Unicode.
    Encoding,
    /// The document is not well-formed XML.
    NotWellFormed,
    /// An option is unknown, or has a value that it does not take.
    Option,
    /// The standard refuses a reference.
    Reference,
    /// A container cannot be read or written.
    #[cfg(feature = "page")]
    Container,
}

impl Code {
    fn name(self) -> &'static str {
        match self {
            Self::BaseUrl => "base-url",
            Self::Limit => "limit",
            Self::Encoding => "encoding",
            Self::NotWellFormed => "not-well-formed",
            Self::Option => "option",
            Self::Reference => "reference",
            #[cfg(feature = "page")]
            Self::Container => "container",
        }
    }
}

/// Why a call failed: the text of the output, and the offset in the document if it is known.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) text: String,
    pub(crate) offset: Option<usize>,
}

impl Failure {
    /// An error about an option, whose name may be empty.
    pub(crate) fn new(code: Code, option: &str, message: &str) -> Self {
        Self { text: [code.name(), option, message].join("\n"), offset: None }
    }

    pub(crate) fn option(option: &str, why: &str) -> Self {
        Self::new(Code::Option, option, why)
    }

    /// An error of the library; offsets of a document that is text count UTF-16 code units.
    pub(crate) fn library(error: &Error, text: Option<&[u8]>) -> Self {
        let code = match error {
            error if error.limit_reached().is_some() => Code::Limit,
            error if error.is_unusable_base() => Code::BaseUrl,
            error if error.is_unknown_encoding() => Code::Encoding,
            error if error.is_not_well_formed() => Code::NotWellFormed,
            _ => Code::Option,
        };
        let option = error.limit_reached().map_or("", option);
        let mut message = error.to_string();
        if code == Code::Encoding && cfg!(not(feature = "full")) {
            message.push_str("; decode it first, or import 'absolve'");
        }
        if !option.is_empty() {
            let none = if option == "maxSrcdoc" { "16 at most" } else { "0 = no limit" };
            message.extend(["; raise ", option, " (", none, ") if it is trusted"]);
        }
        let Some(Location::Byte(byte)) = error.location() else {
            return Self::new(code, option, &message);
        };
        let (unit, offset) = match text {
            Some(text) => ("character", utf16_length(&text[..byte.min(text.len())])),
            None => ("byte", byte),
        };
        if let Some(rest) = message.strip_prefix(&format!("byte {byte}: ")) {
            message = format!("{unit} {offset}: {rest}");
        }
        Self { offset: Some(offset), ..Self::new(code, option, &message) }
    }
}

/// The option that sets a limit.
fn option(limit: Limit) -> &'static str {
    let option = LIMITS.iter().find(|(_, own, _)| *own == limit);
    option.map_or("", |(name, ..)| name)
}
