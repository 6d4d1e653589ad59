//! Which base URL a document has, and its first link: the fixtures under
//! `fixtures/base`, against the table beside them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use absolve::{BaseScope, Engine, RejectedBase, Rewriter};

/// Documents whose first link is inside a `srcdoc`, which is not opened yet.
const FIRST_LINK_IN_SRCDOC: &[&str] = &[
    "srcdoc-without-base.html",
    "srcdoc-without-any-base.html",
    "srcdoc-own-base.html",
    "srcdoc-relative-base.html",
    "srcdoc-unusable-base.html",
    "srcdoc-in-srcdoc.html",
];

/// A row of the table; `None` is its `-`.
#[derive(Debug)]
struct Row {
    file: String,
    retrieval_url: Option<String>,
    found: Found,
}

/// Base, reference and URL of a link.
#[derive(Debug, PartialEq)]
struct Found {
    base: Option<String>,
    base_source: String,
    reference: String,
    url: Option<String>,
}

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/base"))
}

#[track_caller]
fn rows(table: &str) -> Vec<Row> {
    let text = fs::read_to_string(folder().join(table)).unwrap();
    let given = |cell: &str| (cell != "-").then(|| cell.to_owned());
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let &[file, retrieval_url, base, base_source, reference, url] = cells.as_slice() else {
            panic!("{table}: expected six cells in {line:?}");
        };
        Row {
            file: file.to_owned(),
            retrieval_url: given(retrieval_url),
            found: Found {
                base: given(base),
                base_source: base_source.to_owned(),
                reference: reference.to_owned(),
                url: given(url),
            },
        }
    };
    text.lines().skip(1).map(row).collect()
}

impl Row {
    fn source(&self) -> Vec<u8> {
        fs::read(folder().join(&self.file)).unwrap()
    }

    fn rewriter(&self) -> Rewriter {
        match &self.retrieval_url {
            Some(url) => Rewriter::new().base_url(url).unwrap(),
            None => Rewriter::new(),
        }
    }
}

/// The first link that is not the `href` of an element named `base`.
fn first_link(rewriter: &Rewriter, source: &[u8]) -> Option<Found> {
    let mut first = None;
    let visit = |link: &absolve::Link<'_>| {
        if first.is_none() && (link.element(), link.attribute()) != ("base", "href") {
            first = Some(Found {
                base: link.base().map(|base| base.as_str().to_owned()),
                base_source: link.base_source().to_string(),
                reference: link.reference().to_owned(),
                url: link.url().map(str::to_owned),
            });
        }
    };
    rewriter.links(source, visit).unwrap();
    first
}

/// Holds every row of a table against the rewriter that `set` makes of the row's.
#[track_caller]
fn holds(table: &str, set: impl Fn(Rewriter) -> Rewriter) {
    let mut failures = Vec::new();
    for row in rows(table) {
        if FIRST_LINK_IN_SRCDOC.contains(&row.file.as_str()) {
            continue;
        }
        let found = first_link(&set(row.rewriter()), &row.source());
        if found.as_ref() != Some(&row.found) {
            failures.push(format!("{row:#?}\ngives {found:#?}"));
        }
    }
    assert!(failures.is_empty(), "{table}:\n{}", failures.join("\n"));
}

#[test]
fn the_base_is_that_of_the_table() {
    holds("expected.tsv", |rewriter| rewriter);
}

#[test]
fn the_base_is_that_of_the_table_by_document_scope() {
    holds("expected-document-scope.tsv", |rewriter| rewriter.base_scope(BaseScope::Document));
}

#[test]
fn every_document_has_a_row() {
    let names = |path: Result<fs::DirEntry, _>| path.unwrap().file_name().into_string().unwrap();
    let mut files: BTreeSet<String> = fs::read_dir(folder()).unwrap().map(names).collect();
    files.retain(|name| Path::new(name).extension().is_some_and(|extension| extension == "html"));
    for row in rows("expected.tsv") {
        files.remove(&row.file);
    }
    assert_eq!(files, BTreeSet::new(), "without a row");
}

#[test]
fn the_summary_and_the_links_agree_about_the_base() {
    for row in rows("expected.tsv").iter().filter(|row| !row.file.starts_with("srcdoc-")) {
        let source = row.source();
        let result = row.rewriter().rewrite(&source).unwrap();
        let base = result.base().map(|base| base.as_str().to_owned());
        assert_eq!(base, row.found.base, "{}", row.file);
        assert_eq!(result.base_source().name(), row.found.base_source, "{}", row.file);
    }
}

