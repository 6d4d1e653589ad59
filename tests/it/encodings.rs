//! Documents that declare their encoding late, in an XML declaration, or contradict themselves:
//! each is read as html5ever reads its text in the encoding that counts.

use std::fs;
use std::path::PathBuf;

use absolve::grammar::Grammar;
use absolve::{Engine, Rewriter, detect};
use encoding_rs::{Encoding, UTF_8};

const URL: &str = "http://retrieval.example/docs/page.html";

const ENGINES: [Engine; 2] = [Engine::Splice, Engine::Dom];

/// Element, attribute and reference of each link of grammar `url`.
fn links(source: &[u8], engine: Engine, named: Option<&str>) -> Vec<crate::oracle::Place> {
    let rewriter = Rewriter::new().engine(engine).base_url(URL).unwrap();
    let rewriter = named.map_or(Ok(rewriter.clone()), |label| rewriter.encoding(label)).unwrap();
    let mut links = Vec::new();
    let visit = |link: &absolve::Link<'_>| {
        if link.grammar() == Grammar::Url {
            let place = [link.element(), link.attribute(), link.reference()];
            links.push(place.map(str::to_owned).into());
        }
    };
    rewriter.links(source, visit).unwrap();
    links
}

/// The document is in this encoding, whatever it looks like, and stays so when it is rewritten.
#[track_caller]
fn is_read_in(source: &[u8], encoding: &'static Encoding, named: Option<&str>, what: &str) {
    let known = named.map(|label| Encoding::for_label(label.as_bytes()).unwrap());
    assert_eq!(detect(source, known).encoding, encoding, "{what}");
    let expected = crate::oracle::links(&encoding.decode_without_bom_handling(source).0);
    assert!(expected.len() >= 3, "{what}: {expected:?}");
    for engine in ENGINES {
        assert_eq!(links(source, engine, named), expected, "{what}, {engine:?}");
        let rewriter = Rewriter::new().engine(engine).base_url(URL).unwrap();
        let rewriter =
            named.map_or(Ok(rewriter.clone()), |label| rewriter.encoding(label)).unwrap();
        let result = rewriter.rewrite(source).unwrap();
        assert_eq!(result.summary().encoding(), encoding, "{what}, {engine:?}");
        assert!(result.counts().rewritten >= 3, "{what}, {engine:?}: {:?}", result.counts());
        let out = result.bytes();
        assert_eq!(detect(out, known).encoding, encoding, "{what}, {engine:?}: the output");
        let text = encoding.decode_without_bom_handling(out).0;
        assert_eq!(links(out, engine, named), crate::oracle::links(&text), "{what}, {engine:?}");
        assert!(!rewriter.rewrite(out).unwrap().is_changed(), "{what}, {engine:?}: twice");
    }
}

#[test]
fn the_fixtures_are_read_as_they_were_written() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/encodings");
    let table = fs::read_to_string(folder.join("expected.tsv")).unwrap();
    let mut count = 0;
    for row in table.lines().filter(|line| !line.starts_with('#')) {
        let [file, label, references @ ..] = &*row.split('\t').collect::<Vec<_>>() else {
            panic!("{row}");
        };
        let source = fs::read(folder.join(format!("{file}.html"))).unwrap();
        is_read_in(&source, Encoding::for_label(label.as_bytes()).unwrap(), None, file);
        for engine in ENGINES {
            let links = links(&source, engine, None);
            let found: Vec<_> = links.iter().map(|(_, _, reference)| reference).collect();
            assert_eq!(found, references.iter().collect::<Vec<_>>(), "{file}, {engine:?}");
        }
        count += 1;
    }
    assert_eq!(count, 16);
}

/// Labels, and words that hold bytes of markup or of no other encoding, where there are any.
const ENCODINGS: [(&str, &str); 20] = [
    ("utf-8", "日本é"),
    ("shift_jis", "ソ表能"),
    ("euc-jp", "表能ソ"),
    // Their bytes are those of `"`, `<` and `>`.
    ("iso-2022-jp", "アぜぞ"),
    ("euc-kr", "한글"),
    ("big5", "許功蓋"),
    ("gbk", "页誠乗"),
    ("gb18030", "页€é"),
    ("windows-1250", "čšž"),
    ("windows-1251", "яё"),
    ("windows-1252", "é€"),
    ("windows-1253", "αβγ"),
    ("windows-1255", "שלום"),
    ("windows-1256", "عرب"),
    ("windows-874", "ไทย"),
    ("iso-8859-2", "łő"),
    ("iso-8859-15", "€é"),
    ("koi8-r", "ящик"),
    ("ibm866", "ящик"),
    ("macintosh", "é€"),
];

