//! The values of `--format`: which reports are written, and where they go.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use absolve::batch;
use absolve::report::Format;
use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};

use crate::terminal::printable_path;

/// A format, and the file that it goes to; stdout without one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FormatArg {
    pub(crate) format: Format,
    pub(crate) file: Option<PathBuf>,
}

impl FormatArg {
    /// Reads `NAME` or `NAME=FILE`; `-` is stdout.
    pub(crate) fn parse(value: &OsStr) -> Option<Self> {
        for &format in Format::ALL {
            let Some(rest) = strip_prefix(value, format.name()) else { continue };
            let file = match rest.as_encoded_bytes() {
                b"" | b"=-" => None,
                b"=" => return None,
                [b'=', ..] => Some(PathBuf::from(strip_prefix(rest, "=")?)),
                // The name is the beginning of another.
                _ => continue,
            };
            return Some(Self { format, file });
        }
        None
    }
}

/// The text after a prefix.
#[cfg(unix)]
fn strip_prefix<'a>(value: &'a OsStr, prefix: &str) -> Option<&'a OsStr> {
    use std::os::unix::ffi::OsStrExt;
    value.as_bytes().strip_prefix(prefix.as_bytes()).map(OsStr::from_bytes)
}

/// The text after a prefix; Unicode only.
#[cfg(not(unix))]
fn strip_prefix<'a>(value: &'a OsStr, prefix: &str) -> Option<&'a OsStr> {
    value.to_str()?.strip_prefix(prefix).map(OsStr::new)
}

/// Refuses reports that would be written over each other.
///
/// # Errors
///
/// If two of them go to stdout, or to the same file.
pub(crate) fn reject_shared_outputs(formats: &[FormatArg]) -> Result<(), String> {
    for (number, one) in formats.iter().enumerate() {
        let is_shared = |other: &FormatArg| match (&one.file, &other.file) {
            (Some(one), Some(other)) => one == other || batch::is_same_file(one, other),
            (one, other) => one == other,
        };
        if formats[..number].iter().any(is_shared) {
            return Err(match &one.file {
                None => "only one report goes to stdout: give the others a file, \
                         as in --format sarif=FILE"
                    .to_owned(),
                Some(file) => {
                    let file = printable_path(file);
                    format!("{file}: two reports go to this file")
                }
            });
        }
    }
    Ok(())
}

/// Refuses a report that would be written over the file of another option, or that file over
/// another of them; an option and its file if it is given.
///
/// # Errors
///
/// If two of them are the same file.
pub(crate) fn reject_report_over(
    formats: &[FormatArg],
    others: &[(&str, Option<&Path>)],
) -> Result<(), String> {
    let reports = formats.iter().filter_map(|arg| Some(("--format", arg.file.as_deref()?)));
    let others = others.iter().filter_map(|&(option, file)| Some((option, file?)));
    let files: Vec<(&str, &Path)> = reports.chain(others).collect();
    for (number, &(option, file)) in files.iter().enumerate() {
        let is_shared = |&&(earlier, other): &&(&str, &Path)| {
            earlier != option && (file == other || batch::is_same_file(file, other))
        };
        if let Some((earlier, _)) = files[..number].iter().find(is_shared) {
            let file = printable_path(file);
            return Err(format!("{file}: {earlier} and {option} need a file each"));
        }
    }
    Ok(())
}

/// Reads the value of `--format`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FormatParser;

