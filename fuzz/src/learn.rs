//! Pages that may say where they came from: what is learned is usable, and only the beginning
//! of a page says it.

use absolve::url::Base;
use absolve::{BaseSource, Learn, Rewriter};

use crate::common::arbitrary;

/// How much of a page is read.
const LENGTH: usize = 64 * 1024;
/// The longest base URL.
const MAX: usize = 8 * 1024;

/// The base URL that a page gives, and its source.
fn learned(page: &[u8]) -> Option<(Option<String>, BaseSource)> {
    let rewriter = Rewriter::new().encoding("utf-8").expect("it is an encoding");
    let summary = rewriter.links(page, |_| ()).ok()?;
    let (base, source) = (summary.base().map(Base::as_str), summary.base_source());
    for refused in summary.not_learned() {
        assert!(Learn::SOURCES.contains(&refused.source()) && !refused.to_string().is_empty());
    }
    if Learn::SOURCES.contains(&source) {
        let base = base.expect("it is learned");
        assert!(Base::new(base).is_ok() && base.len() <= MAX, "{base}");
        let scheme = base.split(':').next().expect("it has one").to_ascii_lowercase();
        assert!(scheme == "http" || scheme == "https", "{base}");
    }
    Some((base.map(str::to_owned), source))
}

pub(crate) fn run(data: &[u8]) {
    let Some(data) = arbitrary::<(usize, &[u8])>(data) else { return };
    let (cut, source) = data;
    learned(source);
    // The end of what is read is somewhere in it.
    let before = LENGTH - cut % (source.len() + 1).min(LENGTH);
    let page = [" ".repeat(before).as_bytes(), source].concat();
    let (Some(all), Some(read)) = (learned(&page), learned(&page[..LENGTH])) else { return };
    let has_own_base = [all.1, read.1].contains(&BaseSource::BaseElement);
    assert!(has_own_base || all == read, "{all:?} {read:?}");
}
