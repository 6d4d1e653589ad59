use absolve::url::{Base, Standard};

use super::*;

use crate::{Deployment, Files, Profile, Server};

/// Returns the text of a hint for a link from the root, and its certainty.
fn show_hint(hint: Hint) -> String {
    let proposal = match hint {
        Hint::Text(text) => return text,
        Hint::Proposal(proposal) => proposal,
    };
    let certainty = proposal.safety.map_or(String::new(), |safety| format!(" {}", safety.name()));
    let base = Base::new("http://h/x/y/").unwrap();
    let deployment = Deployment::parse("http://h/").unwrap();
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
fn assert_hint(paths: &[&str], path: &str, expected: Option<&str>) {
    let slash = path.ends_with('/');
    let server = Server::new(Profile::Plain);
    let trimmed = path.trim_end_matches('/').as_bytes();
    let hint = Finder::new(&Files::from_paths(paths), &server).path(trimmed, slash).map(show_hint);
    assert_eq!(hint.as_deref(), expected, "{path} of {paths:?}");
}

#[test]
fn a_near_path_is_reported() {
    assert_hint(&["a.html"], "a.html/", Some("it is a file: write '/a.html' unsafe"));
    assert_hint(&["Guide.html"], "guide.html", Some("the case differs: write '/Guide.html' safe"));
    assert_hint(&["d/guide.html"], "d/giude.html", Some("did you mean '/d/guide.html'? unsafe"));
    assert_hint(&["docs/a.html"], "doc/a.html", Some("did you mean '/docs/a.html'? unsafe"));
    assert_hint(&["manual/a.html"], "manuel/a.html", Some("did you mean '/manual/a.html'? unsafe"));
    assert_hint(&["manual/index.html"], "manuel/", Some("did you mean '/manual/'? unsafe"));
    assert_hint(&["manual/index.html"], "manuel", Some("did you mean '/manual/'? unsafe"));
    assert_hint(&["a/manual/index.html"], "a/manuel/", Some("did you mean '/a/manual/'? unsafe"));
    assert_hint(&["manual/a.html"], "manuel/", Some("did you mean '/manual/'?"));
    let folder = "there is no folder 'manuel', only 'manual'";
    assert_hint(&["manual/a.html"], "manuel/b.html", Some(folder));
    assert_hint(&["docs/a.html"], "docs/x/y/z", None);
    assert_hint(
        &["docs/abcdef/a"],
        "docs/abcdeg/x/y",
        Some("there is no folder 'abcdeg', only 'abcdef'"),
    );
    assert_hint(&["a\u{308}.html"], "\u{e4}.html", Some("did you mean '/a%CC%88.html'?"));
}

#[test]
fn several_names_one_edit_away_are_no_fix() {
    let names = ["2.0.1.html", "2.1.1.html", "2.2.1.html", "2.1.html"];
    assert_hint(&names, "2..1.html", Some("did you mean '/2.1.html'?"));
    assert_hint(&["pages.html", "page2.html"], "page.html", Some("did you mean '/pages.html'?"));
    assert_hint(&["guide.html", "guise.html"], "guite.html", Some("did you mean '/guide.html'?"));
}

#[test]
fn the_only_page_with_another_extension_is_a_fix() {
    for (paths, path, expected) in [
        (&["guide.html"][..], "guide", "/guide.html' unsafe"),
        (&["guide.html"], "guide/", "/guide.html' unsafe"),
        (&["guide.htm"], "guide", "/guide.htm' unsafe"),
        (&["guide.htm"], "guide.html", "/guide.htm' unsafe"),
        (&["guide.html"], "guide.htm", "/guide.html' unsafe"),
        (&["guide.html"], "guide.md", "/guide.html' unsafe"),
        (&["guide/index.html"], "guide.html", "/guide/index.html' unsafe"),
        (&["guide/index.html"], "guide.md", "/guide/index.html' unsafe"),
        (&["d/index.html"], "d/index.md", "/d/index.html' unsafe"),
        (&["d/index.html"], "d/README.md", "/d/index.html' unsafe"),
        (&["d/index.html", "d/README.html"], "d/README.md", "/d/README.html'"),
        (&["guide.html", "guide.htm"], "guide", "/guide.html'"),
        (&["guide.html", "guide.htm"], "guide.md", "/guide.html'"),
        (&["guide.html", "guide/index.html"], "guide.md", "/guide/index.html'"),
        (&["guide.html", "other/guide/index.html"], "guide", "/guide.html' unsafe"),
    ] {
        assert_hint(paths, path, Some(&format!("there is '{expected}")));
    }
    assert_hint(&["index.html"], ".html", None);
    assert_hint(&["d/index.html"], "d/.md", None);
}

#[test]
fn a_folder_with_the_rest_of_the_path_is_likelier() {
    for (paths, path, expected) in [
        (&["guidas/a.html", "guidbs/b.html"][..], "guides/b.html", "/guidbs/b.html'? unsafe"),
        (&["guidas/a.html", "guidbs/a.html"], "guides/a.html", "/guidas/a.html'?"),
        (&["my-documents/a.html"], "mi-document/a.html", "/my-documents/a.html'? unsafe"),
        (&["a/manual/b/c.png"], "a/manuel/b/c.png", "/a/manual/b/c.png'? unsafe"),
        // Nearer than the same name elsewhere.
        (&["x/guidas/b.html", "y/b.html"], "x/guides/b.html", "/x/guidas/b.html'? unsafe"),
        (&["guides.html", "x/guide.html"], "guide.html", "/guides.html'? unsafe"),
        (&["guida.html", "guidb.html", "x/guide.html"], "guide.html", "/guida.html'?"),
    ] {
        assert_hint(paths, path, Some(&format!("did you mean '{expected}")));
    }
}

#[test]
fn a_folder_with_more_names_than_are_compared_has_no_only_one() {
    let names: Vec<String> = (0..MAX_NAMES).map(|number| number.to_string()).collect();
    let mut paths = vec!["-guide.html"];
    paths.extend(names.iter().map(String::as_str));
    assert_hint(&paths, "+guide.html", Some("did you mean '/-guide.html'?"));
}

#[test]
fn the_only_file_of_a_name_may_have_moved() {
    let only = |path| Some(format!("the only one of that name is '{path}' unsafe"));
    assert_hint(&["x/guide.html"], "guide.html", only("/x/guide.html").as_deref());
    assert_hint(&["x/guide.html"], "a/b/guide.html", only("/x/guide.html").as_deref());
    assert_hint(&["x/y/index.html"], "a/y/", only("/x/y/").as_deref());
    assert_hint(&["x/y/index.html"], "a/y", only("/x/y/").as_deref());
    assert_hint(&["x/y/a.html"], "a/y/", None);
    assert_hint(&["x/y.html"], "a/y.html/", None);
    assert_hint(&["x/guide.html", "y/guide.html"], "guide.html", None);
    assert_hint(&["x/index.html"], "docs/index.html", None);
    assert_hint(&["manual/a.html", "x/b.html"], "manuel/b.html", only("/x/b.html").as_deref());
    let far = Some("did you mean '/abcdefghkl.html'?");
    assert_hint(&["abcdefghkl.html"], "abcdefghij.html", far);
    assert_hint(
        &["abcdefghkl.html", "x/abcdefghij.html"],
        "abcdefghij.html",
        only("/x/abcdefghij.html").as_deref(),
    );
}

#[test]
fn what_is_far_is_not_reported() {
    assert_hint(&["guide.html"], "index.html", None);
    assert_hint(&["a"], "b", None);
    assert_hint(&[], "b/c/d", None);
    let long = "x".repeat(200);
    assert_hint(&[&format!("{long}y")], &long, None);
}

#[track_caller]
fn assert_folder_hint(paths: &[&str], folder: &str, expected: Option<&str>) {
    let hint = propose_page_of(&Files::from_paths(paths), folder.as_bytes())
        .map(Hint::Proposal)
        .map(show_hint);
    assert_eq!(hint.as_deref(), expected, "{folder} of {paths:?}");
}

#[test]
fn a_page_of_a_folder_is_reported() {
    assert_folder_hint(&["d/a.html", "d/b.css"], "d", Some("its only page is '/d/a.html'"));
    assert_folder_hint(&["d/a.html", "d/b.html"], "d", None);
    assert_folder_hint(&["d/a.css", "d.html"], "d", Some("there is '/d.html' unsafe"));
    assert_folder_hint(&["d/a.css"], "d", None);
}

#[track_caller]
fn assert_anchor_hint(anchors: &[&str], fragment: &str, expected: Option<&str>) {
    let (files, server) = (Files::default(), Server::new(Profile::Plain));
    let hint = Finder::new(&files, &server).search_anchor(fragment, anchors.iter().copied());
    assert_eq!(hint.map(show_hint).as_deref(), expected, "{fragment}");
}

#[test]
fn a_near_anchor_is_reported() {
    assert_anchor_hint(&["instal", "INSTALL"], "install", Some("did you mean '#INSTALL'? safe"));
    assert_anchor_hint(&["usage", "instal"], "install", Some("did you mean '#instal'? unsafe"));
    assert_anchor_hint(&["usage"], "install", None);
    assert_anchor_hint(&["index-1", "index-18"], "index-19", None);
    assert_anchor_hint(
        &["mdomain", "mdomainsetsection"],
        "mdomainset",
        Some("did you mean '#mdomainsetsection'?"),
    );
    assert_anchor_hint(&["rewritecond"], "rewritelog", None);
    assert_anchor_hint(&["ab"], "ac", None);
    assert_anchor_hint(&["abcdefghi"], "xyabcdefghi", Some("did you mean '#abcdefghi'?"));
    assert_anchor_hint(&["xabcdefghi"], "abcdefghi", Some("did you mean '#xabcdefghi'? unsafe"));
    assert_anchor_hint(&["xyabcdefghi"], "abcdefghi", None);
    assert_anchor_hint(&["xabcdefghiy"], "abcdefghij", Some("did you mean '#xabcdefghiy'?"));
    assert_anchor_hint(&["xabcdefghijy"], "abcdefghijk", Some("did you mean '#xabcdefghijy'?"));
    assert_anchor_hint(&["bacdefghi"], "abcdefghi", Some("did you mean '#bacdefghi'? unsafe"));
}

#[test]
fn a_name_that_is_not_the_only_one_is_not_certain() {
    assert_hint(&["A.html", "a.HTML"], "a.html", Some("the case differs: write '/A.html'"));
    assert_hint(&["guida.html", "guidb.html"], "guide.html", Some("did you mean '/guida.html'?"));
    assert_hint(&["Docs/index.html"], "docs/", Some("the case differs: write '/Docs/' safe"));
    assert_hint(&["Docs/a.html"], "docs/", Some("the case differs: write '/Docs/'"));
    assert_anchor_hint(&["Usage", "USAGE"], "usage", Some("did you mean '#Usage'?"));
    assert_anchor_hint(
        &["\u{e4}\u{f6}"],
        "\u{c4}\u{d6}",
        Some("did you mean '#%C3%A4%C3%B6'? safe"),
    );
    assert_anchor_hint(
        &["\u{e4}\u{f6}", "\u{c4}\u{f6}"],
        "\u{c4}\u{d6}",
        Some("did you mean '#%C3%A4%C3%B6'?"),
    );
    assert_anchor_hint(&["a b"], "a%20b", Some("did you mean '#a%20b'? safe"));
    assert_anchor_hint(&["a%20b"], "a b", Some("did you mean '#a%2520b'? safe"));
}

#[test]
fn a_search_without_effort_left_is_counted() {
    let (files, server) = (Files::from_paths(&["guide.html"]), Server::default());
    let mut finder = Finder { effort_left: 2, ..Finder::new(&files, &server) };
    assert!(finder.path(b"giude.html", false).is_some());
    assert!(finder.path(b"giude.html", false).is_none());
    assert_eq!(finder.refused, 1);
}
