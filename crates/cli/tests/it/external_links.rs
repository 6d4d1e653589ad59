//! `links --external --unique --format url`: the list for a link checker, which is that of the links
//! that an audit with its answers reports on.

use crate::trees::site::Site;

const HOSTS: &str = "<!doctype html><title>x</title><base href=/s/>\n\
    <a href=https://b.example/x#1>1</a> <a href=HTTPS://B.example:443/x#2>2</a> <a href=a.html>3</a>\n\
    <a href=//www.example.org/s/>4</a> <a href=https://example.org/other>5</a> <a href=mailto:a@b>6</a>\n\
    <img src='https://user:secret@c.example/a b.png'> <form action=https://form.example/></form>\n\
    <link rel=preconnect href=https://fonts.example> <link rel=canonical href=https://d.example/>\n\
    <div data-absolve-ignore><a href=https://marked.example/>7</a></div> <a href=http://ignored.example/x>8</a>\n\
    <a href='https://[bad/'>9</a> <a href=ftp://f.example/>10</a> <a ping=https://ping.example/ href='\\\\e.example\\y'>11</a>\n";

const CONFIG: &str = "[audit]\nbase-url = \"https://example.org/s/\"\nalias = [\"www.example.org\"]\n\
    ignore-link = [\"http://ignored.example/*\"]\nexclude = [\"drafts/*\"]\n";

const LIST: &str = "links --external --unique --format url";

fn site() -> Site {
    Site::new(&[
        ("absolve.toml", CONFIG),
        ("site/a.html", HOSTS),
        (
            "site/b/c.html",
            "<a href=https://b.example/x>1</a> <a href=../../up>2</a> <a href=https://b.example/y>3</a>",
        ),
        ("site/drafts/d.html", "<a href=https://draft.example/>1</a>"),
        ("site/s.css", "@import '//style.example/x.css'; a { background: url(x.png) }"),
    ])
}

#[test]
fn the_list_has_each_url_outside_the_site_once() {
    let all = "https://b.example/x\nhttps://example.org/other\nhttps://c.example/a%20b.png\n\
        https://d.example/\nhttps://e.example/y\nhttps://example.org/up\nhttps://b.example/y\n\
        https://style.example/x.css\n";
    site().absolve(&format!("{LIST} site")).ends(0).prints(all);
    let threads = site().absolve(&format!("{LIST} -j 1 site")).ends(0);
    threads.prints(all);
}

#[test]
fn an_audit_misses_the_answers_for_the_same_urls() {
    let site = site();
    let list = site.absolve(&format!("{LIST} site")).ends(0);
    let list = String::from_utf8(list.stdout).unwrap();
    let rules = "--rule all=off,unchecked-external=error --format jsonl";
    site.write("none.tsv", "");
    let missing = site.absolve(&format!("audit {rules} --external-status none.tsv site")).ends(1);
    assert_eq!(
        String::from_utf8(missing.stdout).unwrap().lines().count(),
        list.lines().count() + 2
    );
    site.write("all.tsv", list.replace('\n', "\t200\n"));
    site.absolve(&format!("audit {rules} --external-status all.tsv site")).ends(0).prints("");
}

#[test]
fn without_a_base_url_relative_links_lead_to_the_site() {
    let site = site();
    site.write("absolve.toml", "");
    let urls = "http://www.example.org/s/\nhttps://example.org/other\nhttps://b.example/x\n";
    let list = site.absolve("links --external --format url --only href site --exclude drafts/*");
    let list = String::from_utf8(list.ends(0).stdout).unwrap();
    assert!(urls.lines().all(|url| list.lines().any(|line| line == url)), "{list}");
    assert!(!list.contains("a.html") && !list.contains("/up"), "{list}");
    // The slash at the end of a folder's URL may be missing.
    let list = site.absolve("links --external --format url -b https://example.org/s site").ends(0);
    let list = String::from_utf8(list.stdout).unwrap();
    assert!(!list.contains("/s/a.html") && list.contains("https://example.org/other"), "{list}");
    let page = site.absolve("links --external --format url -b https://example.org/s/x site/a.html");
    let page = String::from_utf8(page.ends(0).stdout).unwrap();
    assert!(!page.contains("/s/a.html") && page.contains("https://example.org/other"), "{page}");
    // Each document of a mirror has its host.
    let mirror = site.absolve("links --external --format url --layout host-path --only href site");
    let mirror = String::from_utf8(mirror.ends(0).stdout).unwrap();
    assert!(mirror.contains("https://b.example/x") && !mirror.contains("nameless"), "{mirror}");
    // Typed options override the configuration.
    site.write("absolve.toml", CONFIG);
    let typed = site.absolve(&format!("{LIST} -b https://b.example/ site")).ends(0);
    let typed = String::from_utf8(typed.stdout).unwrap();
    assert!(!typed.contains("//b.example/") && typed.contains("https://d.example/"), "{typed}");
}