/// Declarations at the start of a page, for the encoding `OWN` and another, `OTHER`.
const DECLARATIONS: [(&str, &str); 12] = [
    ("late", "PAD<meta charset=OWN>"),
    ("late pragma", "PAD<meta http-equiv=Content-Type content='text/html; charset=OWN'>"),
    ("late in the body", "<body>PAD<p><meta charset='OWN'>"),
    ("late in a template", "PAD<template><meta charset=OWN></template>"),
    ("late in a table", "<table>PAD<tr><td><meta charset=OWN></table>"),
    (
        "a pragma beside a charset that is unknown",
        "PAD<meta charset=x content=charset=OWN http-equiv=content-type>",
    ),
    ("a script before", "<script>'<meta charset=OTHER>'</script>PAD<meta charset=OWN>"),
    ("a comment before", "<!-- <meta charset=OTHER> -->PAD<meta charset=OWN>"),
    ("a title before", "<title><meta charset=OTHER></title><meta charset=OWN>"),
    ("a comment that ends early", "<!-- --!><meta charset=OWN><!-- --><meta charset=OTHER>"),
    ("an XML declaration alone", "<?xml version='1.0' encoding='OWN'?>"),
    ("a wrong XML declaration", "<?xml version='1.0' encoding='OTHER'?>PAD<meta charset=OWN>"),
];

/// A page in the encoding, with a declaration of that and of another.
fn page(declaration: &str, label: &str, other: &str, word: &str) -> Vec<u8> {
    let head = declaration
        .replace("PAD", &format!("<!--{}-->", "x".repeat(1100)))
        .replace("OWN", label)
        .replace("OTHER", other);
    let text = format!(
        "{head}<a href='{word}/a'>{word}</a><p title=\"{word}\"><img src={word}.png>\
         <blockquote cite=\"../{word}\">{word}<script>{word}</script>"
    );
    let (bytes, encoding, has_errors) =
        Encoding::for_label(label.as_bytes()).unwrap().encode(&text);
    assert!(!has_errors, "{label} cannot hold {word}");
    assert_eq!(encoding.name().to_ascii_lowercase(), label);
    bytes.into_owned()
}

#[test]
fn what_the_tree_declares_counts_wherever_it_is() {
    for (label, word) in ENCODINGS {
        let encoding = Encoding::for_label(label.as_bytes()).unwrap();
        for other in ["shift_jis", "utf-16"] {
            for (name, declaration) in DECLARATIONS {
                let source = page(declaration, label, other, word);
                is_read_in(&source, encoding, None, &format!("{name}, {label}, {other}"));
            }
        }
    }
}

#[test]
fn a_caller_who_knows_the_encoding_is_not_contradicted() {
    for (label, word) in ENCODINGS {
        let encoding = Encoding::for_label(label.as_bytes()).unwrap();
        for (name, declaration) in DECLARATIONS {
            let source = page(declaration, label, "koi8-u", word);
            let source = [b"<meta charset=windows-1257>", source.as_slice()].concat();
            is_read_in(&source, encoding, Some(label), &format!("{name}, {label}"));
        }
    }
}

#[test]
fn a_byte_order_mark_is_not_contradicted() {
    let source = page(DECLARATIONS[0].1, "koi8-r", "", "a");
    let source = [b"\xef\xbb\xbf", source.as_slice()].concat();
    assert_eq!(detect(&source, None).encoding, UTF_8);
    for engine in ENGINES {
        let summary = Rewriter::new().engine(engine).links(&source, |_| {}).unwrap();
        assert_eq!(summary.encoding(), UTF_8, "{engine:?}");
    }
}

