//! Redirect rules, from a `_redirects` file, or from `netlify.toml`.
//!
//! The syntax is that of [Netlify][syntax], and other hosts support parts of it: a line is
//! `from [key=value...] to [status[!]] [Condition=value...]`, and `#` begins a comment.
//! The supported [options][options]:
//!
//! - The first matching rule applies. A trailing slash of a path makes no difference.
//! - `*` at the end of `from` matches the rest of the path, which may be empty, and captures it as
//!   `:splat`; `:name` matches and captures one segment.
//! - `key=value` requires a parameter of the query, and `key=:name` captures its value.
//! - The status is 301 by default. 3xx redirects to `to`; 200 serves the content of `to`; the path
//!   of a rule with 404 or another error is missing.
//! - A file that exists takes precedence, unless the status ends in `!` ([shadowing]).
//! - A rule with conditions (`Country`, `Language`, `Role`, `Cookie`) applies to some visitors
//!   only, so the audit uses it only if nothing else matches.
//!
//! Rules for other hosts (`from` is a URL) match no path of the site.
//!
//! [syntax]: https://docs.netlify.com/manage/routing/redirects/overview/
//! [options]: https://docs.netlify.com/manage/routing/redirects/redirect-options/
//! [shadowing]: https://docs.netlify.com/manage/routing/redirects/rewrites-proxies/#shadowing

use std::collections::HashMap;

use absolve_files::NOT_IN_A_NAME;
use percent_encoding::{AsciiSet, percent_decode, percent_decode_str, percent_encode};

use crate::segments;

/// The redirect rules of a site. The lines of all files are numbered consecutively. Rules are
/// grouped by the positions of their placeholders, so a lookup needs one hash for each group.
#[derive(Debug, Clone, Default)]
pub struct Redirects {
    rules: Vec<RedirectRule>,
    /// By form and literals, the first rule of each phase: later ones never match.
    first_rules: HashMap<RuleForm, HashMap<Literals, FirstRules>>,
    /// The sum of the costs of the forms.
    cost: usize,
    problems: Vec<MalformedLine>,
    /// The name of each file, and the number of the last line before it.
    files: Vec<(&'static str, u64)>,
    /// The number of the last line of all files.
    last_line: u64,
    /// The path of the site on its host, without a slash at its end.
    prefix: String,
}

/// The index of the first rule of each [`RulePhase`], in the order of the phases.
type FirstRules = [Option<usize>; 3];

/// Limit on the sum of the costs of the forms, so that the time of a lookup does not grow with the
/// number of lines. Sites have few forms: any number of lines such as `/:language/page /page` share
/// a single form.
const MAX_COST: usize = 1000;

/// A malformed line of a redirects file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MalformedLine {
    /// The number of the line among those of all files ([`Redirects::place`]).
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
    /// The number of the line among those of all files ([`Redirects::place`]).
    pub line: u64,
}

/// A phase in which a server applies rules: the first before it looks for a file, then the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RulePhase {
    /// Rules that take precedence over a file (`!`).
    Forced,
    /// Rules for all visitors, forced ones included.
    Unconditional,
    /// Rules for some visitors.
    Conditional,
}