#[test]
fn without_a_site_the_configuration_has_it() {
    let site = site();
    site.absolve(LIST).ends(2).says(&["set path in the table [audit] of absolve.toml, or give -"]);
    let named = site.absolve(&format!("{LIST} site")).ends(0).stdout;
    site.write("absolve.toml", CONFIG.replace("[audit]", "[audit]\npath = \"site\""));
    site.absolve(LIST).ends(0).prints(&String::from_utf8(named).unwrap());
    let page = "<a href=https://p.example/>1</a>";
    let stdin = format!("{LIST} -");
    site.absolve_with(stdin.split_whitespace(), page).ends(0).prints("https://p.example/\n");
}

#[test]
fn a_configuration_is_trusted_as_in_an_audit() {
    let site = site();
    let list = format!("{LIST} site");
    site.write("absolve.toml", "[audit]\nfix = true\n");
    site.absolve(&list).ends(2).says(&["absolve.toml:2:7: 'fix' is not allowed"]);
    // That of the site is not read.
    site.write("site/absolve.toml", "[audit]\nnonsense = true\n");
    site.write("absolve.toml", "");
    site.absolve(&list).ends(0);
    site.write("other.toml", "[audit]\nbase-url = \"https://d.example/\"\n");
    let named = site.absolve(&format!("{list} --config other.toml")).ends(0);
    assert!(!String::from_utf8(named.stdout).unwrap().contains("//d.example"));
    // Other lists do not read it.
    site.write("absolve.toml", "[nonsense]\n");
    site.absolve("links --format url -b http://h/ site").ends(0);
    site.absolve(&list).ends(2).says(&["no such table 'nonsense'"]);
}

#[test]
fn a_list_of_urls_has_a_url_a_line() {
    let site = Site::new(&[
        (
            "a.html",
            "<a href=x#1>1</a><a href=x#1>2</a><a href='http://h/a&#10;b\u{1b}c\u{85}'>3</a><img src=''>",
        ),
        (
            "m.eml",
            "MIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n<a href=http://m/>1</a><a href=http://m/>2</a>",
        ),
    ]);
    let left_out = "absolve: 3 links without an absolute URL left out";
    let controls = "http://h/ab%1Bc%C2%85\n";
    site.absolve("links --format url a.html").ends(0).says(&[left_out]).prints(controls);
    let resolved = format!("http://g/x#1\nhttp://g/x#1\n{controls}");
    let list = site.absolve("links --format url -b http://g/ a.html").ends(0);
    list.says(&["absolve: 1 link without an absolute URL left out"]).prints(&resolved);
    let unique = format!("http://g/x#1\n{controls}");
    site.absolve("links --format url --unique -b http://g/ a.html").ends(0).prints(&unique);
    site.absolve("links --format url --unique m.eml").ends(0).prints("http://m/\n");
    site.absolve("links --external --format url m.eml").ends(0).prints("http://m/\nhttp://m/\n");
    let page = "<a href=x>1</a><a href=https://u:p@h/>2</a><a href=http://d/e/g>3</a><a href=http://d/>4</a>";
    let piped = ["links", "--external", "--format", "url", "-b", "http://d/e/f", "-"];
    site.absolve_with(piped, page).ends(0).prints("https://h/\nhttp://d/\n");
    site.absolve_with(["links", "--format", "url"], page)
        .ends(0)
        .prints("https://***@h/\nhttp://d/e/g\nhttp://d/\n");
}

#[test]
fn other_formats_can_be_of_links_out_of_the_site_alone() {
    let site = site();
    let rows = |format: &str| {
        let list = site.absolve(&format!("links --external --format {format} site")).ends(0);
        String::from_utf8(list.stdout).unwrap().lines().count()
    };
    assert_eq!((rows("text"), rows("jsonl"), rows("tsv"), rows("url")), (10, 10, 11, 10));
}
