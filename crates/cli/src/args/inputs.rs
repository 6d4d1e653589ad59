//! The options that select the files of a command, and its configuration.

use std::path::{Path, PathBuf};

use absolve_archive::Format;
use absolve_files::{Effect, Glob, Globs, Symlinks};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, ArgAction, Command};

use super::limits::parse_number_to;
use super::values::{collect_in_order, options, path};

#[derive(Debug, clap::Args)]
pub struct InputArgs {
    /// Documents, and folders of documents; - or no PATH reads stdin
    #[arg(value_name = "PATH", help_heading = None::<&str>, value_parser = path())]
    pub paths: Vec<PathBuf>,
    /// Format of the files [default: by file name; html for stdin]
    ///
    /// It counts whatever their content. In folders, css, xml and markdown select the files with these
    /// extensions alone, and html and message leave out the XML.
    #[arg(long = "as", help_heading = "Input files", value_name = "FORMAT", value_parser = format_parser())]
    pub file_format: Option<Format>,
    #[command(flatten)]
    pub files: FileArgs,
}

/// Advises on a URL that is given instead of a path.
pub fn advise_on_url(command: &str) -> String {
    let advice = match command {
        "audit" => "give the folder of the built site: absolve audit DIR -b URL".to_owned(),
        "extract" => "save the file: curl -O URL".to_owned(),
        name => format!("pipe a page into it: curl -s URL | absolve {name} -b URL"),
    };
    format!("absolve does not fetch; {advice}")
}

/// Whether a path looks like a URL, and no file has that name.
pub fn is_url(path: &Path) -> bool {
    let text = path.to_str().unwrap_or_default();
    (text.starts_with("http://") || text.starts_with("https://")) && !path.exists()
}

/// Returns the parser of a format name.
fn format_parser() -> impl TypedValueParser<Value = Format> {
    let value = |(name, help)| PossibleValue::new(name).help(help);
    let parser = PossibleValuesParser::new(Format::given_names().map(value));
    parser.try_map(|name| Format::from_given_name(&name).ok_or("no such name"))
}

impl InputArgs {
    /// Returns the patterns of the documents in a folder; `--as` restricts them to one format.
    pub fn globs(&self) -> Globs {
        let globs = self.files.globs.globs();
        match self.file_format {
            Some(format) => globs.only(format),
            None => globs,
        }
    }

    /// Returns the format of a file, from `--as` or its name.
    pub fn format_of(&self, path: &Path) -> Format {
        self.file_format.unwrap_or_else(|| Format::from_name(path))
    }

    /// Whether a file is a web archive, by `--as` or its name.
    pub fn is_archive(&self, path: &Path) -> bool {
        self.format_of(path).is_archive()
    }

    /// Checks the format of a file that is itself an argument. An unreadable file passes: reading
    /// it reports the error later.
    pub fn check_given_file(&self, path: &Path) -> Result<(), absolve::Error> {
        if self.file_format.is_some() || !path.is_file() {
            return Ok(());
        }
        let beginning = absolve_files::read_beginning(path, Format::bytes_to_check(path));
        beginning.map_or(Ok(()), |beginning| Format::check_given_file(path, &beginning))
    }

    /// Returns the format of a file, from `--as`, or its name and content.
    pub fn detect(&self, path: &Path, source: &[u8]) -> Result<Format, absolve::Error> {
        match self.file_format {
            Some(format) => format.check_given(source),
            None => Format::detect(path, source),
        }
    }
}

/// The options for finding documents.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Input files")]
pub struct FileArgs {
    /// Read paths from a file, one per line or each ended by NUL; - is stdin
    #[arg(long, value_name = "FILE", value_parser = path(), conflicts_with = "paths")]
    pub files_from: Option<PathBuf>,
    #[command(flatten)]
    pub globs: GlobArgs,
    /// Follow symbolic links whose targets are in the folder
    #[arg(long)]
    follow_symlinks: bool,
    /// Folder that --base-url is the URL of
    ///
    /// The URLs of files follow from their paths in it.
    #[arg(long, help_heading = "Base URL", value_name = "DIR", value_parser = path())]
    pub root_dir: Option<PathBuf>,
    /// Do not fail if there is no document
    #[arg(long)]
    pub allow_empty: bool,
    /// Number of threads, at most 256; 0 means one per core
    #[arg(short, long, value_name = "N", default_value_t = 0, value_parser = parse_number_to::<256>)]
    pub jobs: usize,
}

impl FileArgs {
    pub fn symlinks(&self) -> Symlinks {
        if self.follow_symlinks { Symlinks::Followed } else { Symlinks::Kept }
    }
}

/// The values of `--include` and `--exclude` in the order of the command line, since the last match
/// wins.
#[derive(Debug, Clone)]
pub struct GlobArgs(Vec<Glob>);

impl GlobArgs {
    pub fn globs(&self) -> Globs {
        Globs::new(self.0.iter().cloned())
    }

    /// Whether neither option was given.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

const INCLUDE_HELP: &str = "Process these files; a pattern without / matches file names";

/// The default patterns of documents, for the help.
const DEFAULT_GLOBS: &str = "[default: *.html, *.htm, *.shtml, *.mhtml, *.mht, *.eml, *.xhtml, \
    *.xht, *.svg, *.xml, *.rss, *.rdf, *.atom, *.opf and *.ncx]";

const INCLUDE: &str = "include";
const EXCLUDE: &str = "exclude";

options!(
    GlobArgs,
    |command: Command| {
        let glob = |name, effect, help| {
            let parser = move |pattern: &str| Glob::new(effect, pattern);
            let arg = Arg::new(name).long(name).value_name("GLOB").help(help);
            arg.value_parser(parser).action(ArgAction::Append)
        };
        command
            .arg(
                glob(INCLUDE, Effect::Include, INCLUDE_HELP)
                    .long_help(format!("{INCLUDE_HELP} {DEFAULT_GLOBS}")),
            )
            .arg(glob(EXCLUDE, Effect::Exclude, "Skip these files; the last matching pattern wins"))
    },
    |matches| GlobArgs(collect_in_order(matches, &[INCLUDE, EXCLUDE]))
);

/// The options that select the configuration.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Configuration")]
pub struct ConfigArgs {
    /// Read this configuration file, and trust it [default: absolve.toml here or in a folder above]
    #[arg(long, value_name = "FILE", value_parser = path(), conflicts_with = "no_config")]
    pub config: Option<PathBuf>,
    /// Read no configuration file
    #[arg(long)]
    pub no_config: bool,
    /// Print the settings as a configuration, and exit
    #[arg(long)]
    pub print_config: bool,
}
