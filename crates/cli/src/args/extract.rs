//! The arguments of `absolve extract`.

use std::path::PathBuf;

use absolve::{Form, Rewriter};
use absolve_archive::jobs::Workers;
use absolve_files::crawl::{Date, Missing};

use super::after_help;
use super::limits::{LimitArgs, parse_number_to};
use super::options::ResolvingOptions;
use super::records::RecordArgs;
use super::values::{Choice, choice, default_name, path};

#[derive(Debug, clap::Args)]
#[command(after_long_help = after_help::EXTRACT.long())]
pub struct ExtractArgs {
    /// Web archives, MHTML or folders of them; or one document: crawl.warc.gz!@1234, crawl.warc.gz!URL or page.mhtml!3
    #[arg(value_name = "CRAWL", required = true, value_parser = path())]
    pub paths: Vec<PathBuf>,
    /// Write a crawl to this new folder, or one document to this file instead of stdout
    #[arg(short, long, value_name = "PATH", value_parser = path())]
    pub output: Option<PathBuf>,
    /// Make the links of pages, style sheets and XML lead to the extracted files
    #[arg(long, value_name = "FORM", value_parser = choice(FORMS))]
    pub to: Option<Form>,
    /// With --to: what links become whose URL the crawl does not have
    #[arg(long, value_name = "WHAT", value_parser = choice(MISSING), default_value = default_name(MISSING), requires = "to")]
    pub missing: Missing,
    /// Take the last response of each URL up to this date, such as 2026-01-31
    #[arg(long, value_name = "DATE")]
    pub at: Option<Date>,
    #[command(flatten)]
    options: ResolvingOptions,
    /// Number of threads, at most 256; 0 means one per core
    #[arg(short, long, value_name = "N", default_value_t = 0, value_parser = parse_number_to::<256>)]
    jobs: usize,
    #[command(flatten)]
    pub records: RecordArgs,
    #[command(flatten)]
    pub limits: LimitArgs,
}

const FORMS: &[Choice<Form>] = &[Choice::new(
    "relative",
    Form::Relative,
    "Relative to the page, for a browser that opens the folder from the disk",
)];

const MISSING: &[Choice<Missing>] = &[
    Choice::new("absolute", Missing::Absolute, "Their absolute URLs"),
    Choice::new("keep", Missing::Keep, "What is written"),
    Choice::new("error", Missing::Error, "An error, and nothing is written"),
];

impl ExtractArgs {
    /// Returns the rewriter for the documents of a crawl.
    pub fn rewriter(&self) -> Rewriter {
        self.options.rewriter().limits(self.limits.documents)
    }

    pub fn workers(&self) -> Workers {
        Workers::new(self.jobs)
    }

    /// Explains that a given option does not apply to one document.
    pub fn explain_misplaced(&self) -> Option<String> {
        let option = match (self.to, self.at) {
            (Some(_), _) => Some("--to".to_owned()),
            (None, Some(_)) => Some("--at".to_owned()),
            (None, None) => self.records.given_options(),
        };
        option.map(|option| format!("{option} is for a whole crawl; leave it out for one document"))
    }
}
