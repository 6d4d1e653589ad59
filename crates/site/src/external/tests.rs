use super::*;

fn parse(text: &str) -> ExternalStatuses {
    ExternalStatuses::parse(text.as_bytes()).unwrap()
}

/// Asserts the state of a URL in a report, in words.
#[track_caller]
fn assert_status(text: &str, url: &str, expected: &str) {
    let statuses = parse(text);
    let shown = match statuses.status(url) {
        None => "none".to_owned(),
        Some(ExternalStatus::Good) => "good".to_owned(),
        Some(ExternalStatus::Unchecked) => "unchecked".to_owned(),
        Some(ExternalStatus::Moved(to)) => format!("moved {to}"),
        Some(ExternalStatus::Broken(failure)) => {
            let end = failure.end.as_ref().map_or(String::new(), |end| format!(" at {end}"));
            format!("broken {}{end}", failure.message())
        }
    };
    assert_eq!(shown, expected, "{text}");
    if !url.contains('#') {
        assert_eq!(statuses.is_good(url), matches!(expected, "none" | "good"), "{text}");
    }
}

#[test]
fn a_status_of_a_line_decides() {
    let rows = [
        ("h\t200", "good"),
        ("h\t304\t", "good"),
        ("h\t404", "broken the server answers 404"),
        ("h\t500\thttp://h", "broken the server answers 500"),
        ("h\t404\thttp://end/", "broken the server answers 404 at http://end/"),
        ("h\t000\thttp://h/", "broken no answer"),
        // These statuses say nothing about the URL.
        ("h\t429", "good"),
        ("h\t999", "good"),
        // curl -L: whether the redirects are permanent is not known.
        ("h\t200\thttp://end/", "good"),
        ("h\t301\thttp://end/x?y#z", "moved http://end/x?y#z"),
        ("h\t308\tHTTP://END", "moved http://end/"),
        ("h\t302\thttp://end/", "good"),
        ("h\t301\thttp://h/#x", "good"),
        ("h\t301\tmailto:x", "good"),
        ("h\t301\t/relative", "good"),
    ];
    for (line, expected) in rows {
        assert_status(&format!("http://{line}\n"), "http://h/", expected);
        assert_status(
            &format!("\u{feff}http://other/\t200\r\n\r\nHTTP://H:80/#x\t{}\r\n", &line[2..]),
            "http://h/",
            expected,
        );
    }
}

#[test]
fn redirects_are_followed_in_the_file() {
    let a = "http://a/\t301\thttp://b/\n";
    assert_status(&format!("{a}http://b/\t308\thttp://c/"), "http://a/", "moved http://c/");
    assert_status(
        &format!("{a}http://b/\t308\thttp://c/\nhttp://c/\t200"),
        "http://a/",
        "moved http://c/",
    );
    assert_status(&format!("{a}http://b/\t302\thttp://c/"), "http://a/", "good");
    assert_status(
        &format!("{a}http://b/\t404"),
        "http://a/",
        "broken the server answers 404 at http://b/",
    );
    assert_status(&format!("{a}http://b/\t429"), "http://a/", "moved http://b/");
    let circle =
        "broken the link checker reports 'it redirects in a circle, or more than 20 times'";
    assert_status(&format!("{a}http://b/\t301\thttp://a/"), "http://a/", circle);
    assert_status("http://a/\t301\thttp://a/", "http://a/", circle);
    let chain = |length: usize| {
        let line = |n| format!("http://{n}.x/\t301\thttp://{}.x/\n", n + 1);
        (0..length).map(line).collect::<String>()
    };
    assert_status(&chain(MAX_REDIRECTS), "http://0.x/", "moved http://20.x/");
    assert_status(&chain(MAX_REDIRECTS + 1), "http://1.x/", "moved http://21.x/");
}

