//! Reads the reports of link checkers: lychee, linkinator, or tab-separated lines.

use std::borrow::Cow;
use std::collections::HashSet;
use std::collections::hash_map::Entry;
use std::fmt;

use ::url::Url;
use absolve::Link;
use serde::Deserialize;

use crate::{HashMap, Permanence, is_requested, takes_both_hrefs};

/// Maximum redirects that are followed in a row, as in browsers
/// ([fetch](https://fetch.spec.whatwg.org/#http-redirect-fetch)).
pub(crate) const MAX_REDIRECTS: usize = 20;

/// The answers that a link checker got for URLs outside the site.
///
/// ```
/// use absolve_site::ExternalStatuses;
///
/// let statuses = ExternalStatuses::parse(b"https://example.org/gone\t404\n")?;
/// assert_eq!(statuses.len(), 1);
/// # Ok::<(), absolve_site::InvalidStatuses>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct ExternalStatuses {
    /// The answers by [`requested_url`].
    answers: HashMap<Box<str>, CheckedAnswer>,
    /// The URLs, without fragments, that have answers about one of their fragments.
    with_fragment_answers: HashSet<Box<str>>,
}

/// The state of a URL outside the site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ExternalStatus<'a> {
    /// The URL works, or the checker skipped it.
    Good,
    Broken(FailedRequest),
    /// Permanent redirects lead to this URL.
    Moved(&'a str),
    Unchecked,
}

/// Returns the URL that a link checker requests for a link, without its fragment; `None` if the
/// link does not leave the site, or browsers do not request its URL.
#[doc(hidden)]
pub fn external_url(link: &Link<'_>, leads_out: impl FnOnce(&str) -> bool) -> Option<String> {
    // Browsers follow the `href` of the element instead.
    let is_overridden = link.attribute() == "xlink:href"
        && takes_both_hrefs(link.element())
        && link.sibling("href").is_some();
    let mut url = requested_url(link.url().filter(|_| !is_overridden)?)?;
    let is_external = leads_out(url.as_str())
        && is_requested(link.element(), link.attribute(), link.sibling("rel").as_deref());
    url.set_fragment(None);
    is_external.then(|| url.into())
}

impl ExternalStatuses {
    /// Parses the report of a link checker: JSON of lychee or linkinator, or lines that each have a
    /// URL, a tab and a status, and after a redirect another tab and its URL. URLs that are not
    /// http(s) are skipped.
    ///
    /// # Errors
    ///
    /// If the bytes are not UTF-8, or have neither form.
    pub fn parse(bytes: &[u8]) -> Result<Self, InvalidStatuses> {
        let text = str::from_utf8(bytes).map_err(|error| {
            let before = &bytes[..error.valid_up_to()];
            let line = 1 + memchr::memchr_iter(b'\n', before).count();
            InvalidStatuses::new(line, "it is not UTF-8; save it as UTF-8")
        })?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut statuses = Self::default();
        if text.trim_start().starts_with(['{', '[']) {
            read_json(text, &mut |url, answer| statuses.add(url, answer))?;
        } else {
            read_tsv(text, &mut |url, answer| statuses.add(url, answer))?;
        }
        Ok(statuses)
    }

