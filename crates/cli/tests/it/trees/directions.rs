//! Links of trees in other forms and other places, and style sheets as documents.

use super::site::Site;

/// A site with an index page, a page beside it, and names that mean something in a URL.
fn site() -> Site {
    Site::new(&[
        (
            "site/index.html",
            "<link href=/docs/css/a.css><a href=docs/>d</a><a href=./12:30.html>t</a>",
        ),
        ("site/12:30.html", "<a href=a%3Fb%25.html#x>q</a><a href=http://h/docs>up</a>"),
        ("site/a?b%.html", "<a href=gone.html>g</a><a href=//i/x>i</a><a href=../../x>u</a>"),
        (
            "site/d/index.html",
            "<base href=/docs/><a href='./12:30.html'>t</a><a href=d>d</a><a href=?q>q</a>",
        ),
        ("site/css/a.css", "@import 'http://h/docs/css/b.css'; a { b: url(/docs/i.png) }"),
        ("site/css/b.css", ""),
        ("site/i.png", ""),
        ("site/feed.xml", "<a href='http://h/docs/'/>"),
    ])
}

#[test]
fn links_become_relative_where_the_target_is_in_the_tree() {
    let site = site();
    site.write("site/docs", "");
    site.absolve("rewrite -b http://h/docs/ --to relative site -o out --copy-assets")
        .ends(0)
        .counts("rewrote 4 files; 3 unchanged, 2 copied");
    let index = "<link href=css/a.css><a href=http://h/docs/docs/>d</a><a href=./12:30.html>t</a>";
    site.has("out/index.html", index);
    site.has("out/12:30.html", "<a href=a%3Fb%25.html#x>q</a><a href=http://h/docs>up</a>");
    let links =
        "<a href=http://h/docs/gone.html>g</a><a href=http://i/x>i</a><a href=http://h/../x>u</a>";
    site.has("out/a?b%.html", links);
    let links = "<a href='../12:30.html'>t</a><a href=../d>d</a><a href=../?q>q</a>";
    site.has("out/d/index.html", links);
    site.has("out/css/a.css", "@import 'b.css'; a { b: url(../i.png) }");
    site.has("out/feed.xml", "<a href='http://h/docs/'/>");
    site.absolve("rewrite -b http://h/docs/ --to relative out --check").ends(0);
}

#[test]
fn links_for_files_name_files() {
    let site = site();
    site.write("site/page?id=1.html", "<a href=page?id=1#x>1</a><a href=page?id=2>2</a>");
    site.write("site/name.html", "<a href=name>n</a><a href=d/?x>d</a><a href=.#y>h</a>");
    site.absolve("rewrite -b http://h/docs/ --to offline site -w").ends(0);
    let links =
        "<a href='../12:30.html'>t</a><a href=index.html>d</a><a href=../index.html?q>q</a>";
    site.has("site/d/index.html", links);
    let links = "<a href=#x>1</a><a href=http://h/docs/page?id=2>2</a>";
    site.has("site/page?id=1.html", links);
    let links = "<a href=name.html>n</a><a href=d/index.html?x>d</a><a href=index.html#y>h</a>";
    site.has("site/name.html", links);
    site.absolve("rewrite -b http://h/docs/ --to offline site --check").ends(0);
}

