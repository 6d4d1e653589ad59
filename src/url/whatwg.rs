//! Resolves by the URL Standard. The `url` crate has the parser.

use std::borrow::Cow;

use ::url::{EncodingOverride, ParseError, ParseOptions, Position, Url};
use encoding_rs::{EncoderResult, Encoding};

use super::parts::is_special;
use super::{Base, Refusal, Resolution, Standard, clean};

/// Resolves by the [basic URL parser](https://url.spec.whatwg.org/#concept-basic-url-parser), with
/// the query in the base's query encoding.
///
/// NOTE: a reference with its own scheme stays as written; the URL Standard would normalize it.
pub(super) fn resolve<'r>(base: Option<&Base>, text: &'r str) -> Result<Resolution<'r>, Refusal> {
    let reference = clean(text);
    let refuse = |reason: &dyn std::fmt::Display| Refusal::new(Standard::Whatwg, reason);
    let base_url = base.and_then(Base::whatwg);
    if has_own_scheme(&reference, base_url) {
        Url::parse(&reference).map_err(|error| refuse(&error))?;
        return Ok(Resolution::Absolute(reference));
    }
    let Some(base) = base else { return Ok(Resolution::Unresolved) };
    let Some(base_url) = base_url else { return Err(refuse(&"the base URL is not a valid URL")) };
    let encode = query_encoder(base.query_encoding);
    let is_utf8 = base.query_encoding == encoding_rs::UTF_8 || !cfg!(feature = "legacy-encodings");
    let encoding: EncodingOverride<'_> = if is_utf8 { None } else { Some(&encode) };
    let options = Url::options().base_url(Some(base_url)).encoding_override(encoding);
    let resolved = if base_url.scheme() == "file" {
        join_file(base_url, &reference, options)
    } else {
        options.parse(&reduce_slashes(&reference, base_url)).map(String::from)
    };
    resolved.map(Resolution::Resolved).map_err(|error| refuse(&error))
}

/// Resolves against a `file:` URL. The path after the host and the [drive letter][drive] resolves
/// like the path of an `http:` URL, so the function passes such a URL to the parser.
///
/// NOTE: the url crate (2.5) drops a host before a drive letter, and empty segments at the start of
/// a path, also in the base.
///
/// [drive]: https://url.spec.whatwg.org/#windows-drive-letter
fn join_file(base: &Url, reference: &str, options: ParseOptions<'_>) -> Result<String, ParseError> {
    let scheme = reference.get(..5).filter(|scheme| scheme.eq_ignore_ascii_case("file:"));
    let path = &reference[scheme.map_or(0, str::len)..];
    if path.is_empty() || path.starts_with(['?', '#']) {
        return options.parse(reference).map(String::from);
    }
    let mut host = Cow::Borrowed(base.host_str().unwrap_or_default());
    let (mut base_path, mut path) = (base.path(), path);
    if let Some(rest) = path.strip_prefix(SLASHES).and_then(|rest| rest.strip_prefix(SLASHES)) {
        let end = rest.find(['/', '\\', '?', '#']).unwrap_or(rest.len());
        let end = if is_drive(rest) { 0 } else { end };
        let url = Url::parse(&format!("file://{}/", &rest[..end]))?;
        host = Cow::Owned(url.host_str().unwrap_or_default().to_owned());
        (base_path, path) = ("/", &rest[end..]);
    }
    let after = path.strip_prefix(SLASHES).unwrap_or(path);
    let (drive, base_path, path) = if is_drive(after) {
        (format!("/{}:", &after[..1]), "", &after[2..])
    } else if is_drive(&base_path[1..]) {
        (base_path[..3].to_owned(), if base_path.len() > 3 { &base_path[3..] } else { "/" }, path)
    } else {
        (String::new(), base_path, path)
    };
    let has_slash = path.starts_with(SLASHES);
    let folder = base_path.rfind('/').filter(|_| !has_slash).map_or("", |end| &base_path[..=end]);
    let url = options.base_url(None).parse(&format!("http://h{folder}{path}"))?;
    let path = &url[Position::BeforePath..];
    let path = if has_slash || !folder.is_empty() { path } else { &path[1..] };
    Ok(format!("file://{host}{drive}{path}"))
}

const SLASHES: [char; 2] = ['/', '\\'];

/// Whether a path begins with a Windows drive letter.
fn is_drive(path: &str) -> bool {
    match path.as_bytes() {
        [letter, b':' | b'|', rest @ ..] => {
            letter.is_ascii_alphabetic() && matches!(rest, [] | [b'/' | b'\\' | b'?' | b'#', ..])
        }
        _ => false,
    }
}

/// Returns the normalized URL, if its scheme is special.
pub(super) fn normalize_special(url: &str) -> Option<String> {
    Url::parse(url).ok().filter(Url::is_special).map(String::from)
}

