//! The answers that a link checker got for URLs outside the site.

mod json;
mod tsv;

use std::collections::HashSet;
use std::collections::hash_map::Entry;
use std::fmt;

use ::url::Url;

use crate::audit::hash::HashMap;
use crate::audit::site::server::Permanence;

/// The most redirects in a row that are followed, as in browsers
/// ([fetch](https://fetch.spec.whatwg.org/#http-redirect-fetch)).
pub(crate) const MAX_REDIRECTS: usize = 20;

/// The answers that a link checker got for URLs outside the site.
///
/// ```
/// use absolve::audit::ExternalStatuses;
///
/// let statuses = ExternalStatuses::parse(b"https://example.org/gone\t404\n")?;
/// assert_eq!(statuses.len(), 1);
/// # Ok::<(), absolve::audit::InvalidStatuses>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct ExternalStatuses {
    /// By [`requested_url`].
    answers: HashMap<Box<str>, Answer>,
    /// The URLs, without fragments, that have answers about one of their fragments.
    with_fragments: HashSet<Box<str>>,
}

/// The error of a file that is no list of answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidStatuses {
    line: usize,
    what: String,
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
enum Answer {
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
    text: Box<str>,
    /// The URL that redirects lead to, if there are any.
    pub(crate) end: Option<Box<str>>,
}

/// The most characters of a checker's text that are kept.
const MAX_TEXT: usize = 200;

impl FailedRequest {
    fn new(status: Option<u16>, text: &str, end: Option<&str>) -> Self {
        let text = text.chars().take(MAX_TEXT).collect::<String>().into();
        Self { status: status.filter(|&status| status != 0), text, end: end.map(Into::into) }
    }

    /// Whether a checker of fragments may have found the page without its fragment.
    fn may_be_of_fragment(&self) -> bool {
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

/// The state of a URL outside the site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ExternalStatus<'a> {
    /// It works, or the checker skipped it.
    Good,
    Broken(FailedRequest),
    /// Permanent redirects lead to this URL.
    Moved(&'a str),
    Unchecked,
}

impl ExternalStatuses {
    /// Reads what a link checker wrote: JSON of lychee or linkinator, or a URL, a tab and a status a
    /// line, with a tab and the URL of a redirect if there is one. URLs that are not http(s) are left
    /// out.
    ///
    /// # Errors
    ///
    /// If the bytes have neither form.
    pub fn parse(bytes: &[u8]) -> Result<Self, InvalidStatuses> {
        let text = str::from_utf8(bytes).map_err(|error| {
            let before = &bytes[..error.valid_up_to()];
            let what = "it is not UTF-8; save it as UTF-8".to_owned();
            InvalidStatuses { line: 1 + memchr::memchr_iter(b'\n', before).count(), what }
        })?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut statuses = Self::default();
        if text.trim_start().starts_with(['{', '[']) {
            json::read(text, &mut statuses)?;
        } else {
            tsv::read(text, &mut statuses)?;
        }
        Ok(statuses)
    }

    /// The number of URLs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.answers.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.answers.is_empty()
    }

    fn add(&mut self, url: &str, answer: Answer) {
        let Some(mut url) = requested_url(url) else { return };
        let is_of_fragment = url.fragment().is_some()
            && matches!(&answer, Answer::Broken(failure) if failure.may_be_of_fragment());
        if is_of_fragment {
            self.with_fragments.insert(without_fragment(url.as_str()).into());
        } else {
            url.set_fragment(None);
        }
        match self.answers.entry(String::from(url).into()) {
            Entry::Occupied(mut known) => {
                if answer < *known.get() {
                    *known.get_mut() = answer;
                }
            }
            Entry::Vacant(free) => {
                free.insert(answer);
            }
        }
    }

    /// The state of a URL; `None` for one that no checker requests.
    pub(crate) fn status(&self, url: &str) -> Option<ExternalStatus<'_>> {
        let url = requested_url(url)?;
        let key = without_fragment(url.as_str());
        let of_fragment = self.with_fragments.contains(key).then(|| self.answers.get(url.as_str()));
        let Some(mut answer) = of_fragment.flatten().or_else(|| self.answers.get(key)) else {
            return Some(ExternalStatus::Unchecked);
        };
        let (mut to, mut all) = (None, Permanence::Permanent);
        for _ in 0..=MAX_REDIRECTS {
            match answer {
                Answer::Redirects { permanence, to: next } => {
                    to = Some(&**next);
                    all = all.min(*permanence);
                    match self.answers.get(without_fragment(next)) {
                        Some(known) => answer = known,
                        None => return Some(moved(key, to, all)),
                    }
                }
                Answer::Works(end) => return Some(moved(key, end.as_deref().or(to), all)),
                Answer::Skipped => return Some(moved(key, to, all)),
                Answer::Broken(failure) => {
                    let end = failure.end.clone().or_else(|| to.map(Into::into));
                    return Some(ExternalStatus::Broken(FailedRequest { end, ..failure.clone() }));
                }
            }
        }
        let circle = FailedRequest::new(None, "it redirects in a circle", None);
        Some(ExternalStatus::Broken(circle))
    }

    /// Whether no link to a URL, whatever its fragment, has a finding.
    pub(crate) fn is_good(&self, url: &str) -> bool {
        let has_fragments = |url: &str| {
            !self.with_fragments.is_empty()
                && requested_url(url)
                    .is_some_and(|url| self.with_fragments.contains(without_fragment(url.as_str())))
        };
        matches!(self.status(url), None | Some(ExternalStatus::Good)) && !has_fragments(url)
    }
}

/// The state of a URL that works, after redirects to another.
fn moved<'a>(url: &str, to: Option<&'a str>, permanence: Permanence) -> ExternalStatus<'a> {
    let to = to.filter(|to| permanence == Permanence::Permanent && without_fragment(to) != url);
    to.map_or(ExternalStatus::Good, ExternalStatus::Moved)
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
fn without_fragment(url: &str) -> &str {
    url.split('#').next().unwrap_or(url)
}

/// The answer of a status of HTTP alone: 429 (too many requests) and what HTTP does not define say
/// nothing about the URL.
fn answer_of(url: &str, status: u16, end: Option<&str>) -> Answer {
    let end = end.and_then(requested_url).map(String::from);
    let own = requested_url(url);
    let own = own.as_ref().map_or(url, |own| without_fragment(own.as_str()));
    let end = end.as_deref().filter(|end| without_fragment(end) != own);
    match (status, end) {
        (300..=399, Some(to)) => {
            Answer::Redirects { permanence: permanence(status), to: to.into() }
        }
        (100..=399, _) => Answer::Works(None),
        (429 | 600.., _) => Answer::Skipped,
        _ => Answer::Broken(FailedRequest::new(Some(status), "", end)),
    }
}

fn permanence(status: u16) -> Permanence {
    if matches!(status, 301 | 308) { Permanence::Permanent } else { Permanence::Temporary }
}

#[cfg(test)]
mod tests;
