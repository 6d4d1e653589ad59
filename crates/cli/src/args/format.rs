//! `--format`: the reports to write, and their files.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use absolve_site::report::Format;
use clap::builder::{OsStringValueParser, PossibleValue, TypedValueParser};
use clap::{Arg, Command};

use crate::terminal::printable_path;

/// A report format, and its file; `None` is stdout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormatArg {
    pub format: Format,
    pub file: Option<PathBuf>,
}

impl FormatArg {
    /// Parses `NAME` or `NAME=FILE`; `-` and `/dev/stdout` are stdout.
    pub fn parse(value: &OsStr) -> Option<Self> {
        for &format in Format::ALL {
            let value = value.as_encoded_bytes();
            let Some(rest) = value.strip_prefix(format.name().as_bytes()) else { continue };
            let file = match rest {
                b"" | b"=-" | b"=/dev/stdout" => None,
                b"=" => return None,
                [b'=', file @ ..] => {
                    Some(absolve_files::with_slashes(absolve_files::path_of(file)?))
                }
                // The typed name is longer: `json` is a prefix of `jsonl`.
                _ => continue,
            };
            return Some(Self { format, file });
        }
        None
    }
}

/// Checks that no output overwrites another. `others` lists further options with their files.
///
/// # Errors
///
/// If two reports go to stdout, or two outputs to the same file.
pub fn reject_shared_outputs(
    formats: &[FormatArg],
    others: &[(&str, Option<&Path>)],
) -> Result<(), String> {
    let reports = formats.iter().map(|arg| ("--format", arg.file.as_deref()));
    let others = others.iter().filter(|(_, file)| file.is_some()).copied();
    let outputs: Vec<(&str, Option<&Path>)> = reports.chain(others).collect();
    for (number, &(option, file)) in outputs.iter().enumerate() {
        let is_shared = |(_, other): &&(&str, Option<&Path>)| match (file, *other) {
            (Some(file), Some(other)) => file == other || absolve_files::is_same_file(file, other),
            (file, other) => file == other,
        };
        let Some((earlier, _)) = outputs[..number].iter().find(is_shared) else { continue };
        return Err(match file.map(printable_path) {
            None => "only one report goes to stdout: give the others a file, \
                     as in --format sarif=FILE"
                .to_owned(),
            Some(file) if *earlier == option => format!("{file}: two reports go to this file"),
            Some(file) => format!("{file}: {earlier} and {option} need a file each"),
        });
    }
    Ok(())
}

/// Parses the value of `--format`.
#[derive(Debug, Clone, Copy)]
pub struct FormatParser;

impl TypedValueParser for FormatParser {
    type Value = FormatArg;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<FormatArg, clap::Error> {
        let names: Vec<_> = Format::ALL.iter().map(|format| format.name()).collect();
        let expected = format!("expected NAME or NAME=FILE, with one of {}", names.join(", "));
        let parse = move |value: OsString| FormatArg::parse(&value).ok_or(expected.clone());
        OsStringValueParser::new().try_map(parse).parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let describe = |format: &Format| PossibleValue::new(format.name()).help(format.summary());
        Some(Box::new(Format::ALL.iter().map(describe)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_parsed(value: &str, format: Format, file: Option<&str>) {
        let arg = FormatArg { format, file: file.map(PathBuf::from) };
        assert_eq!(FormatArg::parse(OsStr::new(value)), Some(arg), "{value}");
    }

    #[test]
    fn a_format_may_have_a_file() {
        assert_parsed("text", Format::Text, None);
        assert_parsed("json", Format::Json, None);
        assert_parsed("jsonl", Format::Jsonl, None);
        assert_parsed("sarif=-", Format::Sarif, None);
        assert_parsed("json=/dev/stdout", Format::Json, None);
        assert_parsed("json=a=b", Format::Json, Some("a=b"));
        assert_parsed("html=out/a.html", Format::Html, Some("out/a.html"));
        for value in ["", "xml", "tsv", "text=", "texts", "text:a", "Text", "=a"] {
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
                "invalid value 'xml' for '--format <format>': expected NAME or NAME=FILE, with one \
                 of text, concise, jsonl, json, "
            ),
            "{shown}"
        );
    }

    #[test]
    fn no_report_is_written_over_the_file_of_another_option() {
        let args = ["text", "json=a"].map(|value| FormatArg::parse(OsStr::new(value)).unwrap());
        let check_with = |history: &str, baseline: Option<&str>| {
            let others = [("--history", Some(history)), ("--baseline", baseline)];
            reject_shared_outputs(
                &args,
                &others.map(|(option, file)| (option, file.map(Path::new))),
            )
        };
        assert_eq!(check_with("b", Some("c")), Ok(()));
        assert_eq!(check_with("b", None), Ok(()));
        let error = "./a: --format and --history need a file each";
        assert_eq!(check_with("./a", None), Err(error.to_owned()));
        let error = "b: --history and --baseline need a file each";
        assert_eq!(check_with("b", Some("b")), Err(error.to_owned()));
    }

    #[test]
    fn no_report_is_written_over_another() {
        let args = |values: &[&str]| -> Vec<FormatArg> {
            values.iter().map(|value| FormatArg::parse(OsStr::new(value)).unwrap()).collect()
        };
        assert_eq!(reject_shared_outputs(&args(&["text", "json=a", "sarif=b"]), &[]), Ok(()));
        assert!(
            reject_shared_outputs(&args(&["text", "json=-"]), &[])
                .unwrap_err()
                .starts_with("only one report")
        );
        assert_eq!(
            reject_shared_outputs(&args(&["json=a", "sarif=a"]), &[]),
            Err("a: two reports go to this file".to_owned())
        );
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| {
            absolve_files::with_slashes(folder.path().join(name))
                .into_os_string()
                .into_string()
                .unwrap()
        };
        std::fs::create_dir(path("d")).unwrap();
        std::fs::write(path("b"), "").unwrap();
        let shared = |first: &str, second: &str| {
            let reports = [&*format!("text={}", path(first)), &format!("json={}", path(second))];
            reject_shared_outputs(&args(&reports), &[])
        };
        let mut pairs = vec![("a", "./a"), ("a", "d/../a"), ("b", "./b")];
        if cfg!(unix) {
            #[cfg(unix)]
            for (to, link) in [("a", "to-a"), ("b", "to-b"), ("d", "e"), ("../a", "d/to-a")] {
                std::os::unix::fs::symlink(to, path(link)).unwrap();
            }
            pairs.extend([("a", "to-a"), ("b", "to-b"), ("d/x", "e/x"), ("to-a", "e/to-a")]);
        }
        for (first, second) in pairs {
            let shown = path(second);
            let error = shared(first, second).unwrap_err();
            assert_eq!(error, format!("{shown}: two reports go to this file"), "{first} {second}");
        }
        assert_eq!(shared("a", "b"), Ok(()));
        assert_eq!(shared("a", "d/a"), Ok(()));
        assert_eq!(shared("x/a", "y/a"), Ok(()));
    }
}
