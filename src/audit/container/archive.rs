//! What a web archive has for the URLs that it has something for.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use url::Url;

use crate::audit::container::fingerprint::{Beginnings, Fingerprint, Hashers};
use crate::audit::container::url_key::{MAX_URL, host, key};
use crate::audit::reference::missing_scheme;
use crate::audit::rules::Rule;
use crate::audit::target::{LinkScope, MAX_REDIRECTS, Problem, Target, elsewhere, without_scheme};
use crate::batch::Failure;
use crate::container::warc::Capture;

/// Bytes that the index may take: 256 MiB, which are some two million URLs.
const MAX_INDEX: usize = 256 << 20;

/// Bytes that an entry takes beside its texts, about.
const ENTRY: usize = 96;

/// The URLs of a web archive.
#[derive(Debug, Default)]
pub(crate) struct Archive {
    /// By the fingerprints of their keys.
    answers: HashMap<Fingerprint, Answer>,
    hashers: Hashers,
    hosts: HashSet<Box<str>>,
    /// Bytes that all this takes, about.
    size: usize,
    end: End,
}

/// How far the index goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum End {
    /// As far as the archive does.
    #[default]
    Whole,
    /// As far as there was room.
    Cut,
}

/// Where a URL is looked up.
struct Place {
    fingerprint: Fingerprint,
    /// Whether the archive has anything of its host.
    is_host_known: bool,
}

/// What an archive has for a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Answer {
    /// What is there, with the number of the page, if it is one.
    There { page: Option<usize>, status: Good },
    /// A redirect to this URL.
    Redirect(Box<str>),
    /// An error with this status.
    Refused(u16),
}

/// Whether an answer says that it is what the URL is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Good {
    Yes,
    /// It is none of success, nor of another kind that is known.
    Unknown,
}

impl Answer {
    fn new(capture: &Capture, page: Option<usize>) -> Self {
        let there = |status| Self::There { page, status };
        match capture.status {
            None | Some(200..=299) => there(Good::Yes),
            Some(300..=399) => redirect(capture).map_or(there(Good::Unknown), Self::Redirect),
            Some(status @ 400..=599) => Self::Refused(status),
            Some(_) => there(Good::Unknown),
        }
    }

    fn is_good(&self) -> bool {
        matches!(self, Self::There { status: Good::Yes, .. })
    }

    fn size(&self) -> usize {
        if let Self::Redirect(to) = self { to.len() } else { 0 }
    }
}

/// Where a redirect leads.
fn redirect(capture: &Capture) -> Option<Box<str>> {
    let location = capture.location.as_deref()?;
    let url = Url::parse(&capture.url).ok()?.join(location).ok()?;
    Some(String::from(url).into())
}

impl Archive {
    /// Takes in what there is for a URL, with the number of its page; breaks where there is
    /// no more room.
    ///
    /// Of several captures of a URL one that succeeded counts, and of several such the last.
    pub(crate) fn add(&mut self, capture: &Capture, page: Option<usize>) -> ControlFlow<()> {
        let key = key(&capture.url);
        let mut answer = Answer::new(capture, page);
        // A document that is numbered keeps its URL.
        let url = if capture.url.len() <= MAX_URL { capture.url.len() } else { 0 };
        let mut size = page.map_or(0, |_| url + ENTRY) + answer.size();
        let fingerprint = self.hashers.of(&key);
        if let Some(old) = self.answers.get(&fingerprint) {
            if old.is_good() && !answer.is_good() {
                return ControlFlow::Continue(());
            }
            // These stand for the page that was there.
            if matches!(&*capture.kind, "revisit" | "conversion")
                && let (
                    Answer::There { page: page @ None, .. },
                    Answer::There { page: Some(old), .. },
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
            self.end = End::Cut;
            return ControlFlow::Break(());
        }
        self.size += size;
        self.hosts.extend(new_host.map(Into::into));
        self.answers.insert(fingerprint, answer);
        ControlFlow::Continue(())
    }

    /// What is the same for all URLs that resolve against a base.
    pub(crate) fn beginnings(&self, base: &str) -> Beginnings {
        Beginnings::of(base, &self.hashers)
    }

    /// Where to look a URL up.
    fn place(&self, url: &str, beginnings: Option<&Beginnings>) -> Place {
        let is_known = |key: &str| host(key).is_some_and(|host| self.hosts.contains(host));
        let continued = beginnings.and_then(|beginnings| {
            let fingerprint = beginnings.continued(url, &self.hashers)?;
            Some(Place { fingerprint, is_host_known: is_known(beginnings.root()) })
        });
        continued.unwrap_or_else(|| {
            let key = key(url);
            Place { fingerprint: self.hashers.of(&key), is_host_known: is_known(&key) }
        })
    }

    /// Why it is not whole, if it is not.
    pub(crate) fn failure(&self) -> Option<Failure> {
        (self.end == End::Cut).then(|| {
            Failure::new(format!(
                "its URLs take more than {} MiB of memory: pages behind that are not looked \
                 at, and no link is reported as missing; split the archive",
                MAX_INDEX >> 20
            ))
        })
    }

    /// Looks a URL up; `reference` is how it is written, in a document with a base that
    /// has these beginnings.
    pub(crate) fn target(
        &self,
        url: &str,
        reference: &str,
        beginnings: Option<&Beginnings>,
    ) -> Target {
        let mut target = Target { scope: LinkScope::Internal, file: None, problems: Vec::new() };
        let mut at = self.place(url, beginnings);
        let mut through: Option<&str> = None;
        for _ in 0..=MAX_REDIRECTS {
            match self.answers.get(&at.fingerprint) {
                Some(Answer::There { page, .. }) => {
                    target.file = *page;
                    return target;
                }
                Some(Answer::Refused(status)) => {
                    target.problems.push(refused(*status, through));
                    return target;
                }
                Some(Answer::Redirect(to)) => {
                    if through.is_none() {
                        target.problems.push(redirected(to));
                    }
                    through = Some(to);
                    let next = self.place(to, None);
                    // From http to https.
                    if next.fingerprint == at.fingerprint {
                        return target;
                    }
                    at = next;
                }
                None => return self.not_held(target, &at, url, reference, through),
            }
        }
        target
    }

    /// What is to say of a URL that it does not have.
    fn not_held(
        &self,
        mut target: Target,
        at: &Place,
        url: &str,
        reference: &str,
        through: Option<&str>,
    ) -> Target {
        if through.is_none() && !at.is_host_known {
            return elsewhere(reference);
        }
        if !at.is_host_known || self.end == End::Cut {
            return target;
        }
        target.problems.push(match (through, missing_scheme(reference)) {
            (None, Some(meant)) => without_scheme(&meant),
            (None, None) => {
                Problem::new(Rule::BrokenLink, format!("target '{url}' is not in the archive"))
            }
            (Some(to), _) => {
                let message = format!("it redirects to '{to}', which is not in the archive");
                Problem::new(Rule::BrokenLink, message)
            }
        });
        target
    }
}

fn redirected(to: &str) -> Problem {
    let message = format!("the archive holds a redirect to '{to}' for it");
    Problem { hint: Some(format!("link to {to}")), ..Problem::new(Rule::LinkToRedirect, message) }
}

fn refused(status: u16, through: Option<&str>) -> Problem {
    let message = match through {
        None => format!("the archive holds an answer {status} for it"),
        Some(to) => {
            format!("it redirects to '{to}', for which the archive holds an answer {status}")
        }
    };
    Problem::new(Rule::BrokenLink, message)
}

#[cfg(test)]
mod tests;
