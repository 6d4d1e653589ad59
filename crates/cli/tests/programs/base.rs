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

/// The base of each document, whether its element is in the head, and whether it was there where the
/// head ends in the source, which is where an element would be one of the document; scripts run in a
/// frame.
const LOOK: &str = "(documents => {
    const frame = document.body.appendChild(document.createElement('iframe'));
    const isOwn = base => base.namespaceURI === 'http://www.w3.org/1999/xhtml';
    const read = text => {
        const document = frame.contentDocument;
        document.open();
        document.write(text);
        document.close();
        const base = [...document.querySelectorAll('base[href]')].find(isOwn);
        return base && [base.href, base.closest('head') !== null];
    };
    const early = text => {
        for (const { index } of text.matchAll(/<\\/head[\\s/>]|<body[\\s/>]/gi)) {
            const base = read(text.slice(0, index) + '<x-probe>');
            if (frame.contentDocument.querySelector('x-probe')) return base?.[0];
        }
    };
    return documents.map(text => {
        const base = read(text);
        return base ? [...base, early(text) === base[0]] : null;
    });
})";

fn bases(_: &Path) {
    let mut random = Random(1);
    let documents: Vec<_> = (0..DOCUMENTS).map(|_| document(&mut random)).collect();
    let found = Browser::start().evaluate(&format!("{LOOK}({})", json!(documents)));
    let found = found.as_array().unwrap();
    let count = |is: fn(&Value) -> bool| found.iter().filter(|found| is(found)).count();
    let in_head = count(|found| found[1] == true);
    assert!(in_head > DOCUMENTS / 5, "{in_head} documents have a base in the head");
    let early = count(|found| found[1] == false && found[2] == true);
    assert!(early > DOCUMENTS / 100, "{early} documents have one before the end of the head");
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
    let (expected, is_in_head) = (found[0].as_str(), found[1] == true || found[2] == true);
    assert_eq!(base.as_deref(), expected.filter(|_| is_in_head), "{text}");
    let is_outside = summary.rejected_base().is_some_and(absolve::RejectedBase::is_outside_head);
    assert_eq!(is_outside, expected.is_some() && !is_in_head, "{text}");
    let (base, _) = own(&rewriter.base_scope(BaseScope::Document));
    assert_eq!(base.as_deref(), expected, "{text}");
}