/// A URL that ends with a slash is a prefix in an import map, and no page.
#[test]
fn prefixes_of_import_maps_get_no_index_page() {
    let map = |lib: &str, scope: &str| {
        let map = format!(r#"{{"imports":{{"x/":"{lib}"}},"scopes":{{"{scope}":{{}}}}}}"#);
        format!("<script type=importmap>{map}</script>")
    };
    let site = Site::new(&[
        ("site/a/b.html", &map("http://h/a/lib/", "/a/")),
        ("site/a/index.html", ""),
        ("site/a/lib/index.html", ""),
    ]);
    site.absolve("rewrite -b http://h/ --to offline site -w").ends(0);
    site.has("site/a/b.html", &map("./lib/", "./"));
    site.absolve("rewrite -b http://h/ --to offline site --check").ends(0);
}

/// Each file has its place below the URL of the raw files, also if it is given alone.
#[test]
fn images_in_markdown_resolve_below_the_raw_base() {
    let site = Site::new(&[("site/sub/d.md", "![i](x.png) [l](y)"), ("site/e.md", "![i](z.png)")]);
    let args = "rewrite --root-dir site -b http://h/ --raw-base http://r/";
    let expected = "![i](http://r/sub/x.png) [l](http://h/sub/y)";
    site.absolve(&format!("{args} site/sub/d.md")).ends(0).prints(expected);
    site.absolve(&format!("{args} site/sub/d.md site/e.md -o both")).ends(0);
    site.has("both/d.md", expected);
    site.has("both/e.md", "![i](http://r/z.png)");
    let absolute = "![i](http://r/s/x.png) ![j](http://r/y.png) [l](http://h/b/s/y) ![k](../z.png)";
    let files = ["site/s/x.png", "site/y.png", "site/s/y", "site/z.png"].map(|file| (file, ""));
    let site = Site::new(&[&[("site/s/d.md", absolute)], &files[..]].concat());
    let args = "rewrite --include *.md -b http://h/b/ --raw-base http://r/ --to relative site";
    site.absolve(&format!("{args} -w")).ends(0);
    site.has("site/s/d.md", "![i](x.png) ![j](../y.png) [l](y) ![k](../z.png)");
    site.absolve(&format!("{args} --check")).ends(0);
}

#[test]
fn json_that_is_no_feed_is_not_read_as_html() {
    let feed = r#"{"items":[],"home_page_url":"x","version":"https://jsonfeed.org/version/1.1"}"#;
    let other = r#"{"a":"<a href=x>"}"#;
    let site = Site::new(&[("site/feed.json", feed), ("site/other.json", other)]);
    let run = site.absolve("rewrite -b http://h/ -w --include *.json site");
    run.ends(2).says(&["other.json: not HTML: JSON by its name"]);
    site.has("site/feed.json", &feed.replace("\"x\"", "\"http://h/x\""));
    site.has("site/other.json", other);
}

/// Pages that wget saved lead from file to file, whether a server or a browser opens them.
#[test]
fn links_of_pages_with_a_query_in_their_name_name_files() {
    for form in ["relative", "offline"] {
        for mark in ["?", "%3F"] {
            let name = |page: u8| format!("m/list.html{mark}page={page}.html");
            let first =
                "<a href='?page=2#x'>2</a><a href=''>1</a><a href='#y'>y</a><a href=?q>q</a>";
            let second = "<a href='list.html?page=1'>1</a><a href='/list.html?page=2#z'>z</a>";
            let site = Site::new(&[
                (&name(1), first),
                (&name(2), second),
                ("m/list.html", "<a href='?page=2'>2</a>"),
            ]);
            let args = format!("rewrite -b http://h/ --to {form} m");
            site.absolve(&format!("{args} -w")).ends(0);
            let file = |page: u8| name(page)[2..].replace('%', "%25").replace('?', "%3F");
            let (one, two) = (file(1), file(2));
            let first = "<a href=''>1</a><a href='#y'>y</a><a href=list.html?q>q</a>";
            site.has(&name(1), &format!("<a href='{two}#x'>2</a>{first}"));
            site.has(&name(2), &format!("<a href='{one}'>1</a><a href='#z'>z</a>"));
            site.has("m/list.html", &format!("<a href='{two}'>2</a>"));
            site.absolve(&format!("{args} --check")).ends(0);
        }
    }
}

#[test]
fn the_server_decides_which_links_lead_to_files() {
    let files =
        [("site/a.html", "<a href=http://h/b>b</a><a href=/C.HTML>c</a><a href=/old>o</a>")];
    let site = Site::new(&files);
    for name in ["site/b.html", "site/c.html"] {
        site.write(name, "");
    }
    site.write("site/_redirects", "/old /b.html 301\n");
    site.absolve("rewrite -b http://h/ --to relative site -o plain").ends(0);
    let expected =
        "<a href=http://h/b>b</a><a href=http://h/C.HTML>c</a><a href=http://h/old>o</a>";
    site.has("plain/a.html", expected);
    site.absolve("rewrite -b http://h/ --to relative --server netlify site -o netlify").ends(0);
    site.has("netlify/a.html", "<a href=b>b</a><a href=C.HTML>c</a><a href=old>o</a>");
    site.absolve("rewrite -b http://h/ --to offline --server netlify site -o file").ends(0);
    site.has("file/a.html", "<a href=b.html>b</a><a href=c.html>c</a><a href=b.html>o</a>");
}

#[test]
fn a_part_of_a_site_has_links_into_all_of_it() {
    let site = Site::new(&[("site/d/a.html", "<a href=/e/b.html>b</a>"), ("site/e/b.html", "")]);
    let args = "rewrite -b http://h/ --to relative --root-dir site";
    site.absolve(&format!("{args} site/d -w")).ends(0);
    site.has("site/d/a.html", "<a href=../e/b.html>b</a>");
    site.absolve(&format!("{args} site/d/a.html")).ends(0).prints("<a href=../e/b.html>b</a>");
}

#[test]
fn links_become_relative_to_the_root() {
    let site = site();
    site.absolve("rewrite -b http://h/docs/ --to root-relative site -w").ends(0);
    site.has("site/css/a.css", "@import '/docs/css/b.css'; a { b: url(/docs/i.png) }");
    site.has(
        "site/d/index.html",
        "<a href='/docs/12:30.html'>t</a><a href=/docs/d>d</a><a href=/docs/?q>q</a>",
    );
    site.absolve("rewrite -b http://h/docs/ --to root-relative site --check").ends(0);
}

#[test]
fn links_move_by_rules_of_both_options() {
    let site = site();
    site.write("moves.tsv", "http://h/\thttps://new/sub/\nhttp://i/\thttp://j/\n");
    site.absolve(
        "rewrite -b http://h/docs/ --map-file moves.tsv --map http://h/docs/d=https://d/ site -w",
    )
    .ends(0);
    let index = "<link href=/sub/docs/css/a.css><a href=docs/>d</a><a href=./12:30.html>t</a>";
    site.has("site/index.html", index);
    let links = "<a href=gone.html>g</a><a href=http://j/x>i</a><a href=../x>u</a>";
    site.has("site/a?b%.html", links);
    site.has(
        "site/css/a.css",
        "@import 'https://new/sub/docs/css/b.css'; a { b: url(/sub/docs/i.png) }",
    );
}

#[test]
fn messages_have_other_forms_too() {
    let head = "Content-Type: text/html\r\nContent-Location: http://h/a/b.html\r\n\r\n";
    let site = Site::new(&[("site/a.eml", &format!("{head}<a href=http://h/c>c</a>"))]);
    site.absolve("rewrite --to root-relative site -w").ends(0);
    site.has("site/a.eml", &format!("{head}<a href=/c>c</a>"));
    site.absolve("rewrite --map http://h/=http://n/m/ site -w").ends(0);
    // The page moves with its links.
    let head = head.replace("http://h/", "http://n/m/");
    site.has("site/a.eml", &format!("{head}<a href=/m/c>c</a>"));
}

#[test]
fn style_sheets_are_documents() {
    let (sheet, expected) = ("a { b: url(c.png) }", "a { b: url(http://h/c.png) }");
    let site = Site::new(&[("site/a.css", sheet), ("site/b.html", "")]);
    let run = |args: &str| site.absolve(&format!("{args} -b http://h/ site"));
    run("rewrite -o pages").counts("rewrote nothing; 1 unchanged");
    run("rewrite --include *.css -o out").ends(0);
    site.has("out/a.css", expected);
    run("rewrite --include *.css --check").ends(1);
    let diff = run("rewrite --include *.css --diff").ends(1);
    assert!(String::from_utf8_lossy(&diff.stdout).contains(&format!("\n+{expected}")));
    let links = run("links --include *.css").ends(0);
    assert!(String::from_utf8_lossy(&links.stdout).contains("http://h/c.png"));
    site.absolve("rewrite -b http://h/a.css site/a.css").ends(0).prints(expected);
}

#[test]
fn a_mirror_of_several_hosts_leads_from_host_to_host() {
    let site = Site::new(&[
        (
            "m/a.example/d/list@page=1.html",
            "<a href='?page=2'>2</a><a href=//b.example:8080/#x>b</a><img src=/i.png>\
             <a href=https://A.example:443/d/>d</a><a href=gone>g</a><a href=http://c.example/>c</a>",
        ),
        ("m/a.example/d/list@page=2.html", ""),
        ("m/a.example/d/index.html", ""),
        ("m/a.example/i.png", ""),
        ("m/b.example+8080/index.html", "<a href=http://a.example/d/list?page=1>x</a>"),
        ("m/https/b.example/index.html", "<a href=http://b.example/>n</a><a href=/>h</a>"),
        ("m/index.html", "<a href=a.example/d/index.html>a</a>"),
    ]);
    site.absolve("rewrite --to offline --layout host-path m -w").ends(0);
    let list = "<a href='list@page=2.html'>2</a><a href=../../b.example+8080/index.html#x>b</a>\
        <img src=../i.png><a href=index.html>d</a><a href=http://a.example/d/gone>g</a>\
        <a href=http://c.example/>c</a>";
    site.has("m/a.example/d/list@page=1.html", list);
    site.has("m/b.example+8080/index.html", "<a href=../a.example/d/list@page=1.html>x</a>");
    let secure = "<a href=http://b.example/>n</a><a href=index.html>h</a>";
    site.has("m/https/b.example/index.html", secure);
    site.has("m/index.html", "<a href=a.example/d/index.html>a</a>");
    site.absolve("rewrite --to offline --layout host-path m --check").ends(0);
}

#[test]
fn a_mirror_by_httrack_has_names_that_are_no_urls() {
    let site = Site::new(&[
        ("m/hts-cache/new.txt", ""),
        ("m/h/a.html", "<a href=list1a2b.html>l</a>"),
        ("m/h/list1a2b.html", ""),
    ]);
    let warning = "absolve: m: HTTrack gave these files their names";
    let run = site.absolve("rewrite -b http://h/ --to relative m -w").ends(0);
    assert!(!run.stderr.contains("HTTrack"), "{}", run.stderr);
    site.absolve("rewrite -b http://h/ m -w").ends(0).says(&[warning]);
    let run = site.absolve("rewrite -b http://h/ m -w").ends(0);
    assert!(!run.stderr.contains("HTTrack"), "{}", run.stderr);
}

#[test]
fn a_mirror_with_converted_links_has_names_that_are_no_urls() {
    let page = |link: &str| format!("<a href='{link}'>2</a>");
    for (mark, link, is_converted) in [
        ("?", "l.html%3Fp=2.html", true),
        ("?", "l.html?p=2", false),
        ("@", "l.html@p=2.html", true),
        ("@", "l.html?p=2", false),
        ("%3F", "l.html%253Fp=2.html", true),
    ] {
        let name = |page: u8| format!("m/h/l.html{mark}p={page}.html");
        let site = Site::new(&[(&name(1), &page(link)), (&name(2), "x")]);
        let run = site.absolve("rewrite -b http://h/ m -w").ends(0);
        let warning = "absolve: m: wget -E -k gave these files their names";
        assert_eq!(run.stderr.contains(warning), is_converted, "{}", run.stderr);
    }
}

#[test]
fn hosts_are_those_of_browsers() {
    for (folder, host) in [
        ("xn--mller-kva.example", "m\u{fc}ller.example"),
        ("m\u{fc}ller.example", "xn--mller-kva.example"),
        ("m\u{fc}ller.example", "M%C3%9CLLER.example:80"),
        ("http/h.example+80", "H\u{ff0e}example"),
        ("127.0.0.1:81", "0x7f.1:81"),
    ] {
        let page = format!(
            "<a href=http://{host}/x.html>x</a><a href=x.html>x</a><a href=http://u@{host}/x.html>"
        );
        let (index, x) = (format!("m/{folder}/index.html"), format!("m/{folder}/x.html"));
        let list = format!("{folder}/x.html\thttp://{host}/y\n");
        let site = Site::new(&[(&index, &page), (&x, ""), ("list", &list)]);
        site.absolve("rewrite --to offline --layout host-path m -o out").ends(0);
        let expected =
            format!("<a href=x.html>x</a><a href=x.html>x</a><a href=http://u@{host}/x.html>");
        site.has(&index.replacen('m', "out", 1), &expected);
        site.write(&index, format!("<a href=http://{}/y>", host.to_lowercase()));
        site.absolve("rewrite --to offline --layout host-path --base-map list m -o by-list")
            .ends(0);
        site.has(&index.replacen('m', "by-list", 1), "<a href=x.html>");
    }
}

#[test]
fn pages_that_are_copied_are_named() {
    let page = "<!DOCTYPE html><a href=/>home</a>";
    let site = Site::new(&[
        ("m/index.html", "<a href=/p.php>p</a>"),
        ("m/p.php", page),
        ("m/d/q?id=1", page),
        ("m/program.php", "<?php echo '<html>' ?>"),
        ("m/a.txt", "<p>"),
        ("m/drafts/x.php", page),
    ]);
    let copied = "absolve: 2 copied files are HTML pages; --include '*.html' --include '*.css' \
                  --include '*.php' --include '*[?]*' rewrites them\n";
    let options = "--to offline -b http://h/ m -o out --copy-assets --exclude drafts/**";
    let run = site.absolve(&format!("rewrite {options}")).ends(0);
    assert!(run.stderr.contains(copied), "{}", run.stderr);
    let options = "-b http://h/ m -o more --force --copy-assets --include *.html --include *[?]*";
    site.absolve(&format!("rewrite {options}"))
        .ends(0)
        .says(&["absolve: 2 copied files are HTML pages; --include '*.php' rewrites them"]);
    let run = site.absolve(&format!("rewrite {options} -n --include *.php")).ends(0);
    assert!(!run.stderr.contains("HTML"), "{}", run.stderr);
}

#[test]
fn a_link_to_a_saved_file_becomes_the_url_of_the_file() {
    let page = "<a href=l.html%3Fq=1.html#x>1</a><a href='../h.example/l.html@q=2.html'>2</a><a href=A%253AB>3</a>\
                <a href=gone%3Fq=1.html>4</a><a href=l.html?q=1>5</a><a href='c.html'>6</a><a href=?q=1>7</a>\
                <a href=http://h.example/l.html%3Fq=1.html>8</a><a href='/l.html%3Fq=1.html'>9</a>";
    let files = [
        ("m/h.example/index.html", page),
        ("m/h.example/l.html?q=1.html", "<a href='l.html@q=2.html'>2</a>"),
        ("m/h.example/l.html@q=2.html", ""),
        ("m/h.example/A%3AB", ""),
        ("m/h.example/c.html", "<base href=http://h.example/d/><a href=l.html%3Fq=1.html>1</a>"),
    ];
    let expected = |url: &str| {
        format!(
            "<a href={url}l.html?q=1#x>1</a><a href='{url}l.html?q=2'>2</a><a href={url}A%3AB>3</a>\
             <a href={url}gone%3Fq=1.html>4</a><a href={url}l.html?q=1>5</a><a href='{url}c.html'>6</a>\
             <a href={url}index.html?q=1>7</a><a href=http://h.example/l.html%3Fq=1.html>8</a>\
             <a href='{url}l.html%3Fq=1.html'>9</a>"
        )
    };
    for options in ["--layout host-path", "--layout host-path --engine dom --exclude index.html"] {
        let site = Site::new(&files);
        let run = site.absolve(&format!("rewrite {options} m -o out --include *.html*")).ends(0);
        assert!(!run.stderr.contains("gave these files"), "{}", run.stderr);
        if !options.contains("dom") {
            site.has("out/h.example/index.html", &expected("http://h.example/"));
            // If a base element counts, links are no names of files.
            site.has(
                "out/h.example/c.html",
                "<base href=http://h.example/d/><a href=http://h.example/d/l.html%3Fq=1.html>1</a>",
            );
        }
        let page = std::fs::read_to_string(site.path("out/h.example/l.html?q=1.html")).unwrap();
        assert!(page.contains("http://h.example/l.html?q=2"), "{page}");
    }
    // From the root.
    let site = Site::new(&files);
    site.absolve("rewrite --layout host-path --to root-relative m/h.example/index.html -o out")
        .ends(0);
    let page = std::fs::read_to_string(site.path("out")).unwrap();
    assert!(page.starts_with("<a href=/l.html?q=1#x>1</a><a href='/l.html?q=2'>"), "{page}");
    // By a list, in which pages have names that say nothing of their URLs.
    let list = "i.html\thttp://h/x/\nl.html?q=1.html\thttp://h/y?z\nc.html\thttp://h/c\n";
    let page = "<a href=l.html%3Fq=1.html#x>1</a><a href=c.html>2</a>";
    let site = Site::new(&[
        ("list", list),
        ("m/i.html", page),
        ("m/l.html?q=1.html", ""),
        ("m/c.html", ""),
    ]);
    site.absolve("rewrite --base-map list m -w").ends(0);
    site.has("m/i.html", "<a href=http://h/y?z#x>1</a><a href=http://h/x/c.html>2</a>");
}

#[test]
fn a_link_to_a_file_of_httrack_becomes_its_url() {
    let line = |url: &str, path: &str| {
        format!("1\t1/1\t-\t200\tadded\ttext/html\tdate:x\t{url}\tm/{path}\t(from )\n")
    };
    let list = [
        "date\tsize'/'remotesize\tflags\n".to_owned(),
        line("http://h.example/", "h.example/index.html"),
        line("http://h.example/l?p=1", "h.example/l1a2b.html"),
        line("http://i.example/caf%c3%a9", "i.example/caf%c3%a9.html"),
    ];
    let page = "<a href='l1a2b.html?p=1#x'>1</a><a href='../i.example/caf%c3%a9.html'>2</a>\
                <a href=http://h.example/gone>3</a><a href=none.html>4</a><a href='#x'>5</a>";
    let site = Site::new(&[
        ("m/hts-cache/new.txt", &*list.concat()),
        ("m/h.example/index.html", page),
        ("m/h.example/l1a2b.html", "<a href=index.html>h</a>"),
        ("m/i.example/caf\u{e9}.html", "<a href=../h.example/index.html>1</a>"),
    ]);
    let expected = "<a href='http://h.example/l?p=1#x'>1</a><a href='http://i.example/caf%c3%a9'>2</a>\
                    <a href=http://h.example/gone>3</a><a href=http://h.example/none.html>4</a>\
                    <a href='http://h.example/#x'>5</a>";
    let run = site.absolve("rewrite --base-map m/hts-cache/new.txt m -o out").ends(0);
    assert!(!run.stderr.contains("HTTrack"), "{}", run.stderr);
    site.has("out/h.example/index.html", expected);
    site.has("out/h.example/l1a2b.html", "<a href=http://h.example/>h</a>");
    site.has("out/i.example/caf\u{e9}.html", "<a href=http://h.example/>1</a>");
    // A folder inside of the project.
    site.absolve("rewrite --base-map m/hts-cache/new.txt --root-dir m m/h.example -o inner")
        .ends(0);
    site.has("inner/index.html", expected);
}

#[test]
fn recorded_urls_lead_to_their_files() {
    let line = |url: &str, path: &str| {
        format!("1\t1/1\t-\t200\tadded\ttext/html\tdate:x\t{url}\tcopy/{path}\t(from )\n")
    };
    let list = [
        "date\tsize'/'remotesize\tflags\n".to_owned(),
        line("http://h.example/", "h.example/index.html"),
        line("http://h.example/l?p=1", "h.example/l1a2b.html"),
        line("http://i.example/", "i.example/index.html"),
    ];
    let page = "<a href=l1a2b.html#x>1</a><a href=http://h.example/l?p=1#y>1</a><a href=http://i.example/>i</a>\
                <a href=http://h.example/gone>g</a>";
    let site = Site::new(&[
        ("m/hts-cache/new.txt", &*list.concat()),
        ("m/h.example/index.html", page),
        ("m/h.example/l1a2b.html", "<a href=http://h.example/>h</a>"),
        ("m/i.example/index.html", "<a href=http://h.example/l?p=1>1</a>"),
    ]);
    let options = "--to offline --layout host-path --base-map m/hts-cache/new.txt";
    site.absolve(&format!("rewrite {options} m -w")).ends(0);
    let expected = "<a href=l1a2b.html#x>1</a><a href=l1a2b.html#y>1</a><a href=../i.example/index.html>i</a>\
                    <a href=http://h.example/gone>g</a>";
    site.has("m/h.example/index.html", expected);
    site.has("m/h.example/l1a2b.html", "<a href=index.html>h</a>");
    site.has("m/i.example/index.html", "<a href=../h.example/l1a2b.html>1</a>");
    // Without folders of hosts, the list alone says which URL a file has.
    let site = Site::new(&[
        ("list", "a.html\thttp://h/x/1\nd/b.html\thttp://h/y?z\nd/c.html\thttp://h/x/1\n"),
        ("m/a.html", "<a href=../y?z>b</a><a href=2>2</a>"),
        ("m/d/b.html", "<a href=/x/1#c>a</a><a href=HTTP://H:80/x/1>a</a>"),
        ("m/d/c.html", "<a href=b.html>b</a>"),
    ]);
    site.absolve("rewrite --to relative --base-map list m -o out").ends(0);
    site.has("out/a.html", "<a href=d/b.html>b</a><a href=http://h/x/2>2</a>");
    site.has("out/d/b.html", "<a href=../a.html#c>a</a><a href=../a.html>a</a>");
    // A second file with the same URL has no place of its own.
    site.has("out/d/c.html", "<a href=b.html>b</a>");
}

#[test]
fn sources_that_are_named_count_before_the_base_url() {
    let site = Site::new(&[
        ("m/a.html", "<a href=x>"),
        ("m/a.html:Zone.Identifier", "[ZoneTransfer]\r\nHostUrl=http://i/y/\r\n"),
        ("m/b.html", "<a href=x>"),
    ]);
    let listed = |options: &str| {
        let run = site.absolve(&format!("links m -b http://h/ {options} --format tsv"));
        String::from_utf8(run.stdout).unwrap()
    };
    assert!(!listed("").contains("http://i/y/x"));
    let learned = listed("--learn zone-identifier");
    assert!(learned.contains("http://i/y/x") && learned.contains("http://h/x"), "{learned}");
}