impl Redirects {
    /// Parses a redirects file. A malformed line becomes a [`MalformedLine`], and is ignored as on
    /// a server.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        Self::default().with_file("the redirects file", Self::lines_of(text))
    }

    /// Creates an empty list for a site at this path of its host, which lines may also contain.
    #[must_use]
    #[doc(hidden)]
    pub fn new(base_path: &str) -> Self {
        Self { prefix: base_path.trim_end_matches('/').to_owned(), ..Self::default() }
    }

    /// Returns the lines of a redirects file, numbered from 1.
    #[doc(hidden)]
    pub fn lines_of(text: &str) -> impl Iterator<Item = (u64, &str)> {
        (1..).zip(text.strip_prefix('\u{feff}').unwrap_or(text).lines())
    }

    /// Adds the numbered lines of a further file. Its rules follow those of earlier files, and
    /// messages use this name for it.
    #[must_use]
    #[doc(hidden)]
    pub fn with_file<'t>(
        mut self,
        file: &'static str,
        lines: impl IntoIterator<Item = (u64, &'t str)>,
    ) -> Self {
        let lines_before = self.last_line;
        self.files.push((file, lines_before));
        for (line, text) in lines {
            let number = lines_before + line;
            self.last_line = self.last_line.max(number);
            let added =
                RedirectRule::parse(text, number, &self.prefix).and_then(|rule| match rule {
                    Some(rule) => self.add(rule),
                    None => Ok(()),
                });
            if let Err(message) = added {
                self.problems.push(MalformedLine { line: number, message });
            }
        }
        self
    }

    /// Converts the number of a line to the index of its file, and its number there, from 1.
    #[must_use]
    #[doc(hidden)]
    pub fn place(&self, line: u64) -> (usize, u64) {
        let next_file = self.files.partition_point(|(_, lines_before)| *lines_before < line);
        let file = next_file.saturating_sub(1);
        (file, line - self.files.get(file).map_or(0, |(_, lines_before)| *lines_before))
    }

    /// Describes the position of a line, for messages.
    pub(crate) fn shown_place(&self, line: u64) -> String {
        let (file, line) = self.place(line);
        format!("line {line} of {}", self.files[file].0)
    }

    /// Returns the malformed lines, in order.
    #[must_use]
    pub fn problems(&self) -> &[MalformedLine] {
        &self.problems
    }

    /// Whether there is no rule.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Returns the targets as written, with their lines. A target may contain placeholders.
    pub fn targets(&self) -> impl Iterator<Item = (&str, u64)> {
        self.rules.iter().map(|rule| (&*rule.to, rule.number))
    }

    /// Returns the paths of the pages that rules send with an error, except paths with
    /// placeholders.
    pub(crate) fn error_pages(&self) -> impl Iterator<Item = &str> {
        let is_error =
            |rule: &&RedirectRule| matches!(rule.status, 404 | 410) && rule.to.starts_with('/');
        self.rules.iter().filter(is_error).map(|rule| &*rule.to).filter(|to| !to.contains(':'))
    }

    /// Finds the first rule for all visitors that matches a decoded path and a query.
    #[must_use]
    pub fn matching(&self, path: &[u8], query: Option<&str>) -> Option<RedirectMatch> {
        self.first(path, query, RulePhase::Unconditional)
    }

    /// Finds the first rule of a phase that matches a decoded path and a query.
    pub(crate) fn first(
        &self,
        path: &[u8],
        query: Option<&str>,
        phase: RulePhase,
    ) -> Option<RedirectMatch> {
        let path: Vec<&[u8]> = segments(path).collect();
        let query = parse_query(query.unwrap_or(""));
        let matching = self.first_rules.iter().filter_map(|(form, rules)| {
            rules.get(&form.find_literals(&path, &query)?)?[phase as usize]
        });
        let rule = &self.rules[matching.min()?];
        let to = fill(&rule.to, &bind(rule, &path, &query));
        Some(RedirectMatch { to, status: rule.status, line: rule.number })
    }

    fn add(&mut self, rule: RedirectRule) -> Result<(), &'static str> {
        if !rule.is_elsewhere {
            let (form, literals) = RuleForm::new(&rule);
            if !self.first_rules.contains_key(&form) {
                self.cost += form.cost();
                if self.cost > MAX_COST {
                    return Err(
                        "the file has too many combinations of placeholders and query keys",
                    );
                }
            }
            let first = self.first_rules.entry(form).or_default().entry(literals).or_default();
            for phase in [RulePhase::Forced, RulePhase::Unconditional, RulePhase::Conditional] {
                if rule.has_phase(phase) {
                    first[phase as usize].get_or_insert(self.rules.len());
                }
            }
        }
        self.rules.push(rule);
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

/// Binds the placeholders of a matching rule to their values.
fn bind<'a>(rule: &'a RedirectRule, path: &[&[u8]], query: &Query) -> Bindings<'a> {
    let mut bindings = Bindings::new();
    for (at, segment) in rule.from.iter().enumerate() {
        match segment {
            Segment::Name(_) => {}
            Segment::Placeholder(name) => bindings.push((name, path[at].to_vec())),
            Segment::Splat => bindings.push(("splat", path[at..].join(&b'/'))),
        }
    }
    for parameter in &rule.query {
        if let Segment::Placeholder(name) = &parameter.value {
            bindings.push((name, query[parameter.key.as_bytes()].clone()));
        }
    }
    bindings
}

/// Parses the parameters of a query. Of several with the same key, the first applies.
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

