//! Checks and renews digests of [subresource integrity](https://www.w3.org/TR/SRI/).

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use absolve::Rewriter;
use absolve::{
    Direction, Syntax,
    internal::{EditedDigests, IntegrityUpdate, Settings},
};
use absolve_archive::Format;
use absolve_archive::jobs::Workers;
use data_encoding::BASE64;
use percent_encoding::percent_decode_str;
use sha2::{Digest, Sha256, Sha384, Sha512};

use super::flush::window_size;
use super::origin::Origins;
use super::read::FileBuffers;
use super::tree::{Item, ItemKind, Tree};

/// The algorithms, from the weakest to the strongest.
const ALGORITHMS: [&str; 3] = ["sha256", "sha384", "sha512"];

/// The digests of a content in Base64, in the order of the algorithms.
#[derive(Debug, PartialEq, Eq)]
pub struct Digests([String; 3]);

impl Digests {
    /// Computes the digests of a content.
    #[must_use]
    #[doc(hidden)]
    pub fn new(content: &[u8]) -> Self {
        Self([
            BASE64.encode(&Sha256::digest(content)),
            BASE64.encode(&Sha384::digest(content)),
            BASE64.encode(&Sha512::digest(content)),
        ])
    }

    /// Whether the value of an `integrity` attribute admits the content: one of its digests by the
    /// strongest algorithm matches. A value without a valid digest admits everything.
    #[must_use]
    #[doc(hidden)]
    pub fn match_integrity(&self, integrity: &str) -> bool {
        let hashes = || integrity.split_ascii_whitespace().filter_map(parse_hash);
        let Some(strongest) = hashes().map(|(algorithm, _)| algorithm).max() else { return true };
        hashes().any(|(algorithm, digest)| {
            algorithm == strongest && is_same(&self.0[algorithm], digest)
        })
    }

    /// Replaces the digests of `old` in the value of an `integrity` attribute; `None` if it has no
    /// such digest, or characters that no digest has.
    fn renew(&self, old: &Self, integrity: &str) -> Option<String> {
        let mut new = integrity.to_owned();
        for (algorithm, digest) in integrity.split_ascii_whitespace().filter_map(parse_hash) {
            if is_same(&old.0[algorithm], digest) {
                new = new.replace(digest, &self.0[algorithm]);
            }
        }
        let is_plain =
            |byte: u8| byte.is_ascii_alphanumeric() || b"+/-_=? \t\n\r\x0c".contains(&byte);
        (new != integrity && new.bytes().all(is_plain)).then_some(new)
    }

    /// Returns the correct digest by the strongest algorithm of a value, as `integrity` has it.
    #[doc(hidden)]
    pub fn strongest(&self, integrity: &str) -> Option<String> {
        let hashes = integrity.split_ascii_whitespace().filter_map(parse_hash);
        let strongest = hashes.map(|(algorithm, _)| algorithm).max()?;
        Some(format!("{}-{}", ALGORITHMS[strongest], self.0[strongest]))
    }
}

/// The style sheets of a tree by URL, with the old and the new digests of edited ones.
#[derive(Debug)]
struct StyleSheets(HashMap<String, Option<[Digests; 2]>>);

impl EditedDigests for StyleSheets {
    fn update_integrity(&self, url: &str, integrity: &str) -> IntegrityUpdate {
        let url = url_key(url);
        // A server ignores the query of a file that has none in its name.
        let path = || url.split_once('?').and_then(|(path, _)| self.0.get(path));
        match self.0.get(&url).or_else(path) {
            None => IntegrityUpdate::Unknown,
            Some(None) => IntegrityUpdate::Stays,
            Some(Some([old, new])) => {
                new.renew(old, integrity).map_or(IntegrityUpdate::Stays, IntegrityUpdate::Renewed)
            }
        }
    }
}

/// Returns a URL without its fragment, with scheme and host in lower case, and percent-decoded.
fn url_key(url: &str) -> String {
    let whole = url.split_once('#').map_or(url, |(whole, _)| whole);
    let host = whole.find("://").map_or(0, |at| at + "://".len());
    let end = whole[host..].find(['/', '?']).map_or(whole.len(), |at| host + at);
    let (origin, rest) = whole.split_at(end);
    let rest = percent_decode_str(rest).decode_utf8_lossy();
    format!("{}{rest}", origin.to_ascii_lowercase())
}

