//! `--limit`: limits for documents that are not trusted.

use std::ffi::OsStr;

use absolve::option::nearest;
use absolve::{LimitAccess, LimitRow, Limits};
use absolve_archive::ReadOptions;
use absolve_archive::warc::{ArchiveLimits, RecordPosition, RecordSelection};
use absolve_site::FindingLimits;
use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, ArgAction, ArgMatches, Command};

use super::values::options;

/// The limits in effect.
#[derive(Debug, Clone, Copy, Default)]
pub struct LimitArgs {
    pub documents: Limits,
    pub archives: ArchiveLimits,
    pub findings: FindingLimits,
}

/// The field of [`LimitArgs`] that has a limit.
#[derive(Clone, Copy)]
enum Field {
    Document(fn(&mut Limits) -> &mut usize),
    Archive(fn(&mut ArchiveLimits) -> &mut usize),
    Finding(fn(&mut FindingLimits) -> &mut usize),
}

const HELP: &str = "Set a limit for documents that are not trusted; 0 means no limit, and k, M and G \
    are powers of 1,024";

impl LimitArgs {
    /// Returns the options for reading a container.
    pub fn read_options(
        self,
        selection: RecordSelection,
        only: Option<RecordPosition>,
    ) -> ReadOptions {
        ReadOptions { archives: self.archives, selection, only }
    }

    /// Lists the limits of a command with their values; `None` for a value that depends on the
    /// document.
    pub fn values(
        mut self,
        command: &str,
    ) -> impl Iterator<Item = (&'static LimitRow, Option<usize>)> {
        list_limits(command).map(move |(row, field)| {
            let value = *self.value_mut(field);
            (row, Some(value).filter(|value| *value != Limits::OUTPUT_BY_INPUT))
        })
    }

    fn value_mut(&mut self, field: Field) -> &mut usize {
        match field {
            Field::Document(limit) => limit(&mut self.documents),
            Field::Archive(limit) => limit(&mut self.archives),
            Field::Finding(limit) => limit(&mut self.findings),
        }
    }

    fn add(command: Command) -> Command {
        let parser = LimitParser { command: command.get_name().to_owned() };
        let arg = Arg::new("limit").long("limit").value_name("NAME=VALUE").help(HELP);
        command.arg(arg.action(ArgAction::Append).value_parser(parser))
    }

    fn read(matches: &ArgMatches) -> Self {
        let mut limits = Self::default();
        for (field, value) in matches.get_many::<(Field, usize)>("limit").into_iter().flatten() {
            *limits.value_mut(*field) = *value;
        }
        limits
    }
}

options!(LimitArgs, Self::add, Self::read);

/// Lists the limits of all packages.
fn list_all_limits() -> impl Iterator<Item = (&'static LimitRow, Field)> {
    fn list_rows<L>(
        rows: &'static [LimitAccess<L>],
        field: fn(fn(&mut L) -> &mut usize) -> Field,
    ) -> impl Iterator<Item = (&'static LimitRow, Field)> {
        rows.iter().map(move |(row, access)| (row, field(*access)))
    }
    let documents = list_rows(Limits::ROWS, Field::Document);
    let archives = list_rows(ArchiveLimits::ROWS, Field::Archive);
    documents.chain(archives).chain(list_rows(FindingLimits::ROWS, Field::Finding))
}

/// Lists the limits that a command uses.
fn list_limits(command: &str) -> impl Iterator<Item = (&'static LimitRow, Field)> {
    list_all_limits().filter(move |(row, _)| row.users.contains(&command))
}

/// Parses `NAME=VALUE` for the limits that a command uses.
#[derive(Clone)]
struct LimitParser {
    command: String,
}

impl TypedValueParser for LimitParser {
    type Value = (Field, usize);

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Self::Value, clap::Error> {
        let name = self.command.clone();
        (move |text: &str| parse_limit(&name, text)).parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let offered = LimitArgs::default().values(&self.command).map(|(row, value)| {
            let default =
                value.map(|value| format!(" [default: {}]", format_in_units(value as u64)));
            let help = format!("{}{}", row.help, default.unwrap_or_default());
            PossibleValue::new(row.name).help(help)
        });
        Some(Box::new(offered))
    }
}

/// Parses a limit of a command: its field and its value.
fn parse_limit(command: &str, text: &str) -> Result<(Field, usize), String> {
    let Some((name, value)) = text.split_once('=') else {
        return Err("expected a name and a value, such as input=64M".to_owned());
    };
    let Some((row, field)) = list_limits(command).find(|(row, _)| row.name == name) else {
        return Err(match nearest(name, list_limits(command).map(|(row, _)| row.name)) {
            Some(near) => format!("no such limit, did you mean {near}?"),
            None => "no such limit; --help lists them".to_owned(),
        });
    };
    let value = parse_number(value)?;
    row.check(value, format_in_units)?;
    Ok((field, value))
}

/// Writes a number in the largest unit that divides it.
fn format_in_units(number: u64) -> String {
    let units = [(30, "G"), (20, "M"), (10, "k")];
    match units.into_iter().find(|(shift, _)| number > 0 && number.trailing_zeros() >= *shift) {
        Some((shift, unit)) => format!("{}{unit}", number >> shift),
        None => number.to_string(),
    }
}

/// The units of numbers in lower case, and their powers of two. Every spelling means powers of
/// 1,024, as in ripgrep and GNU tools.
const UNITS: &[(&[&str], u32)] = &[
    (&["", "b"], 0),
    (&["k", "kb", "kib"], 10),
    (&["m", "mb", "mib"], 20),
    (&["g", "gb", "gib"], 30),
];

/// Parses a number with or without a unit.
fn parse_number(text: &str) -> Result<usize, String> {
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

/// Parses a number up to `MAX`.
pub(super) fn parse_number_to<const MAX: usize>(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|&number| number <= MAX);
    number.ok_or_else(|| format!("expected a number from 0 to {MAX}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_in_its_range() {
        assert_eq!((parse_number_to::<16>("0"), parse_number_to::<16>("16")), (Ok(0), Ok(16)));
        for text in ["17", "-1", "", "x", "99999999999999999999"] {
            assert_eq!(parse_number_to::<16>(text).unwrap_err(), "expected a number from 0 to 16");
        }
    }

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn a_limit_is_in_its_range() {
        let value = |text: &str| parse_limit("links", text).map(|(_, value)| value);
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
        assert_eq!(parse_number("0"), Ok(0));
        assert_eq!(parse_number("64k"), Ok(65_536));
        assert_eq!(parse_number("1M"), Ok(1_048_576));
        assert_eq!(parse_number("2g"), Ok(2_147_483_648));
        for ten in ["10m", "10M", "10MB", "10MiB", "10mb", "10 MB"] {
            assert_eq!(parse_number(ten), Ok(10 << 20), "{ten}");
        }
        assert_eq!(
            (parse_number("10 kB"), parse_number("8KiB"), parse_number("7B")),
            (Ok(10_240), Ok(8_192), Ok(7))
        );
        for wrong in ["", "k", "1x", "MB", "1kk", "1.5M", "-1", "1k B", "١"] {
            assert_eq!(
                parse_number(wrong).unwrap_err(),
                "expected a number such as 65536, 64k or 10MB"
            );
        }
        assert_eq!(parse_number("99999999999999999G").unwrap_err(), "the number is too large");
        assert_eq!(parse_number("99999999999999999999").unwrap_err(), "the number is too large");
    }
}
