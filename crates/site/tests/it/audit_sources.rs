//! The Markdown sources of findings: sites in folders, each beside its sources.

use std::fs;

use absolve_archive::jobs::Workers;
use absolve_files::{Globs, Symlinks};
use absolve_site::{Audit, Deployment, Finding, Profile, Server, Site, SourceLine, Sources};

/// A folder with the files of a site and of its sources.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    folder
}

/// The findings of the site in `out`, as `reference` or as `reference FILE:LINE`.
fn located(files: &[(&str, &str)]) -> Vec<String> {
    let folder = folder(files);
    let (out, src) = (folder.path().join("out"), folder.path().join("src"));
    let site = Site::walk(&out, &out, &Globs::default(), Symlinks::Kept).unwrap();
    let audit = Audit::new(Deployment::default(), Server::new(Profile::Plain));
    let jobs = Workers::new(2);
    let mut findings = audit.run(&site, &jobs, &()).findings;
    let sources = Sources::read(&src, &jobs).unwrap();
    assert!(sources.unread().is_empty() && !sources.is_truncated());
    sources.locate(&mut findings, &site, None, &jobs);
    let line = |finding: &Finding| {
        let reference = finding.reference.clone().unwrap_or_default();
        let Some(SourceLine { file, line }) = &finding.source else { return reference };
        format!("{reference} {}:{line}", file.strip_prefix(&src).unwrap().display())
    };
    findings.iter().filter(|finding| finding.reference.is_some()).map(line).collect()
}

#[test]
fn a_paragraph_is_found_by_its_text() {
    let markdown = "---\ntitle: T\n---\n\n# A [heading](h.md) {#id}\n\nSome *text* -- \"with\" a\n\
        [link](gone.md)\n&amp; more.\n\n- Item [one](x.md)\n  - Inner [two](y.md)\n\n\
        | Cell [three](z.md) | other |\n|---|---|\n| a | b |\n\n<p>Raw <a href=\"raw\">HTML</a></p>\n";
    let page = "<title>T</title><nav><a href=menu>Menu</a></nav><h1 id=id>A <a href=h>heading</a>\
        <a href=\"#id\">\u{b6}</a></h1>\n<p>Some <em>text</em> \u{2013} \u{201c}with\u{201d} a <a \
        href=gone>link</a> &amp; more.</p><ul><li>Item <a href=x>one</a><ul><li>Inner <a \
        href=y>two</a></ul></ul><table><tr><th>Cell <a href=z>three</a><th>other</table>\
        <p>Raw <a href=raw>HTML</a></p><footer>No <a href=theme>source</a></footer>";
    let files = [("out/a.html", page), ("src/docs/a.md", markdown)];
    assert_eq!(
        located(&files),
        [
            "menu",
            "h docs/a.md:5",
            "gone docs/a.md:7",
            "x docs/a.md:11",
            "y docs/a.md:12",
            "z docs/a.md:14",
            "raw docs/a.md:18",
            "theme",
        ]
    );
}

#[test]
fn the_destination_decides_between_two_paragraphs_with_one_text() {
    let page = "<p>See <a href=x>this</a>.<p>See <a href=y>this</a>.<p>See <a href=z>this</a>.\
        <p>See <a href=y&z>this</a><p><img src=i.png alt=other><p><a href=w>Alone</a>";
    let files = [
        ("out/a.html", page),
        ("src/a.md", "See\n[this](x).\n\nSee [this](y).\n\n![alt](i.png)\n\n# Alone\n"),
        (
            "src/b.md",
            "See [this](z).\n\nSee [this](z).\n\nSee [this](y)\n\n[Alone](w.md)\n\n\
             See <a href=\"y&amp;z\">this</a>",
        ),
    ];
    assert_eq!(located(&files), ["x a.md:2", "y", "z", "y&z b.md:9", "i.png a.md:6", "w b.md:7"]);
}

#[test]
fn files_of_other_names_and_of_packages_are_left_out() {
    let page = "<p>A <a href=x>b</a>";
    let text = "A [b](x)";
    let files = |name| located(&[("out/a.html", page), ("src/keep.txt", ""), (name, text)]);
    assert_eq!(files("src/a.txt"), ["x"]);
    assert_eq!(files("src/node_modules/p/README.md"), ["x"]);
    assert_eq!(files("src/d/e/README.markdown"), ["x d/e/README.markdown:1"]);
}

#[test]
fn pages_in_other_encodings_are_read_in_those() {
    let latin = "<meta charset=windows-1252><p>caf&eacute; <a href=x>b</a>";
    let files = [("out/a.html", latin), ("src/a.md", "\u{feff}caf\u{e9} [b](c)")];
    assert_eq!(located(&files), ["x a.md:1"]);
}

#[test]
fn a_file_that_is_too_large_is_named() {
    let folder = folder(&[("a.md", &"a".repeat((1 << 20) + 1)), ("b.md", "a [b](c)")]);
    let jobs = Workers::new(1);
    let sources = Sources::read(folder.path(), &jobs).unwrap();
    let [(path, failure)] = sources.unread() else { panic!("{:?}", sources.unread()) };
    assert!(path.ends_with("a.md") && failure.to_string().contains("1 MiB"), "{failure}");
    assert!(Sources::read(&folder.path().join("b.md"), &jobs).is_err());
}
