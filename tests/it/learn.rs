//! Saved pages: the URL that they remember, and the `<base>` that is not theirs, in
//! both engines.

use absolve::{
    BaseElement, BaseSource, BaseTag, Buffers, Credentials, Engine, Learn, Link, Rewriter,
    SameDocument, Visit,
};

const MARK: &str = "<!-- saved from url=(0020)http://h/d/e.html?a-%2Db -->";

fn engines(rewriter: &Rewriter) -> [Rewriter; 2] {
    [Engine::Splice, Engine::Dom].map(|engine| rewriter.clone().engine(engine))
}

/// Holds that both engines give the page's links these URLs, by this source, and that a
/// second run has nothing to do.
#[track_caller]
fn links_to(rewriter: &Rewriter, page: &str, source: BaseSource, urls: &[&str]) {
    for rewriter in engines(rewriter) {
        let mut found = Vec::new();
        let visit = |link: &Link<'_>| {
            if link.element() != "base" {
                found.push(link.url().unwrap_or("-").to_owned());
                assert_eq!(link.base_source(), source, "{page}");
            }
        };
        rewriter.links(page.as_bytes(), visit).unwrap();
        assert_eq!(found, urls, "{page}");
        let once = rewriter.rewrite(page.as_bytes()).unwrap();
        assert_eq!(once.base_source(), source, "{page}");
        let again = rewriter.rewrite(once.bytes()).unwrap();
        assert!(!again.is_changed(), "{}", String::from_utf8_lossy(again.bytes()));
    }
}

#[test]
fn a_page_that_says_where_it_came_from_is_resolved() {
    let page = format!("{MARK}<a href=x><a href=#y><iframe srcdoc='<base href=.><a href=z>'>");
    let saved = BaseSource::SavedFrom;
    let only_a = Rewriter::new().attribute("x:y=url".parse().unwrap());
    let expected = ["http://h/d/x", "http://h/d/e.html?a--b#y"];
    links_to(&only_a, &page[..page.find("<iframe").unwrap()], saved, &expected);
    let own = format!("{MARK}<base href=../f/><a href=x>");
    links_to(&Rewriter::new(), &own, BaseSource::BaseElement, &["http://h/f/x"]);
    // The head does not end in a `noscript`, and unclosed markup there hides neither base nor mark.
    for unclosed in ["", "<!--", "<style>", "<iframe src=x />"] {
        let noscript = format!("<noscript><img src=x>{unclosed}</noscript>");
        let mut urls = vec!["http://h/f/x"; 2 + usize::from(unclosed.contains("src"))];
        let page = own.replace("<base", &format!("{noscript}<base"));
        links_to(&Rewriter::new(), &page, BaseSource::BaseElement, &urls);
        urls.fill("http://h/d/x");
        links_to(&Rewriter::new(), &format!("{noscript}{MARK}<a href=x>"), saved, &urls);
    }
    let given = Rewriter::new().base_url("http://i/j").unwrap();
    links_to(&given, &format!("{MARK}<a href=x>"), BaseSource::RetrievalUrl, &["http://i/x"]);
    let none = Rewriter::new().learn(Learn::NONE);
    links_to(&none, &format!("{MARK}<a href=x>"), BaseSource::None, &["-"]);
}

#[test]
fn the_base_of_the_program_that_saved_a_page_does_not_count() {
    let page = format!("{MARK}<base href=\".\"><a href=x><a href=#y><a href=?z>");
    let of_page = ["http://h/d/x", "http://h/d/e.html?a--b#y", "http://h/d/e.html?z"];
    links_to(&Rewriter::new(), &page, BaseSource::SavedFrom, &of_page);
    for element in [BaseElement::Keep, BaseElement::Remove] {
        let rewriter = Rewriter::new().base_element(element);
        links_to(&rewriter, &page, BaseSource::SavedFrom, &of_page);
    }
    let keep = Rewriter::new().same_document(SameDocument::Keep);
    links_to(&keep, &page, BaseSource::SavedFrom, &of_page);
    let given = Rewriter::new().base_url("http://i/j").unwrap();
    links_to(
        &given,
        &page,
        BaseSource::RetrievalUrl,
        &["http://i/x", "http://i/j#y", "http://i/j?z"],
    );
    // The URL in the mark may be unusable.
    let local = page.replace("http://h/d/e.html?a-%2Db", "file:///home/a.html");
    links_to(
        &given,
        &local,
        BaseSource::RetrievalUrl,
        &["http://i/x", "http://i/j#y", "http://i/j?z"],
    );
}

