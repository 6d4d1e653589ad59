//! The user and password of a URL are those that its parser sees; all other text stays.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::passwords::output;

/// References with `@` and `:` in which no standard sees a user and password, on a page of `http:`.
const WHOLE: &[&str] = &[
    "https://h/w/User:Foo@bar.example",
    "https://h/w/User:Foo@bar.example?action=edit#top",
    "https://h/docs#:~:text=mail%20me@x.example",
    "https://h/docs#a:b@c",
    "https://ghcr.io/org/go:v1.2@sha256:abc",
    "https://h/?ref=a:b@c.example",
    "https://h/?to=http://u:p@h/",
    "https://h/#//u:p@h/",
    "https://h?u:p@h",
    "https://web.example/2020/http://u:p@h/",
    "https://h:8080/@user:x",
    "https://h/@scope/name@1.2:3",
    "https://h/a//b:c@d",
    "https://h/;u:p@h",
    "https://[::1]/a:b@c",
    "https://h/image@2x.png?12:30",
    "http://u:pa/ss@h/",
    "http://@h/a:b@c",
    "http:u:p@h/x",
    "http:/u:p@h/x",
    "//h/a:b@c",
    "//h?to=//u:p@h",
    "/User:Foo@bar",
    "/@user:x",
    "w/User:Foo@bar",
    "w/User:Foo@bar.example/talk",
    "./a:b@c",
    "?to=http://u:p@h/",
    "?a:b@c",
    "#a:b@c",
    "#:~:text=a:b@c",
    "u:p@h",
    "user:password@host.example/x",
    "git@h:a/b",
    "a@b.example:80",
    "@a:b",
    "12:30@x",
    "npm:a:b@c",
    "npm:@scope/name@1.2",
    "jsr:@a/b@1",
    "pkg:npm/a:b@1.2",
    "mailto:a@b",
    "mailto:u:p@h?cc=a:b@c",
    "sip:u:p@h",
    "xmpp:a:b@c",
    "acct:a:b@c",
    "data:u:p@h",
    "data:text/plain,http://u:p@h/",
    "javascript:go('http://u:p@h/')",
    "blob:http://h/a:b@c",
    "view-source:http://u:p@h/",
    "urn:a:b@c",
    "cid:a:b@c",
    "tel:1:2@3",
    "htp:/u:p@h/",
    "x:u:p@h",
    "file:///a:b@c",
    "C:\\a\\b:c@d",
    "see http://u:p@h/",
    "\u{e9}:\u{e9}@h",
];

/// References with a user and password, and with the mask that RFC 1808 and RFC 3986 have for them.
const MASKED: &[(&str, &str)] = &[
    ("http://zuser:zpass@h/", "http://***@h/"),
    ("https://zuser@h/x", "https://***@h/x"),
    ("HTTPS://:zpass@h/a:b@c", "HTTPS://***@h/a:b@c"),
    ("//zuser:zpass@h/x", "//***@h/x"),
    ("//zuser@h", "//***@h"),
    ("ftp://zuser:zpass@h/a@b", "ftp://***@h/a@b"),
    ("wss://zuser:zpass@h", "wss://***@h"),
    ("x://zuser:zpass@h/y", "x://***@h/y"),
    ("git+ssh://zuser@h:a/b@c", "git+ssh://***@h:a/b@c"),
    ("file://zuser:zpass@h/x", "file://***@h/x"),
    ("http://zuser:zpass@zpass@h/", "http://***@h/"),
    ("http://zuser:z:zpass;z=z&z@h/", "http://***@h/"),
    ("http://zuser:%7Apass%40@h/%40", "http://***@h/%40"),
    ("http://zuser:\u{e9}zpass@h/\u{e9}", "http://***@h/\u{e9}"),
    ("http://zus er:\"zpass<'>@h/", "http://***@h/"),
    ("http://zuser:zpass@[::1]:80/", "http://***@[::1]:80/"),
    ("http://zuser:zpass@[/bad", "http://***@[/bad"),
    ("http://zuser:zpass@h?q=a:b@c", "http://***@h?q=a:b@c"),
    ("http://zuser:zpass@h#a:b@c", "http://***@h#a:b@c"),
    ("http://zuser:zpass@h/?to=//u:p@h/", "http://***@h/?to=//u:p@h/"),
    ("  http://zuser:zpass@h/ ", "  http://***@h/ "),
    ("ht\ntp:/\t/zuser:\nzpass@h/\n", "ht\ntp:/\t/***@h/\n"),
];

/// References that the URL Standard parses differently, on a page of `http:`: RFC 1808 and RFC 3986
/// see what the second column masks, a browser what the third does.
const DIFFERENT: &[(&str, &str, &str)] = &[
    ("https:zuser:zpass@h/x", "https:zuser:zpass@h/x", "https:***@h/x"),
    ("https:/zuser:zpass@h/x", "https:/zuser:zpass@h/x", "https:/***@h/x"),
    ("https:\\\\zuser:zpass@h\\x@y", "https:\\\\zuser:zpass@h\\x@y", "https:\\\\***@h\\x@y"),
    ("http:\\\\zuser:zpass@h\\x", "http:\\\\zuser:zpass@h\\x", "http:\\\\***@h\\x"),
    ("\\\\zuser:zpass@h\\x", "\\\\zuser:zpass@h\\x", "\\\\***@h\\x"),
    ("/\\zuser:zpass@h/x", "/\\zuser:zpass@h/x", "/\\***@h/x"),
    ("///zuser:zpass@h/x", "///zuser:zpass@h/x", "///***@h/x"),
    ("http:///zuser:zpass@h/x", "http:///zuser:zpass@h/x", "http:///***@h/x"),
    ("http://i\\zuser:zpass@h/x", "http://***@h/x", "http://i\\zuser:zpass@h/x"),
];

