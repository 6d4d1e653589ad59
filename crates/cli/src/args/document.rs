//! How documents are read and resolved, as it is typed.

use absolve::Rewriter;

use super::base_url::BaseUrlArgs;
use super::limits::LimitArgs;
use super::options::DocumentOptions;

/// How documents are read and resolved.
#[derive(Debug, clap::Args)]
pub struct DocumentArgs {
    #[command(flatten)]
    pub options: DocumentOptions,
    #[command(flatten, next_help_heading = "Links")]
    pub limits: LimitArgs,
}

impl DocumentArgs {
    /// The rewriter for these arguments, without the URL of a document.
    pub fn rewriter(&self, base: &BaseUrlArgs) -> Rewriter {
        self.options.rewriter().learn(base.learn()).limits(self.limits.documents)
    }
}
