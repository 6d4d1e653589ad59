//! How documents are read and resolved, as it is typed.

use absolve::attributes::Extra;
use absolve::batch::Origins;
use absolve::container::Format;
use absolve::container::warc::Bounds;
use absolve::encoding::{self, Lines};
use absolve::url::{Base, Standard};
use absolve::{
    BaseElement, BaseScope, ConditionalComments, Credentials, Engine, Limits, Rewriter,
    SameDocument,
};
use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use encoding_rs::Encoding;

use super::learn::LearnArgs;
use super::limits::LimitArgs;
use crate::failure::Failure;

/// How documents are read and resolved.
#[derive(Debug, clap::Args)]
pub(crate) struct DocumentArgs {
    /// The URL of the document; for a folder, that of the folder; with --root-dir, that of DIR
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
    same_document: SameDocumentArgs,
    #[command(flatten)]
    scope: ScopeArgs,
    #[command(flatten)]
    base: BaseArgs,
    #[command(flatten)]
    learn: LearnArgs,
    #[command(flatten)]
    limits: LimitArgs,
}

/// Which attributes count.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "What counts as a link")]
pub(super) struct SelectionArgs {
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
}

/// What becomes of links that stay in the document.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "What counts as a link")]
struct SameDocumentArgs {
    /// What becomes of references to the document itself, such as #id
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = SameDocumentArg::Rewrite)]
    same_document: SameDocumentArg,
}

/// Which base counts.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Base URL")]
pub(super) struct ScopeArgs {
    /// Where a base element has to be to count
    #[arg(long, value_name = "WHERE", value_enum, default_value_t = BaseScopeArg::Head)]
    base_scope: BaseScopeArg,
}

/// What is done about the base.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Base URL")]
struct BaseArgs {
    /// What becomes of base elements
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = BaseElementArg::Absolute)]
    base_element: BaseElementArg,
    /// Copy user and password of a base URL into links; 'links' then shows them
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
    /// The base URL that is given.
    pub(crate) fn base_url(&self) -> Option<&Base> {
        self.base_url.as_ref()
    }

    /// Where the URLs come from that documents were retrieved from.
    pub(crate) fn origins(&self) -> Result<Origins, Failure> {
        self.learn.origins(self.base_url.clone())
    }

    /// The rewriter that these arguments ask for, which knows no document's URL.
    pub(crate) fn rewriter(&self) -> Result<Rewriter, absolve::Error> {
        let mut rewriter = Rewriter::new()
            .standard(self.standard)
            .engine(match self.engine {
                EngineArg::Splice => Engine::Splice,
                EngineArg::Dom => Engine::Dom,
            })
            .limits(self.limits());
        rewriter = self.same_document.apply(self.selection.apply(rewriter));
        rewriter = self.learn.apply(self.base.apply(self.scope.apply(rewriter)));
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

    /// Whether links get the user and password of their base URL.
    pub(crate) fn credentials(&self) -> Credentials {
        self.base.credentials()
    }

    /// The bounds on web archives that these arguments ask for.
    pub(crate) fn bounds(&self) -> Bounds {
        self.limits.bounds()
    }

    /// The limits that these arguments ask for.
    pub(crate) fn limits(&self) -> Limits {
        self.limits.limits()
    }
}

impl SelectionArgs {
    pub(super) fn apply(&self, mut rewriter: Rewriter) -> Rewriter {
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
        rewriter
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

impl ScopeArgs {
    pub(super) fn apply(&self, rewriter: Rewriter) -> Rewriter {
        rewriter.base_scope(match self.base_scope {
            BaseScopeArg::Head => BaseScope::Head,
            BaseScopeArg::Document => BaseScope::Document,
        })
    }
}

impl BaseArgs {
    fn apply(&self, rewriter: Rewriter) -> Rewriter {
        let rewriter = rewriter.base_element(match self.base_element {
            BaseElementArg::Absolute => BaseElement::Absolute,
            BaseElementArg::Keep => BaseElement::Keep,
            BaseElementArg::Remove => BaseElement::Remove,
        });
        rewriter.credentials(self.credentials())
    }

    fn credentials(&self) -> Credentials {
        if self.keep_credentials { Credentials::Keep } else { Credentials::Drop }
    }
}

pub(super) fn base(text: &str) -> Result<Base, absolve::Error> {
    Base::new(text)
}

pub(super) fn label(label: &str) -> Result<String, absolve::Error> {
    encoding::for_label(label)?;
    Ok(label.to_owned())
}

pub(super) fn standard() -> impl TypedValueParser<Value = Standard> {
    let names = Standard::ALL.iter().map(|standard| standard.name());
    PossibleValuesParser::new(names).try_map(|name| name.parse::<Standard>())
}
