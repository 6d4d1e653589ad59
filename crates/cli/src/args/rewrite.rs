//! The arguments of `absolve rewrite`: the form of links, and the output.

use std::path::{Path, PathBuf};

use absolve::url::Maps;
use absolve::{Diagnosis, Form};
use absolve_files::{Globs, HardLinks, NotEmpty, OldFiles, OtherFiles, Sync, Walk, WriteMode};
use absolve_site::{OpenedBy, Profile};
use clap::builder::TypedValueParser;
use clap::{Arg, ArgGroup, ArgMatches, Command, ValueEnum};

use super::after_help;
use super::document::{BaseUrlArgs, DocumentArgs};
use super::inputs::{ConfigArgs, InputArgs};
use super::values::{Choice, choice, default_name, name_of, named, options, path};

use crate::terminal::Severity;

#[derive(Debug, clap::Args)]
#[command(after_help = after_help::REWRITE.exit_codes, after_long_help = after_help::REWRITE.long())]
pub struct RewriteArgs {
    #[command(flatten)]
    pub base: BaseUrlArgs,
    #[command(flatten)]
    pub inputs: InputArgs,
    #[command(flatten)]
    pub direction: DirectionArgs,
    #[command(flatten)]
    pub writing: WritingArgs,
    #[command(flatten)]
    pub config: ConfigArgs,
    #[command(flatten)]
    pub document: DocumentArgs,
}

impl RewriteArgs {
    /// Selects the documents of folders, with style sheets unless links only become absolute.
    pub fn globs(&self) -> Globs {
        let globs = self.inputs.globs();
        let takes_defaults = self.inputs.file_format.is_none();
        if takes_defaults && !self.direction.is_default() {
            return globs.with_style_sheets();
        }
        globs
    }

    /// Finds the files of a run.
    pub fn walk(&self, mode: WriteMode) -> Walk {
        Walk::new(mode).globs(self.globs()).other_files(self.writing.other_files())
    }
}

/// The form of links, and their moves.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Form of links")]
pub struct DirectionArgs {
    /// Form of links [default: absolute; with --map, the one that they have]
    ///
    /// With --map, and in other forms than absolute, style sheets of folders are documents too.
    #[arg(long, value_name = "FORM", value_parser = choice(FORMS))]
    to: Option<(Form, OpenedBy)>,
    /// Server whose rules find the files of links [default: plain]
    ///
    /// It is for --to relative and --to offline.
    #[arg(long, value_name = "NAME", value_parser = profile_parser())]
    server: Option<Profile>,
    /// Move links: URLs beneath OLD are beneath NEW
    ///
    /// The longest OLD counts, once for each link.
    #[arg(long, value_name = "OLD=NEW", value_parser = parse_map)]
    map: Vec<(String, String)>,
    /// File that lists moves as --map has them, one per line: OLD, tab, NEW
    #[arg(long, value_name = "FILE", value_parser = path())]
    pub map_file: Option<PathBuf>,
}

/// The forms of links, each with the program that opens the pages.
const FORMS: &[Choice<(Form, OpenedBy)>] = &[
    Choice::new("absolute", (Form::Absolute, OpenedBy::Server), "Absolute URLs"),
    Choice::new(
        "relative",
        (Form::Relative, OpenedBy::Server),
        "Relative to the document, where the target is in the folder; else absolute",
    ),
    Choice::new(
        "offline",
        (Form::Relative, OpenedBy::File),
        "The same for a browser without a server: links to folders name files",
    ),
    Choice::new(
        "root-relative",
        (Form::RootRelative, OpenedBy::Server),
        "The path from the root of the host, for its own links; else absolute",
    ),
];

impl DirectionArgs {
    /// Returns the form of links in the output.
    pub fn form(&self) -> Form {
        let has_moves = !self.map.is_empty() || self.map_file.is_some();
        let default = if has_moves { Form::AsWritten } else { Form::Absolute };
        self.to.map_or(default, |(form, _)| form)
    }