impl TypedValueParser for FormatParser {
    type Value = FormatArg;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<FormatArg, clap::Error> {
        FormatArg::parse(value).ok_or_else(|| {
            let mut error = clap::Error::new(ErrorKind::InvalidValue).with_cmd(command);
            let names = Format::ALL.iter().map(|format| format!("{format}[=FILE]")).collect();
            let value = value.to_string_lossy().into_owned();
            if let Some(arg) = arg {
                error.insert(ContextKind::InvalidArg, ContextValue::String(arg.to_string()));
            }
            error.insert(ContextKind::InvalidValue, ContextValue::String(value));
            error.insert(ContextKind::ValidValue, ContextValue::Strings(names));
            error
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let named = |format: &Format| PossibleValue::new(format.name()).help(format.summary());
        Some(Box::new(Format::ALL.iter().map(named)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn reads(value: &str, format: Format, file: Option<&str>) {
        let arg = FormatArg { format, file: file.map(PathBuf::from) };
        assert_eq!(FormatArg::parse(OsStr::new(value)), Some(arg), "{value}");
    }

    #[test]
    fn a_format_may_have_a_file() {
        reads("text", Format::Text, None);
        reads("json", Format::Json, None);
        reads("jsonl", Format::Jsonl, None);
        reads("sarif=-", Format::Sarif, None);
        reads("json=a=b", Format::Json, Some("a=b"));
        reads("tsv=out/a.tsv", Format::Tsv, Some("out/a.tsv"));
        for value in ["", "xml", "text=", "texts", "text:a", "Text", "=a"] {
            assert_eq!(FormatArg::parse(OsStr::new(value)), None, "{value}");
        }
    }

    #[test]
    fn an_unknown_format_is_refused_with_the_names_of_all() {
        let arg = Arg::new("format").long("format").value_parser(FormatParser);
        let command = Command::new("audit").arg(arg);
        let error = command.try_get_matches_from(["audit", "--format", "xml"]).unwrap_err();
        let shown = error.to_string();
        assert!(
            shown.contains(
                "invalid value 'xml' for '--format <format>'\n  \
                 [possible values: text[=FILE], jsonl[=FILE], json[=FILE]"
            ),
            "{shown}"
        );
    }

    #[test]
    fn no_report_is_written_over_the_file_of_another_option() {
        let args = ["text", "json=a"].map(|value| FormatArg::parse(OsStr::new(value)).unwrap());
        let over = |history: &str, baseline: Option<&str>| {
            let others = [("--history", Some(history)), ("--baseline", baseline)];
            reject_report_over(&args, &others.map(|(option, file)| (option, file.map(Path::new))))
        };
        assert_eq!(over("b", Some("c")), Ok(()));
        assert_eq!(over("b", None), Ok(()));
        let error = "./a: --format and --history need a file each";
        assert_eq!(over("./a", None), Err(error.to_owned()));
        let error = "b: --history and --baseline need a file each";
        assert_eq!(over("b", Some("b")), Err(error.to_owned()));
    }

    #[test]
    fn no_report_is_written_over_another() {
        let args = |values: &[&str]| -> Vec<FormatArg> {
            values.iter().map(|value| FormatArg::parse(OsStr::new(value)).unwrap()).collect()
        };
        assert_eq!(reject_shared_outputs(&args(&["text", "json=a", "sarif=b"])), Ok(()));
        assert!(
            reject_shared_outputs(&args(&["text", "json=-"]))
                .unwrap_err()
                .starts_with("only one report")
        );
        assert_eq!(
            reject_shared_outputs(&args(&["json=a", "sarif=a"])),
            Err("a: two reports go to this file".to_owned())
        );
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        std::fs::create_dir(path("d")).unwrap();
        std::fs::write(path("b"), "").unwrap();
        let shared = |one: &str, other: &str| {
            reject_shared_outputs(&args(&[
                &format!("text={}", path(one)),
                &format!("json={}", path(other)),
            ]))
        };
        let mut pairs = vec![("a", "./a"), ("a", "d/../a"), ("b", "./b")];
        if cfg!(unix) {
            #[cfg(unix)]
            for (to, link) in [("a", "to-a"), ("b", "to-b"), ("d", "e"), ("../a", "d/to-a")] {
                std::os::unix::fs::symlink(to, path(link)).unwrap();
            }
            pairs.extend([("a", "to-a"), ("b", "to-b"), ("d/x", "e/x"), ("to-a", "e/to-a")]);
        }
        for (one, other) in pairs {
            let shown = path(other);
            let error = shared(one, other).unwrap_err();
            assert_eq!(error, format!("{shown}: two reports go to this file"), "{one} {other}");
        }
        assert_eq!(shared("a", "b"), Ok(()));
        assert_eq!(shared("a", "d/a"), Ok(()));
        assert_eq!(shared("x/a", "y/a"), Ok(()));
    }
}
