//! Limits for documents that are not trusted, as they are typed.

use std::str::FromStr;

use absolve::Limits;
use absolve::container::warc::ArchiveLimits;
use clap::builder::ValueParser;
use clap::{Arg, ArgMatches, Command};

use super::ordered::options;

/// The limits in effect. A command that only reads documents has fewer options.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LimitArgs<const WRITES: bool> {
    pub(crate) documents: Limits,
    pub(crate) archives: ArchiveLimits,
}

/// An option that sets a limit: its name, its values, its help without the default, and the
/// limit.
type LimitOption = (&'static str, Value, &'static str, Field);

/// The values that an option takes.
#[derive(Clone, Copy)]
enum Value {
    /// Bytes of a document, whose positions have 32 bits.
    InputSize,
    Size,
    Number,
    /// A number up to [`Limits::MAX_SRCDOC`].
    Depth,
}

/// A limit among all limits.
#[derive(Clone, Copy)]
enum Field {
    Document(fn(&mut Limits) -> &mut usize),
    /// The same, for commands that write documents.
    Written(fn(&mut Limits) -> &mut usize),
    Archive(fn(&mut ArchiveLimits) -> &mut usize),
    Ratio,
}

/// The options in the order of the help.
#[rustfmt::skip]
const OPTIONS: &[LimitOption] = &[
    ("max-input", Value::InputSize, "Size of a document, in bytes, at most 4G",
        Field::Document(|limits| &mut limits.input)),
    ("max-output", Value::Size, "Size of a document after rewriting, in bytes [default: 16 times the input + 1M, at most 256M]",
        Field::Written(|limits| &mut limits.output)),
    ("max-base-url", Value::Size, "Length of a base URL, in bytes",
        Field::Document(|limits| &mut limits.base_url)),
    ("max-reference", Value::Size, "Length of a relative reference, in bytes",
        Field::Document(|limits| &mut limits.reference)),
    ("max-links", Value::Number, "Links in a document",
        Field::Document(|limits| &mut limits.links)),
    ("max-srcdoc", Value::Depth, "Depth of nested documents (srcdoc), at most 16",
        Field::Document(|limits| &mut limits.srcdoc)),
    ("max-depth", Value::Number, "Depth of the tree of the DOM engine",
        Field::Written(|limits| &mut limits.depth)),
    ("max-attributes", Value::Number, "Attributes of a tag, for the DOM engine",
        Field::Written(|limits| &mut limits.attributes)),
    ("max-parts", Value::Number, "Parts of a message",
        Field::Document(|limits| &mut limits.parts)),
    ("max-part-depth", Value::Number, "Nesting depth of parts of a message",
        Field::Document(|limits| &mut limits.part_depth)),
    ("max-header", Value::Size, "Header of a part of a message, in bytes",
        Field::Document(|limits| &mut limits.header)),
    ("max-record-header", Value::Size, "Header of a record of a web archive, in bytes",
        Field::Archive(|limits| &mut limits.head)),
    ("max-record", Value::Size, "Size of a record of a web archive; larger ones are copied unchanged",
        Field::Archive(|limits| &mut limits.record)),
    ("max-ratio", Value::Number, "Ratio of decompressed to compressed size in a web archive",
        Field::Ratio),
];

const HEADING: &str = "Limits (0 = no limit; k, M and G are powers of 1,024)";

impl<const WRITES: bool> LimitArgs<WRITES> {
    fn options() -> impl Iterator<Item = &'static LimitOption> {
        OPTIONS.iter().filter(|(.., field)| WRITES || !matches!(field, Field::Written(_)))
    }

    /// The limit that an option sets; `None` where it depends on the document.
    pub(crate) fn limit(mut self, option: &str) -> Option<u64> {
        let (.., field) = OPTIONS.iter().find(|(name, ..)| *name == option)?;
        let limit = match field {
            Field::Document(limit) | Field::Written(limit) => *limit(&mut self.documents),
            Field::Archive(limit) => *limit(&mut self.archives),
            Field::Ratio => return Some(self.archives.ratio),
        };
        (limit != Limits::OUTPUT_BY_INPUT).then_some(limit as u64)
    }

    fn add(command: Command) -> Command {
        command.args(Self::options().map(|&(name, value, help, _)| {
            let (unit, parser) = match value {
                Value::InputSize => ("SIZE", ValueParser::new(input_size)),
                Value::Size => ("SIZE", ValueParser::new(size)),
                Value::Number => ("N", ValueParser::new(number::<usize>)),
                Value::Depth => ("N", ValueParser::new(number_to::<{ Limits::MAX_SRCDOC }>)),
            };
            let help = match Self::default().limit(name) {
                Some(limit) if unit == "SIZE" => format!("{help} [default: {}]", in_units(limit)),
                Some(limit) => format!("{help} [default: {limit}]"),
                None => help.to_owned(),
            };
            let arg = Arg::new(name).long(name).value_name(unit).help(help).value_parser(parser);
            arg.help_heading(HEADING).hide_short_help(true)
        }))
    }

    fn read(matches: &ArgMatches) -> Self {
        let mut limits = Self::default();
        for (name, _, _, field) in Self::options() {
            let Some(&value) = matches.get_one::<usize>(name) else { continue };
            match field {
                Field::Document(limit) | Field::Written(limit) => {
                    *limit(&mut limits.documents) = value;
                }
                Field::Archive(limit) => *limit(&mut limits.archives) = value,
                Field::Ratio => limits.archives.ratio = value as u64,
            }
        }
        limits
    }
}