    /// Returns the number of URLs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.answers.len()
    }

    /// Whether there is no URL.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.answers.is_empty()
    }

    fn add(&mut self, url: &str, answer: CheckedAnswer) {
        let Some(mut url) = requested_url(url) else { return };
        let concerns_fragment = url.fragment().is_some()
            && matches!(&answer, CheckedAnswer::Broken(failure) if failure.may_concern_fragment());
        if concerns_fragment {
            self.with_fragment_answers.insert(without_fragment(url.as_str()).into());
        } else {
            url.set_fragment(None);
        }
        match self.answers.entry(String::from(url).into()) {
            Entry::Occupied(mut occupied) => {
                if answer < *occupied.get() {
                    *occupied.get_mut() = answer;
                }
            }
            Entry::Vacant(vacant) => _ = vacant.insert(answer),
        }
    }

    /// Returns the state of a URL; `None` if no link checker requests it.
    pub(crate) fn status(&self, url: &str) -> Option<ExternalStatus<'_>> {
        let url = requested_url(url)?;
        let key = without_fragment(url.as_str());
        let fragment_answer =
            self.with_fragment_answers.contains(key).then(|| self.answers.get(url.as_str()));
        let Some(mut answer) = fragment_answer.flatten().or_else(|| self.answers.get(key)) else {
            return Some(ExternalStatus::Unchecked);
        };
        let (mut to, mut permanence) = (None, Permanence::Permanent);
        for _ in 0..=MAX_REDIRECTS {
            match answer {
                CheckedAnswer::Redirects { permanence: next_permanence, to: next } => {
                    to = Some(&**next);
                    permanence = permanence.min(*next_permanence);
                    match self.answers.get(without_fragment(next)) {
                        Some(known) => answer = known,
                        None => return Some(judge_redirects(key, to, permanence)),
                    }
                }
                CheckedAnswer::Works(end) => {
                    return Some(judge_redirects(key, end.as_deref().or(to), permanence));
                }
                CheckedAnswer::Skipped => return Some(judge_redirects(key, to, permanence)),
                CheckedAnswer::Broken(failure) => {
                    let end = failure.end.clone().or_else(|| to.map(Into::into));
                    return Some(ExternalStatus::Broken(FailedRequest { end, ..failure.clone() }));
                }
            }
        }
        let circle =
            FailedRequest::new(None, "it redirects in a circle, or more than 20 times", None);
        Some(ExternalStatus::Broken(circle))
    }

    /// Whether a link to a URL has no finding, whatever its fragment.
    pub(crate) fn is_good(&self, url: &str) -> bool {
        let has_fragment_answers = |url: &str| {
            !self.with_fragment_answers.is_empty()
                && requested_url(url).is_some_and(|url| {
                    self.with_fragment_answers.contains(without_fragment(url.as_str()))
                })
        };
        matches!(self.status(url), None | Some(ExternalStatus::Good)) && !has_fragment_answers(url)
    }
}

/// Judges a URL that works; `to` is the URL that redirects lead to, if there are any.
fn judge_redirects<'a>(
    url: &str,
    to: Option<&'a str>,
    permanence: Permanence,
) -> ExternalStatus<'a> {
    let to = to.filter(|to| permanence == Permanence::Permanent && without_fragment(to) != url);
    to.map_or(ExternalStatus::Good, ExternalStatus::Moved)
}

/// The error of a file that is not the report of a link checker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidStatuses {
    line: usize,
    problem: String,
}

impl InvalidStatuses {
    fn new(line: usize, problem: impl Into<String>) -> Self {
        Self { line, problem: problem.into() }
    }
}

impl fmt::Display for InvalidStatuses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.problem)
    }
}

impl std::error::Error for InvalidStatuses {}

/// The answer for a URL. If a report has several answers, the first in the order of the variants
/// applies, as a retry may succeed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum CheckedAnswer {
    /// The URL works. Permanent redirects alone lead to this URL, if there is one.
    Works(Option<Box<str>>),
    /// A redirect that the checker did not follow; the answer for `to` applies.
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
    /// The text of the checker.
    text: Box<str>,
    /// The URL that redirects lead to, if there are any.
    pub(crate) end: Option<Box<str>>,
}

/// Maximum length of a checker's text that is kept, in characters.
const MAX_TEXT: usize = 200;

impl FailedRequest {
    fn new(status: Option<u16>, text: &str, end: Option<&str>) -> Self {
        let text = text.chars().take(MAX_TEXT).collect::<String>().into();
        Self { status: status.filter(|&status| status != 0), text, end: end.map(Into::into) }
    }

    /// Whether the checker may have found the page, but not the fragment in it.
    fn may_concern_fragment(&self) -> bool {
        self.status.map_or(!self.text.is_empty(), |status| status < 400)
    }

    /// Returns the message about the failure.
    pub(crate) fn message(&self) -> String {
        match self.status {
            Some(status @ 400..) => format!("the server answers {status}"),
            Some(status) => format!("the link checker reports status {status} as broken"),
            None if self.text.is_empty() => "no answer".to_owned(),
            None => format!("the link checker reports '{}'", self.text),
        }
    }
}

/// Parses a URL as a link checker requests it: by the URL Standard, without user and password. The
/// fragment stays. `None` unless the URL is http(s) with a host.
pub(crate) fn requested_url(url: &str) -> Option<Url> {
    let mut url = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    // Both calls succeed for a URL with a host.
    url.set_username("").ok()?;
    url.set_password(None).ok()?;
    Some(url)
}

