//! How documents are read and resolved, as it is typed.

use absolve::attributes::Extra;
use absolve::encoding::{self, Lines};
use absolve::url::{Base, Standard};
use absolve::{
    BaseElement, BaseScope, ConditionalComments, Credentials, Engine, Limits, Rewriter,
    SameDocument,
};
use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};

/// How documents are read and resolved.
#[derive(Debug, clap::Args)]
pub(crate) struct DocumentArgs {
    /// The URL that the document was retrieved from; of a folder, that of its root
    #[arg(short, long, value_name = "URL", value_parser = base)]
    base_url: Option<Base>,
    /// The rules to resolve by
    #[arg(long, value_name = "NAME", value_parser = standard(), default_value_t)]
    standard: Standard,
    /// How the document is read and written
    #[arg(long, value_name = "NAME", value_enum, default_value_t = EngineArg::Splice)]
    engine: EngineArg,
    /// The encoding of documents without a byte order mark
    #[arg(long, value_name = "LABEL", value_parser = label)]
    encoding: Option<String>,
    #[command(flatten)]
    selection: SelectionArgs,
    #[command(flatten)]
    base: BaseArgs,
    #[command(flatten)]
    limits: LimitArgs,
}

/// Which attributes count.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "What counts as a link")]
struct SelectionArgs {
    /// Only these attributes, such as href,src; (text) is the text of style elements
    #[arg(long, value_name = "ATTRIBUTE,...", value_delimiter = ',')]
    only: Vec<String>,
    /// This attribute too, such as 'img:data-zoom=url'; * is any element
    #[arg(long, value_name = "ELEMENT:ATTRIBUTE=GRAMMAR")]
    attr: Vec<Extra>,
    /// URLs of meta elements too: Open Graph, Twitter cards and their like
    #[arg(long)]
    meta: bool,
    /// The data- attributes too that scripts load images from
    #[arg(long)]
    lazy: bool,
    /// Markup in conditional comments too
    #[arg(long)]
    conditional_comments: bool,
    /// What becomes of references to the document itself, such as #id
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = SameDocumentArg::Rewrite)]
    same_document: SameDocumentArg,
}

