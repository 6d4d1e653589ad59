//! The index of a web archive: what the archive has for each URL.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::num::NonZeroU32;
use std::ops::ControlFlow;

use url::Url;

use crate::audit::container::fingerprint::{BasePrefixes, Fingerprint, Hashers};
use crate::audit::container::url_key::{MAX_URL, host, key};
use crate::audit::reference::missing_host;
use crate::audit::rules::Rule;
use crate::audit::target::{MAX_REDIRECTS, Problem, Target, elsewhere, without_scheme};
use crate::batch::Failure;
use crate::container::warc::Capture;
use crate::url::Standard;

/// Bytes that the index may take: 256 MiB, which are some two million URLs.
const MAX_INDEX: usize = 256 << 20;

/// About the bytes of an entry, without its texts.
const ENTRY: usize = 96;

/// The URLs of a web archive.
#[derive(Debug, Default)]
pub(crate) struct Archive {
    /// By fingerprint of the URL's key.
    answers: HashMap<Fingerprint, Answer>,
    /// The URLs of redirects.
    redirects: Vec<Box<str>>,
    hashers: Hashers,
    hosts: HashSet<Box<str>>,
    /// About the bytes of all entries.
    size: usize,
    completeness: Completeness,
}

/// Whether the index covers the whole archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Completeness {
    #[default]
    Complete,
    /// It ends where [`MAX_INDEX`] was reached.
    Truncated,
}

/// The key of a URL in the index.
struct IndexKey {
    fingerprint: Fingerprint,
    /// Whether the archive has any URL of the host.
    is_host_known: bool,
}

/// What the archive has for a URL: eight bytes, as there are millions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    /// A resource, with its document number if it is a page.
    Present { page: Option<PageNumber>, status: StatusClass },
    /// A redirect to a URL, by its place in [`Archive::redirects`].
    Redirect(u32),
    /// A redirect to the same URL.
    Loop,
    /// An error, with its status.
    Error(u16),
}

/// One more than the number of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PageNumber(NonZeroU32);

impl PageNumber {
    fn new(page: usize) -> Option<Self> {
        NonZeroU32::new(u32::try_from(page).ok()?.checked_add(1)?).map(Self)
    }

    fn get(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// What the status of a present resource says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StatusClass {
    Success,
    /// Neither success, redirect nor error.
    Unknown,
}

impl Answer {
    /// The answer of a capture, whose redirect would be the one at this place.
    fn new(capture: &Capture, page: Option<usize>, redirect: Option<u32>) -> Self {
        let page = page.and_then(PageNumber::new);
        let present = |status| Self::Present { page, status };
        match capture.status {
            None | Some(200..=299) => present(StatusClass::Success),
            Some(300..=399) => redirect.map_or(present(StatusClass::Unknown), Self::Redirect),
            Some(status @ 400..=599) => Self::Error(status),
            Some(_) => present(StatusClass::Unknown),
        }
    }

    fn is_good(self) -> bool {
        matches!(self, Self::Present { status: StatusClass::Success, .. })
    }
}

/// The target of a redirect.
fn redirect(capture: &Capture) -> Option<Box<str>> {
    if !matches!(capture.status, Some(300..=399)) {
        return None;
    }
    let location = capture.location.as_deref()?;
    let url = Url::parse(&capture.url).ok()?.join(location).ok()?;
    Some(String::from(url).into())
}

/// Whether URLs are the same but for fragments. The key of a URL has no scheme: a redirect from
/// `http` to `https` is no circle.
fn is_same_url(url: &str, written: &str) -> bool {
    let Ok(written) = Url::parse(written) else { return false };
    let without_fragment = |url| str::split(url, '#').next();
    without_fragment(url) == without_fragment(written.as_str())
}

impl Archive {
    /// Adds a capture, with the document number of its page; breaks if the index is full.
    ///
    /// Of several captures of a URL, the last successful one wins.
    pub(crate) fn add(&mut self, capture: &Capture, page: Option<usize>) -> ControlFlow<()> {
        let key = key(&capture.url);
        let redirect = redirect(capture);
        let place = redirect.as_ref().and_then(|_| u32::try_from(self.redirects.len()).ok());
        let mut answer = Answer::new(capture, page, place);
        if redirect.as_deref().is_some_and(|to| is_same_url(to, &capture.url)) {
            answer = Answer::Loop;
        }
        // A document also keeps its URL.
        let url = if capture.url.len() <= MAX_URL { capture.url.len() } else { 0 };
        let mut size = capture.document.map_or(0, |_| url + ENTRY)
            + redirect.as_ref().map_or(0, |to| to.len());
        let fingerprint = self.hashers.of(&key);
        if let Some(old) = self.answers.get(&fingerprint) {
            if old.is_good() && !answer.is_good() {
                return ControlFlow::Continue(());
            }
            // These record the page of the earlier capture again.
            if matches!(&*capture.kind, "revisit" | "conversion")
                && let (
                    Answer::Present { page: page @ None, .. },
                    Answer::Present { page: Some(old), .. },
                ) = (&mut answer, old)
            {
                *page = Some(*old);
            }
        } else {
            size += ENTRY;
        }
        let new_host = host(&key).filter(|host| !self.hosts.contains(*host));
        size += new_host.map_or(0, |host| host.len() + ENTRY);
        if self.size + size > MAX_INDEX {
            self.completeness = Completeness::Truncated;
            return ControlFlow::Break(());
        }
        self.size += size;
        self.hosts.extend(new_host.map(Into::into));
        self.answers.insert(fingerprint, answer);
        self.redirects.extend(redirect);
        ControlFlow::Continue(())
    }

