//! The answers that a link checker got for URLs outside the site.

mod answer;
mod json;
mod tsv;

use std::collections::HashSet;
use std::collections::hash_map::Entry;

use crate::Link;
use crate::audit::hash::HashMap;
use crate::audit::reference::{is_requested, takes_both};
use crate::audit::site::server::Permanence;

use answer::{Answer, FailedRequest, without_fragment};

pub use answer::InvalidStatuses;
pub(crate) use answer::requested_url;

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

/// The URL that a link checker requests for a link, without its fragment; `None` if it does not
/// lead out of the site, or is no link that browsers request.
#[doc(hidden)]
pub fn external_url(link: &Link<'_>, leads_out: impl FnOnce(&str) -> bool) -> Option<String> {
    // Browsers follow the `href` beside it.
    let is_overridden = link.attribute() == "xlink:href"
        && takes_both(link.element())
        && link.sibling("href").is_some();
    let mut url = requested_url(link.url().filter(|_| !is_overridden)?)?;
    let is_external = leads_out(url.as_str())
        && is_requested(link.element(), link.attribute(), link.sibling("rel").as_deref());
    url.set_fragment(None);
    is_external.then(|| url.into())
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
            let line = 1 + memchr::memchr_iter(b'\n', before).count();
            InvalidStatuses::new(line, "it is not UTF-8; save it as UTF-8")
        })?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut statuses = Self::default();
        if text.trim_start().starts_with(['{', '[']) {
            json::read(text, &mut |url, answer| statuses.add(url, answer))?;
        } else {
            tsv::read(text, &mut |url, answer| statuses.add(url, answer))?;
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
        let circle =
            FailedRequest::new(None, "it redirects in a circle, or more than 20 times", None);
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

#[cfg(test)]
mod tests;