#[test]
fn a_base_that_is_unusable_is_reported_and_no_other() {
    for row in rows("expected.tsv") {
        let leans_on_nothing = row.file.starts_with("relative") && row.retrieval_url.is_none();
        let expected = row.file.starts_with("unusable-") || leans_on_nothing;
        let summary = row.rewriter().links(&row.source(), |_| {}).unwrap();
        let is_unusable = summary.rejected_base().is_some_and(|base| !base.is_outside_head());
        assert_eq!(is_unusable, expected, "{}", row.file);
    }
}

#[test]
fn a_usable_base_outside_the_head_is_reported_where_it_would_count_in_the_document() {
    for row in rows("expected-document-scope.tsv") {
        let summary = row.rewriter().links(&row.source(), |_| {}).unwrap();
        let is_outside = summary.rejected_base().is_some_and(RejectedBase::is_outside_head);
        let source = summary.base_source().name();
        let expected = row.found.base_source == "base-element" && source != "base-element";
        assert_eq!(is_outside, expected, "{}", row.file);
    }
}

#[test]
fn links_that_browsers_load_before_the_base_are_counted() {
    let count = |base_url: &str, page: &str| {
        let counts = [Engine::Splice, Engine::Dom].map(|engine| {
            let rewriter = Rewriter::new().engine(engine);
            let rewriter = match base_url {
                "" => rewriter,
                url => rewriter.base_url(url).unwrap(),
            };
            rewriter.rewrite(page.as_bytes()).unwrap().summary().links_before_base()
        });
        assert_eq!(counts[0], counts[1], "{page}");
        counts[0]
    };
    let base = "<base href=http://g/x/>";
    for (early, expected) in [
        ("<link rel='preload StyleSheet' href=a>", 1),
        ("<link rel=preload as=font href=a><link rel=ModulePreload href=b>", 2),
        ("<link rel=prefetch href=a><link rel=manifest href=b>", 1),
        (r#"<script type=importmap>{"imports": {"a": "./b", "c": "d"}}</script>"#, 1),
        (r#"<script type=speculationrules>{"prefetch": [{"urls": ["a"]}]}</script>"#, 0),
        ("<script src=a></script>", 1),
        ("<svg><script href=a></script></svg>", 1),
        ("<iframe src=a></iframe>", 1),
        ("<meta http-equiv=refresh content='1; url=a'>", 1),
        (
            "<style>@import 'a'; @import url(b) print; @import url('c'); p{background:url(d)}</style>",
            3,
        ),
        ("<link rel=stylesheet href=a><script src=b></script>", 2),
        ("<link rel=icon href=a><link rel=canonical href=a>", 0),
        ("<img src=a><a href=a></a><p style='background:url(a)'>", 0),
        ("<style>p{background:url(a)} @media print{@import 'b'}</style>", 0),
        ("<link rel=stylesheet href=http://i/a><link rel=stylesheet href='//i/a'>", 0),
        ("<noscript><link rel=stylesheet href=a></noscript>", 0),
        ("<iframe srcdoc='<script src=a></script>'></iframe>", 0),
        ("<!--<script src=a></script>-->", 0),
    ] {
        let page = format!("<head>{early}{base}<script src=late></script></head>");
        assert_eq!(count("http://h/d/e", &page), expected, "{page}");
        // No link counts if both bases give equal URLs, or if one is not known.
        assert_eq!(count("http://g/x/y", &page), 0, "{page}");
        assert_eq!(count("", &page), 0, "{page}");
        assert_eq!(count("http://h/d/e", &page.replace(base, "")), 0, "{page}");
        let page = page.replace(base, "<template><base href=http://g/></template>");
        assert_eq!(count("http://h/d/e", &page), 0, "{page}");
    }
    let written = Rewriter::new().base_url("http://h/d/e").unwrap();
    let page = format!("<script src=a></script><link rel=stylesheet href=../b>{base}");
    let once = written.rewrite(page.as_bytes()).unwrap();
    assert_eq!(once.bytes(), b"<script src=http://g/x/a></script><link rel=stylesheet href=http://g/b><base href=http://g/x/>");
    assert_eq!(written.rewrite(once.bytes()).unwrap().summary().links_before_base(), 0);
}