/// Returns a URL without its fragment.
fn without_fragment(url: &str) -> &str {
    url.split('#').next().unwrap_or(url)
}

/// Judges a URL by its HTTP status and by `end`, the URL after redirects. The status 429 (too many
/// requests) and statuses that HTTP does not define say nothing about the URL.
fn judge_status(url: &str, status: u16, end: Option<&str>) -> CheckedAnswer {
    // A redirect to the URL itself is a circle, but not a redirect to its fragment.
    let is_circle = end == Some(url) && (300..=399).contains(&status);
    let end = end.and_then(requested_url).map(String::from);
    let leads_elsewhere = |end: &&str| {
        let requested = requested_url(url);
        let is_other =
            requested.is_some_and(|url| without_fragment(url.as_str()) != without_fragment(end));
        is_other || is_circle
    };
    let end = end.as_deref().filter(leads_elsewhere);
    match (status, end) {
        (300..=399, Some(to)) => {
            CheckedAnswer::Redirects { permanence: Permanence::from_status(status), to: to.into() }
        }
        (100..=399, _) => CheckedAnswer::Works(None),
        (429 | 600.., _) => CheckedAnswer::Skipped,
        _ => CheckedAnswer::Broken(FailedRequest::new(Some(status), "", end)),
    }
}

fn read_tsv(text: &str, add: &mut dyn FnMut(&str, CheckedAnswer)) -> Result<(), InvalidStatuses> {
    for (number, line) in (1..).zip(text.lines()) {
        let mut cells = line.split('\t').map(str::trim);
        let (url, status) = (cells.next().unwrap_or(""), cells.next());
        if url.is_empty() && status.is_none() {
            continue;
        }
        let is_status = |status: &&str| status.bytes().all(|byte| byte.is_ascii_digit());
        let status = status.filter(is_status).and_then(|status| status.parse().ok());
        let status = status.filter(|&status: &u16| status < 1000).ok_or_else(|| {
            let problem = "expected a URL, a tab and a status, such as 404, or the JSON of lychee \
                           or linkinator";
            InvalidStatuses::new(number, problem)
        })?;
        add(url, judge_status(url, status, cells.next()));
    }
    Ok(())
}

/// The JSON of linkinator or lychee.
#[derive(Deserialize)]
struct CheckerReport<'a> {
    /// The results of linkinator.
    #[serde(borrow)]
    links: Option<Vec<LinkinatorLink<'a>>>,
    #[serde(borrow, alias = "fail_map")]
    error_map: Option<LycheeResponses<'a>>,
    #[serde(borrow)]
    timeout_map: Option<LycheeResponses<'a>>,
    #[serde(borrow)]
    success_map: Option<LycheeResponses<'a>>,
    /// Only up to lychee 0.23; newer versions have the same redirects in the other maps.
    #[serde(borrow)]
    redirect_map: Option<LycheeResponses<'a>>,
    #[serde(borrow)]
    excluded_map: Option<LycheeResponses<'a>>,
    #[serde(borrow)]
    unsupported_map: Option<LycheeResponses<'a>>,
}

#[derive(Deserialize)]
struct LinkinatorLink<'a> {
    #[serde(borrow)]
    url: Cow<'a, str>,
    /// 0 if there was no answer.
    status: Option<u16>,
    #[serde(borrow)]
    state: Option<Cow<'a, str>>,
}

/// The answers of lychee, by the file that has the links.
type LycheeResponses<'a> = HashMap<Cow<'a, str>, Vec<LycheeResponse<'a>>>;

