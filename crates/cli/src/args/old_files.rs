//! The option that keeps old files, which are replaced in place.

use absolve_files::OldFiles;
use clap::{Arg, ArgMatches, Command};

use super::ordered::options;

/// The treatment of old files, by a rewriting or by the fixes of an audit.
#[derive(Debug)]
pub struct OldFileArgs<const AUDIT: bool>(pub OldFiles);

const BACKUP: &str = "backup";

/// The option as it is typed, before an equals sign and its suffix.
pub(super) const SUFFIXED: &str = "--backup";

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
