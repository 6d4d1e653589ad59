use super::*;
use crate::audit::{Deployment, Profile};
use crate::url::{Base, Standard};

/// The hint on a page of the root, then how certain it is.
fn text(hint: Hint) -> String {
    let proposal = match hint {
        Hint::Text(text) => return text,
        Hint::Proposal(proposal) => proposal,
    };
    let certainty = proposal.safety.map_or(String::new(), |safety| format!(" {}", safety.name()));
    let base = Base::new("http://h/x/y/").unwrap();
    let deployment = Deployment::at("http://h/").unwrap();
    let author = AuthoredReference {
        reference: "/?#y",
        base: Some(&base),
        standard: Standard::Rfc1808,
        deployment: &deployment,
    };
    let reference = author.shape(&proposal.meant).unwrap();
    let reference = match &proposal.meant {
        Meant::Anchor(_) => reference.replace("/?", ""),
        _ => reference.replace("?#y", ""),
    };
    format!("{}{certainty}", proposal.wording.hint(&reference))
}

#[track_caller]
fn hints(paths: &[&str], path: &str, expected: Option<&str>) {
    let slash = path.ends_with('/');
    let server = Server::new(Profile::Plain);
    let trimmed = path.trim_end_matches('/').as_bytes();
    let hint = Finder::new(&Files::of(paths), &server).path(trimmed, slash).map(text);
    assert_eq!(hint.as_deref(), expected, "{path} of {paths:?}");
}

#[test]
fn a_near_path_is_reported() {
    hints(&["a.html"], "a.html/", Some("it is a file: write '/a.html'"));
    hints(&["Guide.html"], "guide.html", Some("the case differs: write '/Guide.html' safe"));
    hints(&["guide.html"], "guide", Some("there is '/guide.html'"));
    hints(&["guide.html"], "guide/", Some("there is '/guide.html'"));
    hints(&["guide.htm"], "guide.html", Some("there is '/guide.htm'"));
    hints(&["guide/index.html"], "guide.html", Some("there is '/guide/index.html'"));
    hints(&["d/guide.html"], "d/giude.html", Some("did you mean '/d/guide.html'? unsafe"));
    hints(&["docs/a.html"], "doc/a.html", Some("did you mean '/docs/a.html'? unsafe"));
    hints(&["manual/a.html"], "manuel/a.html", Some("did you mean '/manual/a.html'? unsafe"));
    hints(&["manual/index.html"], "manuel/", Some("did you mean '/manual/'? unsafe"));
    hints(&["manual/index.html"], "manuel", Some("did you mean '/manual/'? unsafe"));
    hints(&["a/manual/index.html"], "a/manuel/", Some("did you mean '/a/manual/'? unsafe"));
    hints(&["manual/a.html"], "manuel/", Some("did you mean '/manual/'?"));
    let folder = "there is no folder 'manuel', only 'manual'";
    hints(&["manual/a.html"], "manuel/b.html", Some(folder));
    hints(&["docs/a.html"], "docs/x/y/z", None);
    hints(
        &["docs/abcdef/a"],
        "docs/abcdeg/x/y",
        Some("there is no folder 'abcdeg', only 'abcdef'"),
    );
    hints(&["a\u{308}.html"], "\u{e4}.html", Some("did you mean '/a%CC%88.html'?"));
}

#[test]
fn what_is_far_is_not_reported() {
    hints(&["guide.html"], "index.html", None);
    hints(&["a"], "b", None);
    hints(&[], "b/c/d", None);
    hints(&["x/guide.html"], "guide.html", None);
    let long = "x".repeat(200);
    hints(&[&format!("{long}y")], &long, None);
}

#[track_caller]
fn hints_at(paths: &[&str], folder: &str, expected: Option<&str>) {
    let hint = for_folder(&Files::of(paths), folder.as_bytes()).map(text);
    assert_eq!(hint.as_deref(), expected, "{folder} of {paths:?}");
}

#[test]
fn a_page_of_a_folder_is_reported() {
    hints_at(&["d/a.html", "d/b.css"], "d", Some("its only page is '/d/a.html'"));
    hints_at(&["d/a.html", "d/b.html"], "d", None);
    hints_at(&["d/a.css", "d.html"], "d", Some("there is '/d.html'"));
    hints_at(&["d/a.css"], "d", None);
}

#[track_caller]
fn hints_anchor(anchors: &[&str], fragment: &str, expected: Option<&str>) {
    let (files, server) = (Files::default(), Server::new(Profile::Plain));
    let hint = Finder::new(&files, &server).anchor(fragment, anchors.iter().copied());
    assert_eq!(hint.map(text).as_deref(), expected, "{fragment}");
}

#[test]
fn a_near_anchor_is_reported() {
    hints_anchor(&["instal", "INSTALL"], "install", Some("did you mean '#INSTALL'? safe"));
    hints_anchor(&["usage", "instal"], "install", Some("did you mean '#instal'? unsafe"));
    hints_anchor(&["usage"], "install", None);
    hints_anchor(&["index-1", "index-18"], "index-19", None);
    hints_anchor(
        &["mdomain", "mdomainsetsection"],
        "mdomainset",
        Some("did you mean '#mdomainsetsection'?"),
    );
    hints_anchor(&["rewritecond"], "rewritelog", None);
    hints_anchor(&["ab"], "ac", None);
    hints_anchor(&["abcdefghi"], "xyabcdefghi", Some("did you mean '#abcdefghi'?"));
    hints_anchor(&["xabcdefghi"], "abcdefghi", Some("did you mean '#xabcdefghi'? unsafe"));
    hints_anchor(&["xyabcdefghi"], "abcdefghi", None);
    hints_anchor(&["xabcdefghiy"], "abcdefghij", Some("did you mean '#xabcdefghiy'?"));
    hints_anchor(&["xabcdefghijy"], "abcdefghijk", Some("did you mean '#xabcdefghijy'?"));
    hints_anchor(&["bacdefghi"], "abcdefghi", Some("did you mean '#bacdefghi'? unsafe"));
}

#[test]
fn a_name_that_is_not_the_only_one_is_not_certain() {
    hints(&["A.html", "a.HTML"], "a.html", Some("the case differs: write '/A.html'"));
    hints(&["guida.html", "guidb.html"], "guide.html", Some("did you mean '/guida.html'?"));
    hints(&["Docs/index.html"], "docs/", Some("the case differs: write '/Docs/' safe"));
    hints(&["Docs/a.html"], "docs/", Some("the case differs: write '/Docs/'"));
    hints_anchor(&["Usage", "USAGE"], "usage", Some("did you mean '#Usage'?"));
    hints_anchor(&["\u{e4}\u{f6}"], "\u{c4}\u{d6}", Some("did you mean '#%C3%A4%C3%B6'? safe"));
    hints_anchor(
        &["\u{e4}\u{f6}", "\u{c4}\u{f6}"],
        "\u{c4}\u{d6}",
        Some("did you mean '#%C3%A4%C3%B6'?"),
    );
    hints_anchor(&["a b"], "a%20b", Some("did you mean '#a%20b'? safe"));
    hints_anchor(&["a%20b"], "a b", Some("did you mean '#a%2520b'? safe"));
}
