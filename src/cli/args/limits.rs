//! Limits for documents that are not trusted, as they are typed.

use crate::Limits;
use crate::audit::{MAX_FINDINGS, MAX_FINDINGS_SIZE};
use crate::container::warc::{ArchiveLimits, RecordSelection};
use crate::container::{Only, ReadOptions};
use clap::builder::PossibleValue;
use clap::{Arg, ArgAction, ArgMatches, Command};

use super::choice::Parser;
use super::nearest::nearest;
use super::ordered::options;

/// The limits in effect. An audit writes no document, and limits its findings.
#[derive(Debug, Clone, Copy)]
pub struct LimitArgs<const AUDIT: bool> {
    pub documents: Limits,
    pub archives: ArchiveLimits,
    pub findings: usize,
    pub findings_size: usize,
}

/// A limit: its name, the largest value, its help without the default, and where its value is.
type Limit = (&'static str, u64, &'static str, Field);

/// The place of a limit in [`LimitArgs`].
#[derive(Clone, Copy)]
enum Field {
    Document(fn(&mut Limits) -> &mut usize),
    /// The same, but not for audits.
    Written(fn(&mut Limits) -> &mut usize),
    Archive(fn(&mut ArchiveLimits) -> &mut usize),
    /// For audits alone, as is the next one.
    Findings,
    FindingsSize,
}

/// The largest value of most limits.
const ANY: u64 = u64::MAX;

/// The limits in the order of the help. Positions in a document have 32 bits.
#[rustfmt::skip]
const LIMITS: &[Limit] = &[
    ("input", 4 << 30, "Size of a document, in bytes, at most 4G",
        Field::Document(|limits| &mut limits.input)),
    ("output", ANY, "Size of a document after rewriting [default: 16 times the input + 1M, at most 256M]",
        Field::Written(|limits| &mut limits.output)),
    ("base-url", ANY, "Length of a base URL",
        Field::Document(|limits| &mut limits.base_url)),
    ("reference", ANY, "Length of a relative reference",
        Field::Document(|limits| &mut limits.reference)),
    ("links", ANY, "Links in a document",
        Field::Document(|limits| &mut limits.links)),
    ("srcdoc", Limits::MAX_SRCDOC as u64, "Depth of nested documents (srcdoc), at most 16",
        Field::Document(|limits| &mut limits.srcdoc)),
    ("depth", ANY, "Depth of the tree of the DOM engine, and of blocks of Markdown",
        Field::Written(|limits| &mut limits.depth)),
    ("attributes", ANY, "Attributes of a tag, for the DOM engine",
        Field::Written(|limits| &mut limits.attributes)),
    ("parts", ANY, "Parts of a message",
        Field::Document(|limits| &mut limits.parts)),
    ("part-depth", ANY, "Nesting depth of parts of a message",
        Field::Document(|limits| &mut limits.part_depth)),
    ("header", ANY, "Header of a part of a message",
        Field::Document(|limits| &mut limits.header)),
    ("record-header", ANY, "Header of a record of a web archive",
        Field::Archive(|limits| &mut limits.head)),
    ("record", ANY, "Size of a record of a web archive; larger ones are skipped",
        Field::Archive(|limits| &mut limits.record)),
    ("ratio", ANY, "Ratio of decompressed to compressed size in a web archive",
        Field::Archive(|limits| &mut limits.ratio)),
    ("findings", ANY, "Findings per page", Field::Findings),
    ("findings-size", ANY, "Memory for all findings; the report counts the rest by rule",
        Field::FindingsSize),
];

const HELP: &str = "Set a limit for documents that are not trusted; 0 means no limit, and k, M and G \
    are powers of 1,024";

/// The name of a limit that had an option of its own in version 0.1.0, such as `--max-input`.
pub fn of_old_option(option: &str) -> Option<&str> {
    let name = option.strip_prefix("max-")?;
    LIMITS.iter().any(|(limit, ..)| *limit == name).then_some(name)
}

