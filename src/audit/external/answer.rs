//! The answer for one URL.

use std::fmt;

use ::url::Url;

use crate::audit::site::server::Permanence;

/// The error of a file that is no list of answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidStatuses {
    line: usize,
    what: String,
}

impl InvalidStatuses {
    pub(super) fn new(line: usize, what: impl Into<String>) -> Self {
        Self { line, what: what.into() }
    }
}

impl fmt::Display for InvalidStatuses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

impl std::error::Error for InvalidStatuses {}

/// The answer for a URL. If a file has several, the least counts, whatever their order: a retry may
/// succeed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Answer {
    /// It works. Permanent redirects alone lead to this URL, if there is one.
    Works(Option<Box<str>>),
    /// A redirect that the checker did not follow; the answer for `to` counts.
    Redirects {
        permanence: Permanence,
        to: Box<str>,
    },
    /// The checker did not request it, or does not know whether it works.
    Skipped,
    Broken(FailedRequest),
}

/// A request that failed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct FailedRequest {
    /// The status of the answer, if there was one.
    pub(crate) status: Option<u16>,
    /// The words of the checker.
    pub(super) text: Box<str>,
    /// The URL that redirects lead to, if there are any.
    pub(crate) end: Option<Box<str>>,
}

/// The most characters of a checker's text that are kept.
pub(super) const MAX_TEXT: usize = 200;

impl FailedRequest {
    pub(super) fn new(status: Option<u16>, text: &str, end: Option<&str>) -> Self {
        let text = text.chars().take(MAX_TEXT).collect::<String>().into();
        Self { status: status.filter(|&status| status != 0), text, end: end.map(Into::into) }
    }

    /// Whether a checker of fragments may have found the page without its fragment.
    pub(super) fn may_be_of_fragment(&self) -> bool {
        self.status.map_or(!self.text.is_empty(), |status| status < 400)
    }

    /// What failed, in words.
    pub(crate) fn message(&self) -> String {
        match self.status {
            Some(status @ 400..) => format!("the server answers {status}"),
            Some(status) => format!("the link checker reports status {status} as broken"),
            None if self.text.is_empty() => "no answer".to_owned(),
            None => format!("the link checker reports '{}'", self.text),
        }
    }
}

/// A URL as a link checker requests it, with its fragment: by the URL Standard, without user and
/// password; `None` unless it is http(s) with a host.
pub(crate) fn requested_url(url: &str) -> Option<Url> {
    let mut url = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    // Both succeed for a URL with a host.
    url.set_username("").ok()?;
    url.set_password(None).ok()?;
    Some(url)
}

/// A URL up to its fragment.
pub(super) fn without_fragment(url: &str) -> &str {
    url.split('#').next().unwrap_or(url)
}

/// The answer of a status of HTTP alone: 429 (too many requests) and what HTTP does not define say
/// nothing about the URL.
pub(super) fn answer_of(url: &str, status: u16, end: Option<&str>) -> Answer {
    // A redirect to the URL itself is a circle, and one to a fragment of it is none.
    let is_circle = end == Some(url) && (300..=399).contains(&status);
    let end = end.and_then(requested_url).map(String::from);
    let leads_elsewhere = |end: &&str| {
        let own = requested_url(url);
        let is_other =
            own.is_some_and(|own| without_fragment(own.as_str()) != without_fragment(end));
        is_other || is_circle
    };
    let end = end.as_deref().filter(leads_elsewhere);
    match (status, end) {
        (300..=399, Some(to)) => {
            Answer::Redirects { permanence: permanence(status), to: to.into() }
        }
        (100..=399, _) => Answer::Works(None),
        (429 | 600.., _) => Answer::Skipped,
        _ => Answer::Broken(FailedRequest::new(Some(status), "", end)),
    }
}

pub(super) fn permanence(status: u16) -> Permanence {
    if matches!(status, 301 | 308) { Permanence::Permanent } else { Permanence::Temporary }
}
