//! What a retrieval URL is learned from, as it is typed.

use absolve::{BaseSource, Learn, Rewriter};
use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};

/// What the page itself says.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Base URL")]
pub(crate) struct LearnArgs {
    /// What the base URL is learned from where none is given, or none [default: all]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', value_parser = source())]
    learn: Vec<BaseSource>,
}

/// The same for a site, whose pages have the URLs that they are served at.
#[derive(Debug, clap::Args)]
pub(super) struct MarkArgs {
    /// Whether <base href="."> beside the mark of a browser is the browser's; no URL is learned
    #[arg(long, value_name = "NAME", value_enum, default_value_t = MarkArg::SavedFrom)]
    learn: MarkArg,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum MarkArg {
    /// It is, and does not count
    SavedFrom,
    /// It counts like every other
    None,
}

impl LearnArgs {
    pub(super) fn apply(&self, rewriter: Rewriter) -> Rewriter {
        rewriter.learn(self.learn())
    }

    /// What is learned from.
    pub(super) fn learn(&self) -> Learn {
        if self.learn.is_empty() {
            return Learn::ALL;
        }
        self.learn.iter().fold(Learn::NONE, |set, &source| set.with(source))
    }
}

impl MarkArgs {
    pub(super) fn apply(&self, rewriter: Rewriter) -> Rewriter {
        rewriter.learn(match self.learn {
            MarkArg::SavedFrom => Learn::ALL,
            MarkArg::None => Learn::NONE,
        })
    }
}

/// A source by its name; `none` is none.
fn source() -> impl TypedValueParser<Value = BaseSource> {
    let sources = || Learn::SOURCES.iter().chain([&BaseSource::None]);
    let parser = PossibleValuesParser::new(sources().map(|source| source.name()));
    parser.map(move |name| {
        let named = sources().find(|source| source.name() == name);
        named.copied().unwrap_or(BaseSource::None)
    })
}