#[test]
fn only_the_first_byte_order_mark_is_none_of_the_text() {
    // The second mark is text, so the head ends before the base element.
    let ended = "<meta charset=utf-8>\u{feff}<base href=/d/><a href=b>c</a>".to_owned();
    // html5ever gets a long text in pieces.
    let long = format!("{}\u{feff}<p>d", "e".repeat(64 * 1024));
    for engine in ENGINES {
        let rewriter = Rewriter::new().engine(engine).base_url("http://h/p").unwrap();
        let rewritten = rewriter.rewrite(ended.as_bytes()).unwrap();
        assert_eq!(rewritten.summary().base().unwrap().as_str(), "http://h/p", "{engine:?}");
        let written = rewriter.rewrite(long.as_bytes()).unwrap().into_bytes();
        assert!(std::str::from_utf8(&written).unwrap().contains("e\u{feff}<p>d"), "{engine:?}");
        // The text of srcdoc is decoded as that of a response is.
        for mark in ["\u{feff}", "&#xfeff;"] {
            let inside = format!("<iframe srcdoc='{mark}<base href=/b/><a href=x>y</a>'></iframe>");
            let mut urls = Vec::new();
            let visit = |link: &absolve::Link<'_>| urls.extend(link.url().map(str::to_owned));
            rewriter.links(inside.as_bytes(), visit).unwrap();
            assert!(urls.ends_with(&["http://h/b/x".to_owned()]), "{engine:?} {urls:?}");
            let written = rewriter.rewrite(inside.as_bytes()).unwrap().into_bytes();
            let again = rewriter.rewrite(&written).unwrap();
            assert_eq!(again.bytes(), &*written, "{engine:?}");
            assert!(
                std::str::from_utf8(&written).unwrap().contains(mark) || engine == Engine::Dom,
                "{mark:?}"
            );
        }
    }
}

#[test]
fn a_late_declaration_of_an_encoding_that_no_decoder_reads_stays_unread() {
    let source = format!("<a href=b><!--{}--><meta charset=iso-2022-kr>", "x".repeat(1100));
    for engine in ENGINES {
        let rewriter = Rewriter::new().engine(engine).base_url(URL).unwrap();
        let result = rewriter.rewrite(source.as_bytes()).unwrap();
        assert!(result.summary().is_unreadable(), "{engine:?}");
        assert_eq!(result.bytes(), source.as_bytes(), "{engine:?}");
    }
}

/// Checks that the DOM engine refuses to write a document that the splice engine rewrites.
#[track_caller]
fn dom_refuses(source: &[u8], reason: &str) {
    let error = Rewriter::new().engine(Engine::Dom).rewrite(source).unwrap_err();
    assert!(error.is_tree_change(), "{error}");
    assert!(error.to_string().contains(reason), "{error}");
    assert!(error.to_string().contains("use the splice engine"), "{error}");
    Rewriter::new().rewrite(source).unwrap();
}

#[test]
fn the_dom_engine_names_a_character_that_the_encoding_cannot_hold() {
    for markup in [&b"<!-- \xff -->"[..], b"<script>'\xff'</script>", b"<style>/*\xff*/</style>"] {
        let source = [b"<!DOCTYPE html><meta charset=shift_jis>", markup, b"<a href=x>k</a>"];
        dom_refuses(&source.concat(), "the encoding Shift_JIS cannot hold U+FFFD in a comment");
    }
    let source = b"<!DOCTYPE html><meta charset=shift_jis><p title='\xff'>\xff<a href=x>k</a>";
    let result = Rewriter::new().engine(Engine::Dom).rewrite(source).unwrap();
    assert!(result.bytes().windows(8).any(|bytes| bytes == b"&#65533;"));
}

#[test]
fn the_dom_engine_writes_no_document_that_is_read_in_another_encoding() {
    let frames = b"<!DOCTYPE html><frameset><meta charset=koi8-r><frame name='\xca' src='\xca'>";
    dom_refuses(frames, "it is read as KOI8-R and would be read as windows-1252");
    let script = b"<script>'<meta charset=koi8-r>'</script><a href='\xe9'>";
    let source = [" ".repeat(1200).as_bytes(), script].concat();
    dom_refuses(&source, "it is read as windows-1252 and would be read as KOI8-R");
}
