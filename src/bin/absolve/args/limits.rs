//! Limits for documents that are not trusted, as they are typed.

use std::str::FromStr;

use absolve::Limits;
use absolve::container::warc::ArchiveLimits;

/// Every limit.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Limits (0 = no limit; k, M and G are powers of 1,024)")]
pub(super) struct LimitArgs {
    #[command(flatten)]
    input: InputLimitArgs,
    /// Size of a document after rewriting, in bytes [default: 16 times the input + 1M, at most 256M]
    #[arg(long, hide_short_help = true, value_name = "SIZE", value_parser = size)]
    max_output: Option<usize>,
    #[command(flatten)]
    links: LinkLimitArgs,
    /// Depth of the tree of the DOM engine [default: 512]
    #[arg(long, hide_short_help = true, value_name = "N", value_parser = number::<usize>)]
    max_depth: Option<usize>,
    /// Attributes of a tag, for the DOM engine [default: 4096]
    #[arg(long, hide_short_help = true, value_name = "N", value_parser = number::<usize>)]
    max_attributes: Option<usize>,
    #[command(flatten)]
    containers: ContainerLimitArgs,
}

/// The limits of what reads documents, and writes none.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Limits (0 = no limit; k, M and G are powers of 1,024)")]
pub(super) struct ReadingLimitArgs {
    #[command(flatten)]
    input: InputLimitArgs,
    #[command(flatten)]
    links: LinkLimitArgs,
    #[command(flatten)]
    containers: ContainerLimitArgs,
}

/// The limits of messages and web archives.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_field_names, reason = "the fields are named as the options")]
struct ContainerLimitArgs {
    /// Parts of a message [default: 10000]
    #[arg(long, hide_short_help = true, value_name = "N", value_parser = number::<usize>)]
    max_parts: Option<usize>,
    /// Nesting depth of parts of a message [default: 100]
    #[arg(long, hide_short_help = true, value_name = "N", value_parser = number::<usize>)]
    max_part_depth: Option<usize>,
    /// Header of a part of a message, in bytes [default: 1M]
    #[arg(long, hide_short_help = true, value_name = "SIZE", value_parser = size)]
    max_header: Option<usize>,
    /// Header of a record of a web archive, in bytes [default: 64k]
    #[arg(long, hide_short_help = true, value_name = "SIZE", value_parser = size)]
    max_record_header: Option<usize>,
    /// Size of a record of a web archive; larger ones are copied unchanged [default: 16M]
    #[arg(long, hide_short_help = true, value_name = "SIZE", value_parser = size)]
    max_record: Option<usize>,
    /// Ratio of decompressed to compressed size in a web archive [default: 200]
    #[arg(long, hide_short_help = true, value_name = "N", value_parser = number::<u64>)]
    max_ratio: Option<u64>,
}

#[derive(Debug, clap::Args)]
struct InputLimitArgs {
    /// Size of a document, in bytes, at most 4G [default: 64M]
    #[arg(long, hide_short_help = true, value_name = "SIZE", value_parser = input_size)]
    max_input: Option<usize>,
}

#[derive(Debug, clap::Args)]
#[expect(clippy::struct_field_names, reason = "the fields are named as the options")]
struct LinkLimitArgs {
    /// Length of a base URL, in bytes [default: 8k]
    #[arg(long, hide_short_help = true, value_name = "SIZE", value_parser = size)]
    max_base_url: Option<usize>,
    /// Length of a relative reference, in bytes [default: 64k]
    #[arg(long, hide_short_help = true, value_name = "SIZE", value_parser = size)]
    max_reference: Option<usize>,
    /// Links in a document [default: 1000000]
    #[arg(long, hide_short_help = true, value_name = "N", value_parser = number::<usize>)]
    max_links: Option<usize>,
    /// Depth of nested documents (srcdoc), at most 16 [default: 3]
    #[arg(long, hide_short_help = true, value_name = "N", value_parser = number_to::<16>)]
    max_srcdoc: Option<usize>,
}

impl LimitArgs {
    pub(super) fn limits(&self) -> Limits {
        let mut limits = Limits::default();
        self.input.apply(&mut limits);
        self.links.apply(&mut limits);
        self.containers.apply(&mut limits);
        set([
            (self.max_output, &mut limits.output),
            (self.max_depth, &mut limits.depth),
            (self.max_attributes, &mut limits.attributes),
        ]);
        limits
    }

    pub(super) fn bounds(&self) -> ArchiveLimits {
        self.containers.bounds()
    }
}

impl ReadingLimitArgs {
    pub(super) fn limits(&self) -> Limits {
        let mut limits = Limits::default();
        self.input.apply(&mut limits);
        self.links.apply(&mut limits);
        self.containers.apply(&mut limits);
        limits
    }

    pub(super) fn bounds(&self) -> ArchiveLimits {
        self.containers.bounds()
    }
}

impl ContainerLimitArgs {
    fn apply(&self, limits: &mut Limits) {
        set([
            (self.max_parts, &mut limits.parts),
            (self.max_part_depth, &mut limits.part_depth),
            (self.max_header, &mut limits.header),
        ]);
    }

    fn bounds(&self) -> ArchiveLimits {
        let mut bounds = ArchiveLimits::default();
        set([(self.max_record_header, &mut bounds.head), (self.max_record, &mut bounds.record)]);
        bounds.ratio = self.max_ratio.unwrap_or(bounds.ratio);
        bounds
    }
}

impl InputLimitArgs {
    fn apply(&self, limits: &mut Limits) {
        set([(self.max_input, &mut limits.input)]);
    }
}

impl LinkLimitArgs {
    fn apply(&self, limits: &mut Limits) {
        set([
            (self.max_base_url, &mut limits.base_url),
            (self.max_reference, &mut limits.reference),
            (self.max_links, &mut limits.links),
            (self.max_srcdoc, &mut limits.srcdoc),
        ]);
    }
}

fn set<const N: usize>(given: [(Option<usize>, &mut usize); N]) {
    for (given, limit) in given {
        if let Some(given) = given {
            *limit = given;
        }
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
