//! Parses the command line, and explains arguments that look like something else.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::{ArgMatches, Args as _, FromArgMatches};

use super::rewrite::BACKUP_OPTION;
use super::{
    Args, AuditArgs, ExtractArgs, GeneralArgs, LinksArgs, ResolveArgs, RewriteArgs, advise_on_url,
    is_url,
};

/// A command line, and the values of its options as clap reads them.
#[derive(Debug, Clone)]
pub struct CommandLine {
    /// The name of the program, then all arguments.
    pub typed: Vec<OsString>,
    pub matches: ArgMatches,
    command: String,
}

impl CommandLine {
    /// Parses a command line. A folder that ends the list of `--report-only` becomes the PATH.
    pub fn parse(mut typed: Vec<OsString>) -> Result<(Args, Self), clap::Error> {
        let (mut args, mut matches) = parse_arguments(&typed)?;
        if let Some(position) = find_folder_after_list(&typed, &matches) {
            let folder = typed.remove(position);
            typed.extend(["--".into(), folder]);
            (args, matches) = parse_arguments(&typed)?;
        }
        let (command, matches) = matches.remove_subcommand().unwrap_or_default();
        Ok((args, Self { typed, matches, command }))
    }

    /// Advises on a path that does not exist, if it looks like a URL, a pattern or a suffix.
    pub fn explain_misread(&self, path: &Path) -> Option<String> {
        let text = path.to_str()?;
        if is_url(path) {
            return Some(advise_on_url(&self.command));
        }
        let is_suffix =
            self.typed.windows(2).any(|pair| pair[0] == BACKUP_OPTION && pair[1] == *text);
        if !(is_suffix || text.contains(['*', '[', '{'])) || path.exists() {
            return None;
        }
        Some(match Path::new(text).file_name().and_then(OsStr::to_str) {
            _ if is_suffix => {
                format!("no such file; a suffix follows an equals sign: {BACKUP_OPTION}={text}")
            }
            Some(name) if matches!(&*self.command, "rewrite" | "links") => format!(
                "no such file, and absolve expands no pattern; leave out the quotes around it, or give \
                 its folder and --include '{name}'"
            ),
            _ => "no such file, and absolve expands no pattern; leave out the quotes around it"
                .into(),
        })
    }
}

fn parse_arguments(typed: &[OsString]) -> Result<(Args, ArgMatches), clap::Error> {
    match parse_with_typed_command(typed) {
        Some(parsed) => Ok(parsed),
        None => parse_with_all_commands(typed),
    }
}

/// Returns the position of a folder that clap read as the last file of `--report-only`, if no PATH
/// was given. The option takes files, so the folder is the PATH.
fn find_folder_after_list(typed: &[OsString], matches: &ArgMatches) -> Option<usize> {
    let ("audit", audit) = matches.subcommand()? else { return None };
    if audit.contains_id("paths") || !audit.contains_id("report_only") {
        return None;
    }
    let mut values = audit.get_raw("report_only")?;
    let last = values.next_back().filter(|_| values.next_back().is_some())?;
    Path::new(last).is_dir().then(|| typed.iter().rposition(|arg| arg == last)).flatten()
}

fn parse_with_all_commands(typed: &[OsString]) -> Result<(Args, ArgMatches), clap::Error> {
    let mut command = super::command();
    let matches = command.try_get_matches_from_mut(typed)?;
    let args = Args::from_arg_matches(&matches).map_err(|error| error.format(&mut command))?;
    Ok((args, matches))
}

/// Parses with the options of the typed command alone. Returns `None` if the first word is not a
/// command, and for mistakes and help, whose texts need all commands.
///
/// Building the options of all commands takes 0.5 of the 2.5 million instructions of a process that
/// rewrites a page of 5 kB (`valgrind --tool=callgrind`).
fn parse_with_typed_command(typed: &[OsString]) -> Option<(Args, ArgMatches)> {
    let name = typed.get(1)?.to_str()?;
    let augment = match name {
        "rewrite" => RewriteArgs::augment_args,
        "links" => LinksArgs::augment_args,
        "audit" => AuditArgs::augment_args,
        "resolve" => ResolveArgs::augment_args,
        "extract" => ExtractArgs::augment_args,
        _ => return None,
    };
    let command = clap::Command::new("absolve")
        .version(super::VERSION)
        .disable_help_flag(true)
        .disable_version_flag(true)
        .subcommand(augment(clap::Command::new(name.to_owned())));
    let matches = GeneralArgs::augment_args(command).try_get_matches_from(typed).ok()?;
    let args = Args::from_arg_matches(&matches).ok()?;
    Some((args, matches))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_well_formed() {
        crate::args::command().debug_assert();
    }

    #[test]
    fn paths_are_read_alike() {
        let command = crate::args::command();
        let options = command.get_subcommands().flat_map(clap::Command::get_arguments);
        let parsers = options.map(|option| (option, format!("{:?}", option.get_value_parser())));
        let parsers: Vec<_> = parsers.filter(|(_, parser)| parser.contains("ath")).collect();
        assert!(parsers.len() > 20, "{}", parsers.len());
        for (option, parser) in parsers {
            assert_ne!(
                parser,
                "ValueParser::path_buf",
                "{}: value_parser = path()",
                option.get_id()
            );
        }
    }

    #[test]
    fn the_options_of_one_command_are_read_as_those_of_all() {
        for line in [
            "rewrite -b http://h/ x.html",
            "rewrite -q --color never --include *.php --exclude x . -o y",
            "links --as xml -v - --only a:href",
            "audit --base-url http://h/ --rule broken-link=warn x",
            "resolve --compare http://h/ a b",
            "extract x.warc!@0",
        ] {
            let typed: Vec<_> = ["absolve"].into_iter().chain(line.split(' ')).collect();
            let typed: Vec<_> = typed.into_iter().map(OsString::from).collect();
            let (narrow, _) = parse_with_typed_command(&typed).unwrap();
            let (full, _) = parse_with_all_commands(&typed).unwrap();
            assert_eq!(format!("{narrow:?}"), format!("{full:?}"), "{line}");
        }
    }

    #[test]
    fn mistakes_help_and_words_before_the_command_need_all_options() {
        for line in ["", "rewrite --nothing", "rewrite -h", "links --version", "-q links x", "man"]
        {
            let typed = ["absolve"].into_iter().chain(line.split_whitespace());
            let typed: Vec<_> = typed.map(OsString::from).collect();
            assert!(parse_with_typed_command(&typed).is_none(), "{line}");
        }
    }
}
