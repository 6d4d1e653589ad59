//! Which records of a web archive are read, as it is typed.

use std::ops::RangeInclusive;

use absolve::audit::LinkPattern;
use absolve::batch::InvalidGlob;
use absolve::container::warc::RecordSelection;

/// Which records of a web archive are read.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Web archives")]
pub(crate) struct RecordArgs {
    /// Read only responses with this status, such as 200 or 200-299
    #[arg(long, value_name = "STATUS,...", value_delimiter = ',', value_parser = statuses)]
    status: Vec<RangeInclusive<u16>>,
    /// Read only documents of this media type, such as text/html or text/*
    #[arg(long, value_name = "TYPE,...", value_delimiter = ',', value_parser = media_type)]
    mime: Vec<String>,
    /// Read only records whose URL matches; * is any text
    #[arg(long, value_name = "PATTERN", value_parser = pattern)]
    url: Vec<LinkPattern>,
    /// Read only records of this type, such as response
    #[arg(long = "type", value_name = "TYPE,...", value_delimiter = ',')]
    kind: Vec<String>,
    /// Do not read style sheets, only pages
    #[arg(long)]
    no_css: bool,
}

impl RecordArgs {
    /// The selection of the library.
    pub(crate) fn selection(&self) -> RecordSelection {
        let mut selection = RecordSelection::default();
        for statuses in &self.status {
            selection = selection.status(statuses.clone());
        }
        for media_type in &self.mime {
            selection = selection.media_type(media_type);
        }
        for pattern in self.url.clone() {
            selection = selection.url(move |url| pattern.matches(url, None));
        }
        if self.no_css {
            selection = selection.without_style_sheets();
        }
        self.kind.iter().fold(selection, |selection, kind| selection.kind(kind.as_str()))
    }

    /// The first option that was given, with advice for files that have no records.
    pub(crate) fn for_archives(&self) -> Option<&'static str> {
        let given = [
            (!self.status.is_empty(), "--status is for a web archive"),
            (!self.mime.is_empty(), "--mime is for a web archive"),
            (
                !self.url.is_empty(),
                "--url selects records of a web archive; give --base-url for the URL of a document or a site",
            ),
            (!self.kind.is_empty(), "--type is for a web archive"),
            (self.no_css, "--no-css is for a web archive"),
        ];
        given.into_iter().find_map(|(is_given, what)| is_given.then_some(what))
    }
}

/// A status, or a range of them.
fn statuses(text: &str) -> Result<RangeInclusive<u16>, String> {
    let status = |text: &str| {
        let status = text.parse().ok().filter(|status| (100..=999).contains(status));
        status.ok_or_else(|| "expected a status such as 200, or a range such as 200-299".to_owned())
    };
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let range = status(first)?..=status(last)?;
    if range.is_empty() { Err(format!("'{text}' contains no status")) } else { Ok(range) }
}

fn media_type(text: &str) -> Result<String, String> {
    let is_type = text.split_once('/').is_some_and(|(kind, rest)| {
        !kind.is_empty() && !rest.is_empty() && !text.contains([' ', ';'])
    });
    if is_type { Ok(text.to_owned()) } else { Err("expected a type such as text/html".to_owned()) }
}

fn pattern(text: &str) -> Result<LinkPattern, InvalidGlob> {
    LinkPattern::new(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_one_or_a_range() {
        assert_eq!(statuses("200"), Ok(200..=200));
        assert_eq!(statuses("200-299"), Ok(200..=299));
        for wrong in ["", "20", "2xx", "299-200", "200-", "1000"] {
            assert!(statuses(wrong).is_err(), "{wrong}");
        }
    }
}