    /// Whether links become absolute and none of them moves, as without these options.
    pub fn is_default(&self) -> bool {
        self.form() == Form::Absolute && self.map.is_empty() && self.map_file.is_none()
    }

    /// Returns whether a server or a browser opens the pages.
    pub fn opened_by(&self) -> OpenedBy {
        self.to.map_or(OpenedBy::Server, |(_, opened_by)| opened_by)
    }

    /// Returns the server whose rules find the files of links.
    pub fn server(&self) -> Profile {
        self.server.unwrap_or_default()
    }

    /// Returns the value of `--to`, or an empty text.
    pub fn form_name(&self) -> &'static str {
        self.to.map_or("", |form| name_of(FORMS, &form))
    }

    /// Returns the moves of `--map`.
    pub fn maps(&self) -> Result<Maps, absolve::url::InvalidMap> {
        let mut maps = Maps::new();
        for (old, new) in &self.map {
            maps.add(old, new)?;
        }
        Ok(maps)
    }

    /// Explains that `--server` does not apply to the form of links.
    pub fn explain_misplaced(&self) -> Option<Diagnosis> {
        let is_misplaced = self.server.is_some() && self.form() != Form::Relative;
        let problem = "{server} needs {to relative} or {to offline}";
        is_misplaced.then(|| Diagnosis::from_words(problem, &[]))
    }

    /// Returns the keys of a configuration that do not apply to the form of `--to`.
    pub fn overridden_keys(&self) -> &'static [&'static str] {
        match self.to {
            None | Some((Form::Relative, _)) => &[],
            Some(_) => &["server"],
        }
    }
}

fn parse_map(text: &str) -> Result<(String, String), String> {
    let (old, new) = Maps::split(text).ok_or("expected two absolute URLs, OLD=NEW")?;
    Maps::new().add(old, new).map_err(|error| error.to_string())?;
    Ok((old.to_owned(), new.to_owned()))
}

pub(super) fn profile_parser() -> impl TypedValueParser<Value = Profile> {
    named(Profile::ALL.iter().copied(), Profile::name)
}

#[derive(Debug, clap::Args)]
#[command(
    next_help_heading = "Output",
    group = ArgGroup::new(IN_PLACE)
        .args(["write", "check", "diff", "list_different", "dry_run"])
        .multiple(true)
)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
pub struct WritingArgs {
    /// Write to this file or folder instead of stdout
    #[arg(short, long, value_name = "PATH", value_parser = path())]
    pub output: Option<PathBuf>,
    /// Rewrite in place
    #[arg(short, long, short_alias = 'i', alias = "in-place", conflicts_with = "output")]
    pub write: bool,
    /// Write nothing; list the files that would change, with exit code 1 if any
    #[arg(long, help_heading = PREVIEW, conflicts_with_all = ["output", "write"])]
    pub check: bool,
    /// Write nothing; print a unified diff, with exit code 1 as for --check
    #[arg(long, help_heading = PREVIEW, conflicts_with_all = ["output", "write", "list_different"])]
    pub diff: bool,
    /// Print the paths of documents that change or would change
    #[arg(short, long, help_heading = PREVIEW)]
    pub list_different: bool,
    /// Do everything except writing
    #[arg(short = 'n', long, help_heading = PREVIEW)]
    pub dry_run: bool,
    #[command(flatten)]
    pub old_files: OldFileArgs<false>,
    /// Also copy files that are not documents
    #[arg(long, requires = "output", conflicts_with = "write")]
    copy_assets: bool,
    /// Replace the output file, or write into a folder that is not empty
    #[arg(long, requires = "output", conflicts_with = "write")]
    pub force: bool,
    /// Also rewrite files with other hard links, whose contents stay old
    #[arg(long, requires = IN_PLACE, conflicts_with = "output")]
    break_hardlinks: bool,
    /// Exit with code 1 if relative links stay for want of a base URL
    #[arg(long)]
    pub strict: bool,
    /// When to flush files to the disk before they are renamed into place
    #[arg(long, value_name = "WHEN", value_parser = choice(SYNC), default_value = default_name(SYNC))]
    pub sync: Sync,
    /// Print the summary as text or as JSON
    ///
    /// Text goes to stderr, and JSON to stdout, or to stderr if stdout has the document.
    #[arg(long, help_heading = PREVIEW, value_name = "FORMAT", value_enum, default_value_t)]
    pub stats: StatsArg,
}