#[derive(Deserialize)]
struct LycheeResponse<'a> {
    /// A redirect of lychee 0.24 has no URL.
    #[serde(borrow)]
    url: Option<Cow<'a, str>>,
    #[serde(borrow)]
    status: Option<LycheeStatus<'a>>,
    #[serde(borrow)]
    redirects: Option<LycheeRedirects<'a>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum LycheeStatus<'a> {
    Text(#[serde(borrow)] Cow<'a, str>),
    Object {
        #[serde(borrow)]
        text: Option<Cow<'a, str>>,
        code: Option<u16>,
        #[serde(borrow)]
        redirects: Option<LycheeRedirects<'a>>,
    },
}

#[derive(Deserialize)]
#[serde(untagged)]
enum LycheeRedirects<'a> {
    Chain {
        #[serde(borrow)]
        redirects: Vec<LycheeHop<'a>>,
    },
    Hops(#[serde(borrow)] Vec<LycheeHop<'a>>),
    Urls(#[serde(borrow)] Vec<Cow<'a, str>>),
}

#[derive(Deserialize)]
struct LycheeHop<'a> {
    #[serde(borrow)]
    url: Cow<'a, str>,
    code: u16,
}

/// The meaning of the answers in a map of lychee.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LycheeMap {
    Works,
    Fails,
    Skipped,
}

fn read_json(text: &str, add: &mut dyn FnMut(&str, CheckedAnswer)) -> Result<(), InvalidStatuses> {
    let report: CheckerReport<'_> = serde_json::from_str(text).map_err(|error| {
        let (line, problem) = (error.line(), error.to_string());
        // serde_json appends the position, which the error shows itself.
        let problem = problem.rsplit_once(" at line ").map_or(&*problem, |(text, _)| text);
        let problem = format!("{problem}; expected the JSON of lychee or linkinator");
        InvalidStatuses::new(line, problem)
    })?;
    let maps = [
        (report.success_map, LycheeMap::Works),
        (report.redirect_map, LycheeMap::Works),
        (report.error_map, LycheeMap::Fails),
        (report.timeout_map, LycheeMap::Fails),
        (report.excluded_map, LycheeMap::Skipped),
        (report.unsupported_map, LycheeMap::Skipped),
    ];
    if report.links.is_none() && maps.iter().all(|(responses, _)| responses.is_none()) {
        let problem = "it has no key of lychee's JSON, such as 'error_map', and no 'links', as \
                       linkinator's has";
        return Err(InvalidStatuses::new(1, problem));
    }
    for LinkinatorLink { url, status, state } in report.links.into_iter().flatten() {
        let status = status.unwrap_or(0);
        let answer = match state.as_deref() {
            Some("OK") => CheckedAnswer::Works(None),
            Some("SKIPPED") => CheckedAnswer::Skipped,
            Some("BROKEN") => CheckedAnswer::Broken(FailedRequest::new(Some(status), "", None)),
            _ => judge_status(&url, status, None),
        };
        add(&url, answer);
    }
    for (responses, map) in maps {
        for response in responses.into_iter().flat_map(HashMap::into_values).flatten() {
            if let Some(url) = &response.url {
                add(url, response.to_answer(map));
            }
        }
    }
    Ok(())
}

impl LycheeResponse<'_> {
    fn to_answer(&self, map: LycheeMap) -> CheckedAnswer {
        let (text, code, status_redirects) = match &self.status {
            Some(LycheeStatus::Text(text)) => (&**text, None, None),
            Some(LycheeStatus::Object { text, code, redirects }) => {
                (text.as_deref().unwrap_or(""), *code, redirects.as_ref())
            }
            None => ("", None, None),
        };
        let redirects = self.redirects.as_ref().or(status_redirects);
        let end = redirects.and_then(LycheeRedirects::find_end);
        match map {
            LycheeMap::Works => {
                let end = end.filter(|(_, permanence)| *permanence == Permanence::Permanent);
                CheckedAnswer::Works(end.map(|(url, _)| url))
            }
            LycheeMap::Fails => {
                let end = end.as_ref().map(|(url, _)| &**url);
                CheckedAnswer::Broken(FailedRequest::new(code, text, end))
            }
            LycheeMap::Skipped => CheckedAnswer::Skipped,
        }
    }
}

impl LycheeRedirects<'_> {
    /// Returns the last URL; it is permanent if all redirects are known to be.
    fn find_end(&self) -> Option<(Box<str>, Permanence)> {
        let (url, permanence) = match self {
            Self::Chain { redirects } | Self::Hops(redirects) => {
                let permanences = redirects.iter().map(|hop| Permanence::from_status(hop.code));
                (&redirects.last()?.url, permanences.min()?)
            }
            Self::Urls(urls) => (urls.last()?, Permanence::Temporary),
        };
        Some((String::from(requested_url(url)?).into(), permanence))
    }
}

#[cfg(test)]
mod tests;