/// What is done about the base.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Base URL")]
struct BaseArgs {
    /// Where a base element has to be to count
    #[arg(long, value_name = "WHERE", value_enum, default_value_t = BaseScopeArg::Head)]
    base_scope: BaseScopeArg,
    /// What becomes of base elements
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = BaseElementArg::Absolute)]
    base_element: BaseElementArg,
    /// Copy user and password of a base URL into links
    #[arg(long)]
    keep_credentials: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum EngineArg {
    /// Edits applied to the source's bytes; every other byte stays
    Splice,
    /// An HTML parser's tree, written out again
    Dom,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum SameDocumentArg {
    /// They become absolute like every other
    Rewrite,
    /// They stay where the base is the document's own URL
    Keep,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum BaseScopeArg {
    /// In the head, as RFC 1808 has it
    Head,
    /// Anywhere in the document, as browsers have it
    Document,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum BaseElementArg {
    /// Their href becomes absolute like every other
    Absolute,
    /// They stay as they are written
    Keep,
    /// They are taken out; one that has a target loses its href alone
    Remove,
}

impl DocumentArgs {
    /// The URL that was given for what is read.
    pub(crate) fn base_url(&self) -> Option<&Base> {
        self.base_url.as_ref()
    }

    /// The rewriter that these arguments ask for, for the document of the base URL.
    pub(crate) fn rewriter(&self) -> Result<Rewriter, absolve::Error> {
        let rewriter = self.rewriter_of_many()?;
        match &self.base_url {
            Some(base) => rewriter.base_url(base.as_str()),
            None => Ok(rewriter),
        }
    }

    /// The same for documents that each have a URL of their own.
    pub(crate) fn rewriter_of_many(&self) -> Result<Rewriter, absolve::Error> {
        let mut rewriter = Rewriter::new()
            .standard(self.standard)
            .engine(match self.engine {
                EngineArg::Splice => Engine::Splice,
                EngineArg::Dom => Engine::Dom,
            })
            .limits(self.limits());
        rewriter = self.base.apply(self.selection.apply(rewriter));
        match &self.encoding {
            Some(label) => rewriter.encoding(label),
            None => Ok(rewriter),
        }
    }

    /// Lines and columns of a document in the encoding that these arguments name.
    pub(crate) fn lines<'s>(&self, source: &'s [u8]) -> Result<Lines<'s>, absolve::Error> {
        let named = self.encoding.as_deref().map(encoding::for_label).transpose()?;
        Ok(Lines::new(source, encoding::detect(source, named)))
    }

    /// The limits that these arguments ask for.
    pub(crate) fn limits(&self) -> Limits {
        let mut limits = Limits::default();
        let args = &self.limits;
        let set = [
            (args.max_input, &mut limits.input),
            (args.max_output, &mut limits.output),
            (args.max_base_url, &mut limits.base_url),
            (args.max_reference, &mut limits.reference),
            (args.max_links, &mut limits.links),
            (args.max_srcdoc, &mut limits.srcdoc),
            (args.max_depth, &mut limits.depth),
            (args.max_attributes, &mut limits.attributes),
        ];
        for (given, limit) in set {
            if let Some(given) = given {
                *limit = given;
            }
        }
        limits
    }
}

impl SelectionArgs {
    fn apply(&self, mut rewriter: Rewriter) -> Rewriter {
        for attribute in &self.only {
            rewriter = rewriter.only(attribute);
        }
        for extra in &self.attr {
            rewriter = rewriter.attribute(extra.clone());
        }
        if self.meta {
            rewriter = rewriter.meta();
        }
        if self.lazy {
            rewriter = rewriter.lazy();
        }
        if self.conditional_comments {
            rewriter = rewriter.conditional_comments(ConditionalComments::Open);
        }
        rewriter.same_document(match self.same_document {
            SameDocumentArg::Rewrite => SameDocument::Rewrite,
            SameDocumentArg::Keep => SameDocument::Keep,
        })
    }
}

impl BaseArgs {
    fn apply(&self, rewriter: Rewriter) -> Rewriter {
        let rewriter = rewriter
            .base_scope(match self.base_scope {
                BaseScopeArg::Head => BaseScope::Head,
                BaseScopeArg::Document => BaseScope::Document,
            })
            .base_element(match self.base_element {
                BaseElementArg::Absolute => BaseElement::Absolute,
                BaseElementArg::Keep => BaseElement::Keep,
                BaseElementArg::Remove => BaseElement::Remove,
            });
        if self.keep_credentials { rewriter.credentials(Credentials::Keep) } else { rewriter }
    }
}

/// Bounds for documents that are not trusted; sizes may end in k, M or G.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Limits (0 = none)")]
#[expect(clippy::struct_field_names, reason = "the fields are named as the options")]
struct LimitArgs {
    /// Size of a document, in bytes [default: 64M]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    max_input: Option<usize>,
    /// Size of a document as written, in bytes [default: 16 times the input + 1M, at most 256M]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    max_output: Option<usize>,
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
    /// Depth of the tree of the DOM engine [default: 512]
    #[arg(long, value_name = "N")]
    max_depth: Option<usize>,
    /// Attributes of a tag, for the DOM engine [default: 4096]
    #[arg(long, value_name = "N")]
    max_attributes: Option<usize>,
}

pub(super) fn base(text: &str) -> Result<Base, absolve::Error> {
    Base::new(text)
}

fn label(label: &str) -> Result<String, absolve::Error> {
    encoding::for_label(label)?;
    Ok(label.to_owned())
}

pub(super) fn standard() -> impl TypedValueParser<Value = Standard> {
    let names = Standard::ALL.iter().map(|standard| standard.name());
    PossibleValuesParser::new(names).try_map(|name| name.parse::<Standard>())
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
