//! Bounds for documents that are not trusted, as they are typed.

use absolve::Limits;
use absolve::container::warc::Bounds;

/// Every limit; sizes may end in k, M or G.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Limits (0 = none)")]
pub(super) struct LimitArgs {
    #[command(flatten)]
    input: InputLimitArgs,
    /// Size of a document as written, in bytes [default: 16 times the input + 1M, at most 256M]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    max_output: Option<usize>,
    #[command(flatten)]
    links: LinkLimitArgs,
    /// Depth of the tree of the DOM engine [default: 512]
    #[arg(long, value_name = "N")]
    max_depth: Option<usize>,
    /// Attributes of a tag, for the DOM engine [default: 4096]
    #[arg(long, value_name = "N")]
    max_attributes: Option<usize>,
    #[command(flatten)]
    containers: ContainerLimitArgs,
}

/// The limits of what reads documents, and writes none.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Limits (0 = none)")]
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
    #[arg(long, value_name = "N")]
    max_parts: Option<usize>,
    /// Parts inside parts of a message [default: 100]
    #[arg(long, value_name = "N")]
    max_part_depth: Option<usize>,
    /// Header of a part of a message, in bytes [default: 1M]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    max_header: Option<usize>,
    /// Header of a record of a web archive, in bytes [default: 64k]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    max_record_header: Option<usize>,
    /// Size up to which a record of a web archive is read; a larger one is copied [default: 16M]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    max_record: Option<usize>,
    /// How many times its size a part of a web archive may grow to when it is decompressed [default: 200]
    #[arg(long, value_name = "N")]
    max_ratio: Option<u64>,
}

#[derive(Debug, clap::Args)]
struct InputLimitArgs {
    /// Size of a document, in bytes, and 4G at most [default: 64M]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    max_input: Option<usize>,
}

#[derive(Debug, clap::Args)]
#[expect(clippy::struct_field_names, reason = "the fields are named as the options")]
struct LinkLimitArgs {
    /// Length of a base URL, in bytes [default: 8k]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    max_base_url: Option<usize>,
    /// Length of a relative reference, in bytes [default: 64k]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    max_reference: Option<usize>,
    /// Links in a document [default: 1000000]
    #[arg(long, value_name = "N")]
    max_links: Option<usize>,
    /// Documents inside documents (srcdoc), 16 at most [default: 3]
    #[arg(long, value_name = "N")]
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

    pub(super) fn bounds(&self) -> Bounds {
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

    pub(super) fn bounds(&self) -> Bounds {
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

    fn bounds(&self) -> Bounds {
        let mut bounds = Bounds::default();
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

/// Bytes, with k, M or G for powers of 1,024.
fn size(text: &str) -> Result<usize, String> {
    let (digits, shift) = match text.as_bytes().last() {
        Some(b'k' | b'K') => (&text[..text.len() - 1], 10),
        Some(b'm' | b'M') => (&text[..text.len() - 1], 20),
        Some(b'g' | b'G') => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    let number: usize = digits.parse().map_err(|_| "expected a size such as 65536 or 64k")?;
    number.checked_mul(1 << shift).ok_or_else(|| "the size is too large".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_has_a_unit_or_none() {
        assert_eq!(size("0"), Ok(0));
        assert_eq!(size("64k"), Ok(65_536));
        assert_eq!(size("1M"), Ok(1_048_576));
        assert_eq!(size("2g"), Ok(2_147_483_648));
        assert!(size("").is_err() && size("k").is_err() && size("1x").is_err());
        assert!(size("99999999999999999G").is_err());
    }
}
