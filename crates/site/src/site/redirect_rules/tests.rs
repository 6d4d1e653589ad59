//! Tests of redirect rules, most of them as a line, a path and the expected answer.

use super::*;

#[track_caller]
fn matches(text: &str, request: &str, expected: Option<&str>) {
    let redirects = Redirects::parse(text);
    assert_eq!(redirects.problems(), [], "{text}");
    let (path, query) = match request.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (request, None),
    };
    let matched = redirects.matching(path.as_bytes(), query);
    let shown = matched.map(|matched| format!("{} {}", matched.to, matched.status));
    assert_eq!(shown.as_deref(), expected, "{request} by {text}");
}

#[test]
fn a_path_is_redirected() {
    matches("/a /b", "a", Some("/b 301"));
    matches("/a /b", "b", None);
    matches("/a /b 302", "a", Some("/b 302"));
    matches("/a/ /b", "a", Some("/b 301"));
    matches("/a https://h/b", "a", Some("https://h/b 301"));
    matches("  /a\t/b   200  # comment", "a", Some("/b 200"));
    matches("/a /b # 302", "a", Some("/b 301"));
    matches("/a /b#c", "a", Some("/b#c 301"));
    matches("/ /b", "", Some("/b 301"));
    matches("/a%20b /c", "a b", Some("/c 301"));
    matches("/\u{e4} /c", "\u{e4}", Some("/c 301"));
    matches("\u{feff}/a /b", "a", Some("/b 301"));
    matches("/a /b 404", "a", Some("/b 404"));
}

#[test]
fn the_first_rule_counts() {
    matches("/a /b\n/a /c", "a", Some("/b 301"));
    matches("/* /b\n/a /c", "a", Some("/b 301"));
    matches("/a /c\n/* /b", "a", Some("/c 301"));
    matches("/x/* /b\n/a /c\n/* /d", "a", Some("/c 301"));
    matches("/a /b 301 Country=de\n/a /c", "a", Some("/c 301"));
    matches("/* /b\n/a/* /c\n/a/x /d", "a/x", Some("/b 301"));
    matches("/a/* /c\n/* /b\n/a/x/* /d", "a/x/y", Some("/c 301"));
    matches("/a/x/* /d\n/a/* /c\n/* /b", "a/x/y", Some("/d 301"));
    matches("/a/:x /c\n/a/x/* /d", "a/x", Some("/c 301"));
    matches("/a/:x /c\n/a/x/* /d", "a/x/y", Some("/d 301"));
    matches("https://i/a /b\n/a /c", "a", Some("/c 301"));
}

#[test]
fn a_splat_is_the_rest() {
    matches("/a/* /b/:splat", "a/c/d", Some("/b/c/d 301"));
    matches("/a/* /b/:splat", "a", Some("/b/ 301"));
    matches("/a/* /b/:splat", "ab", None);
    matches("/* /index.html 200", "a/b", Some("/index.html 200"));
    matches("/* /index.html 200", "", Some("/index.html 200"));
    matches("/a/* https://h/:splat 200", "a/b c?", Some("https://h/b%20c 200"));
    matches("/a/* 200", "a/b", Some("/a/b 200"));
    matches("/a/* /b", "a/\u{e4}", Some("/b 301"));
}

#[test]
fn a_line_is_found_among_many_with_placeholders() {
    let lines = (0..100_000).map(|line| format!("/:a/x{line}/* /y{line}/:splat"));
    let redirects = Redirects::parse(&lines.collect::<Vec<_>>().join("\n"));
    for line in 0..100_000 {
        let path = format!("b/x{line}/c");
        let to = redirects.matching(path.as_bytes(), None).unwrap().to;
        assert_eq!(to, format!("/y{line}/c"));
    }
}

#[test]
fn too_many_forms_are_a_problem_of_their_lines() {
    let lines = (1..=600).map(|key| format!("/a k{key}=:v /b/:v"));
    let redirects = Redirects::parse(&lines.collect::<Vec<_>>().join("\n"));
    let message = "the file has too many combinations of placeholders and query keys";
    assert_eq!(redirects.problems()[0], MalformedLine { line: 501, message });
    assert_eq!(redirects.problems().len(), 100);
    let to = |query| redirects.matching(b"a", Some(query)).map(|matched| matched.to);
    assert_eq!((to("k500=x"), to("k501=x")), (Some("/b/x".to_owned()), None));
}

