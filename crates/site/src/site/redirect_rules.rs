//! Redirect rules, from a `_redirects` file, or from `netlify.toml`.
//!
//! The syntax is that of [Netlify][syntax], which other hosts share in part: a line is
//! `from [key=value...] to [status[!]] [Condition=value...]`, and `#` begins a comment.
//! The supported [options][options]:
//!
//! - The first matching rule applies. A trailing slash of a path makes no difference.
//! - `*` at the end of `from` matches the rest of the path, also an empty one, which is
//!   `:splat` in `to`; `:name` matches one segment.
//! - `key=value` requires a parameter of the query, and `key=:name` captures its value.
//! - The status is 301 by default. 3xx redirects to `to`; 200 serves the content of `to`; 404 and
//!   other errors are answered as such.
//! - A file that exists takes precedence, unless the status ends in `!` ([shadowing]).
//! - A rule with conditions (`Country`, `Language`, `Role`, `Cookie`) applies to some visitors
//!   only: it is used if nothing else matches.
//!
//! Left out: rules for other hosts (`from` is a URL), which match nothing here.
//!
//! [syntax]: https://docs.netlify.com/manage/routing/redirects/overview/
//! [options]: https://docs.netlify.com/manage/routing/redirects/redirect-options/
//! [shadowing]: https://docs.netlify.com/manage/routing/redirects/rewrites-proxies/#shadowing

use std::collections::HashMap;

use absolve_files::NOT_IN_A_NAME;
use percent_encoding::{AsciiSet, percent_decode, percent_decode_str, percent_encode};

use crate::segments;

/// The rules of a redirects file.
#[derive(Debug, Clone, Default)]
pub struct Redirects {
    lines: Vec<RedirectRule>,
    /// By form and literals, the first rule of each phase: later ones never match.
    rules: HashMap<RuleForm, HashMap<Literals, FirstRules>>,
    /// The sum of the sizes of the forms.
    size: usize,
    problems: Vec<MalformedLine>,
    /// The names of the files, and the number before their first line.
    files: Vec<(&'static str, u64)>,
    /// The last line of the last file.
    last: u64,
    /// The path of the site on its host, without a slash at its end.
    prefix: String,
}

/// The first rule of each [`RulePhase`], by its index.
type FirstRules = [Option<usize>; 3];

/// Limit on the sum of the sizes of the forms, so that the time of a lookup does not grow with the
/// number of lines. Sites have few forms: any number of lines such as `/:language/page /page` has
/// one.
const MAX_SIZE: usize = 1000;

/// A malformed line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MalformedLine {
    /// The line ([`Redirects::place`]).
    pub line: u64,
    /// The problem, without a full stop.
    pub message: &'static str,
}

/// The rule that matches a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedirectMatch {
    /// A path from the root of the site, or an absolute URL.
    pub to: String,
    /// The status of the answer.
    pub status: u16,
    /// The line ([`Redirects::place`]).
    pub line: u64,
}

/// The rules that apply at a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RulePhase {
    /// Rules that take precedence over a file (`!`).
    Forced,
    /// Rules for all visitors.
    Unconditional,
    /// Rules for some visitors.
    Conditional,
}

