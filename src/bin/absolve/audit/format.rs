//! Which reports are written, and where they go.

use std::ffi::OsStr;
use std::path::PathBuf;

use absolve::batch;
use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, ValueEnum};

/// How findings are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Grouped by page, with the source, for people
    Text,
    /// One JSON object a line
    Jsonl,
    /// One JSON document
    Json,
    /// SARIF 2.1.0, for code hosts
    Sarif,
    /// JUnit XML, one suite per page
    Junit,
    /// Workflow commands of GitHub Actions
    Github,
    /// A table in Markdown
    Markdown,
    /// Tab-separated values under a header
    Tsv,
}

impl Format {
    /// The extensions of a file that holds such a report, without the dot.
    pub(crate) fn extensions(self) -> &'static [&'static str] {
        match self {
            Self::Text | Self::Github => &["txt"],
            Self::Jsonl => &["jsonl"],
            Self::Json => &["json"],
            Self::Sarif => &["sarif", "json"],
            Self::Junit => &["xml"],
            Self::Markdown => &["md"],
            Self::Tsv => &["tsv"],
        }
    }
}

/// A format, and the file that it goes to; stdout without one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FormatArg {
    pub(crate) format: Format,
    pub(crate) file: Option<PathBuf>,
}

impl FormatArg {
    /// Reads `NAME` or `NAME=FILE`; `-` is stdout.
    pub(crate) fn parse(value: &OsStr) -> Option<Self> {
        for format in Format::value_variants() {
            let name = format.to_possible_value()?;
            let Some(rest) = strip_prefix(value, name.get_name()) else { continue };
            let file = match rest.as_encoded_bytes() {
                b"" | b"=-" => None,
                b"=" => return None,
                [b'=', ..] => Some(PathBuf::from(strip_prefix(rest, "=")?)),
                // The name is the beginning of another.
                _ => continue,
            };
            return Some(Self { format: *format, file });
        }
        None
    }
}

/// What stands behind a prefix.
#[cfg(unix)]
fn strip_prefix<'a>(value: &'a OsStr, prefix: &str) -> Option<&'a OsStr> {
    use std::os::unix::ffi::OsStrExt;
    value.as_bytes().strip_prefix(prefix.as_bytes()).map(OsStr::from_bytes)
}

/// What stands behind a prefix; of Unicode alone.
#[cfg(not(unix))]
fn strip_prefix<'a>(value: &'a OsStr, prefix: &str) -> Option<&'a OsStr> {
    value.to_str()?.strip_prefix(prefix).map(OsStr::new)
}

/// Refuses reports that would be written over each other.
///
/// # Errors
///
/// If two of them go to stdout, or to the same file.
pub(crate) fn apart(formats: &[FormatArg]) -> Result<(), String> {
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
                    let file = crate::output::printable(&file.to_string_lossy());
                    format!("{file}: two reports go to this file")
                }
            });
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
            let names = Format::value_variants().iter().filter_map(ValueEnum::to_possible_value);
            let names = names.map(|name| format!("{}[=FILE]", name.get_name())).collect();
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
        Some(Box::new(Format::value_variants().iter().filter_map(ValueEnum::to_possible_value)))
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
    fn what_is_no_format_is_told_with_those_there_are() {
        let arg = Arg::new("format").long("format").value_parser(FormatParser);
        let command = Command::new("audit").arg(arg);
        let error = command.try_get_matches_from(["audit", "--format", "xml"]).unwrap_err();
        let told = error.to_string();
        assert!(
            told.contains(
                "invalid value 'xml' for '--format <format>'\n  \
                 [possible values: text[=FILE], jsonl[=FILE], json[=FILE]"
            ),
            "{told}"
        );
    }

    #[test]
    fn no_report_is_written_over_another() {
        let args = |values: &[&str]| -> Vec<FormatArg> {
            values.iter().map(|value| FormatArg::parse(OsStr::new(value)).unwrap()).collect()
        };
        assert_eq!(apart(&args(&["text", "json=a", "sarif=b"])), Ok(()));
        assert!(apart(&args(&["text", "json=-"])).unwrap_err().starts_with("only one report"));
        assert_eq!(
            apart(&args(&["json=a", "sarif=a"])),
            Err("a: two reports go to this file".to_owned())
        );
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        std::fs::create_dir(path("d")).unwrap();
        std::fs::write(path("b"), "").unwrap();
        let shared = |one: &str, other: &str| {
            apart(&args(&[&format!("text={}", path(one)), &format!("json={}", path(other))]))
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