    /// The fingerprints of the prefixes of a base URL.
    pub(crate) fn prefixes(&self, base: &str) -> BasePrefixes {
        BasePrefixes::of(base, &self.hashers)
    }

    /// The key of a URL in the index.
    fn index_key(&self, url: &str, prefixes: Option<&BasePrefixes>) -> IndexKey {
        let is_known = |key: &str| host(key).is_some_and(|host| self.hosts.contains(host));
        let continued = prefixes.and_then(|prefixes| {
            let fingerprint = prefixes.continued(url, &self.hashers)?;
            Some(IndexKey { fingerprint, is_host_known: is_known(prefixes.root()) })
        });
        continued.unwrap_or_else(|| {
            let key = key(url);
            IndexKey { fingerprint: self.hashers.of(&key), is_host_known: is_known(&key) }
        })
    }

    /// The failure of an index that is not complete.
    pub(crate) fn failure(&self) -> Option<Failure> {
        (self.completeness == Completeness::Truncated).then(|| {
            Failure::new(format!(
                "its URLs take more than {} MiB of memory: the pages after that are not audited, \
                 and missing targets are not reported; split the archive",
                MAX_INDEX >> 20
            ))
        })
    }

    /// Looks up a URL; `reference` is its source text, and `prefixes` are those of its base.
    pub(crate) fn target(
        &self,
        url: &str,
        reference: &str,
        prefixes: Option<&BasePrefixes>,
        standard: Standard,
    ) -> Target {
        let mut target = Target::in_site(None);
        let shown = |url| standard.masked(None, url);
        let mut at = self.index_key(url, prefixes);
        let mut redirect_url: Option<&str> = None;
        for _ in 0..=MAX_REDIRECTS {
            match self.answers.get(&at.fingerprint).copied() {
                Some(Answer::Present { page, .. }) => {
                    target.file = page.map(PageNumber::get);
                    return target;
                }
                Some(Answer::Error(status)) => {
                    target.add_broken_end(error_status(status, redirect_url.map(shown)));
                    return target;
                }
                Some(Answer::Loop) => {
                    target.add_broken_end(endless(&shown(redirect_url.unwrap_or(url))));
                    return target;
                }
                Some(Answer::Redirect(to)) => {
                    let to = &*self.redirects[to as usize];
                    if redirect_url.is_none() {
                        target.problems.push(redirected(&shown(to)));
                    }
                    redirect_url = Some(to);
                    target.fragment_source = target.fragment_source.after(to);
                    let next = self.index_key(to, None);
                    // A redirect from http to https.
                    if next.fingerprint == at.fingerprint {
                        return target;
                    }
                    at = next;
                }
                None => {
                    let redirect_url = redirect_url.map(shown);
                    return self.absent(target, &at, &shown(url), reference, redirect_url);
                }
            }
        }
        target.add_broken_end(endless(&shown(redirect_url.unwrap_or(url))));
        target
    }

    /// The target of a URL that the archive does not have; messages show the URLs.
    fn absent(
        &self,
        mut target: Target,
        at: &IndexKey,
        url: &str,
        reference: &str,
        redirect_url: Option<Cow<'_, str>>,
    ) -> Target {
        if redirect_url.is_none() && !at.is_host_known {
            return elsewhere(reference);
        }
        if !at.is_host_known || self.completeness == Completeness::Truncated {
            return target;
        }
        target.add_broken_end(match (redirect_url, missing_host(reference)) {
            (None, Some(meant)) => without_scheme(&meant),
            (None, None) => {
                Problem::new(Rule::NotCaptured, format!("target '{url}' is not in the archive"))
            }
            (Some(to), _) => {
                let message = format!("it redirects to '{to}', which is not in the archive");
                Problem::new(Rule::NotCaptured, message)
            }
        });
        target
    }
}

fn redirected(to: &str) -> Problem {
    let message = format!("the archive has a redirect to '{to}' for this URL");
    Problem { hint: Some(format!("link to {to}")), ..Problem::new(Rule::LinkToRedirect, message) }
}

/// The problem of redirects in a circle, or of more than browsers follow.
fn endless(to: &str) -> Problem {
    let message = format!(
        "the redirects of the archive never end: more than {MAX_REDIRECTS}, or a circle with '{to}'"
    );
    Problem::new(Rule::BrokenLink, message)
}

fn error_status(status: u16, redirect_url: Option<Cow<'_, str>>) -> Problem {
    let message = match redirect_url {
        None => format!("the archive has status {status} for this URL"),
        Some(to) => {
            format!("it redirects to '{to}', for which the archive has status {status}")
        }
    };
    Problem::new(Rule::BrokenLink, message)
}

#[cfg(test)]
mod tests;
