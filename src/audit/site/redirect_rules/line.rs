//! One line of a redirects file.

use percent_encoding::percent_decode_str;

/// A redirect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) number: u64,
    /// Whether it is for another host.
    pub(crate) has_host: bool,
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

impl Line {
    /// Parses a line; `None` if it is empty or a comment.
    pub(crate) fn parse(text: &str, number: u64) -> Result<Option<Self>, &'static str> {
        let mut parts = text.split_whitespace().take_while(|part| !part.starts_with('#'));
        let Some(written) = parts.next() else {
            return Ok(None);
        };
        let parts: Vec<&str> = parts.collect();
        let (has_host, path) = path_of(written)?;
        let from = pattern(path)?;
        let first_status = parts.first().and_then(|part| status(part));
        // Without a target, a rule for a folder rewrites to the same paths.
        let (query, to, rest) = if let Some((code, _)) = first_status {
            let folder = path.strip_suffix("/*").filter(|_| (200..300).contains(&code));
            (&[][..], format!("{}/:splat", folder.ok_or(NO_TARGET)?), &parts[..])
        } else {
            let at = parts.iter().position(|part| is_target(part)).ok_or(NO_TARGET)?;
            (&parts[..at], parts[at].to_owned(), &parts[at + 1..])
        };
        let (code, is_forced) = match rest.first() {
            Some(part) => status(part).ok_or(STATUS)?,
            None => (301, false),
        };
        Ok(Some(Self {
            number,
            has_host,
            from,
            query: query.iter().map(|pair| parameter(pair)).collect::<Result<_, _>>()?,
            to,
            status: code,
            is_forced,
            is_conditional: rest.len() > 1,
        }))
    }
}

/// Whether it has a host, and its path.
fn path_of(from: &str) -> Result<(bool, &str), &'static str> {
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

fn is_web(scheme: &str) -> bool {
    scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
}

fn is_target(part: &str) -> bool {
    part.starts_with('/') || part.split_once("://").is_some_and(|(scheme, _)| is_web(scheme))
}

fn pattern(path: &str) -> Result<Vec<Segment>, &'static str> {
    // Only the path is compared; key=value compares the query.
    let path = &path[..path.find(['?', '#']).unwrap_or(path.len())];
    let mut segments = Vec::new();
    let mut written = path.split('/').filter(|segment| !segment.is_empty()).peekable();
    while let Some(segment) = written.next() {
        let parsed = segment_of(segment);
        let is_last = written.peek().is_none();
        if segment.contains('*') && !(is_last && parsed == Segment::Splat) {
            return Err("a * matches the rest of a path: it must be the last segment");
        }
        segments.push(parsed);
    }
    Ok(segments)
}

fn segment_of(written: &str) -> Segment {
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

fn parameter(pair: &str) -> Result<Parameter, &'static str> {
    let (key, value) =
        pair.split_once('=').ok_or("expected key=value between the path and the target")?;
    let value = match segment_of(value) {
        Segment::Splat => Segment::Name(b"*".to_vec()),
        value => value,
    };
    Ok(Parameter { key: key.to_owned(), value })
}

/// A status, and whether `!` follows it.
fn status(part: &str) -> Option<(u16, bool)> {
    let (code, is_forced) = match part.strip_suffix('!') {
        Some(code) => (code, true),
        None => (part, false),
    };
    let is_code = code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_digit());
    let code = code.parse().ok().filter(|code| is_code && (200..600).contains(code))?;
    Some((code, is_forced))
}
