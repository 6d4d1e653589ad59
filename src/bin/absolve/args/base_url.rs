//! Where base URLs come from, as it is typed.

use std::path::Path;

use absolve::batch::Origins;
use absolve::url::Base;
use absolve::{BaseElement, BaseScope, Credentials, Rewriter};

use super::choice::{Choice, choice, default_name};
use super::learn::{InvalidBaseMap, LearnArgs};

/// Where base URLs come from, and which base elements count.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Base URL")]
pub(crate) struct BaseUrlArgs {
    /// URL that the document was retrieved from; for a folder, or with --root-dir, the folder's URL
    #[arg(short, long, alias = "base", value_name = "URL", value_parser = base)]
    base_url: Option<Base>,
    #[command(flatten)]
    learn: LearnArgs,
    #[command(flatten)]
    scope: ScopeArgs,
    #[command(flatten)]
    element: ElementArgs,
}

/// Which base counts.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Base URL")]
struct ScopeArgs {
    /// Where a base element must be to take effect
    #[arg(
        long,
        value_name = "WHERE",
        value_parser = choice(SCOPES),
        default_value = default_name(SCOPES)
    )]
    base_scope: BaseScope,
}

/// What is done about the base.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Base URL")]
struct ElementArgs {
    /// How to handle base elements [default: absolute; remove for --to relative and root-relative]
    #[arg(long, value_name = "WHAT", value_parser = choice(ELEMENTS))]
    base_element: Option<BaseElement>,
    /// Copy user and password of a base URL into links; 'links' then shows them
    #[arg(long)]
    keep_credentials: bool,
}

pub(super) const SCOPES: &[Choice<BaseScope>] = &[
    Choice::new("head", BaseScope::Head, "In the head, as RFC 1808 requires"),
    Choice::new("document", BaseScope::Document, "Anywhere in the document, as in browsers"),
];

const ELEMENTS: &[Choice<BaseElement>] = &[
    Choice::new("absolute", BaseElement::Absolute, "Give their href the form of other links"),
    Choice::new("keep", BaseElement::Keep, "Leave them unchanged"),
    Choice::new(
        "remove",
        BaseElement::Remove,
        "Remove them, except where one leaves relative links unresolved; one with a target \
         attribute loses only its href",
    ),
];

impl BaseUrlArgs {
    /// The base URL that is given.
    pub(crate) fn base_url(&self) -> Option<&Base> {
        self.base_url.as_ref()
    }

    /// Whether a list has the URLs of documents.
    pub(crate) fn has_map(&self) -> bool {
        self.learn.has_map()
    }

    /// Names the options that give a file its base URL.
    pub(crate) fn advice(&self, file: &str) -> String {
        self.learn.advice(Path::new(file))
    }

    /// Whether user and password of a base URL are copied into links.
    pub(crate) fn credentials(&self) -> Credentials {
        self.element.credentials()
    }

    /// Where the URLs come from that documents were retrieved from.
    pub(crate) fn origins(&self) -> Result<Origins, InvalidBaseMap> {
        self.learn.origins(self.base_url.clone())
    }

    pub(super) fn apply(&self, rewriter: Rewriter) -> Rewriter {
        self.learn.apply(self.element.apply(self.scope.apply(rewriter)))
    }
}

impl ScopeArgs {
    fn apply(&self, rewriter: Rewriter) -> Rewriter {
        rewriter.base_scope(self.base_scope)
    }
}

impl ElementArgs {
    fn apply(&self, rewriter: Rewriter) -> Rewriter {
        let rewriter = match self.base_element {
            Some(element) => rewriter.base_element(element),
            None => rewriter,
        };
        rewriter.credentials(self.credentials())
    }

    fn credentials(&self) -> Credentials {
        if self.keep_credentials { Credentials::Keep } else { Credentials::Drop }
    }
}

pub(super) fn base(text: &str) -> Result<Base, absolve::Error> {
    Base::new(text)
}
