//! The JSON of lychee and linkinator.
//!
//! lychee, by version: `error_map` was `fail_map` before 0.18; a status was a text in 0.8, and is an
//! object now; redirects are URLs in 0.21, have statuses since 0.23, and are beside the status since
//! 0.24.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Deserialize;

use crate::audit::external::answer::{
    Answer, FailedRequest, InvalidStatuses, answer_of, permanence, requested_url,
};
use crate::audit::site::server::Permanence;

/// The files of both.
#[derive(Deserialize)]
struct Report<'a> {
    /// Of linkinator.
    #[serde(borrow)]
    links: Option<Vec<LinkResult<'a>>>,
    #[serde(borrow, alias = "fail_map")]
    error_map: Option<Responses<'a>>,
    #[serde(borrow)]
    timeout_map: Option<Responses<'a>>,
    #[serde(borrow)]
    success_map: Option<Responses<'a>>,
    /// Up to 0.23; newer ones have the same redirects in the other maps.
    #[serde(borrow)]
    redirect_map: Option<Responses<'a>>,
    #[serde(borrow)]
    excluded_map: Option<Responses<'a>>,
    #[serde(borrow)]
    unsupported_map: Option<Responses<'a>>,
}

/// A link of linkinator.
#[derive(Deserialize)]
struct LinkResult<'a> {
    #[serde(borrow)]
    url: Cow<'a, str>,
    /// 0 without an answer.
    status: Option<u16>,
    #[serde(borrow)]
    state: Option<Cow<'a, str>>,
}

/// The answers of lychee by the file that the links are in.
type Responses<'a> = HashMap<Cow<'a, str>, Vec<Response<'a>>>;

#[derive(Deserialize)]
struct Response<'a> {
    /// A redirect of 0.24 has none.
    #[serde(borrow)]
    url: Option<Cow<'a, str>>,
    #[serde(borrow)]
    status: Option<Status<'a>>,
    #[serde(borrow)]
    redirects: Option<Redirects<'a>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Status<'a> {
    Text(#[serde(borrow)] Cow<'a, str>),
    Object {
        #[serde(borrow)]
        text: Option<Cow<'a, str>>,
        code: Option<u16>,
        #[serde(borrow)]
        redirects: Option<Redirects<'a>>,
    },
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Redirects<'a> {
    Chain {
        #[serde(borrow)]
        redirects: Vec<Hop<'a>>,
    },
    Hops(#[serde(borrow)] Vec<Hop<'a>>),
    Urls(#[serde(borrow)] Vec<Cow<'a, str>>),
}

#[derive(Deserialize)]
struct Hop<'a> {
    #[serde(borrow)]
    url: Cow<'a, str>,
    code: u16,
}

/// The maps of lychee.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Map {
    Works,
    Fails,
    Skipped,
}

pub(super) fn read(text: &str, add: &mut dyn FnMut(&str, Answer)) -> Result<(), InvalidStatuses> {
    let report: Report<'_> = serde_json::from_str(text).map_err(|error| {
        let (line, what) = (error.line(), error.to_string());
        // It ends with the position.
        let what = what.rsplit_once(" at line ").map_or(&*what, |(what, _)| what);
        let what = format!("{what}; expected the JSON of lychee or linkinator");
        InvalidStatuses::new(line, what)
    })?;
    let maps = [
        (report.success_map, Map::Works),
        (report.redirect_map, Map::Works),
        (report.error_map, Map::Fails),
        (report.timeout_map, Map::Fails),
        (report.excluded_map, Map::Skipped),
        (report.unsupported_map, Map::Skipped),
    ];
    if report.links.is_none() && maps.iter().all(|(responses, _)| responses.is_none()) {
        let what = "it has no key of lychee's JSON, such as 'error_map', and no 'links', as \
                    linkinator's has";
        return Err(InvalidStatuses::new(1, what));
    }
    for LinkResult { url, status, state } in report.links.into_iter().flatten() {
        let status = status.unwrap_or(0);
        let answer = match state.as_deref() {
            Some("OK") => Answer::Works(None),
            Some("SKIPPED") => Answer::Skipped,
            Some("BROKEN") => Answer::Broken(FailedRequest::new(Some(status), "", None)),
            _ => answer_of(&url, status, None),
        };
        add(&url, answer);
    }
    for (responses, map) in maps {
        for response in responses.into_iter().flat_map(HashMap::into_values).flatten() {
            if let Some(url) = &response.url {
                add(url, response.answer(map));
            }
        }
    }
    Ok(())
}

impl Response<'_> {
    fn answer(&self, map: Map) -> Answer {
        let (text, code, of_status) = match &self.status {
            Some(Status::Text(text)) => (&**text, None, None),
            Some(Status::Object { text, code, redirects }) => {
                (text.as_deref().unwrap_or(""), *code, redirects.as_ref())
            }
            None => ("", None, None),
        };
        let redirects = self.redirects.as_ref().or(of_status);
        let end = redirects.and_then(Redirects::end);
        match map {
            Map::Works => {
                let end = end.filter(|(_, permanence)| *permanence == Permanence::Permanent);
                Answer::Works(end.map(|(url, _)| url))
            }
            Map::Fails => {
                let end = end.as_ref().map(|(url, _)| &**url);
                Answer::Broken(FailedRequest::new(code, text, end))
            }
            Map::Skipped => Answer::Skipped,
        }
    }
}

impl Redirects<'_> {
    /// The last URL, and whether all redirects are known to be permanent.
    fn end(&self) -> Option<(Box<str>, Permanence)> {
        let (url, permanence) = match self {
            Self::Chain { redirects } | Self::Hops(redirects) => {
                let all = redirects.iter().map(|hop| permanence(hop.code));
                (&redirects.last()?.url, all.min()?)
            }
            Self::Urls(urls) => (urls.last()?, Permanence::Temporary),
        };
        Some((String::from(requested_url(url)?).into(), permanence))
    }
}
