//! Which records of a web archive are read, as it is typed.

use std::ops::RangeInclusive;

use absolve::audit::LinkPattern;
use absolve::batch::InvalidGlob;
use absolve::container::warc::RecordSelection;

use crate::args::nearest::nearest;

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
    /// Read only records of this type: response, resource or conversion
    #[arg(long = "type", value_name = "TYPE,...", value_delimiter = ',', value_parser = kind)]
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

    /// The options that select documents, as text; `None` if all are read.
    pub(crate) fn given(&self) -> Option<String> {
        let given = [
            (!self.status.is_empty(), "--status"),
            (!self.mime.is_empty(), "--mime"),
            (!self.url.is_empty(), "--url"),
            (!self.kind.is_empty(), "--type"),
        ];
        let given: Vec<_> = given.iter().filter(|(is, _)| *is).map(|(_, name)| *name).collect();
        (!given.is_empty()).then(|| given.join(", "))
    }

    /// Whether no successful response has a status that was given.
    pub(crate) fn is_of_unsuccessful(&self) -> bool {
        let is_other = |range: &RangeInclusive<u16>| *range.start() > 299 || *range.end() < 200;
        !self.status.is_empty() && self.status.iter().all(is_other)
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
    let text = text.trim();
    let status = |text: &str| {
        let status = text.trim().parse().ok().filter(|status| (100..=999).contains(status));
        let what = "expected a status from 100 to 999, or a range such as 200-299";
        status.ok_or_else(|| what.to_owned())
    };
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let range = status(first)?..=status(last)?;
    if range.is_empty() { Err(format!("'{text}' contains no status")) } else { Ok(range) }
}

fn media_type(text: &str) -> Result<String, String> {
    let text = text.trim();
    let is_type = text.split_once('/').is_some_and(|(kind, rest)| {
        let is_any = rest.strip_suffix('*').unwrap_or(rest);
        !kind.is_empty() && !rest.is_empty() && !kind.contains('*') && !is_any.contains(['*', '/'])
    });
    if is_type && !text.contains([' ', ';']) {
        return Ok(text.to_owned());
    }
    Err("expected a type such as text/html, or text/* for all that begin so".to_owned())
}

fn pattern(text: &str) -> Result<LinkPattern, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("expected a URL, or a pattern such as 'http://example.org/*'".to_owned());
    }
    LinkPattern::new(text).map_err(|error: InvalidGlob| error.to_string())
}

/// The types of records with documents.
const KINDS: &[&str] = &["response", "resource", "conversion"];

fn kind(text: &str) -> Result<String, String> {
    let kind = text.trim().to_ascii_lowercase();
    if KINDS.contains(&&*kind) {
        return Ok(kind);
    }
    let near = nearest(&kind, KINDS.iter().copied());
    let near = near.map_or_else(String::new, |near| format!("; did you mean {near}?"));
    Err(format!("expected response, resource or conversion, the records with documents{near}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_one_or_a_range() {
        assert_eq!(statuses("200"), Ok(200..=200));
        assert_eq!(statuses("200-299"), Ok(200..=299));
        assert_eq!(statuses(" 200 - 299 "), Ok(200..=299));
        for wrong in ["", "20", "2xx", "299-200", "200-", "1000", "*"] {
            assert!(statuses(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn values_may_have_spaces_around_them_and_any_case() {
        assert_eq!(kind(" Response"), Ok("response".to_owned()));
        assert_eq!(media_type(" text/html "), Ok("text/html".to_owned()));
        assert_eq!(media_type("text/*"), Ok("text/*".to_owned()));
        assert!(pattern(" http://h/* ").unwrap().matches("http://h/a", None));
    }

    #[test]
    fn values_that_no_document_has_are_refused() {
        for wrong in ["", "*", "*/*", "html", "text/", "/html", "text/html;charset=x", "text/*l"] {
            assert!(media_type(wrong).is_err(), "{wrong}");
        }
        assert!(pattern("").is_err() && pattern(" ").is_err());
        let types = "expected response, resource or conversion, the records with documents";
        for (wrong, near) in
            [("foo", ""), ("request", ""), ("responses", "; did you mean response?")]
        {
            assert_eq!(kind(wrong), Err(format!("{types}{near}")));
        }
    }
}