impl Redirects {
    /// Parses a redirects file. A malformed line becomes a [`MalformedLine`], and is ignored as on
    /// the server.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        Self::default().with_file("the redirects file", Self::lines_of(text))
    }

    /// No rules, of a site at this path of its host; lines may have the path in front of theirs.
    #[must_use]
    #[doc(hidden)]
    pub fn new(base_path: &str) -> Self {
        Self { prefix: base_path.trim_end_matches('/').to_owned(), ..Self::default() }
    }

    /// The numbered lines of a redirects file.
    #[doc(hidden)]
    pub fn lines_of(text: &str) -> impl Iterator<Item = (u64, &str)> {
        (1..).zip(text.strip_prefix('\u{feff}').unwrap_or(text).lines())
    }

    /// Adds the numbered lines of a further file, which follow those before; messages call it by
    /// this name.
    #[must_use]
    #[doc(hidden)]
    pub fn with_file<'t>(
        mut self,
        file: &'static str,
        lines: impl IntoIterator<Item = (u64, &'t str)>,
    ) -> Self {
        let before = self.last;
        self.files.push((file, before));
        for (line, text) in lines {
            let number = before + line;
            self.last = self.last.max(number);
            let added =
                RedirectRule::parse(text, number, &self.prefix).and_then(|line| match line {
                    Some(line) => self.add(line),
                    None => Ok(()),
                });
            if let Err(message) = added {
                self.problems.push(MalformedLine { line: number, message });
            }
        }
        self
    }

    /// The index of the file of a line, and its number there, counted from 1.
    #[must_use]
    #[doc(hidden)]
    pub fn place(&self, line: u64) -> (usize, u64) {
        let after = self.files.partition_point(|(_, before)| *before < line);
        let file = after.saturating_sub(1);
        (file, line - self.files.get(file).map_or(0, |(_, before)| *before))
    }

    /// The place of a line in messages.
    pub(crate) fn shown_place(&self, line: u64) -> String {
        let (file, line) = self.place(line);
        format!("line {line} of {}", self.files[file].0)
    }

    /// The malformed lines, in order.
    #[must_use]
    pub fn problems(&self) -> &[MalformedLine] {
        &self.problems
    }

    /// Whether there is no rule.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The targets as written, with their lines; those without placeholders can be looked up.
    pub fn targets(&self) -> impl Iterator<Item = (&str, u64)> {
        self.lines.iter().map(|line| (&*line.to, line.number))
    }

    /// The paths that answer others as an error, without placeholders.
    pub(crate) fn error_pages(&self) -> impl Iterator<Item = &str> {
        let is_error =
            |line: &&RedirectRule| matches!(line.status, 404 | 410) && line.to.starts_with('/');
        self.lines.iter().filter(is_error).map(|line| &*line.to).filter(|to| !to.contains(':'))
    }

    /// The first rule for all visitors that matches a decoded path and a query.
    #[must_use]
    pub fn matching(&self, path: &[u8], query: Option<&str>) -> Option<RedirectMatch> {
        self.first(path, query, RulePhase::Unconditional)
    }

    pub(crate) fn first(
        &self,
        path: &[u8],
        query: Option<&str>,
        phase: RulePhase,
    ) -> Option<RedirectMatch> {
        let path: Vec<&[u8]> = segments(path).collect();
        let query = parse_query(query.unwrap_or(""));
        let matching = self.rules.iter().filter_map(|(form, rules)| {
            rules.get(&form.find_literals(&path, &query)?)?[phase as usize]
        });
        let line = &self.lines[matching.min()?];
        let to = fill(&line.to, &bind(line, &path, &query));
        Some(RedirectMatch { to, status: line.status, line: line.number })
    }

    fn add(&mut self, line: RedirectRule) -> Result<(), &'static str> {
        if !line.is_elsewhere {
            let (form, literals) = RuleForm::new(&line);
            if !self.rules.contains_key(&form) {
                self.size += form.size();
                if self.size > MAX_SIZE {
                    return Err(
                        "the file has too many combinations of placeholders and query keys",
                    );
                }
            }
            let first = self.rules.entry(form).or_default().entry(literals).or_default();
            for phase in [RulePhase::Forced, RulePhase::Unconditional, RulePhase::Conditional] {
                if line.has_phase(phase) {
                    first[phase as usize].get_or_insert(self.lines.len());
                }
            }
        }
        self.lines.push(line);
        Ok(())
    }
}

impl RedirectRule {
    fn has_phase(&self, phase: RulePhase) -> bool {
        match phase {
            RulePhase::Forced => self.is_forced && !self.is_conditional,
            RulePhase::Unconditional => !self.is_conditional,
            RulePhase::Conditional => self.is_conditional,
        }
    }
}

/// Placeholders and their decoded values.
type Bindings<'a> = Vec<(&'a str, Vec<u8>)>;

/// Binds the placeholders of a matching line to their values.
fn bind<'a>(line: &'a RedirectRule, path: &[&[u8]], query: &Query) -> Bindings<'a> {
    let mut bound = Bindings::new();
    for (at, segment) in line.from.iter().enumerate() {
        match segment {
            Segment::Name(_) => {}
            Segment::Placeholder(name) => bound.push((name, path[at].to_vec())),
            Segment::Splat => bound.push(("splat", path[at..].join(&b'/'))),
        }
    }
    for parameter in &line.query {
        if let Segment::Placeholder(name) = &parameter.value {
            bound.push((name, query[parameter.key.as_bytes()].clone()));
        }
    }
    bound
}

/// Parses the parameters of a query; the first of a name counts.
fn parse_query(query: &str) -> Query {
    let decode =
        |text: &str| -> Vec<u8> { percent_decode(text.replace('+', " ").as_bytes()).collect() };
    let mut parameters = Query::new();
    for pair in query.split('&') {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        parameters.entry(decode(name)).or_insert_with(|| decode(value));
    }
    parameters
}

/// Characters to encode in a path, except the slashes of a splat.
const NOT_IN_A_PATH: &AsciiSet = &NOT_IN_A_NAME.add(b':');