options!(LimitArgs<WRITES> where { const WRITES: bool }, Self::add, Self::read);

/// A size in the largest unit that divides it.
pub(super) fn in_units(size: u64) -> String {
    let units = [(30, "G"), (20, "M"), (10, "k")];
    match units.into_iter().find(|(shift, _)| size > 0 && size.trailing_zeros() >= *shift) {
        Some((shift, unit)) => format!("{}{unit}", size >> shift),
        None => size.to_string(),
    }
}

/// The units of sizes, in lower case, and the powers of two that they mean: those of 1,024 in
/// every spelling, as in ripgrep and GNU tools.
const UNITS: &[(&[&str], u32)] = &[
    (&["", "b"], 0),
    (&["k", "kb", "kib"], 10),
    (&["m", "mb", "mib"], 20),
    (&["g", "gb", "gib"], 30),
];

/// Bytes, with a unit or without.
pub(super) fn size(text: &str) -> Result<usize, String> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    let unit = unit.trim().to_ascii_lowercase();
    let known = UNITS.iter().find(|(names, _)| names.contains(&unit.as_str()));
    let (Some((_, shift)), false) = (known, digits.is_empty()) else {
        return Err("expected a size such as 65536, 64k or 10MB".to_owned());
    };
    let number = digits.parse::<usize>().ok().and_then(|number| number.checked_mul(1 << shift));
    number.ok_or_else(|| "the size is too large".to_owned())
}

/// The size of a document: positions in it have 32 bits.
fn input_size(text: &str) -> Result<usize, String> {
    let is_in_range = |size: &usize| u32::try_from(size.saturating_sub(1)).is_ok();
    let size = size(text)?;
    if is_in_range(&size) { Ok(size) } else { Err("expected a size of at most 4G".to_owned()) }
}

/// A number of things, in digits alone.
pub(super) fn number<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| "expected a number such as 1000".to_owned())
}

/// The same, of at most so many.
pub(super) fn number_to<const MOST: usize>(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|&number| number <= MOST);
    number.ok_or_else(|| format!("expected a number from 0 to {MOST}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_digits_alone() {
        assert_eq!(number("1000"), Ok(1000_usize));
        for text in ["", "1k", "1,000", "-1", "99999999999999999999"] {
            assert!(number::<usize>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_number_is_in_its_range() {
        assert_eq!((number_to::<16>("0"), number_to::<16>("16")), (Ok(0), Ok(16)));
        for text in ["17", "-1", "", "x", "99999999999999999999"] {
            assert_eq!(number_to::<16>(text).unwrap_err(), "expected a number from 0 to 16");
        }
    }

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn a_document_has_at_most_four_gibibytes() {
        for (text, size) in [("0", 0), ("4G", 4 << 30), ("4294967296", 4 << 30)] {
            assert_eq!(input_size(text), Ok(size));
        }
        for text in ["5G", "4294967297", "4097M"] {
            assert_eq!(input_size(text).unwrap_err(), "expected a size of at most 4G");
        }
    }

    #[test]
    fn a_size_has_a_unit_or_none() {
        assert_eq!(size("0"), Ok(0));
        assert_eq!(size("64k"), Ok(65_536));
        assert_eq!(size("1M"), Ok(1_048_576));
        assert_eq!(size("2g"), Ok(2_147_483_648));
        for ten in ["10m", "10M", "10MB", "10MiB", "10mb", "10 MB"] {
            assert_eq!(size(ten), Ok(10 << 20), "{ten}");
        }
        assert_eq!((size("10 kB"), size("8KiB"), size("7B")), (Ok(10_240), Ok(8_192), Ok(7)));
        for wrong in ["", "k", "1x", "MB", "1kk", "1.5M", "-1", "1k B", "١"] {
            assert_eq!(size(wrong).unwrap_err(), "expected a size such as 65536, 64k or 10MB");
        }
        assert_eq!(size("99999999999999999G").unwrap_err(), "the size is too large");
        assert_eq!(size("99999999999999999999").unwrap_err(), "the size is too large");
    }
}
