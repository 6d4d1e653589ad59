//! Which files a command reads, as it is typed.

use std::path::{Path, PathBuf};

use absolve::batch::{Effect, Glob, Globs, Symlinks};
use absolve::container::Format;
use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches};

use super::choice::{Choice, choice};
use super::limits::number_to;

#[derive(Debug, clap::Args)]
pub(crate) struct InputArgs {
    /// Documents, and folders of documents; - or no PATH reads stdin
    #[arg(value_name = "PATH", help_heading = None::<&str>)]
    pub(crate) paths: Vec<PathBuf>,
    /// Format of the files, whatever their content [default: by file name; html for stdin]
    #[arg(long = "as", help_heading = "Input files", value_name = "FORMAT", value_parser = choice(FORMATS))]
    file_format: Option<Format>,
    #[command(flatten)]
    pub(crate) files: FileArgs,
}

const FORMATS: &[Choice<Format>] = &[
    Choice::new("html", Format::Html, "HTML documents"),
    Choice::new("message", Format::Message, "Messages and MHTML: .mhtml, .mht, .eml"),
    Choice::new("warc", Format::Warc, "Web archives: .warc, .warc.gz"),
];

impl InputArgs {
    /// What all files are, if that is given.
    pub(crate) fn format(&self) -> Option<Format> {
        self.file_format
    }

    /// What a file is by its name.
    pub(crate) fn format_of(&self, path: &Path) -> Format {
        self.format().unwrap_or_else(|| Format::of_name(path))
    }

    /// What a file is by its name and content.
    pub(crate) fn detect(&self, path: &Path, source: &[u8]) -> Result<Format, absolve::Error> {
        self.format().map_or_else(|| Format::detect(path, source), Ok)
    }
}

/// Which files of a folder are documents, and where.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Input files")]
pub(crate) struct FileArgs {
    /// Read paths from a file, one per line; - is stdin
    #[arg(long, value_name = "FILE", conflicts_with = "paths")]
    pub(crate) files_from: Option<PathBuf>,
    /// Paths in that file end with NUL instead of a newline
    #[arg(short = '0', long, requires = "files_from")]
    pub(crate) null: bool,
    #[command(flatten)]
    globs: GlobArgs,
    /// Follow symbolic links whose targets are in the folder
    #[arg(long)]
    follow_symlinks: bool,
    /// Folder that --base-url is the URL of; the URLs of files follow from their paths in it
    #[arg(long, help_heading = "Base URL", value_name = "DIR")]
    pub(crate) root_dir: Option<PathBuf>,
    /// Do not fail if there is no document
    #[arg(long)]
    pub(crate) allow_empty: bool,
    /// Number of threads, at most 256; 0 means one per core
    #[arg(short, long, value_name = "N", default_value_t = 0, value_parser = number_to::<256>)]
    pub(crate) jobs: usize,
}

impl FileArgs {
    pub(crate) fn globs(&self) -> Globs {
        self.globs.globs()
    }

    pub(crate) fn symlinks(&self) -> Symlinks {
        if self.follow_symlinks { Symlinks::Followed } else { Symlinks::Kept }
    }
}

/// Patterns in the order in which they are typed, which two lists would lose.
#[derive(Debug)]
pub(super) struct GlobArgs {
    globs: Vec<Glob>,
}

impl GlobArgs {
    pub(super) fn globs(&self) -> Globs {
        Globs::new(self.globs.iter().cloned())
    }
}

/// The options, their effects, and their help.
const GLOBS: &[(&str, Effect, &str)] = &[
    (
        "include",
        Effect::Include,
        "Process these files [default: *.html, *.htm, *.shtml, *.mhtml, *.mht, *.eml]; a pattern without / matches file names",
    ),
    ("exclude", Effect::Exclude, "Skip these files; the last matching pattern wins"),
];

impl clap::Args for GlobArgs {
    fn augment_args(command: Command) -> Command {
        GLOBS.iter().fold(command, |command, &(name, effect, help)| {
            let arg = Arg::new(name).long(name).value_name("GLOB").help(help);
            let parser = move |pattern: &str| Glob::new(effect, pattern);
            command.arg(arg.value_parser(parser).action(ArgAction::Append))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for GlobArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut found = Vec::new();
        for &(name, ..) in GLOBS {
            let globs = matches.get_many::<Glob>(name).into_iter().flatten().cloned();
            let places = matches.indices_of(name).into_iter().flatten();
            found.extend(places.zip(globs));
        }
        found.sort_by_key(|(place, _)| *place);
        Ok(Self { globs: found.into_iter().map(|(_, glob)| glob).collect() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
