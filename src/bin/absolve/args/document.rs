//! How documents are read and resolved, as it is typed.

use absolve::container::Format;
use absolve::container::warc::ArchiveLimits;
use absolve::encoding::{self, Lines};
use absolve::url::Standard;
use absolve::{Engine, Limits, Rewriter, SameDocument};
use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use encoding_rs::Encoding;

use super::base_url::BaseUrlArgs;
use super::limits::LimitArgs;
use super::selection::{SelectionArgs, UnusedAttribute};

/// How documents are read and resolved.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Links")]
pub(crate) struct DocumentArgs {
    /// Standard to resolve references by
    #[arg(long, value_name = "NAME", value_parser = standard(), default_value_t)]
    standard: Standard,
    /// How documents are parsed and written
    #[arg(long, help_heading = "Output", value_name = "NAME", value_enum, default_value_t = EngineArg::Splice)]
    engine: EngineArg,
    /// Encoding of documents without a byte order mark
    #[arg(long, help_heading = "Input files", value_name = "LABEL", value_parser = label)]
    encoding: Option<String>,
    #[command(flatten)]
    selection: SelectionArgs,
    #[command(flatten)]
    same_document: SameDocumentArgs,
    #[command(flatten)]
    limits: LimitArgs,
}

/// How references to the document itself are handled.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Links")]
struct SameDocumentArgs {
    /// How to handle references to the document itself, such as #id
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = SameDocumentArg::Rewrite)]
    same_document: SameDocumentArg,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum EngineArg {
    /// Edit the bytes of the source; every other byte stays unchanged
    Splice,
    /// Parse to a DOM tree, and serialize it
    Dom,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum SameDocumentArg {
    /// Make them absolute, like other links
    Rewrite,
    /// Leave them unchanged where the base is the document's own URL
    Keep,
}

impl DocumentArgs {
    /// The rewriter that these arguments ask for, which knows no document's URL.
    pub(crate) fn rewriter(&self, base: &BaseUrlArgs) -> Result<Rewriter, absolve::Error> {
        let mut rewriter = Rewriter::new()
            .standard(self.standard)
            .engine(match self.engine {
                EngineArg::Splice => Engine::Splice,
                EngineArg::Dom => Engine::Dom,
            })
            .limits(self.limits());
        rewriter = base.apply(self.same_document.apply(self.selection.apply(rewriter)));
        match &self.encoding {
            Some(label) => rewriter.encoding(label),
            None => Ok(rewriter),
        }
    }

    /// Lines and columns of a file: of a document in the encoding that these arguments name,
    /// else in `charset` if it is known, of a message in UTF-8, whatever its parts are in.
    pub(crate) fn lines<'s>(
        &self,
        source: &'s [u8],
        format: Format,
        charset: Option<&'static Encoding>,
    ) -> Result<Lines<'s>, absolve::Error> {
        let named = match format {
            Format::Message => Some("utf-8"),
            _ => self.encoding.as_deref(),
        };
        let named = named.map(encoding::for_label).transpose()?.or(charset);
        Ok(Lines::new(source, absolve::detect(source, named)))
    }

    /// Refuses attributes that do not count.
    pub(crate) fn check(&self) -> Result<(), UnusedAttribute<'_>> {
        self.selection.check()
    }

    /// The bounds on web archives that these arguments ask for.
    pub(crate) fn bounds(&self) -> ArchiveLimits {
        self.limits.bounds()
    }

    /// The limits that these arguments ask for.
    pub(crate) fn limits(&self) -> Limits {
        self.limits.limits()
    }
}

impl SameDocumentArgs {
    fn apply(&self, rewriter: Rewriter) -> Rewriter {
        rewriter.same_document(match self.same_document {
            SameDocumentArg::Rewrite => SameDocument::Rewrite,
            SameDocumentArg::Keep => SameDocument::Keep,
        })
    }
}

pub(super) fn label(label: &str) -> Result<String, absolve::Error> {
    encoding::for_label(label)?;
    Ok(label.to_owned())
}

pub(super) fn standard() -> impl TypedValueParser<Value = Standard> {
    let names = Standard::ALL.iter().map(|standard| standard.name());
    PossibleValuesParser::new(names).try_map(|name| name.parse::<Standard>())
}
