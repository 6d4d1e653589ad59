//! The sources of retrieval URLs, as they are typed.

use std::path::{Path, PathBuf};

use absolve::batch::{self, BaseMap, Layout, Origins, Scheme};
use absolve::url::Base;
use absolve::{BaseSource, Learn, Rewriter};
use clap::builder::TypedValueParser;

use super::choice::{Choice, choice, default_name, named};
use crate::terminal::printable_path;

/// The sources of a base URL that is not given.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Base URL")]
pub(crate) struct LearnArgs {
    /// Sources to learn the base URL from if it is not given, or none [default: all]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', value_parser = source())]
    learn: Vec<BaseSource>,
    /// How folders are named, if no other source has the base URL
    #[arg(long, value_name = "NAME", value_parser = choice(LAYOUTS))]
    layout: Option<Layout>,
    /// File that lists documents and base URLs, one per line: path, tab, URL
    #[arg(long, value_name = "FILE")]
    base_map: Option<PathBuf>,
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

/// The same for a site, whose pages have the URLs that they are served at.
#[derive(Debug, clap::Args)]
pub(super) struct MarkArgs {
    /// Whether to ignore the <base href="."> that a browser added when it saved the page
    #[arg(
        long,
        value_name = "NAME",
        value_parser = choice(MARKS),
        default_value = default_name(MARKS)
    )]
    learn: Learn,
}

const MARKS: &[Choice<Learn>] = &[
    Choice::new("saved-from", Learn::ALL, "Ignore it"),
    Choice::new("none", Learn::NONE, "Treat it like any other base element"),
];

/// The error of a file of --base-map, with its name.
pub(crate) struct InvalidBaseMap(pub(crate) String);

impl LearnArgs {
    pub(super) fn apply(&self, rewriter: Rewriter) -> Rewriter {
        rewriter.learn(self.learn())
    }

    /// Whether a list has the URLs of documents.
    pub(super) fn has_map(&self) -> bool {
        self.base_map.is_some()
    }

    /// Names the options that give a file its base URL.
    pub(super) fn advice(&self, file: &Path) -> String {
        let map = self.base_map.as_deref().map(printable_path);
        let map = map.map_or("--base-map".to_owned(), |map| format!("in {map}, which lacks it"));
        let mut advice = format!("give it with --base-url or {map}");
        if self.layout.is_none() && batch::is_below_host(file) {
            advice.push_str(", or with --layout host-path, as a folder has the name of a host");
        }
        advice
    }

    /// The sources of retrieval URLs.
    pub(super) fn origins(&self, base: Option<Base>) -> Result<Origins, InvalidBaseMap> {
        if self.learn.len() > 1 && self.learn.contains(&BaseSource::None) {
            let what = "--learn none excludes other sources; give it alone, or leave it out";
            return Err(InvalidBaseMap(what.to_owned()));
        }
        let origins =
            Origins::new(base).learn(self.learn()).layout(self.layout.unwrap_or_default());
        let Some(path) = &self.base_map else { return Ok(origins) };
        let list = batch::open_list(path).map_err(|error| BaseMap::unreadable(&error));
        let map = list.and_then(BaseMap::read);
        let map =
            map.map_err(|error| InvalidBaseMap(format!("{}: {error}", printable_path(path))))?;
        Ok(origins.map(map))
    }

    /// The sources to learn from.
    fn learn(&self) -> Learn {
        if self.learn.is_empty() {
            return Learn::ALL;
        }
        self.learn.iter().fold(Learn::NONE, |set, &source| set.with(source))
    }
}

impl MarkArgs {
    pub(super) fn apply(&self, rewriter: Rewriter) -> Rewriter {
        rewriter.learn(self.learn)
    }
}

/// A source by its name; `none` excludes all.
fn source() -> impl TypedValueParser<Value = BaseSource> {
    named(Learn::SOURCES.iter().copied().chain([BaseSource::None]), BaseSource::name)
}