/// Characters to encode in the value of a placeholder; a splat keeps its slashes.
const NOT_IN_A_PATH: &AsciiSet = &NOT_IN_A_NAME.add(b':');

/// Replaces the placeholders of a target by their values; placeholders without a value stay.
fn fill(to: &str, bindings: &Bindings<'_>) -> String {
    let mut filled = String::with_capacity(to.len());
    let mut rest = to;
    while let Some(colon) = rest.find(':') {
        filled.push_str(&rest[..colon]);
        rest = &rest[colon + 1..];
        let end = rest.find(|c: char| !is_in_name(c)).unwrap_or(rest.len());
        match bindings.iter().find(|(name, _)| *name == &rest[..end]) {
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

/// A redirect rule, from a line of a redirects file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RedirectRule {
    /// The number of its line among those of all files.
    pub(crate) number: u64,
    /// Whether the rule is for another host, or for a path of the host outside the site.
    pub(crate) is_elsewhere: bool,
    pub(crate) from: Vec<Segment>,
    pub(crate) query: Vec<Parameter>,
    pub(crate) to: String,
    pub(crate) status: u16,
    pub(crate) is_forced: bool,
    pub(crate) is_conditional: bool,
}

/// The pattern for a segment of a path, or for the value of a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Segment {
    /// Exactly these bytes.
    Name(Vec<u8>),
    /// Any segment, captured under this name.
    Placeholder(String),
    /// The rest of the path.
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
    /// Parses a line; returns `None` if the line is empty or a comment.
    ///
    /// `prefix` is the path of the site on its host, without a slash at its end. If the paths of
    /// the line begin with it, they are relative to the host, and become relative to the site.
    /// Returns `None` too if the rule only removes the prefix, as paths of the site have none.
    pub(crate) fn parse(
        text: &str,
        number: u64,
        prefix: &str,
    ) -> Result<Option<Self>, &'static str> {
        let mut parts = text.split_whitespace().take_while(|part| !part.starts_with('#'));
        let Some(written) = parts.next() else { return Ok(None) };
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

/// Strips the path of the site from a path of its host. Returns `None` if the path is not inside,
/// or the site is at the root of its host.
fn strip_site_path<'p>(path: &'p str, prefix: &str) -> Option<&'p str> {
    let rest = path.strip_prefix(prefix).filter(|_| !prefix.is_empty())?;
    match rest.as_bytes() {
        [] => Some("/"),
        [b'/', ..] => Some(rest),
        _ => None,
    }
}

/// Whether a target is the same path that a rule matches.
fn is_same(path: &str, to: &str) -> bool {
    let path =
        path.strip_suffix('*').map_or_else(|| path.to_owned(), |path| format!("{path}:splat"));
    path.trim_end_matches('/') == to.trim_end_matches('/')
}

/// Splits the first word of a line into whether it has a host, and its path.
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

/// The decoded parameters of a query, by key.
type Query = HashMap<Vec<u8>, Vec<u8>>;

/// The form of a rule: the positions of its placeholders, and the keys of its query.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct RuleForm {
    /// Indexes of segments, in order.
    placeholders: Vec<usize>,
    splat: Option<usize>,
    query: Vec<QueryKey>,
}

/// The key of a parameter, and whether the rule requires a literal value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct QueryKey {
    name: Vec<u8>,
    has_literal: bool,
}

/// The literals that a request must have to match a rule of a form: the path before the splat, with
/// empty segments for placeholders, and the literal values of the query.
type Literals = (Vec<u8>, Vec<Vec<u8>>);

impl RuleForm {
    /// Splits a rule into its form and its literals.
    fn new(rule: &RedirectRule) -> (Self, Literals) {
        let mut form = Self { placeholders: Vec::new(), splat: None, query: Vec::new() };
        let (mut path, mut values): (Vec<&[u8]>, _) = (Vec::new(), Vec::new());
        for (at, segment) in rule.from.iter().enumerate() {
            match segment {
                Segment::Name(name) => path.push(name),
                Segment::Placeholder(_) => {
                    form.placeholders.push(at);
                    path.push(b"");
                }
                Segment::Splat => form.splat = Some(at),
            }
        }
        for parameter in &rule.query {
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

    /// Estimates the cost of the form in each lookup.
    fn cost(&self) -> usize {
        1 + self.placeholders.len() + self.query.len()
    }

    /// Finds the literals of the rules that match a request; `None` if no rule of the form can.
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
