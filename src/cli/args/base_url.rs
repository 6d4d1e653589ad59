//! Where base URLs come from, as it is typed.

use std::path::{Path, PathBuf};

use crate::batch::{self, BaseMap, Layout, Origins, Scheme};
use crate::url::Base;
use crate::{BaseElement, BaseScope, BaseSource, Credentials, FeedBase, Learn, Rewriter};
use clap::builder::TypedValueParser;

use super::choice::{Choice, choice, default_name, named, path};
use crate::cli::terminal::printable_path;

/// Where base URLs come from, and which base elements count.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Base URL")]
pub struct BaseUrlArgs {
    /// URL that the document, or the folder, was retrieved from
    ///
    /// For a folder, or with --root-dir, it is the folder's URL.
    #[arg(short, long, alias = "base", value_name = "URL", value_parser = base)]
    base_url: Option<Base>,
    /// URL that images in Markdown are resolved against [default: that of --base-url]
    ///
    /// Forges serve pages and raw files at two URLs. It is like --base-url: for a folder, the
    /// folder's.
    #[arg(long, value_name = "URL", value_parser = base)]
    raw_base: Option<Base>,
    /// Sources of recorded URLs that count before --base-url, or none [default: all, after --base-url]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', value_parser = source())]
    learn: Vec<BaseSource>,
    /// How folders are named, if no other source has the base URL
    #[arg(long, value_name = "NAME", value_parser = choice(LAYOUTS))]
    layout: Option<Layout>,
    /// File that lists documents and base URLs, one per line: path, tab, URL; or HTTrack's new.txt
    #[arg(long, value_name = "FILE", value_parser = path())]
    base_map: Option<PathBuf>,
    /// Where a base element must be to take effect
    #[arg(
        long,
        value_name = "WHERE",
        value_parser = choice(SCOPES),
        default_value = default_name(SCOPES)
    )]
    base_scope: BaseScope,
    /// What the HTML in items of feeds is relative to
    #[arg(
        long,
        value_name = "BASE",
        value_parser = choice(FEED_BASES),
        default_value = default_name(FEED_BASES)
    )]
    feed_base: FeedBase,
    /// How to handle base elements [default: absolute; remove for --to relative,
    /// offline and root-relative]
    #[arg(long, value_name = "WHAT", value_parser = choice(ELEMENTS))]
    base_element: Option<BaseElement>,
    /// Copy user and password of a base URL into links; 'links' then shows them
    #[arg(long)]
    keep_credentials: bool,
}

const LAYOUTS: &[Choice<Layout>] = &[
    Choice::new(
        "host-path",
        Layout::HostPath(Scheme::Http),
        "By host and path, as wget does: example.com/dir/page.html, with http:",
    )
    .alias("host-path=http"),
    Choice::new("host-path=https", Layout::HostPath(Scheme::Https), "The same, by https:"),
];

pub(super) const SCOPES: &[Choice<BaseScope>] = &[
    Choice::new("head", BaseScope::Head, "In the head, as RFC 1808 requires"),
    Choice::new("document", BaseScope::Document, "Anywhere in the document, as in browsers"),
];

const FEED_BASES: &[Choice<FeedBase>] = &[
    Choice::new("feed", FeedBase::Feed, "The xml:base around it, else the URL of the feed"),
    Choice::new(
        "item",
        FeedBase::Item,
        "The link of the item, unless an xml:base in the item says otherwise",
    ),
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

/// The values of `--learn` of an audit, whose pages have the URLs that they are served at.
pub(super) const MARKS: &[Choice<Learn>] = &[
    Choice::new("saved-from", Learn::ALL, "Ignore it"),
    Choice::new("none", Learn::NONE, "Treat it like any other base element"),
];

/// The error of a file of --base-map, with its name.
pub struct InvalidBaseMap(pub String);

impl BaseUrlArgs {
    /// The base URL that is given.
    pub fn base_url(&self) -> Option<&Base> {
        self.base_url.as_ref()
    }

    /// Reads pages of a site as browsers do, at this URL if there is one.
    pub fn set_site(&mut self, base: Option<Base>) {
        self.base_scope = BaseScope::Document;
        self.base_url = base.or(self.base_url.take());
    }

    /// Whether the names of folders say what the URLs of documents are.
    pub fn has_layout(&self) -> bool {
        self.layout.is_some_and(|layout| layout != Layout::Unknown)
    }

    /// Whether a list has the URLs of documents.
    pub fn has_map(&self) -> bool {
        self.base_map.is_some()
    }

    /// Whether a list or the files have records of URLs.
    pub fn has_records(&self) -> bool {
        self.has_map() || self.stored() != Learn::NONE
    }

    /// The sources that were named and are stored with files.
    pub fn stored(&self) -> Learn {
        let stored = [BaseSource::Xattr, BaseSource::ZoneIdentifier];
        let named = stored.into_iter().filter(|source| self.learn.contains(source));
        named.fold(Learn::NONE, Learn::with)
    }

    /// Names the options that give a file its base URL.
    pub fn advice(&self, file: &str) -> String {
        let map = self.base_map.as_deref().map(printable_path);
        let map = map.map_or("--base-map".to_owned(), |map| format!("in {map}, which lacks it"));
        let mut advice = format!("give it with --base-url or {map}");
        if self.layout.is_none() && batch::is_below_host(Path::new(file)) {
            advice.push_str(", or with --layout host-path, as a folder has the name of a host");
        }
        advice
    }

    /// Whether user and password of a base URL are copied into links.
    pub fn credentials(&self) -> Credentials {
        if self.keep_credentials { Credentials::Keep } else { Credentials::Drop }
    }

    /// Where the URLs come from that documents were retrieved from.
    pub fn origins(&self) -> Result<Origins, InvalidBaseMap> {
        if self.learn.len() > 1 && self.learn.contains(&BaseSource::None) {
            let what = "--learn none excludes other sources; give it alone, or leave it out";
            return Err(InvalidBaseMap(what.to_owned()));
        }
        let origins = Origins::new(self.base_url.clone()).learn(self.learn());
        let origins = origins.layout(self.layout.unwrap_or_default());
        // Who names sources beside a base URL wants them.
        let origins = if self.learn.is_empty() { origins } else { origins.learned_first() };
        let Some(path) = &self.base_map else { return Ok(origins) };
        let list = batch::open_list(path).map_err(|error| BaseMap::unreadable(&error));
        let map = list.and_then(BaseMap::read);
        let named = |error| InvalidBaseMap(format!("{}: {error}", printable_path(path)));
        Ok(origins.map(map.map_err(named)?))
    }

    pub(super) fn apply(&self, rewriter: Rewriter) -> Rewriter {
        let rewriter =
            rewriter.base_scope(self.base_scope).feed_base(self.feed_base).learn(self.learn());
        let rewriter =
            rewriter.credentials(self.credentials()).with_raw_base(self.raw_base.clone());
        match self.base_element {
            Some(element) => rewriter.base_element(element),
            None => rewriter,
        }
    }

    /// The sources to learn from.
    fn learn(&self) -> Learn {
        if self.learn.is_empty() {
            return Learn::ALL;
        }
        self.learn.iter().fold(Learn::NONE, |set, &source| set.with(source))
    }
}

pub(super) fn base(text: &str) -> Result<Base, crate::Error> {
    Base::new(text)
}

/// A source by its name; `none` excludes all.
fn source() -> impl TypedValueParser<Value = BaseSource> {
    named(Learn::SOURCES.iter().copied().chain([BaseSource::None]), BaseSource::name)
}
