//! The options that select records of a web archive.

use std::ops::RangeInclusive;

use absolve::{InvalidGlob, LinkPattern};
use absolve_archive::warc::RecordSelection;

/// The statuses, media types and URLs of the records to read.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Web archives")]
pub struct RecordArgs {
    /// Read only responses with this status, such as 200 or 200-299 [default: all]
    #[arg(long, value_name = "STATUS,...", value_delimiter = ',', value_parser = parse_statuses)]
    status: Vec<RangeInclusive<u16>>,
    /// Read only documents of this media type, such as text/html or text/*
    #[arg(long, value_name = "TYPE,...", value_delimiter = ',', value_parser = parse_media_type)]
    mime: Vec<String>,
    /// Read only records whose URL matches; * is any text
    #[arg(long, value_name = "PATTERN", value_parser = parse_pattern)]
    url: Vec<LinkPattern>,
}

impl RecordArgs {
    /// Converts the options to a selection of the library.
    pub fn selection(&self) -> RecordSelection {
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
        selection
    }

    /// Names the options that were given; `None` if all records are read.
    pub fn given_options(&self) -> Option<String> {
        let given: Vec<_> = self.list_given().collect();
        (!given.is_empty()).then(|| given.join(", "))
    }

    fn list_given(&self) -> impl Iterator<Item = &'static str> {
        let options = [
            ("--status", self.status.is_empty()),
            ("--mime", self.mime.is_empty()),
            ("--url", self.url.is_empty()),
        ];
        options.into_iter().filter(|(_, is_empty)| !is_empty).map(|(name, _)| name)
    }

    /// Explains that the first given option does not apply to files without records.
    pub fn explain_archives_only(&self) -> Option<String> {
        let option = self.list_given().next()?;
        Some(match option {
            "--url" => format!(
                "{option} selects records of a web archive; give --base-url for the URL of a \
                 document or a site"
            ),
            _ => format!("{option} is for a web archive"),
        })
    }
}

/// The value `all`: every record, including those without a status.
const ANY_STATUS: RangeInclusive<u16> = 0..=u16::MAX;

/// Parses a status, a range of statuses, or `all`.
fn parse_statuses(text: &str) -> Result<RangeInclusive<u16>, String> {
    let text = text.trim();
    if text == "all" {
        return Ok(ANY_STATUS);
    }
    let parse_status = |text: &str| {
        let status = text.trim().parse().ok().filter(|status| (100..=999).contains(status));
        let expected = "expected a status from 100 to 999, a range such as 200-299, or all";
        status.ok_or_else(|| expected.to_owned())
    };
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let range = parse_status(first)?..=parse_status(last)?;
    if range.is_empty() { Err(format!("'{text}' contains no status")) } else { Ok(range) }
}

fn parse_media_type(text: &str) -> Result<String, String> {
    let text = text.trim();
    let is_type = text.split_once('/').is_some_and(|(main_type, rest)| {
        let subtype = rest.strip_suffix('*').unwrap_or(rest);
        !main_type.is_empty()
            && !rest.is_empty()
            && !main_type.contains('*')
            && !subtype.contains(['*', '/'])
    });
    if is_type && !text.contains([' ', ';']) {
        return Ok(text.to_owned());
    }
    Err("expected a type such as text/html, or text/* for all that begin so".to_owned())
}

fn parse_pattern(text: &str) -> Result<LinkPattern, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("expected a URL, or a pattern such as 'http://example.org/*'".to_owned());
    }
    LinkPattern::new(text).map_err(|error: InvalidGlob| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_one_or_a_range() {
        assert_eq!(parse_statuses("200"), Ok(200..=200));
        assert_eq!(parse_statuses("200-299"), Ok(200..=299));
        assert_eq!(parse_statuses(" 200 - 299 "), Ok(200..=299));
        assert_eq!(parse_statuses("all"), Ok(ANY_STATUS));
        for wrong in ["", "20", "2xx", "299-200", "200-", "1000", "*"] {
            assert!(parse_statuses(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn values_may_have_spaces_around_them() {
        assert_eq!(parse_media_type(" text/html "), Ok("text/html".to_owned()));
        assert_eq!(parse_media_type("text/*"), Ok("text/*".to_owned()));
        assert!(parse_pattern(" http://h/* ").unwrap().matches("http://h/a", None));
    }

    #[test]
    fn values_that_no_document_has_are_refused() {
        for wrong in ["", "*", "*/*", "html", "text/", "/html", "text/html;charset=x", "text/*l"] {
            assert!(parse_media_type(wrong).is_err(), "{wrong}");
        }
        assert!(parse_pattern("").is_err() && parse_pattern(" ").is_err());
    }
}