#[test]
fn the_best_of_several_answers_counts_in_any_order() {
    let lines = ["h\t404", "h\t301\thttp://end/", "h\t429", "h\t200", "h\t000"];
    let best = ["broken the server answers 404", "moved http://end/", "moved http://end/", "good"];
    for (number, expected) in (1..).zip(best) {
        let mut lines: Vec<_> =
            lines[..number].iter().map(|line| format!("http://{line}")).collect();
        assert_status(&lines.join("\n"), "http://h/", expected);
        lines.reverse();
        assert_status(&lines.join("\n"), "http://h/", expected);
    }
}

#[test]
fn a_url_is_compared_as_it_is_requested() {
    let list = "https://h/a%20b?x\t404\nhttps://xn--mnchen-3ya.example/\t404\n";
    for url in ["https://h/a b?x#y", "HTTPS://user:password@H:443/c/../a%20b?x"] {
        assert_status(list, url, "broken the server answers 404");
    }
    assert_status(list, "https://münchen.example", "broken the server answers 404");
    assert_status(list, "http://h/a%20b?x", "unchecked");
    for url in ["mailto:a@h", "ftp://h/", "file:///a", "x", "http://", "data:,x"] {
        assert_status(list, url, "none");
    }
}

/// Returns a report of lychee with one map.
fn write_lychee(map: &str, response: &str) -> String {
    format!(r#"{{"total": 1, "{map}": {{"urls.txt": [{response}]}}, "duration": {{"secs": 1}}}}"#)
}

#[test]
fn lychee_of_every_version_is_read() {
    let url = r#""url": "http://h/x""#;
    let rows: &[(&str, &str, &str)] = &[
        // 0.8.
        (
            "fail_map",
            r#""status": "Failed: Not Found""#,
            "broken the link checker reports 'Failed: Not Found'",
        ),
        // Up to 0.23.
        (
            "error_map",
            r#""status": {"text": "404 Not Found", "code": 404}"#,
            "broken the server answers 404",
        ),
        (
            "error_map",
            r#""status": {"text": "Network error", "details": "x"}"#,
            "broken the link checker reports 'Network error'",
        ),
        (
            "error_map",
            r#""status": {"text": "429 Too Many Requests", "code": 429}"#,
            "broken the server answers 429",
        ),
        ("success_map", r#""status": {"text": "429 Too Many Requests", "code": 429}"#, "good"),
        ("excluded_map", r#""status": {"text": "Excluded"}"#, "good"),
        // 0.21: nobody knows whether it is permanent.
        (
            "redirect_map",
            r#""status": {"text": "Redirect", "code": 200, "redirects": ["http://h/x", "http://h/y"]}"#,
            "good",
        ),
        // 0.23.
        (
            "redirect_map",
            r#""status": {"text": "Redirect", "code": 200, "redirects": {"origin": "http://h/x", "redirects": [{"url": "http://h/y", "code": 301}]}}"#,
            "moved http://h/y",
        ),
        // 0.24.
        (
            "timeout_map",
            r#""status": {"text": "Timeout", "details": "Request timed out"}, "span": {"line": 1, "column": 1}"#,
            "broken the link checker reports 'Timeout'",
        ),
        (
            "success_map",
            r#""status": {"text": "200 OK", "code": 200}, "redirects": {"origin": "http://h/x", "redirects": [{"url": "http://h/y", "code": 308}, {"url": "http://h/z", "code": 301}]}"#,
            "moved http://h/z",
        ),
        (
            "success_map",
            r#""status": {"text": "200 OK", "code": 200}, "redirects": {"origin": "http://h/x", "redirects": [{"url": "http://h/y", "code": 308}, {"url": "http://h/z", "code": 302}]}"#,
            "good",
        ),
        (
            "error_map",
            r#""status": {"text": "404 Not Found", "code": 404}, "redirects": {"origin": "http://h/x", "redirects": [{"url": "http://h/y", "code": 301}]}"#,
            "broken the server answers 404 at http://h/y",
        ),
        ("unsupported_map", r#""status": {"text": "Unsupported: x", "details": "x"}"#, "good"),
    ];
    for (map, status, expected) in rows {
        assert_status(&write_lychee(map, &format!("{{{url}, {status}}}")), "http://h/x", expected);
    }
}

#[test]
fn redirects_of_lychee_alone_are_no_answer() {
    let redirects =
        r#"{"origin": "http://h/x", "redirects": [{"url": "http://h/y", "code": 301}]}"#;
    assert_status(&write_lychee("redirect_map", redirects), "http://h/x", "unchecked");
}

#[test]
fn a_missing_fragment_is_that_of_the_links_with_it() {
    let text = "Cannot find fragment";
    let response = format!(r#"{{"url": "http://h/x#a", "status": {{"text": "{text}"}}}}"#);
    let ok = r#"{"url": "http://h/x#b", "status": {"text": "200 OK", "code": 200}}"#;
    let list = write_lychee("error_map", &response);
    let list = list.replacen('{', &format!(r#"{{"success_map": {{"y": [{ok}]}},"#), 1);
    assert_status(&list, "http://h/x#a", "broken the link checker reports 'Cannot find fragment'");
    assert_status(&list, "http://h/x#c", "good");
    assert!(!parse(&list).is_good("http://h/x"));
    let gone = r#"{"url": "http://h/x#a", "status": {"text": "404", "code": 404}}"#;
    assert_status(&write_lychee("error_map", gone), "http://h/x", "broken the server answers 404");
}

#[test]
fn what_is_no_list_is_refused() {
    let refused = |bytes: &[u8]| ExternalStatuses::parse(bytes).unwrap_err().to_string();
    let line =
        "expected a URL, a tab and a status, such as 404, or the JSON of lychee or linkinator";
    for wrong in
        ["http://h/ 200", "http://h/\t", "http://h/\tx", "http://h/\t1000", "\t-1", "x\t+20"]
    {
        assert_eq!(
            refused(format!("http://g/\t200\n{wrong}\n").as_bytes()),
            format!("line 2: {line}")
        );
    }
    assert_eq!(refused(b"http://h/\t200\n\xff"), "line 2: it is not UTF-8; save it as UTF-8");
    let keys = "line 1: it has no key of lychee's JSON, such as 'error_map', and no 'links', as \
                linkinator's has";
    assert_eq!(refused(b"{}"), keys);
    assert_eq!(refused(br#"{"error_maps": {}}"#), keys);
    let ends = [
        ("{\n", "EOF while parsing an object"),
        ("{\n\"links\": 1}", "invalid type: integer `1`, expected a sequence"),
        ("[\n{}]", "invalid type: map, expected a sequence"),
        (
            "{\n\"links\": [{\"url\": \"x\", \"status\": -1}]}",
            "invalid value: integer `-1`, expected u16",
        ),
        ("{\n\"error_map\": {}, \"fail_map\": {}}", "duplicate field `error_map`"),
        ("{\n\"links\": [{\"status\": 1}]}", "missing field `url`"),
    ];
    for (text, why) in ends {
        let error = refused(text.as_bytes());
        let is_expected = error.starts_with("line ") && error.contains(why);
        assert!(
            is_expected && error.ends_with("; expected the JSON of lychee or linkinator"),
            "{error}"
        );
    }
}

#[test]
fn deep_and_long_files_end() {
    let deep = "[".repeat(1_000_000);
    assert!(ExternalStatuses::parse(format!(r#"{{"x": {deep}"#).as_bytes()).is_err());
    assert!(ExternalStatuses::parse(write_lychee("error_map", &deep).as_bytes()).is_err());
    let status = format!(r#"{{"url": "http://h/", "status": {}}}"#, "{\"text\":".repeat(100_000));
    assert!(ExternalStatuses::parse(write_lychee("error_map", &status).as_bytes()).is_err());
    let text =
        format!(r#"{{"url": "http://h/", "status": {{"text": "{}"}}}}"#, "é".repeat(100_000));
    let statuses = parse(&write_lychee("error_map", &text));
    let Some(ExternalStatus::Broken(failure)) = statuses.status("http://h/") else { panic!() };
    assert_eq!(failure.text.chars().count(), MAX_TEXT);
    assert!(parse("").is_empty() && parse("\n\n").is_empty());
}
