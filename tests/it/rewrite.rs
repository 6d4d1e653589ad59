//! Whole documents through the rewriter: what comes back, what is refused, and
//! that nothing else is lost.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use absolve::encoding::Detected;
use absolve::{Engine, Error, Limit, Limits, LinkOutcome, Rewriter, detect};

const URL: &str = "http://retrieval.example/docs/page.html";

/// Documents whose clones the output shows as start tags, and so as more links.
const WITH_CLONED_LINKS: &[&str] = &["misnested.html"];

/// Every document of a folder under `fixtures`.
fn fixtures(folder: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut work = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(folder)];
    while let Some(folder) = work.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                work.push(path);
            } else if path.extension().is_some_and(|extension| extension == "html") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

fn rewriter() -> Rewriter {
    Rewriter::new().base_url(URL).unwrap().engine(Engine::Dom)
}

#[track_caller]
fn rewritten(source: &str) -> String {
    let bytes = rewriter().encoding("utf-8").unwrap().rewrite(source.as_bytes()).unwrap();
    String::from_utf8(bytes.into_bytes().into_owned()).unwrap()
}

/// Everything between the tags of `html` and `body` that a parser adds.
#[track_caller]
fn becomes(source: &str, expected: &str) {
    let text = rewritten(source);
    let body = text.split_once("<body>").and_then(|(_, rest)| rest.split_once("</body>"));
    assert_eq!(body.map(|(body, _)| body), Some(expected), "{source:?}");
}

/// Element, attribute, and what the reference is or is to become.
type Place = (String, String, Option<String>);

/// The links of a document; `reference` picks what to compare.
fn links(source: &[u8], reference: fn(&absolve::Link<'_>) -> Option<String>) -> Vec<Place> {
    let mut links = Vec::new();
    let visit = |link: &absolve::Link<'_>| {
        links.push((link.element().to_owned(), link.attribute().to_owned(), reference(link)));
    };
    rewriter().links(source, visit).unwrap();
    links
}

#[test]
fn the_links_of_the_output_are_the_resolved_links_of_the_input() {
    for path in fixtures("") {
        let source = fs::read(&path).unwrap();
        let result = rewriter().rewrite(&source).unwrap();
        let expected = links(&source, |link| match link.outcome() {
            LinkOutcome::Resolved(url) => Some(url.clone()),
            _ => Some(link.reference().to_owned()),
        });
        let written = links(result.bytes(), |link| Some(link.reference().to_owned()));
        if WITH_CLONED_LINKS.iter().any(|name| path.ends_with(name)) {
            assert!(written.len() > expected.len(), "{} has no clones", path.display());
            assert_eq!(distinct(written), distinct(expected), "{}", path.display());
        } else {
            assert_eq!(written, expected, "{}", path.display());
        }
    }
}

/// The links in order, one of each that are alike.
fn distinct(links: Vec<Place>) -> Vec<Place> {
    let mut seen = HashSet::new();
    links.into_iter().filter(|link| seen.insert(link.clone())).collect()
}