impl<const AUDIT: bool> Default for LimitArgs<AUDIT> {
    fn default() -> Self {
        Self {
            documents: Limits::default(),
            archives: ArchiveLimits::default(),
            findings: MAX_FINDINGS,
            findings_size: MAX_FINDINGS_SIZE,
        }
    }
}

impl<const AUDIT: bool> LimitArgs<AUDIT> {
    /// What is read of a container within these limits.
    pub fn reading(self, selection: RecordSelection, only: Option<Only>) -> ReadOptions {
        let Self { documents, archives, .. } = self;
        ReadOptions { documents, archives, selection, only }
    }

    /// Every limit of the command with its value; `None` where it depends on the document.
    pub fn values(mut self) -> impl Iterator<Item = (&'static str, Option<usize>)> {
        limits::<AUDIT>().map(move |(name, .., field)| {
            let value = *self.value(*field);
            (*name, Some(value).filter(|value| *value != Limits::OUTPUT_BY_INPUT))
        })
    }

    fn value(&mut self, field: Field) -> &mut usize {
        match field {
            Field::Document(limit) | Field::Written(limit) => limit(&mut self.documents),
            Field::Archive(limit) => limit(&mut self.archives),
            Field::Findings => &mut self.findings,
            Field::FindingsSize => &mut self.findings_size,
        }
    }

    fn add(command: Command) -> Command {
        let arg = Arg::new("limit").long("limit").value_name("NAME=VALUE").help(HELP);
        let arg = arg
            .action(ArgAction::Append)
            .value_parser(Parser { parse: limit::<AUDIT>, offered: offered::<AUDIT> });
        command.arg(arg)
    }

    fn read(matches: &ArgMatches) -> Self {
        let mut limits = Self::default();
        for (field, value) in matches.get_many::<(Field, usize)>("limit").into_iter().flatten() {
            *limits.value(*field) = *value;
        }
        limits
    }
}

options!(LimitArgs<AUDIT> where { const AUDIT: bool }, Self::add, Self::read);

/// The limits of an audit, or of the other commands.
fn limits<const AUDIT: bool>() -> impl Iterator<Item = &'static Limit> + Clone {
    LIMITS.iter().filter(|(.., field)| match field {
        Field::Document(_) | Field::Archive(_) => true,
        Field::Written(_) => !AUDIT,
        Field::Findings | Field::FindingsSize => AUDIT,
    })
}

/// The names of the limits, with their defaults.
fn offered<const AUDIT: bool>() -> Vec<PossibleValue> {
    let defaults = LimitArgs::<AUDIT>::default().values();
    let described = limits::<AUDIT>().zip(defaults).map(|((name, _, help, _), (_, value))| {
        let default = value.map(|value| format!(" [default: {}]", in_units(value as u64)));
        PossibleValue::new(*name).help(format!("{help}{}", default.unwrap_or_default()))
    });
    described.collect()
}

/// The option of a command, whose help leaves out the limits that it takes and does not use.
pub(super) fn used_by(command: &str, option: Arg) -> Arg {
    let offered: fn() -> Vec<PossibleValue> = match command {
        "extract" => || without(&["attributes", "depth"]),
        "links" => || without(&["output"]),
        _ => return option,
    };
    option.value_parser(Parser { parse: limit::<false>, offered })
}

fn without(unused: &[&str]) -> Vec<PossibleValue> {
    let hide = |limit: PossibleValue| {
        let is_unused = unused.contains(&limit.get_name());
        limit.hide(is_unused)
    };
    offered::<false>().into_iter().map(hide).collect()
}

