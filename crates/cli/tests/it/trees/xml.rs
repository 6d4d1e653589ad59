//! XML documents in folders.

use super::site::Site;

const SVG: &str = "<svg xmlns='http://www.w3.org/2000/svg'><a href='b'/></svg>";
const ATOM: &str = "<feed xmlns='http://www.w3.org/2005/Atom'><link href='b'/></feed>";
const XHTML: &str = "<html xmlns='http://www.w3.org/1999/xhtml'><script src='b'/></html>";

fn site() -> Site {
    Site::new(&[
        ("site/a.xhtml", XHTML),
        ("site/d/i.svg", SVG),
        ("site/feed.atom", ATOM),
        ("site/feed.xml", ATOM),
        ("site/data.xml", "<data><item href='b'/></data>"),
        ("site/page.html", "<a href=b>"),
    ])
}

#[test]
fn xml_documents_are_documents_by_their_names() {
    let site = site();
    site.absolve("rewrite -b http://h/ site -w").ends(0).counts("rewrote 5 files; 1 unchanged");
    site.has("site/a.xhtml", &XHTML.replace("'b'", "'http://h/b'"));
    site.has("site/d/i.svg", &SVG.replace("'b'", "'http://h/d/b'"));
    site.has("site/feed.atom", &ATOM.replace("'b'", "'http://h/b'"));
    site.has("site/feed.xml", &ATOM.replace("'b'", "'http://h/b'"));
    site.has("site/data.xml", "<data><item href='b'/></data>");
    site.absolve("rewrite -b http://h/ site --check").ends(0);
}

#[test]
fn a_file_that_is_not_well_formed_is_skipped() {
    let broken = "<data>\n <b></data>";
    let why = "site/bad.xml: skipped: line 2, column 5: not well-formed XML: the end tag 'data' does \
               not match the start tag 'b'";
    let site = site();
    site.write("site/bad.xml", broken);
    for trial in ["--check", "--diff"] {
        site.absolve(&format!("rewrite -b http://h/ site {trial}")).ends(1).says(&[why]);
    }
    site.absolve("rewrite -b http://h/ site -o out").ends(0).says(&[why, "1 skipped"]);
    site.has("out/bad.xml", broken);
    site.has("out/d/i.svg", &SVG.replace("'b'", "'http://h/d/b'"));
    site.absolve("rewrite -b http://h/ site -w").ends(0).says(&[why]);
    site.has("site/bad.xml", broken);
    site.has("site/page.html", "<a href=http://h/b>");
    site.absolve("links -b http://h/ site").ends(0).says(&[why]);
}

#[test]
fn a_file_that_is_named_must_be_well_formed() {
    let why = "not well-formed XML";
    let site = site();
    site.write("site/bad.xml", "<data>");
    site.absolve("rewrite -b http://h/ site --include *.xml -w").ends(2).says(&[why]);
    site.absolve("rewrite -b http://h/ --root-dir site site/bad.xml site/feed.xml -w")
        .ends(2)
        .says(&[why]);
    // A page of XHTML is no file that happens to be XML.
    let site = Site::new(&[("site/a.xhtml", "<html>"), ("site/page.html", "<a href=b>")]);
    site.absolve("rewrite -b http://h/ site -w").ends(2).says(&[why]);
    site.has("site/page.html", "<a href=http://h/b>");
}

#[test]
fn another_format_leaves_xml_out() {
    let site = site();
    site.absolve("rewrite -b http://h/ site -w --as html").ends(0).says(&["rewrote 1 file"]);
    site.has("site/d/i.svg", SVG);
    site.absolve("rewrite -b http://h/ site -w --include *.html").ends(0);
    site.has("site/d/i.svg", SVG);
}

#[test]
fn relative_links_of_a_tree_resolve_to_the_same_urls() {
    let svg = "<svg xmlns='http://www.w3.org/2000/svg'><a href='../page.html'/><a href='http://h/feed.xml'/></svg>";
    let atom = "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='http://h/d/'><link href='i.svg'/>\
                <entry xml:base='../'><link href='a.xhtml'/><content type='html'>&lt;a href=page.html></content>\
                </entry></feed>";
    let xhtml = "<html xmlns='http://www.w3.org/1999/xhtml'><head><base href='/d/'/></head>\
                 <body><a href='i.svg'/><a href='../page.html'/></body></html>";
    let site = Site::new(&[
        ("site/a.xhtml", xhtml),
        ("site/d/i.svg", svg),
        ("site/feed.xml", atom),
        ("site/page.html", "<a href=/d/i.svg>"),
    ]);
    site.absolve("rewrite -b http://h/ site -o absolute").ends(0);
    for form in ["relative", "root-relative"] {
        let out = format!("out-{form}");
        site.absolve(&format!("rewrite -b http://h/ --to {form} site -o {out}")).ends(0);
        site.absolve(&format!("rewrite -b http://h/ {out} -o {out}-back")).ends(0);
        for file in ["d/i.svg", "page.html"] {
            let expected = std::fs::read_to_string(site.path(format!("absolute/{file}"))).unwrap();
            site.has(&format!("{out}-back/{file}"), &expected);
        }
    }
    site.has(
        "out-relative/feed.xml",
        "<feed xmlns='http://www.w3.org/2005/Atom' ><link href='d/i.svg'/>\
         <entry ><link href='a.xhtml'/><content type='html'>&lt;a href=page.html></content></entry></feed>",
    );
    site.has(
        "out-relative/a.xhtml",
        "<html xmlns='http://www.w3.org/1999/xhtml'><head><base /></head>\
         <body><a href='d/i.svg'/><a href='page.html'/></body></html>",
    );
    site.has(
        "out-root-relative/d/i.svg",
        "<svg xmlns='http://www.w3.org/2000/svg'><a href='/page.html'/><a href='/feed.xml'/></svg>",
    );
}

#[test]
fn a_map_moves_the_links_of_xml() {
    let site = Site::new(&[
        (
            "site/i.svg",
            "<svg xmlns='http://www.w3.org/2000/svg'><a href='http://old/x'/><a href='y'/></svg>",
        ),
        ("site/f.rss", "<rss><channel><link>http://old/</link></channel></rss>"),
    ]);
    site.absolve("rewrite -b http://new/ --map http://old/=http://new/ site -w").ends(0);
    let moved = "<svg xmlns='http://www.w3.org/2000/svg'><a href='http://new/x'/><a href='";
    let text = std::fs::read_to_string(site.path("site/i.svg")).unwrap();
    assert!(text.starts_with(moved), "{text}");
    site.has("site/f.rss", "<rss><channel><link>http://new/</link></channel></rss>");
}
