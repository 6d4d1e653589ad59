//! The bytes outside the spans of links.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use absolve::reference::{Context, decode};
use absolve::scan::{Attribute, Quote};
use absolve::{Engine, Link, Rewriter};

use super::links::is_scannable;
use super::markup::{Markup, Spot};
use super::{Found, Settings, found, same, shown};

/// Without a decision, the document is the one that was given.
pub(super) fn identity(settings: &Settings, source: &[u8]) -> Result<(), String> {
    match settings.rewriter(Engine::Splice).rewrite_with(source, |_| None) {
        Ok(result) if matches!(result.clone().into_bytes(), Cow::Borrowed(bytes) if bytes == source) => {
            Ok(())
        }
        Ok(result) => Err(format!("no decision gives {:?}", shown(result.bytes()))),
        Err(_) => Ok(()),
    }
}

/// Checks that replacing the span of each link by a word changes nothing else.
pub(super) fn words_for_links(settings: &Settings, source: &[u8]) -> Result<(), String> {
    let detected = settings.detect(source);
    let rewriter = settings.rewriter(Engine::Splice);
    let Ok((links, _)) = found(&rewriter, source) else { return Ok(()) };
    if is_scannable(detected) {
        let words = words(&source[detected.bom..], &links, detected.bom);
        let result = replaced(&rewriter, source, &words)?;
        let mut expected = source[..detected.bom].to_vec();
        expected.extend(spliced(&source[detected.bom..], words)?);
        return same("the document with words for links", &shown(&result), &shown(&expected));
    }
    // The scanner reads the decoded text, for which the expected result is known.
    let text = detected.decode(source);
    let utf8 = Settings { encoding: Some("utf-8"), ..settings.clone() };
    let Ok((decoded, _)) = found(&utf8.rewriter(Engine::Splice), text.as_bytes()) else {
        return Ok(());
    };
    if text.starts_with('\u{feff}') || decoded.len() != links.len() {
        return Ok(());
    }
    let words = words(text.as_bytes(), &decoded, 0);
    let result = replaced(&rewriter, source, &words)?;
    let result = detected.decode(&result).into_owned().into_bytes();
    let expected = spliced(text.as_bytes(), words)?;
    same("the text with words for links", &shown(&result), &shown(&expected))
}

/// A link's word, where it is, and what has to be written there.
struct Word {
    text: String,
    span: Range<usize>,
    written: String,
}

/// A word for each link, but for those of documents inside values, and those with markup inside.
fn words(source: &[u8], links: &[Found], bom: usize) -> Vec<Option<Word>> {
    let markup = Markup::read(source);
    let word = |(number, link): (usize, &Found)| {
        let span = link.span.clone().filter(|_| link.enclosing.is_none())?;
        let span = span.start - bom..span.end - bom;
        // No part of the reference can stay: it ends otherwise.
        let end = if link.seen.reference.ends_with('Z') { 'Y' } else { 'Z' };
        let word = format!("Z{number}{end}");
        let is_inside = |text: &Range<usize>| text.start <= span.start && span.end <= text.end;
        let written = match markup.spot(&span)? {
            Spot::Text(tag) if markup.tags[tag].text.iter().any(is_inside) => word.clone(),
            Spot::Text(_) => return None,
            Spot::Attribute(tag, index) => match markup.tags[tag].attributes[index].quote {
                Quote::Absent => format!("=\"{word}\""),
                _ => word.clone(),
            },
        };
        let goes_on = ends_open(&source[..span.start], b'Z');
        let written = if goes_on { format!(";{written}") } else { written };
        Some(Word { text: word, span, written })
    };
    links.iter().enumerate().map(word).collect()
}

fn replaced(rewriter: &Rewriter, source: &[u8], words: &[Option<Word>]) -> Result<Vec<u8>, String> {
    let mut words = words.iter();
    let decide = |_: &Link<'_>| Some(words.next()?.as_ref()?.text.clone());
    let result = rewriter.rewrite_with(source, decide).map_err(|error| error.to_string())?;
    Ok(result.bytes().to_vec())
}

fn spliced(source: &[u8], words: Vec<Option<Word>>) -> Result<Vec<u8>, String> {
    let mut words: Vec<_> = words.into_iter().flatten().collect();
    words.sort_by_key(|word| (word.span.start, word.span.end));
    let mut out = Vec::new();
    let mut done = 0;
    for Word { span, written, .. } in words {
        if span.start < done {
            return Err(format!("spans overlap at byte {}", span.start));
        }
        out.extend_from_slice(&source[done..span.start]);
        out.extend_from_slice(written.as_bytes());
        done = span.end;
    }
    out.extend_from_slice(&source[done..]);
    Ok(out)
}

/// Whether bytes end with a character reference that has no `;` and that the next byte would go on
/// with.
fn ends_open(bytes: &[u8], next: u8) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'#';
    let length = bytes.iter().rev().take_while(|byte| is_part(byte)).count();
    let (before, end) = bytes.split_at(bytes.len() - length);
    let written = format!("&{}", String::from_utf8_lossy(end));
    let read = |text: &str| decode(text, Context::Attribute).into_owned();
    let next = char::from(next);
    before.ends_with(b"&")
        && read(&written) != written
        && read(&format!("{written}{next}")) != format!("{}{next}", read(&written))
}