const SYNC: &[Choice<Sync>] = &[
    Choice::new("auto", Sync::Auto, "With --write, and into a folder that is not empty"),
    Choice::new("always", Sync::Always, ""),
    Choice::new("never", Sync::Never, "Faster, but a crash of the machine can leave empty files"),
];

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum StatsArg {
    #[default]
    Text,
    Json,
}

/// The group of options that rewrite in place, or show what would change.
const IN_PLACE: &str = "in_place";

/// The heading of options that preview or summarize a run.
const PREVIEW: &str = "Preview and summary";

impl WritingArgs {
    /// Names the first given option that applies only to folders and lists.
    pub fn find_folder_option(&self) -> Option<Diagnosis> {
        let given = [(self.copy_assets, "{copy-assets}"), (self.sync != Sync::Auto, "{sync}")];
        let given = given.into_iter().find(|(is_given, _)| *is_given);
        given.map(|(_, option)| Diagnosis::from_words(option, &[]))
    }

    /// Returns the severity of relative links that stay in a document without a base URL.
    pub fn unresolved_severity(&self) -> Severity {
        if self.strict { Severity::Error } else { Severity::Warning }
    }

    /// Whether the run only shows what it would write.
    pub fn is_trial(&self) -> bool {
        let is_preview = self.check || self.diff || self.dry_run;
        is_preview || (self.list_different && !self.write && self.output.is_none())
    }

    /// Whether the document is written to stdout.
    pub fn is_to_stdout(&self) -> bool {
        let has_no_file = self.output.is_none() || self.names_stdout();
        has_no_file && !self.write && !self.is_trial()
    }

    /// Whether `--output` names stdout. Opening that name as a file would ignore the position that
    /// a shell shares with other programs for `>> FILE`.
    pub fn names_stdout(&self) -> bool {
        let names = ["-", "/dev/stdout"];
        self.output
            .as_deref()
            .is_some_and(|output| names.iter().any(|name| output == Path::new(name)))
    }

    pub fn other_files(&self) -> OtherFiles {
        if self.copy_assets { OtherFiles::Listed } else { OtherFiles::Ignored }
    }

    pub fn not_empty(&self) -> NotEmpty {
        if self.force { NotEmpty::Allowed } else { NotEmpty::Refused }
    }

    pub fn hard_links(&self) -> HardLinks {
        if self.break_hardlinks { HardLinks::Break } else { HardLinks::Skip }
    }
}

/// The option `--backup`: of `audit --fix` if `AUDIT`, else of `rewrite`.
#[derive(Debug)]
pub struct OldFileArgs<const AUDIT: bool>(pub OldFiles);

const BACKUP: &str = "backup";

/// The option on the command line, where `=` and the suffix may follow.
pub(super) const BACKUP_OPTION: &str = "--backup";

impl<const AUDIT: bool> OldFileArgs<AUDIT> {
    fn add(command: Command) -> Command {
        let arg = Arg::new(BACKUP)
            .long(BACKUP)
            .value_name("SUFFIX")
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value(".orig")
            .value_parser(OldFiles::with_suffix);
        command.arg(if AUDIT {
            let help = "With --fix: keep each old file with this suffix [default: .orig]";
            arg.help(help).requires("fix")
        } else {
            let help = "Keep each old file, with this suffix added to its name [default: .orig]";
            arg.help(help).requires("write").conflicts_with("output")
        })
    }

    fn read(matches: &ArgMatches) -> Self {
        Self(matches.get_one(BACKUP).cloned().unwrap_or_default())
    }
}

options!(OldFileArgs<AUDIT> where { const AUDIT: bool }, Self::add, Self::read);
