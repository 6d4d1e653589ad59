//! How documents are read and resolved, as it is typed.

use crate::encoding;
use crate::url::Standard;
use crate::{Engine, Rewriter, SameDocument};
use clap::builder::TypedValueParser;

use super::base_url::BaseUrlArgs;
use super::choice::{Choice, choice, default_name, named};
use super::limits::LimitArgs;
use super::selection::SelectionArgs;

/// How documents are read and resolved.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Links")]
pub struct DocumentArgs {
    /// Standard to resolve references by
    #[arg(long, value_name = "NAME", value_parser = standard(), default_value_t)]
    pub standard: Standard,
    /// How documents are parsed and written
    #[arg(long, help_heading = "Output", value_name = "NAME", value_parser = choice(ENGINES), default_value = default_name(ENGINES))]
    engine: Engine,
    /// Encoding of documents without a byte order mark
    #[arg(long, help_heading = "Input files", value_name = "LABEL", value_parser = label)]
    encoding: Option<String>,
    #[command(flatten)]
    pub selection: SelectionArgs,
    /// How to handle references to the document itself, such as #id
    #[arg(
        long,
        value_name = "WHAT",
        value_parser = choice(SAME_DOCUMENT),
        default_value = default_name(SAME_DOCUMENT)
    )]
    same_document: SameDocument,
    #[command(flatten)]
    pub limits: LimitArgs<false>,
}

const ENGINES: &[Choice<Engine>] = &[
    Choice::new(
        "splice",
        Engine::Splice,
        "Edit the bytes of the source; every other byte stays unchanged",
    ),
    Choice::new("dom", Engine::Dom, "Parse to a DOM tree, and serialize it"),
];

const SAME_DOCUMENT: &[Choice<SameDocument>] = &[
    Choice::new("rewrite", SameDocument::Rewrite, "Make them absolute, like other links"),
    Choice::new(
        "keep",
        SameDocument::Keep,
        "Leave them unchanged where the base is the document's own URL",
    ),
];

impl DocumentArgs {
    /// The rewriter for these arguments, without the URL of a document.
    pub fn rewriter(&self, base: &BaseUrlArgs) -> Result<Rewriter, crate::Error> {
        let mut rewriter = Rewriter::new()
            .standard(self.standard)
            .engine(self.engine)
            .same_document(self.same_document)
            .limits(self.limits.documents);
        rewriter = base.apply(self.selection.apply(rewriter));
        match &self.encoding {
            Some(label) => rewriter.encoding(label),
            None => Ok(rewriter),
        }
    }
}

pub(super) fn label(label: &str) -> Result<String, crate::Error> {
    encoding::for_label(label)?;
    Ok(label.to_owned())
}

pub(super) fn standard() -> impl TypedValueParser<Value = Standard> {
    named(Standard::ALL.iter().copied(), Standard::name)
}