/// The bytes outside the spans of changed links are the same, but for the quotes that a value gets
/// that had none.
pub(super) fn stays(
    settings: &Settings,
    source: &[u8],
    out: &[u8],
    before: &[Found],
    after: &[Found],
) -> Result<(), String> {
    let detected = settings.detect(source);
    let changed = before.iter().zip(after).filter(|(old, _)| {
        old.absolute.as_ref().is_some_and(|absolute| *absolute != old.seen.reference)
    });
    let spans: Option<Vec<_>> =
        changed.map(|(old, new)| Some((old.span.clone()?, new.span.clone()?))).collect();
    let spans = spans.ok_or("a link without a span")?;
    let (mut old_cuts, mut new_cuts) = (BTreeSet::new(), BTreeSet::new());
    let (old_markup, new_markup) = if is_scannable(detected) {
        (Markup::read(&source[detected.bom..]), Markup::read(&out[detected.bom..]))
    } else {
        return Ok(());
    };
    for (old, new) in spans {
        let old = old.start - detected.bom..old.end - detected.bom;
        let new = new.start - detected.bom..new.end - detected.bom;
        let (Some(old_spot), Some(new_spot)) = (old_markup.spot(&old), new_markup.spot(&new))
        else {
            return Err("a span nowhere".to_owned());
        };
        same("the tag of a link", &old_spot, &new_spot)?;
        let cuts = match old_spot {
            Spot::Attribute(tag, index) => {
                let old_value = (&old_markup.tags[tag].attributes[index], &source[detected.bom..]);
                let new_value = (&new_markup.tags[tag].attributes[index], &out[detected.bom..]);
                vec![in_attribute(old_value, new_value, (old, new))?]
            }
            Spot::Text(tag) => {
                in_pieces(&old_markup.tags[tag].text, &new_markup.tags[tag].text, &old, &new)?
            }
        };
        for (old, new) in cuts {
            old_cuts.insert((old.start + detected.bom, old.end + detected.bom));
            new_cuts.insert((new.start + detected.bom, new.end + detected.bom));
        }
    }
    let (old, mut new) = (outside(source, &old_cuts)?, outside(out, &new_cuts)?);
    for (old, new) in old.iter().zip(&mut new) {
        if new.len() == old.len() + 1 && new.ends_with(b";") {
            new.pop();
        }
    }
    let show = |parts: &[Vec<u8>]| parts.iter().map(|part| shown(part)).collect::<Vec<_>>();
    same("what is outside of links", &show(&old), &show(&new))
}

/// A part of a document, before and after.
type Cut = (Range<usize>, Range<usize>);

/// The reference in an attribute, or all of a value that gets quotes.
fn in_attribute(
    (old, source): (&Attribute, &[u8]),
    (new, out): (&Attribute, &[u8]),
    cut: Cut,
) -> Result<Cut, String> {
    match (old.quote, new.quote) {
        (old_quote, new_quote) if old_quote == new_quote => Ok(cut),
        (Quote::Unquoted | Quote::Absent, quote @ (Quote::Double | Quote::Single)) => {
            let mut gap = source[old.name.end..old.value.start].to_vec();
            if old.quote == Quote::Absent {
                gap.push(b'=');
            }
            gap.push(if quote == Quote::Double { b'"' } else { b'\'' });
            let new_gap = &out[new.name.end..new.value.start];
            same("what is in front of a value", &shown(&gap), &shown(new_gap))?;
            Ok((old.name.end..old.value.end, new.name.end..new.value.end + 1))
        }
        quotes => Err(format!("the quotes of a value: {quotes:?}")),
    }
}

/// The parts of a reference in each piece of a text, before and after: between them is markup,
/// which stays, and may have links of its own.
fn in_pieces(
    old_text: &[Range<usize>],
    new_text: &[Range<usize>],
    old: &Range<usize>,
    new: &Range<usize>,
) -> Result<Vec<Cut>, String> {
    same("the pieces of a text", &old_text.len(), &new_text.len())?;
    let part = |span: &Range<usize>, piece: &Range<usize>| {
        let start = span.start.clamp(piece.start, piece.end);
        start..span.end.clamp(start, piece.end)
    };
    let pieces = old_text.iter().zip(new_text);
    let touched = pieces.filter(|(piece, _)| piece.start <= old.end && old.start <= piece.end);
    Ok(touched.map(|(before, after)| (part(old, before), part(new, after))).collect())
}

fn outside(bytes: &[u8], cuts: &BTreeSet<(usize, usize)>) -> Result<Vec<Vec<u8>>, String> {
    let mut parts = Vec::new();
    let mut done = 0;
    for &(start, end) in cuts {
        if start < done {
            return Err(format!("spans overlap at byte {start}"));
        }
        parts.push(bytes[done..start].to_vec());
        done = end;
    }
    parts.push(bytes[done..].to_vec());
    Ok(parts)
}