/// Each reference, and what lists and reports show of it.
fn rows(standard: &str) -> Vec<(&'static str, &'static str)> {
    let different = DIFFERENT.iter().map(|&(reference, net_loc, browser)| {
        (reference, if standard == "whatwg" { browser } else { net_loc })
    });
    let whole = WHOLE.iter().map(|&reference| (reference, reference));
    // A line end in the last one moves no other.
    whole.chain(different).chain(MASKED.iter().copied()).collect()
}

/// Writes a page with a line for each reference.
fn write_page(folder: &Path, before: &str, tag: &str) {
    let mut page = before.to_owned();
    for (reference, _) in rows("") {
        let value = reference.replace('&', "&amp;").replace('"', "&quot;");
        page.extend(["<", tag, " href=\"", &value, "\">\n"]);
    }
    fs::create_dir(folder.join("site")).unwrap();
    fs::write(folder.join("site/index.html"), page).unwrap();
}

/// The reference is shown as expected, and its URL shows a user and password only if it does.
#[track_caller]
fn is_shown(list: &str, row: (&str, &str), reference: &str, url: &str) {
    let (written, expected) = row;
    assert_eq!(reference, expected, "{list}");
    let has_secret = |text: &str| text.contains("zpass") || text.contains("zuser");
    assert!(has_secret(expected) || !has_secret(url), "{list}: {written}: {url}");
    assert!(expected != written || !url.contains("***"), "{list}: {written}: {url}");
}

/// The value of a cell of tab-separated values.
fn cell(text: &str) -> String {
    let (mut value, mut chars) = (String::new(), text.chars());
    while let Some(c) = chars.next() {
        value.push(match c {
            '\\' => match chars.next().unwrap() {
                'n' => '\n',
                't' => '\t',
                c => c,
            },
            c => c,
        });
    }
    value
}

/// Whether text for people shows a reference as it is.
fn is_printable(reference: &str) -> bool {
    !reference.contains(char::is_control) && reference.trim() == reference
}

#[test]
fn each_table_is_long_enough() {
    assert!(WHOLE.len() >= 40 && MASKED.len() >= 20);
    assert!(WHOLE.iter().all(|url| url.contains('@') && url.contains(':')));
}

#[test]
fn lists_of_links_show_what_the_parser_sees() {
    let folder = tempfile::tempdir().unwrap();
    write_page(folder.path(), "", "a");
    for standard in ["rfc1808", "rfc3986", "whatwg"] {
        let list = |format: &str| {
            let args =
                format!("links -q -b http://b.example/ --standard {standard} --format {format}");
            output(folder.path(), &format!("{args} site/index.html"))
        };
        let rows = rows(standard);
        let (json, tsv, text) = (list("jsonl"), list("tsv"), list("text"));
        assert_eq!(json.lines().count(), rows.len(), "{json}");
        for (&row, line) in rows.iter().zip(json.lines()) {
            let link: Value = serde_json::from_str(line).unwrap();
            let url = link["url"].as_str().unwrap_or_default();
            is_shown(standard, row, link["reference"].as_str().unwrap(), url);
        }
        for (&row, line) in rows.iter().zip(tsv.lines().skip(1)) {
            let cells: Vec<String> = line.split('\t').map(cell).collect();
            is_shown(standard, row, &cells[7], &cells[8]);
        }
        for ((_, expected), line) in rows.into_iter().zip(text.lines()) {
            assert!(line.contains(expected) || !is_printable(expected), "{expected}: {line}");
        }
    }
}

#[test]
fn reports_show_what_the_parser_sees() {
    let folder = tempfile::tempdir().unwrap();
    // Each further base element has a finding.
    write_page(folder.path(), "<base href=http://b.example/a/>\n", "base");
    for standard in ["rfc1808", "rfc3986", "whatwg"] {
        let report = |format: &str| {
            let args = "-q audit --no-config -b http://b.example/ --rule all=off --rule duplicate-base=error";
            output(folder.path(), &format!("{args} --standard {standard} --format {format} site"))
        };
        let rows = rows(standard);
        let (json, text) = (report("json"), report("text"));
        let json: Value = serde_json::from_str(&json).unwrap();
        let findings = json["findings"].as_array().unwrap();
        assert_eq!(findings.len(), rows.len(), "{json}");
        for (&row, finding) in rows.iter().zip(findings) {
            let url = finding["url"].as_str().unwrap_or_default();
            is_shown(standard, row, finding["reference"].as_str().unwrap(), url);
        }
        // The command lists a URL once.
        let mut shown = 0;
        for line in text.lines() {
            let Some((number, source)) = line.split_once(" | <base href=\"") else { continue };
            let (_, expected) = rows[number.parse::<usize>().unwrap() - 2];
            if is_printable(expected) {
                assert_eq!(source.strip_suffix("\">").unwrap(), expected, "{standard}");
                shown += 1;
            }
        }
        assert!(shown > WHOLE.len(), "{text}");
    }
}