/// Reduces more than two slashes at the start of the reference to two, if the base's scheme is
/// special: the [special authority ignore slashes state][state] skips the rest.
///
/// NOTE: the url crate (2.5) skips further slashes only after a scheme, and finds an empty host
/// after the first two slashes of `///x`.
///
/// [state]: https://url.spec.whatwg.org/#special-authority-ignore-slashes-state
fn reduce_slashes<'r>(reference: &'r str, base: &Url) -> Cow<'r, str> {
    let rest = reference.trim_start_matches(['/', '\\']);
    let slashes = reference.len() - rest.len();
    if slashes > 2 && base.is_special() {
        Cow::Owned(format!("//{rest}"))
    } else {
        Cow::Borrowed(reference)
    }
}

/// Whether the reference has a scheme that makes it absolute: `http:g` is relative if the base has
/// the same special scheme ([scheme state][state]).
///
/// [state]: https://url.spec.whatwg.org/#scheme-state
fn has_own_scheme(reference: &str, base: Option<&Url>) -> bool {
    let Some((scheme, rest)) = reference.split_once(':') else { return false };
    let is_scheme = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    if !scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        || !scheme.bytes().all(is_scheme)
    {
        return false;
    }
    let is_same = base.is_some_and(|base| base.scheme().eq_ignore_ascii_case(scheme));
    // https://url.spec.whatwg.org/#special-scheme
    let is_special = is_special(scheme) || scheme.eq_ignore_ascii_case("file");
    !(is_same && is_special && !rest.starts_with("//"))
}

/// Returns the encoder of [percent-encode after encoding][encode] for a query; a character that the
/// encoding lacks becomes `%26%23N%3B`.
///
/// [encode]: https://url.spec.whatwg.org/#string-percent-encode-after-encoding
fn query_encoder(encoding: &'static Encoding) -> impl Fn(&str) -> Cow<'_, [u8]> {
    move |query| {
        let mut encoder = encoding.new_encoder();
        let mut bytes = Vec::with_capacity(query.len() + 16);
        let mut rest = query;
        loop {
            bytes.reserve(rest.len() + 16);
            let (result, read) =
                encoder.encode_from_utf8_to_vec_without_replacement(rest, &mut bytes, true);
            rest = &rest[read..];
            match result {
                EncoderResult::InputEmpty => return Cow::Owned(bytes),
                EncoderResult::OutputFull => {}
                EncoderResult::Unmappable(character) => {
                    let reference = format!("%26%23{}%3B", u32::from(character));
                    bytes.extend_from_slice(reference.as_bytes());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn resolves(base: &str, reference: &str, url: &str) {
        let base = Base::new(base).unwrap();
        let resolved = resolve(Some(&base), reference);
        assert_eq!(resolved, Ok(Resolution::Resolved(url.to_owned())), "{reference:?}");
    }

    #[test]
    fn slashes_before_a_host_do_not_count() {
        for reference in ["//x/y", "///x/y", "////x/y", "/\\/x/y", "//\\x/y", "\\\\\\x/y"] {
            resolves("http://h/a/b", reference, "http://x/y");
            resolves("wss://h/a/b", reference, "wss://x/y");
        }
        resolves("http://h/a/b", "/\t//u@x:8?q", "http://u@x:8/?q");
        resolves("file:///a/b", "///x/y", "file:///x/y");
        resolves("file:///a/b", "/////x/y", "file://///x/y");
        resolves("x://h/a/b", "///x/y", "x:///x/y");
        let base = Base::new("http://h/a/b").unwrap();
        assert!(resolve(Some(&base), "///").is_err());
    }

    #[test]
    fn a_drive_letter_is_below_the_host() {
        let base = "file://host/dir/file";
        for (reference, url) in [
            ("C|/", "file://host/C:/"),
            ("C|", "file://host/C:"),
            ("C|?q#f", "file://host/C:?q#f"),
            ("FILE:/c:\\x", "file://host/c:/x"),
            ("//C:/x", "file:///C:/x"),
            ("//localhost//C:/", "file:////C:/"),
            ("//i", "file://i/"),
            ("C", "file://host/dir/C"),
            ("/..//x", "file://host//x"),
            ("?q", "file://host/dir/file?q"),
        ] {
            resolves(base, reference, url);
        }
        resolves("file:///C:/a/b", "../../..", "file:///C:/");
        resolves("file:///C:/a/b", "/x", "file:///C:/x");
        resolves("file:///C:", "x", "file:///C:/x");
        let base = Base::new(base).unwrap();
        for refused in ["//u@h/", "//h:80/", "//%"] {
            assert!(resolve(Some(&base), refused).is_err(), "{refused}");
        }
    }

    /// If this fails, the crate follows the standard, and [`reduce_slashes`] can go.
    #[test]
    fn the_url_crate_counts_slashes_before_a_host() {
        let base = Url::parse("http://h/a/b").unwrap();
        for reference in ["///x/y", "////x/y", "//\\x/y"] {
            assert_eq!(base.join(reference), Err(::url::ParseError::EmptyHost), "{reference}");
        }
    }
}
