//! A document after all its links have been made absolute.

use absolve::{Buffers, Engine};
use encoding_rs::ISO_2022_JP;

use super::links::engines_agree;
use super::locality::stays;
use super::{Figures, Found, Settings, found, same, shown, tree};

/// Every link made absolute: the fast way and the slow one, what is read afterwards, what stays,
/// and that a second time changes nothing.
pub(super) fn absolute(settings: &Settings, source: &[u8]) -> Result<usize, String> {
    let detected = settings.detect(source);
    let rewriter = settings.rewriter(Engine::Splice);
    let result = rewriter.rewrite(source);
    let asked = rewriter.rewrite_with(source, |link| link.replacement_url().map(str::to_owned));
    let (result, asked) = match (result, asked) {
        (Ok(result), Ok(asked)) => (result, asked),
        (Err(left), Err(right)) => return same("errors", &left, &right).map(|()| 0),
        (left, right) => return Err(format!("one way fails: {:?} {:?}", left.err(), right.err())),
    };
    let out = result.bytes();
    // NOTE: where an edit begins in another state of ISO-2022-JP than ASCII, a shorter edit has its
    // escape sequences at other places.
    if detected.encoding == ISO_2022_JP {
        let text = |bytes: &[u8]| detected.decode(bytes).into_owned();
        same("the text rewritten by prefix and one by one", &text(out), &text(asked.bytes()))?;
    } else {
        same("rewriting by prefix and one by one", &shown(out), &shown(asked.bytes()))?;
    }
    same("counts", &result.counts(), &asked.counts())?;
    let mut buffers = Buffers::new();
    let again = rewriter.rewrite_in(source, &mut buffers).map_err(|error| error.to_string())?;
    same("rewriting in memory used before", &shown(out), &shown(again.bytes()))?;
    // A declaration can leave the part of the document that is searched for one.
    let settings = &Settings { encoding: Some(detected.encoding.name()), ..settings.clone() };
    if settings.detect(out).encoding == detected.encoding && !detected.is_replacement() {
        reads_back(settings, source, out)?;
    }
    let twice =
        settings.rewriter(Engine::Splice).rewrite(out).map_err(|error| error.to_string())?;
    same("rewriting twice", &shown(twice.bytes()), &shown(out))?;
    same("edits of the second time", &twice.counts().rewritten, &0)?;
    Ok(result.counts().rewritten)
}

/// The links of the output are what was decided for the links of the source.
fn reads_back(settings: &Settings, source: &[u8], out: &[u8]) -> Result<(), String> {
    let rewriter = settings.rewriter(Engine::Splice);
    let (before, _) = found(&rewriter, source)?;
    let (after, _) = found(&rewriter, out)?;
    if out != source {
        engines_agree(settings, out, &mut Figures::default())
            .map_err(|error| format!("the output {:?}: {error}", shown(out)))?;
    }
    let shape =
        |bytes: &[u8]| tree::parse(&settings.detect(bytes).decode(bytes)).map(|tree| tree.elements);
    same("elements and attributes", &shape(source), &shape(out))?;
    if before.len() != after.len() {
        return Err(format!("{} links, {} in {:?}", before.len(), after.len(), shown(out)));
    }
    for (old, new) in before.iter().zip(&after) {
        let expected = old.absolute.as_ref().unwrap_or(&old.seen.reference);
        let place = |link: &Found| (link.seen.element.clone(), link.seen.attribute.clone());
        same("the place of a link", &place(old), &place(new))?;
        let reference = &new.seen.reference;
        let is_same = expected == reference
            || old.absolute.is_some()
                && old.seen.grammar != "url"
                && same_or_percent_encoded(expected, reference);
        if !is_same {
            return Err(format!("{expected:?} reads back as {reference:?} in {:?}", shown(out)));
        }
    }
    stays(settings, source, out, &before, &after)
}

/// Whether `read` is `url`, with nothing percent-encoded but what its container cannot hold.
fn same_or_percent_encoded(url: &str, mut read: &str) -> bool {
    url.chars().all(|c| {
        let mut buffer = [0; 4];
        let bytes = c.encode_utf8(&mut buffer).bytes();
        let encoded = bytes.map(|byte| format!("%{byte:02X}")).collect::<Vec<_>>().concat();
        let may = c.is_ascii_whitespace() || matches!(c, ',' | '\'' | '"' | '>') || !c.is_ascii();
        let rest = read.strip_prefix(c);
        let rest = rest.or_else(|| read.strip_prefix(&*encoded).filter(|_| may));
        read = rest.unwrap_or(read);
        rest.is_some()
    }) && read.is_empty()
}