#[test]
fn without_a_mark_it_counts() {
    let own = ["http://i/d/x", "http://i/d/#y"];
    let given = Rewriter::new().base_url("http://i/d/e").unwrap();
    let page = "<base href=.><a href=x><a href=#y>";
    links_to(&given, page, BaseSource::BaseElement, &own);
    let marked = format!("{MARK}{page}");
    links_to(&given.clone().learn(Learn::NONE), &marked, BaseSource::BaseElement, &own);
    let other = Learn::NONE.with(BaseSource::Monolith);
    links_to(&given.clone().learn(other), &marked, BaseSource::BaseElement, &own);
    let in_script = format!("<script>{MARK}</script>{page}");
    links_to(&given, &in_script, BaseSource::BaseElement, &own);
    let other = marked.replace("href=.", "href=./");
    links_to(&given, &other, BaseSource::BaseElement, &own);
}

#[test]
fn what_is_written_for_it_is_absolute_unless_it_has_to_stay() {
    let page = format!("{MARK}<base href=.><a href=#y>");
    let written = |rewriter: Rewriter| {
        let result = rewriter.rewrite(page.as_bytes()).unwrap().into_bytes();
        String::from_utf8(result.into_owned()).unwrap().replace(MARK, "")
    };
    let absolute = "<base href=http://h/d/><a href=http://h/d/e.html?a--b#y>";
    assert_eq!(written(Rewriter::new()), absolute);
    let keep = Rewriter::new().same_document(SameDocument::Keep);
    assert_eq!(written(keep), "<base href=.><a href=#y>");
}

#[test]
fn a_visit_gets_the_base_that_counts() {
    #[derive(Default)]
    struct Bases(Vec<bool>);
    impl Visit for Bases {
        fn link(&mut self, _: &Link<'_>) {}
        fn base(&mut self, base: &BaseTag) {
            self.0.push(base.counts());
        }
    }
    for (page, counts) in [
        (format!("{MARK}<base href=.><base href=x>"), [false, false]),
        ("<base href=.><base href=x>".to_owned(), [true, false]),
    ] {
        let mut bases = Bases::default();
        Rewriter::new().inspect(page.as_bytes(), &mut Buffers::new(), &mut bases).unwrap();
        assert_eq!(bases.0, counts, "{page}");
    }
}

#[test]
fn credentials_of_a_mark_are_not_copied() {
    let page = "<!-- saved from url=(0020)http://user:secret@h/ --><a href=x>";
    links_to(&Rewriter::new(), page, BaseSource::SavedFrom, &["http://h/x"]);
    let keep = Rewriter::new().credentials(Credentials::Keep);
    links_to(&keep, page, BaseSource::SavedFrom, &["http://user:secret@h/x"]);
}

#[test]
fn an_unusable_url_is_reported_and_never_fails_a_page() {
    let long = format!("http://h/{}", "a".repeat(9000));
    for url in ["javascript:alert(1)", "file:///x", "about:internet", &long] {
        let page = format!("<!-- saved from url=(1){url} --><link rel=original href=http://i/>");
        for rewriter in engines(&Rewriter::new()) {
            let result = rewriter.rewrite(page.as_bytes()).unwrap();
            assert_eq!(result.base_source(), BaseSource::Original, "{url}");
            let [refused] = result.summary().not_learned() else { panic!("{url}") };
            assert_eq!(refused.source(), BaseSource::SavedFrom);
        }
    }
}

#[test]
fn pages_in_any_encoding_are_learned_from() {
    let page = "<html><!-- saved from url=(9)http://h/ --><base href=.><a href=\u{e9}>";
    let utf_16 = |bytes: fn(u16) -> [u8; 2]| page.encode_utf16().flat_map(bytes).collect();
    let le: Vec<u8> = utf_16(u16::to_le_bytes);
    let be: Vec<u8> = utf_16(u16::to_be_bytes);
    let latin: Vec<u8> = page.chars().map(|character| character as u8).collect();
    for (bytes, label) in [(le, "utf-16le"), (be, "utf-16be"), (latin, "windows-1252")] {
        for rewriter in engines(&Rewriter::new().encoding(label).unwrap()) {
            let result = rewriter.rewrite(&bytes).unwrap();
            assert_eq!(result.base_source(), BaseSource::SavedFrom, "{label}");
            assert!(result.is_changed());
        }
    }
}
