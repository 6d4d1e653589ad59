//! Session IDs, which are not part of a key.

/// The path without the sessions of ASP.NET, such as `/(a(24 letters and digits))/page.aspx`.
pub(super) fn without_path_session(path: String) -> String {
    let path = without(&path, lettered_sessions).unwrap_or(path);
    without(&path, session).unwrap_or(path)
}

/// The path without the last segment of which `length` knows the length, if an ASP.NET page follows.
fn without(path: &str, length: impl Fn(&str) -> Option<usize>) -> Option<String> {
    path.rmatch_indices('/').find_map(|(slash, _)| {
        let (before, after) = path.split_at(slash + 1);
        let rest = &after[length(after)?..];
        let name = rest.split('?').next().unwrap_or_default();
        // A page has a name. Its end may be after a `?`, but not its name.
        let has_end = name.get(1..).is_some_and(|name| name.contains(".aspx"));
        has_end.then(|| format!("{before}{rest}"))
    })
}

/// The length of `(24 letters and digits)/`.
fn session(text: &str) -> Option<usize> {
    let inside = text.strip_prefix('(')?;
    has(inside, 24, u8::is_ascii_alphanumeric)?;
    inside[24..].starts_with(")/").then_some(27)
}

/// The length of `(` letter `(24 letters and digits)`, repeated, `)/`.
fn lettered_sessions(text: &str) -> Option<usize> {
    let mut at = 1;
    text.strip_prefix('(')?;
    while text.as_bytes().get(at).is_some_and(u8::is_ascii_alphabetic) {
        let inside = text[at + 1..].strip_prefix('(')?;
        has(inside, 24, u8::is_ascii_alphanumeric)?;
        inside[24..].strip_prefix(')')?;
        at += 27;
    }
    (at > 1 && text[at..].starts_with(")/")).then_some(at + 2)
}

/// The query without the sessions of Java, PHP, ASP and `ColdFusion`.
pub(super) fn without_query_session(query: String) -> String {
    let of_32 = |text: &str| has(text, 32, u8::is_ascii_alphanumeric);
    let mut query = query;
    for name in ["jsessionid=", "phpsessid=", "sid="] {
        query = without_parameter(&query, name, of_32).unwrap_or(query);
    }
    let of_asp = |text: &str| {
        has(text, 8, u8::is_ascii_alphabetic)?;
        has(text[8..].strip_prefix('=')?, 24, u8::is_ascii_alphabetic)?;
        Some(33)
    };
    query = without_parameter(&query, "aspsessionid", of_asp).unwrap_or(query);
    without_parameter(&query, "cfid=", of_coldfusion).unwrap_or(query)
}

/// The length of `value&cftoken=value`.
fn of_coldfusion(text: &str) -> Option<usize> {
    const TOKEN: &str = "cftoken=";
    let value = text.find('&').filter(|&end| end > 0)?;
    let name = text.get(value + 1..value + 1 + TOKEN.len())?;
    let token = &text[value + 1 + TOKEN.len()..];
    let end = token.find('&').unwrap_or(token.len());
    (name.eq_ignore_ascii_case(TOKEN) && end > 0).then_some(text.len() - token.len() + end)
}

/// The query without the last parameter that begins with `name`, wherever that is, and of whose
/// rest `length` knows the length.
fn without_parameter(
    query: &str,
    name: &str,
    length: impl Fn(&str) -> Option<usize>,
) -> Option<String> {
    let lower = query.to_ascii_lowercase();
    lower.rmatch_indices(name).find_map(|(at, _)| {
        let rest = &query[at + name.len()..];
        let rest = &rest[length(rest)?..];
        let after = if rest.is_empty() { rest } else { rest.strip_prefix('&')? };
        Some(format!("{}{after}", &query[..at]))
    })
}

/// `count`, if text begins with so many bytes of a kind.
fn has(text: &str, count: usize, is: impl Fn(&u8) -> bool) -> Option<usize> {
    text.as_bytes().get(..count).filter(|bytes| bytes.iter().all(is)).map(|_| count)
}