/// The place and the value of a limit.
fn limit<const AUDIT: bool>(text: &str) -> Result<(Field, usize), String> {
    let Some((name, value)) = text.split_once('=') else {
        return Err("expected a name and a value, such as input=64M".to_owned());
    };
    let Some((_, most, _, field)) = limits::<AUDIT>().find(|(limit, ..)| *limit == name) else {
        return Err(match nearest(name, limits::<AUDIT>().map(|(limit, ..)| *limit)) {
            Some(near) => format!("no such limit, did you mean {near}?"),
            None => "no such limit; --help lists them".to_owned(),
        });
    };
    let value = number(value)?;
    if value as u64 > *most {
        return Err(format!("expected a number from 0 to {}", in_units(*most)));
    }
    Ok((*field, value))
}

/// A number in the largest unit that divides it.
fn in_units(number: u64) -> String {
    let units = [(30, "G"), (20, "M"), (10, "k")];
    match units.into_iter().find(|(shift, _)| number > 0 && number.trailing_zeros() >= *shift) {
        Some((shift, unit)) => format!("{}{unit}", number >> shift),
        None => number.to_string(),
    }
}

/// The units of numbers, in lower case, and the powers of two that they mean: those of 1,024 in
/// every spelling, as in ripgrep and GNU tools.
const UNITS: &[(&[&str], u32)] = &[
    (&["", "b"], 0),
    (&["k", "kb", "kib"], 10),
    (&["m", "mb", "mib"], 20),
    (&["g", "gb", "gib"], 30),
];

/// A number with a unit or without.
fn number(text: &str) -> Result<usize, String> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    let unit = unit.trim().to_ascii_lowercase();
    let known = UNITS.iter().find(|(names, _)| names.contains(&unit.as_str()));
    let (Some((_, shift)), false) = (known, digits.is_empty()) else {
        return Err("expected a number such as 65536, 64k or 10MB".to_owned());
    };
    let number = digits.parse::<usize>().ok().and_then(|number| number.checked_mul(1 << shift));
    number.ok_or_else(|| "the number is too large".to_owned())
}

/// A number of things, up to this one.
pub(super) fn number_to<const MOST: usize>(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|&number| number <= MOST);
    number.ok_or_else(|| format!("expected a number from 0 to {MOST}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_in_its_range() {
        assert_eq!((number_to::<16>("0"), number_to::<16>("16")), (Ok(0), Ok(16)));
        for text in ["17", "-1", "", "x", "99999999999999999999"] {
            assert_eq!(number_to::<16>(text).unwrap_err(), "expected a number from 0 to 16");
        }
    }

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn a_limit_is_in_its_range() {
        let value = |text: &str| limit::<false>(text).map(|(_, value)| value);
        for (text, size) in [("input=0", 0), ("input=4G", 4 << 30), ("input=4294967296", 4 << 30)] {
            assert_eq!(value(text), Ok(size));
        }
        for text in ["input=5G", "input=4294967297", "input=4097M"] {
            assert_eq!(value(text).unwrap_err(), "expected a number from 0 to 4G");
        }
        assert_eq!(value("srcdoc=17").unwrap_err(), "expected a number from 0 to 16");
        assert_eq!(value("links=5G"), Ok(5 << 30));
    }

    #[test]
    fn a_number_has_a_unit_or_none() {
        assert_eq!(number("0"), Ok(0));
        assert_eq!(number("64k"), Ok(65_536));
        assert_eq!(number("1M"), Ok(1_048_576));
        assert_eq!(number("2g"), Ok(2_147_483_648));
        for ten in ["10m", "10M", "10MB", "10MiB", "10mb", "10 MB"] {
            assert_eq!(number(ten), Ok(10 << 20), "{ten}");
        }
        assert_eq!((number("10 kB"), number("8KiB"), number("7B")), (Ok(10_240), Ok(8_192), Ok(7)));
        for wrong in ["", "k", "1x", "MB", "1kk", "1.5M", "-1", "1k B", "١"] {
            assert_eq!(number(wrong).unwrap_err(), "expected a number such as 65536, 64k or 10MB");
        }
        assert_eq!(number("99999999999999999G").unwrap_err(), "the number is too large");
        assert_eq!(number("99999999999999999999").unwrap_err(), "the number is too large");
    }
}