/// Replaces the placeholders of a target by their values.
fn fill(to: &str, bound: &Bindings<'_>) -> String {
    let mut filled = String::with_capacity(to.len());
    let mut rest = to;
    while let Some(colon) = rest.find(':') {
        filled.push_str(&rest[..colon]);
        rest = &rest[colon + 1..];
        let end = rest.find(|c: char| !is_in_name(c)).unwrap_or(rest.len());
        match bound.iter().find(|(name, _)| *name == &rest[..end]) {
            Some((_, value)) => {
                filled.extend(percent_encode(value, NOT_IN_A_PATH));
                rest = &rest[end..];
            }
            None => filled.push(':'),
        }
    }
    filled.push_str(rest);
    filled
}

/// A rule: a line of a redirects file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RedirectRule {
    pub(crate) number: u64,
    /// Whether the rule is for another host, or another path of the host.
    pub(crate) is_elsewhere: bool,
    pub(crate) from: Vec<Segment>,
    pub(crate) query: Vec<Parameter>,
    pub(crate) to: String,
    pub(crate) status: u16,
    pub(crate) is_forced: bool,
    pub(crate) is_conditional: bool,
}

/// A segment of a path, or a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Segment {
    /// These bytes.
    Name(Vec<u8>),
    /// Any segment, captured under this name.
    Placeholder(String),
    /// All that follows.
    Splat,
}

/// A parameter that the query must have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parameter {
    pub(crate) key: String,
    pub(crate) value: Segment,
}

const NO_TARGET: &str = "expected a second path or URL, the target";
const STATUS: &str = "expected a status such as 301 after the target";

impl RedirectRule {
    /// Parses a line; `None` if it is empty or a comment.
    ///
    /// `prefix` is the path of the site on its host, without a slash at its end. If the line has
    /// it, the paths are those of the host, and become those of the site; a rule that only removes
    /// it is left out.
    pub(crate) fn parse(
        text: &str,
        number: u64,
        prefix: &str,
    ) -> Result<Option<Self>, &'static str> {
        let mut parts = text.split_whitespace().take_while(|part| !part.starts_with('#'));
        let Some(written) = parts.next() else {
            return Ok(None);
        };
        let parts: Vec<&str> = parts.collect();
        let (has_host, path) = split_host(written)?;
        let first_status = parts.first().and_then(|part| parse_status(part));
        // Without a target, a rule for a folder rewrites to the same paths.
        let (query, to, rest) = if let Some((code, _)) = first_status {
            let folder = path.strip_suffix("/*").filter(|_| (200..300).contains(&code));
            (&[][..], format!("{}/:splat", folder.ok_or(NO_TARGET)?), &parts[..])
        } else {
            let at = parts.iter().position(|part| is_target(part)).ok_or(NO_TARGET)?;
            (&parts[..at], parts[at].to_owned(), &parts[at + 1..])
        };
        let (code, is_forced) = match rest.first() {
            Some(part) => parse_status(part).ok_or(STATUS)?,
            None => (301, false),
        };
        let (site_path, site_to) = (strip_site_path(path, prefix), strip_site_path(&to, prefix));
        let is_elsewhere = has_host || (site_path.is_none() && site_to.is_some());
        let (path, to) = (site_path.unwrap_or(path), site_to.unwrap_or(&to));
        if site_path.is_some() && is_same(path, to) {
            return Ok(None);
        }
        let from = parse_pattern(path)?;
        Ok(Some(Self {
            number,
            is_elsewhere,
            from,
            query: query.iter().map(|pair| parse_parameter(pair)).collect::<Result<_, _>>()?,
            to: to.to_owned(),
            status: code,
            is_forced,
            is_conditional: rest.len() > 1,
        }))
    }
}

/// Strips the path of the site from a path of its host; `None` if it is not below, or the site is
/// at the root.
fn strip_site_path<'p>(path: &'p str, prefix: &str) -> Option<&'p str> {
    let rest = path.strip_prefix(prefix).filter(|_| !prefix.is_empty())?;
    match rest.as_bytes() {
        [] => Some("/"),
        [b'/', ..] => Some(rest),
        _ => None,
    }
}

/// Whether a target is the very path that a rule matches.
fn is_same(path: &str, to: &str) -> bool {
    let path =
        path.strip_suffix('*').map_or_else(|| path.to_owned(), |path| format!("{path}:splat"));
    path.trim_end_matches('/') == to.trim_end_matches('/')
}

/// Splits the beginning of a line into whether it has a host, and its path.
fn split_host(from: &str) -> Result<(bool, &str), &'static str> {
    let (has_host, path) = match from.split_once("://") {
        Some((scheme, rest)) if is_web(scheme) => {
            (true, rest.find('/').map_or("/", |slash| &rest[slash..]))
        }
        _ => (false, from),
    };
    if !path.starts_with('/') {
        return Err("expected a path that begins with / at the start of the line");
    }
    if path.starts_with("/.netlify") {
        return Err("a path below /.netlify cannot be redirected");
    }
    Ok((has_host, path))
}

