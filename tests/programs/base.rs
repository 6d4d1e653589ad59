//! The base of documents with `noscript` in the head, in default options, and in Chromium.

use std::path::Path;

use absolve::{BaseScope, BaseSource, Rewriter};
use libtest_mimic::Trial;
use serde_json::{Value, json};

use super::browser::{Browser, no_chromium};
use super::heads::document;
use super::random::Random;
use super::trial::trial;

const DOCUMENTS: usize = 3000;

pub(crate) fn trials() -> Vec<Trial> {
    vec![trial("bases after noscript, in Chromium", &[no_chromium()], bases)]
}

/// The base of each document, and whether its element is in the head; scripts run in a frame.
const LOOK: &str = "(documents => {
    const frame = document.body.appendChild(document.createElement('iframe'));
    return documents.map(text => {
        const document = frame.contentDocument;
        document.open();
        document.write(text);
        document.close();
        const isOwn = base => base.namespaceURI === 'http://www.w3.org/1999/xhtml';
        const base = [...document.querySelectorAll('base[href]')].find(isOwn);
        return base ? [document.baseURI, base.closest('head') !== null] : null;
    });
})";

fn bases(_: &Path) {
    let mut random = Random(1);
    let documents: Vec<_> = (0..DOCUMENTS).map(|_| document(&mut random)).collect();
    let found = Browser::start().evaluate(&format!("{LOOK}({})", json!(documents)));
    let found = found.as_array().unwrap();
    let in_head = found.iter().filter(|found| found[1] == true).count();
    assert!(in_head > DOCUMENTS / 5, "{in_head} documents have a base in the head");
    for (text, found) in documents.iter().zip(found) {
        // NOTE: Chromium lets a frameset replace a body after a template in the head, against the
        // Standard.
        if !(text.contains("<template") && text.contains("<frameset")) {
            check(text, found);
        }
    }
}

fn check(text: &str, found: &Value) {
    let rewriter = Rewriter::new().base_url("http://retrieval.example/").unwrap();
    let own = |rewriter: &Rewriter| {
        let summary = rewriter.links(text.as_bytes(), |_| {}).unwrap();
        let is_own = summary.base_source() == BaseSource::BaseElement;
        (is_own.then(|| summary.base().unwrap().to_string()), summary)
    };
    let (base, summary) = own(&rewriter);
    let (expected, is_in_head) = (found[0].as_str(), found[1] == true);
    assert_eq!(base.as_deref(), expected.filter(|_| is_in_head), "{text}");
    let is_outside = summary.rejected_base().is_some_and(absolve::RejectedBase::is_outside_head);
    assert_eq!(is_outside, expected.is_some() && !is_in_head, "{text}");
    let (base, _) = own(&rewriter.base_scope(BaseScope::Document));
    assert_eq!(base.as_deref(), expected, "{text}");
}
