//! A document and its copy in another encoding.

use absolve::Engine;
use absolve::encoding::Detected;
use encoding_rs::{UTF_16BE, UTF_16LE};

use super::{Found, Settings, found, same, shown};

/// Whether the text can be in the encoding; if so, its links and what it is rewritten to are the
/// same as in UTF-8.
pub(super) fn encoded(
    settings: &Settings,
    text: &str,
    label: &'static str,
) -> Result<bool, String> {
    let utf8 = Settings { encoding: Some("utf-8"), ..settings.clone() };
    let other = Settings { encoding: Some(label), ..settings.clone() };
    let encoding = absolve::encoding::for_label(label).map_err(|error| error.to_string())?;
    let mark: &[u8] = match encoding {
        _ if encoding == UTF_16LE => b"\xff\xfe",
        _ if encoding == UTF_16BE => b"\xfe\xff",
        _ => b"",
    };
    let detected = Detected { encoding, bom: mark.len() };
    let source = detected.encode(text, mark);
    if text.starts_with('\u{feff}') || other.detect(&source) != detected {
        return Ok(false);
    }
    if detected.decode(&source) != text {
        return Ok(false);
    }
    let plain = found(&utf8.rewriter(Engine::Splice), text.as_bytes());
    let coded = found(&other.rewriter(Engine::Splice), &source);
    let (Ok((plain, _)), Ok((coded, _))) = (plain, coded) else { return Ok(false) };
    let is_held = |text: &str| !encoding.encode(text).2;
    if !plain.iter().all(|link| is_held(&link.seen.reference)) {
        return Ok(false);
    }
    let seen = |links: &[Found]| links.iter().map(|link| link.seen.clone()).collect::<Vec<_>>();
    same("links in another encoding", &seen(&coded), &seen(&plain))?;
    for link in coded.iter().filter(|link| link.enclosing.is_none()) {
        let span = link.span.clone().ok_or("a link without a span")?;
        if span.start > span.end || span.end > source.len() {
            return Err(format!("a span out of bounds: {link:?}"));
        }
    }
    let left = utf8.rewriter(Engine::Splice).rewrite(text.as_bytes());
    let right = other.rewriter(Engine::Splice).rewrite(&source);
    let (Ok(left), Ok(right)) = (left, right) else { return Ok(false) };
    let right = detected.decode(right.bytes());
    same("the text in another encoding", &shown(right.as_bytes()), &shown(left.bytes()))?;
    Ok(true)
}