impl Tree {
    /// Returns a rewriter that renews the digests of style sheets in `integrity` attributes of the
    /// tree.
    ///
    /// To compute the digests, only the style sheets are read and rewritten, before anything is
    /// written. `is_written` tells whether the run writes a changed file.
    #[doc(hidden)]
    pub fn renew_integrity(
        &self,
        rewriter: Rewriter,
        origins: &Origins,
        workers: &Workers,
        is_written: impl Fn(&Item) -> bool + Sync,
    ) -> Rewriter {
        let settings = rewriter.settings();
        let is_sheet = |item: &&Item| {
            matches!(item.kind, ItemKind::Document)
                && Format::from_name(item.name.as_ref()).syntax() == Some(Syntax::Css)
        };
        let sheets: Vec<&Item> = self.items.iter().filter(is_sheet).collect();
        let direction = settings.policy.direction();
        let moves_urls = direction.is_some_and(Direction::moves_urls);
        if direction.is_some_and(Direction::is_on_disk) || (sheets.is_empty() && !moves_urls) {
            return rewriter;
        }
        let work = |buffers: &mut FileBuffers, number: usize| {
            let item = sheets[number];
            // A file that fails here fails again in the run, which reports it.
            buffers.read(self, item, &settings.limits).ok()?;
            let item_rewriter = buffers.rewriter(self, item, &rewriter, origins).ok()?;
            let Settings { retrieval_layer, external_base, .. } = item_rewriter.settings();
            let url = url_key(retrieval_layer.base().or(external_base.layer.base())?.as_str());
            let (source, rewrite_buffers) = buffers.parts();
            let rewritten = absolve_archive::rewrite(
                source,
                Format::from_name(item.name.as_ref()),
                &item_rewriter,
                rewrite_buffers,
            )
            .ok()?;
            let is_edited = rewritten.is_changed() && is_written(item);
            let digests = is_edited.then(|| [source, rewritten.bytes()].map(Digests::new));
            Some((url, digests))
        };
        let mut digests = HashMap::new();
        workers.map_ordered(sheets.len(), window_size(), work, |_, results| {
            digests.extend(results.into_iter().flatten());
            ControlFlow::Continue(())
        });
        let digests = Arc::new(StyleSheets(digests));
        rewriter.clone().with(|settings| settings.edited_digests = Some(digests))
    }
}

/// Parses a hash of an `integrity` attribute into its algorithm and its digest, without the options
/// after a `?`; `None` for a hash that browsers ignore.
fn parse_hash(hash: &str) -> Option<(usize, &str)> {
    let (expression, _) = hash.split_once('?').unwrap_or((hash, ""));
    let (name, digest) = expression.split_once('-')?;
    let algorithm = ALGORITHMS.iter().position(|known| known.eq_ignore_ascii_case(name))?;
    let text = digest.strip_suffix("==").or(digest.strip_suffix('=')).unwrap_or(digest);
    let is_valid = |byte: u8| byte.is_ascii_alphanumeric() || b"+/-_".contains(&byte);
    (!text.is_empty() && text.bytes().all(is_valid)).then_some((algorithm, digest))
}

/// Compares a digest in Base64 with a digest that may use the alphabet for URLs, as browsers do.
fn is_same(computed: &str, written: &str) -> bool {
    let written = written.replace('-', "+").replace('_', "/");
    computed.trim_end_matches('=') == written.trim_end_matches('=')
}

#[cfg(test)]
mod tests {
    /// [Section 3.3.4](https://www.w3.org/TR/SRI/#does-response-match-metadatalist).
    #[test]
    fn one_digest_of_the_strongest_algorithm_has_to_match() {
        use super::Digests;

        let digests = Digests::new(b"a");
        let [sha256, sha384, sha512] = &digests.0;
        assert_eq!(sha256, "ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs=");
        let wrong = "sha384-AAAA";
        for (integrity, is_match) in [
            (format!("sha256-{sha256}"), true),
            (format!("\n sha256-AAAA\tsha256-{sha256}?x "), true),
            (format!("SHA512-{}", sha512.replace('+', "-").replace('/', "_")), true),
            (format!("sha256-AAAA sha384-{sha384}"), true),
            (format!("sha256-{sha256} {wrong}"), false),
            (format!("sha256-{sha384}"), false),
            (format!("{wrong} md5-x sha256-{sha256}"), false),
            (String::new(), true),
            ("md5-AAAA sha384 sha384-! sha256- sha256-==".to_owned(), true),
            ("sha256-AAAA".to_owned(), false),
        ] {
            assert_eq!(digests.match_integrity(&integrity), is_match, "{integrity}");
        }
    }
}