/// The `base` after the links is resolved against another URL than they are, from
/// the same reference.
#[test]
fn a_clone_becomes_what_its_original_became() {
    let page = "<base href=http://b/><p><a href=x/>1<p>2</a><base href=x/>";
    let link = r#"<a href="http://b/x/">"#;
    let text = rewritten(page);
    assert_eq!(text.matches(link).count(), 2, "{text}");

    let page = b"<p><b src=x>1<p>2</b><img src=x>";
    let decide = |link: &absolve::Link<'_>| Some(format!("for-{}", link.element()));
    let result = rewriter().rewrite_with(page, decide).unwrap();
    let text = String::from_utf8_lossy(result.bytes());
    assert_eq!(text.matches(r#"<b src="for-b">"#).count(), 2, "{text}");
}

#[test]
fn a_second_run_makes_no_edit() {
    for path in fixtures("") {
        let source = fs::read(&path).unwrap();
        let first = rewriter().rewrite(&source).unwrap();
        let second = rewriter().rewrite(first.bytes()).unwrap();
        assert_eq!(second.counts().rewritten, 0, "{}", path.display());
        assert!(second.bytes() == first.bytes(), "{} is no fixed point", path.display());
    }
}

#[test]
fn counts_add_up() {
    for path in fixtures("") {
        let source = fs::read(&path).unwrap();
        for rewriter in [Rewriter::new().engine(Engine::Dom), rewriter()] {
            let counts = rewriter.rewrite(&source).unwrap().counts();
            let sum = counts.rewritten
                + counts.absolute
                + counts.kept
                + counts.unresolved
                + counts.invalid;
            assert_eq!(sum, counts.links, "{}", path.display());
        }
    }
}

#[test]
fn what_is_no_link_is_never_touched() {
    for path in fixtures("") {
        let source = fs::read(&path).unwrap();
        let shown = links(&source, |link| Some(link.reference().to_owned()));
        let not_links =
            |link: &Place| link.2.as_ref().is_some_and(|url| url.contains("not-a-link"));
        assert_eq!(shown.into_iter().find(not_links), None, "{}", path.display());
    }
}

#[test]
fn templates_keep_their_contents() {
    becomes(
        "<p><template><a href=x>1</a></template>",
        "<p><template><a href=\"http://retrieval.example/docs/x\">1</a></template></p>",
    );
    becomes(
        "<p></p><template><template><td>1</template>2</template>",
        "<p></p><template><template><td>1</td></template>2</template>",
    );
    becomes(
        "<table><template><tr><td>1</template></table>",
        "<table><template><tr><td>1</td></tr></template></table>",
    );
}

#[test]
fn a_doctype_keeps_its_identifiers() {
    for doctype in [
        "<!DOCTYPE html>",
        r#"<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01//EN">"#,
        r#"<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://www.w3.org/TR/html4/strict.dtd">"#,
        r#"<!DOCTYPE html SYSTEM "about:legacy-compat">"#,
        r#"<!DOCTYPE html SYSTEM 'a"b'>"#,
        "<!DOCTYPE other>",
    ] {
        let text = rewritten(&format!("{doctype}<p>"));
        assert!(text.starts_with(&format!("{doctype}<html>")), "{text}");
    }
    assert_eq!(rewritten("<p>"), "<html><head></head><body><p></p></body></html>");
}

#[test]
fn a_first_line_feed_survives() {
    for name in ["pre", "textarea", "listing"] {
        let with = |text: &str| format!("<{name}>{text}</{name}>");
        becomes(&with("\na"), &with("a"));
        becomes(&with("\n\na"), &with("\n\na"));
        becomes(&with("\n\n\na"), &with("\n\n\na"));
        becomes(&with("a\n"), &with("a\n"));
    }
    becomes("<pre>\n\n<b>a</b></pre>", "<pre>\n\n<b>a</b></pre>");
    becomes("<div>\n\na</div>", "<div>\n\na</div>");
}

#[test]
fn text_and_values_are_escaped_so_that_they_read_the_same() {
    becomes("&lt;b&gt; &amp;amp; &nbsp;\"", "&lt;b&gt; &amp;amp; &nbsp;\"");
    becomes("<p title='a\"b&amp;lt;'>", r#"<p title="a&quot;b&amp;lt;"></p>"#);
    becomes(
        "<a href='x?a&amp;copy=1'>",
        "<a href=\"http://retrieval.example/docs/x?a&amp;copy=1\"></a>",
    );
    becomes("<p><script>a < b && c</script>", "<p><script>a < b && c</script></p>");
    becomes("a&#13;b", "a&#13;b");
    becomes("a\r\nb\rc", "a\nb\nc");
}

/// Text with every link taken out, so that two runs can be compared.
fn without_links(source: &[u8], detected: Detected) -> String {
    let rewriter = Rewriter::new().engine(Engine::Dom).encoding(detected.encoding.name()).unwrap();
    let result = rewriter.rewrite_with(source, |_| Some(String::new())).unwrap();
    detected.decode(result.bytes()).into_owned()
}

#[test]
fn encodings_come_back_as_they_were() {
    for path in fixtures("encodings") {
        let source = fs::read(&path).unwrap();
        let detected = detect(&source, None);
        let result = rewriter().rewrite(&source).unwrap();
        let place = path.display();
        assert_eq!(detect(result.bytes(), None), detected, "{place}");
        assert_eq!(result.bytes()[..detected.bom], source[..detected.bom], "{place}");
        if detected.is_replacement() {
            assert!(result.bytes() == source, "{place}");
            assert_eq!(result.counts().links, 0, "{place}");
            continue;
        }
        assert!(result.counts().rewritten >= 3, "{place}");
        let text = without_links(&source, detected);
        assert!(!text.contains('\u{fffd}'), "{place}");
        assert_eq!(without_links(result.bytes(), detected), text, "{place}");
    }
}

#[test]
fn each_encoding_fixture_is_in_the_encoding_of_its_name() {
    for (file, encoding) in [
        ("big5", "Big5"),
        ("euc-kr", "EUC-KR"),
        ("gbk", "GBK"),
        ("iso-2022-jp", "ISO-2022-JP"),
        ("meta-utf-16", "UTF-8"),
        ("no-declaration-latin1", "windows-1252"),
        ("replacement", "replacement"),
        ("shift_jis", "Shift_JIS"),
        ("utf-16be", "UTF-16BE"),
        ("utf-16le", "UTF-16LE"),
        ("utf-8-bom", "UTF-8"),
        ("windows-1252", "windows-1252"),
    ] {
        let path = format!("{}/fixtures/encodings/{file}.html", env!("CARGO_MANIFEST_DIR"));
        assert_eq!(detect(&fs::read(path).unwrap(), None).encoding.name(), encoding, "{file}");
    }
}

#[test]
fn what_an_encoding_cannot_hold_becomes_a_character_reference() {
    let page = b"<meta charset=windows-1252><a href=\xe9>&#26085;</a>";
    let decide = |_: &absolve::Link<'_>| Some("\u{e9}/\u{672c}".to_owned());
    let result = rewriter().rewrite_with(page, decide).unwrap();
    let expected = b"<a href=\"\xe9/&#26412;\">&#26085;</a>";
    assert!(result.bytes().windows(expected.len()).any(|window| window == expected));
}

#[track_caller]
fn reaches(source: &str, set: impl FnOnce(&mut Limits), limit: Limit) {
    let mut limits = Limits::default();
    set(&mut limits);
    let rewriter = rewriter().limits(limits);
    let check = |error: Error| {
        assert_eq!(error.limit_reached(), Some(limit), "{error}");
        assert!(error.to_string().ends_with(&format!(", {}", limit.name())), "{error}");
    };
    check(rewriter.rewrite(source.as_bytes()).unwrap_err());
    if limit != Limit::Output {
        check(rewriter.links(source.as_bytes(), |_| {}).unwrap_err());
    }
}

/// Checks that the document passes at its exact limit, and without one.
#[track_caller]
fn passes(source: &str, set: impl FnOnce(&mut Limits)) {
    let mut limits = Limits::default();
    set(&mut limits);
    let rewriter = rewriter().limits(limits);
    rewriter.rewrite(source.as_bytes()).unwrap();
}

#[test]
fn every_limit_is_an_error_that_names_its_option() {
    reaches("12345", |limits| limits.input = 4, Limit::Input);
    passes("12345", |limits| limits.input = 5);
    passes("12345", |limits| limits.input = 0);

    let page = "<html><head></head><body></body></html>";
    reaches(page, |limits| limits.output = 38, Limit::Output);
    passes(page, |limits| limits.output = 39);
    passes(page, |limits| limits.output = 0);

    reaches("", |limits| limits.base_url = URL.len() - 1, Limit::BaseUrl);
    passes("", |limits| limits.base_url = URL.len());
    let base = format!("<base href=http://h/{}>", "x".repeat(8 * 1024));
    reaches(&base, |_| {}, Limit::BaseUrl);
    passes(&base, |limits| limits.base_url = 0);

    let page = "<a href=12345>";
    reaches(page, |limits| limits.reference = 4, Limit::Reference);
    passes(page, |limits| limits.reference = 5);
    passes("<a href=data:,12345>", |limits| limits.reference = 4);
    passes(page, |limits| limits.reference = 0);

    let page = "<a href=1><a href=2><a href=3>";
    reaches(page, |limits| limits.links = 2, Limit::Links);
    passes(page, |limits| limits.links = 3);
    passes(page, |limits| limits.links = 0);
}

#[test]
fn depth_is_limited_in_the_tree_and_in_templates() {
    // html and body are the first two levels; a template and its contents are two.
    for name in ["div", "b", "svg", "template"] {
        let nested = |times: usize| format!("<body>{}", format!("<{name}>").repeat(times));
        reaches(&nested(10_000), |_| {}, Limit::Depth);
        reaches(&nested(9), |limits| limits.depth = 10, Limit::Depth);
        let places = if name == "template" { 4 } else { 8 };
        passes(&nested(places), |limits| limits.depth = 10);
        passes(&nested(1_000), |limits| limits.depth = 0);
    }
}

#[test]
fn depth_costs_no_stack() {
    let nested = |times: usize| format!("<a href=x>{}", "<i>".repeat(times));
    for page in [nested(20_000), format!("<p>{}", "<template>".repeat(20_000))] {
        let run = move || {
            let mut limits = Limits::default();
            limits.depth = 0;
            limits.output = 0;
            let result = rewriter().limits(limits).rewrite(page.as_bytes()).map(|_| ());
            assert_eq!(result, Ok(()));
        };
        thread::Builder::new().stack_size(512 * 1024).spawn(run).unwrap().join().unwrap();
    }
}

/// Versions of html5ever before 0.40 panic on each of these.
#[test]
fn a_declaration_without_an_encoding_is_read_and_kept() {
    for content in ["text/html; charset", "charset", "CharSet \t", "charset;charset"] {
        for name in ["meta", "link"] {
            let tag = format!("<{name} http-equiv=\"Content-Type\" content=\"{content}\">");
            for page in
                [tag.clone(), format!("<p>{tag}"), format!("<svg>{tag}"), tag.clone() + &tag]
            {
                let page = page + "<a href=\"x\"></a>";
                assert!(rewritten(&page).contains(&tag), "{page}");
                let result = rewriter().rewrite(page.as_bytes()).unwrap();
                assert_eq!(result.counts().rewritten, 1, "{page}");
                rewriter().links(page.as_bytes(), |_| {}).unwrap();
            }
        }
    }
}

#[test]
fn without_a_base_relative_references_stay_and_are_counted() {
    let result = Rewriter::new().rewrite(b"<a href=x><a href=http://h/>").unwrap();
    assert_eq!((result.counts().unresolved, result.counts().absolute), (1, 1));
    assert!(String::from_utf8_lossy(result.bytes()).starts_with("<a href=x>"));
    assert!(result.base().is_none());
}