/// Whether a scheme is `http` or `https`.
pub(super) fn is_web(scheme: &str) -> bool {
    scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
}

fn is_target(part: &str) -> bool {
    part.starts_with('/') || part.split_once("://").is_some_and(|(scheme, _)| is_web(scheme))
}

fn parse_pattern(path: &str) -> Result<Vec<Segment>, &'static str> {
    // Only the path is compared; key=value compares the query.
    let path = &path[..path.find(['?', '#']).unwrap_or(path.len())];
    let mut segments = Vec::new();
    let mut written = path.split('/').filter(|segment| !segment.is_empty()).peekable();
    while let Some(segment) = written.next() {
        let parsed = parse_segment(segment);
        let is_last = written.peek().is_none();
        if segment.contains('*') && !(is_last && parsed == Segment::Splat) {
            return Err("a * matches the rest of a path: it must be the last segment");
        }
        segments.push(parsed);
    }
    Ok(segments)
}

fn parse_segment(written: &str) -> Segment {
    match written.strip_prefix(':') {
        Some(name) if !name.is_empty() && name.chars().all(is_in_name) => {
            Segment::Placeholder(name.to_owned())
        }
        None if written == "*" => Segment::Splat,
        _ => Segment::Name(percent_decode_str(written).collect()),
    }
}

pub(crate) fn is_in_name(c: char) -> bool {
    c == '_' || c.is_ascii_alphanumeric()
}

fn parse_parameter(pair: &str) -> Result<Parameter, &'static str> {
    let (key, value) =
        pair.split_once('=').ok_or("expected key=value between the path and the target")?;
    let value = match parse_segment(value) {
        Segment::Splat => Segment::Name(b"*".to_vec()),
        value => value,
    };
    Ok(Parameter { key: key.to_owned(), value })
}

/// Parses a status; the second result is whether `!` follows it.
fn parse_status(part: &str) -> Option<(u16, bool)> {
    let (code, is_forced) = match part.strip_suffix('!') {
        Some(code) => (code, true),
        None => (part, false),
    };
    let is_code = code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_digit());
    let code = code.parse().ok().filter(|code| is_code && (200..600).contains(code))?;
    Some((code, is_forced))
}

/// The parameters of a query, decoded.
type Query = HashMap<Vec<u8>, Vec<u8>>;

/// The positions of placeholders in lines, and the keys of their queries.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct RuleForm {
    /// Indexes of segments, in order.
    placeholders: Vec<usize>,
    splat: Option<usize>,
    query: Vec<QueryKey>,
}

/// The key of a parameter, and whether a literal must be its value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct QueryKey {
    name: Vec<u8>,
    has_literal: bool,
}

/// The key of a line among those of its form, which a request must have to match it: the path
/// before the splat, with empty segments as placeholders, and literal values of the query.
type Literals = (Vec<u8>, Vec<Vec<u8>>);

impl RuleForm {
    fn new(line: &RedirectRule) -> (Self, Literals) {
        let mut form = Self { placeholders: Vec::new(), splat: None, query: Vec::new() };
        let (mut path, mut values): (Vec<&[u8]>, _) = (Vec::new(), Vec::new());
        for (at, segment) in line.from.iter().enumerate() {
            match segment {
                Segment::Name(name) => path.push(name),
                Segment::Placeholder(_) => {
                    form.placeholders.push(at);
                    path.push(b"");
                }
                Segment::Splat => form.splat = Some(at),
            }
        }
        for parameter in &line.query {
            let literal = match &parameter.value {
                Segment::Name(value) => Some(value.clone()),
                _ => None,
            };
            let name = parameter.key.as_bytes().to_vec();
            form.query.push(QueryKey { name, has_literal: literal.is_some() });
            values.extend(literal);
        }
        (form, (path.join(&b'/'), values))
    }

    /// The cost of the form in each lookup.
    fn size(&self) -> usize {
        1 + self.placeholders.len() + self.query.len()
    }

    /// Finds the literals of the lines that match a request; `None` if no line of the form does.
    fn find_literals(&self, path: &[&[u8]], query: &Query) -> Option<Literals> {
        let mut path = path.get(..self.splat.unwrap_or(path.len()))?.to_vec();
        for &at in &self.placeholders {
            *path.get_mut(at)? = b"";
        }
        let mut values = Vec::new();
        for key in &self.query {
            let value = query.get(&key.name)?;
            values.extend(key.has_literal.then(|| value.clone()));
        }
        Some((path.join(&b'/'), values))
    }
}

#[cfg(test)]
mod tests;