#[test]
fn a_placeholder_is_a_segment() {
    matches("/n/:y/:m /b/:m-:y.html", "n/2004/02", Some("/b/02-2004.html 301"));
    matches("/n/:y /b/:y", "n", None);
    matches("/n/:y /b/:y", "n/1/2", None);
    matches("/n/:y/* /b/:splat/:y", "n/1/2/3", Some("/b/2/3/1 301"));
    matches("/n/:y /b/:year", "n/1", Some("/b/:year 301"));
    matches("/n/:y https://h:8080/:y", "n/1", Some("https://h:8080/1 301"));
    matches("/n/:y /:y", "n/a:b%c", Some("/a%3Ab%25c 301"));
    matches("/:a/x /1\n/:b/y /2", "q/y", Some("/2 301"));
    matches("/a/:x/* /1/:x\n/a/* /2", "a", Some("/2 301"));
    matches("/:a/:b /1\n/:a /2/:a", "q", Some("/2/q 301"));
    matches("/:a /1/:a\n/x /2", "x", Some("/1/x 301"));
    matches("/x /2\n/:a /1/:a", "x", Some("/2 301"));
}

#[test]
fn a_query_is_asked_for() {
    matches("/s id=:id /b/:id", "s?id=7", Some("/b/7 301"));
    matches("/s id=:id /b/:id", "s?x=1&id=a+b%2F", Some("/b/a%20b/ 301"));
    matches("/s id=:id /b/:id", "s", None);
    matches("/s id=1 /b\n/s /c", "s?id=1", Some("/b 301"));
    matches("/s id=1 /b\n/s /c", "s?id=2", Some("/c 301"));
    matches("/s id=1 x=:x /b/:x\n/s id=2 x=:x /c/:x", "s?x=7&id=2", Some("/c/7 301"));
    matches("/s id=1 x=1 /b", "s?id=1", None);
    matches("/:s id=:s /b/:s", "a?id=7", Some("/b/a 301"));
}

#[track_caller]
fn has_problem(line: &str, message: &'static str) {
    let redirects = Redirects::parse(&format!("# comment\n\n{line}\n/a /b"));
    assert_eq!(redirects.problems(), [MalformedLine { line: 3, message }], "{line}");
    assert_eq!(redirects.matching(b"a", None).map(|matched| matched.line), Some(4));
}

#[test]
fn a_line_that_is_no_redirect_says_why() {
    let target = "expected a second path or URL, the target";
    has_problem("/x", target);
    has_problem("/x y", target);
    has_problem("/x 301", target);
    has_problem("/x/* 301", target);
    has_problem("/x # /y", target);
    let status = "expected a status such as 301 after the target";
    has_problem("/x /y 30x", status);
    has_problem("/x /y 99", status);
    has_problem("/x /y Country=de", status);
    has_problem("x /y", "expected a path that begins with / at the start of the line");
    has_problem("/.netlify/x /y", "a path below /.netlify cannot be redirected");
    let splat = "a * matches the rest of a path: it must be the last segment";
    has_problem("/x/*/y /z", splat);
    has_problem("/x* /z", splat);
    has_problem("/x y /z", "expected key=value between the path and the target");
}

#[test]
fn rules_are_asked_by_kind() {
    let text = "/a /1\n/a /2 302!\n/a /3 302! Role=admin";
    let redirects = Redirects::parse(text);
    let line = |phase| redirects.first(b"a", None, phase).map(|matched| matched.line);
    assert_eq!(line(RulePhase::Unconditional), Some(1));
    assert_eq!(line(RulePhase::Forced), Some(2));
    assert_eq!(line(RulePhase::Conditional), Some(3));
    let targets: Vec<_> = redirects.targets().collect();
    assert_eq!(targets, [("/1", 1), ("/2", 2), ("/3", 3)]);
    assert!(!redirects.is_empty() && Redirects::parse("# no\n").is_empty());
}

#[test]
fn lines_with_the_path_of_the_site_lose_it() {
    let text = "/ /w/ 301\n/w/* /:splat 200\n/w /w/\n/w/a /w/b\n/w/c /d\n/x /y\n/wx /z\n/e /w/f";
    let redirects =
        Redirects::new("/w/").with_file("the redirects file", Redirects::lines_of(text));
    let to = |path: &str| redirects.matching(path.as_bytes(), None).map(|matched| matched.to);
    assert_eq!(to("a").as_deref(), Some("/b"));
    assert_eq!(to("c").as_deref(), Some("/d"));
    assert_eq!(to("x").as_deref(), Some("/y"));
    assert_eq!(to("wx").as_deref(), Some("/z"));
    assert_eq!((to(""), to("e"), to("other")), (None, None, None));
    assert_eq!(redirects.targets().last(), Some(("/f", 8)));
}

#[test]
fn lines_of_several_files_have_places_of_their_own() {
    let redirects =
        Redirects::parse("/a /b\n/c\n").with_file("x.toml", [(7, "/a /d"), (9, "/e /f")]);
    let matched = |path: &str| redirects.matching(path.as_bytes(), None).unwrap();
    assert_eq!((matched("a").to.as_str(), redirects.place(matched("a").line)), ("/b", (0, 1)));
    assert_eq!(redirects.place(matched("e").line), (1, 9));
    assert_eq!(redirects.shown_place(matched("e").line), "line 9 of x.toml");
    assert_eq!(redirects.place(redirects.problems()[0].line), (0, 2));
}
