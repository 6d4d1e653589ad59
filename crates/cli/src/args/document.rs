//! The options of one document: its base URL, and options for reading and resolving it.

use std::path::{Path, PathBuf};

use absolve::option::base_url;
use absolve::url::Base;
use absolve::{BaseSource, Diagnosis, Learn, Rewriter};
use absolve_files::{BaseMap, Layout, Origins, Scheme};
use clap::builder::TypedValueParser;

use super::limits::LimitArgs;
use super::options::{DocumentOptions, OtherBaseOptions, RawBaseOption};
use super::values::{Choice, choice, named, path};

use crate::terminal::printable_path;

/// The sources of base URLs, and the base elements in effect.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Base URL")]
pub struct BaseUrlArgs {
    /// URL that the document, or the folder, was retrieved from
    ///
    /// For a folder, or with --root-dir, it is the folder's URL.
    #[arg(short, long, alias = "base", value_name = "URL", value_parser = base_url)]
    base_url: Option<Base>,
    #[command(flatten)]
    raw_base: RawBaseOption,
    /// Sources of recorded URLs that count before --base-url, or none [default: all, after --base-url]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', value_parser = source_parser())]
    learn: Vec<BaseSource>,
    /// How folders are named, if no other source has the base URL
    #[arg(long, value_name = "NAME", value_parser = choice(LAYOUTS))]
    layout: Option<Layout>,
    /// File that lists documents and base URLs, one per line: path, tab, URL; or HTTrack's new.txt, or
    /// absolve-urls.tsv of 'extract'
    #[arg(long, value_name = "FILE", value_parser = path())]
    base_map: Option<PathBuf>,
    #[command(flatten)]
    base_options: OtherBaseOptions,
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

/// The values of `--learn` in an audit, where each page has the URL that it is served at.
pub(super) const SAVED_FROM_CHOICES: &[Choice<Learn>] = &[
    Choice::new("saved-from", Learn::ALL, "Ignore it"),
    Choice::new("none", Learn::NONE, "Treat it like any other base element"),
];

impl BaseUrlArgs {
    /// Returns the URL of `--base-url`.
    pub fn base_url(&self) -> Option<&Base> {
        self.base_url.as_ref()
    }

    /// Sets the base URL, unless `base` is `None`.
    pub fn set_base_url(&mut self, base: Option<Base>) {
        self.base_url = base.or(self.base_url.take());
    }

    /// Whether `--layout` takes the URLs of documents from the names of folders.
    pub fn has_layout(&self) -> bool {
        self.layout.is_some_and(|layout| layout != Layout::Unmapped)
    }

    /// Whether `--base-map` lists the URLs of documents.
    pub fn has_map(&self) -> bool {
        self.base_map.is_some()
    }

    /// Whether URLs come from `--base-map` or from records stored with the files.
    pub fn has_records(&self) -> bool {
        self.has_map() || self.stored_sources() != Learn::NONE
    }

    /// Returns the sources of `--learn` that are stored with files, outside their contents.
    pub fn stored_sources(&self) -> Learn {
        let stored = [BaseSource::Xattr, BaseSource::ZoneIdentifier];
        let named = stored.into_iter().filter(|source| self.learn.contains(source));
        named.fold(Learn::NONE, Learn::with)
    }

    /// Advises on the options that give a file its base URL.
    pub fn advice(&self, file: &str) -> String {
        let map = self.base_map.as_deref().map(printable_path);
        let map = map.map_or("--base-map".to_owned(), |map| format!("in {map}, which lacks it"));
        let mut advice = format!("give it with --base-url or {map}");
        if self.layout.is_none() && absolve_files::is_below_host(Path::new(file)) {
            advice.push_str(", or with --layout host-path, as a folder has the name of a host");
        }
        advice
    }

    /// Returns the sources of the URLs that documents were retrieved from.
    pub fn origins(&self) -> Result<Origins, Diagnosis> {
        if self.learn.len() > 1 && self.learn.contains(&BaseSource::None) {
            let problem = "{learn none} excludes other sources; give it alone, or leave it out";
            return Err(Diagnosis::from_words(problem, &[]));
        }
        let origins = Origins::new(self.base_url.clone()).learn(self.learn());
        let origins = origins.layout(self.layout.unwrap_or_default());
        // Sources that `--learn` names have precedence over `--base-url`.
        let origins = if self.learn.is_empty() { origins } else { origins.learned_first() };
        let Some(path) = &self.base_map else { return Ok(origins) };
        let list = absolve_files::open_list(path).map_err(|error| BaseMap::unreadable(&error));
        let map = list.and_then(BaseMap::read);
        let failed = |error: String| Diagnosis::of(printable_path(path), error);
        let folder = path.parent().unwrap_or(Path::new(""));
        Ok(origins.map(map.map_err(failed)?.in_folder(folder)))
    }

    /// Returns the sources to learn from; all if `--learn` is absent.
    pub(super) fn learn(&self) -> Learn {
        if self.learn.is_empty() {
            return Learn::ALL;
        }
        self.learn.iter().fold(Learn::NONE, |set, &source| set.with(source))
    }
}

/// Returns the parser of a source name; `none` excludes all sources.
fn source_parser() -> impl TypedValueParser<Value = BaseSource> {
    named(Learn::SOURCES.iter().copied().chain([BaseSource::None]), BaseSource::name)
}

/// The options for reading and resolving documents.
#[derive(Debug, clap::Args)]
pub struct DocumentArgs {
    #[command(flatten)]
    pub options: DocumentOptions,
    #[command(flatten, next_help_heading = "Links")]
    pub limits: LimitArgs,
}

impl DocumentArgs {
    /// Returns the rewriter of these arguments, without the URL of a document.
    pub fn rewriter(&self, base: &BaseUrlArgs) -> Rewriter {
        self.options.rewriter().learn(base.learn()).limits(self.limits.documents)
    }
}
