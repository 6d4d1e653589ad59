//! Feeds whose HTML is relative to the link of its item.

use absolve::url::Maps;
use absolve::{Direction, FeedBase, Form, Policy, Rewriter, Syntax};

const BASE: &str = "http://h/d/p.xml";

fn rewriter() -> Rewriter {
    let rewriter = Rewriter::new().base_url(BASE).unwrap().syntax(Syntax::Xml);
    rewriter.feed_base(FeedBase::Item)
}

/// The first link of HTML in the items is at this URL, by this rewriter; a second run makes no edit.
#[track_caller]
fn leads(feed: &str, expected: &str) {
    for feed in [feed.to_owned(), feed.replace("&lt;a href=x>", "<![CDATA[<a href=x>]]>")] {
        let mut found = None;
        let links = rewriter().links(feed.as_bytes(), |link| {
            if link.reference() == "x" {
                found.get_or_insert(link.url().unwrap().to_owned());
            }
        });
        links.unwrap();
        assert_eq!(found.as_deref(), Some(expected), "{feed}");
        let once = rewriter().rewrite(feed.as_bytes()).unwrap().bytes().to_vec();
        assert!(!once.windows(7).any(|text| text == b"href=x>"), "{feed}");
        assert!(!rewriter().rewrite(&once).unwrap().is_changed(), "{feed}");
    }
}

fn atom(attributes: &str, entry: &str) -> String {
    format!("<feed xmlns='http://www.w3.org/2005/Atom'{attributes}><entry>{entry}</entry></feed>")
}

fn rss(item: &str) -> String {
    let uri = "http://purl.org/rss/1.0/modules/content/";
    format!("<rss xmlns:content='{uri}'><channel><item>{item}</item></channel></rss>")
}

const HTML: &str = "<content type='html'>&lt;a href=x></content>";

#[test]
fn html_in_atom_is_relative_to_the_alternate_link_of_its_entry() {
    let of = |links: &str| atom("", &format!("{HTML}{links}"));
    leads(&of("<link href='e/'/>"), "http://h/d/e/x");
    leads(&of("<link rel='alternate' href='http://i/'/><link href='e/'/>"), "http://i/x");
    leads(&of("<link rel='self' href='s/'/><link href='e/'></link>"), "http://h/d/e/x");
    leads(&of("<source><link href='s/'/></source><link href='e/'/>"), "http://h/d/e/x");
    for none in [
        "",
        "<link href='mailto:x'/>",
        "<link href=''/>",
        "<link rel='self' href='s/'/>",
        "<link/>",
    ] {
        leads(&of(none), "http://h/d/x");
    }
    let summary = "<summary type='html'>&lt;a href=x></summary><link href='e/'/>";
    leads(&atom("", summary), "http://h/d/e/x");
    let xhtml =
        "<content type='xhtml'><a xmlns='http://www.w3.org/1999/xhtml' href='x'/></content>";
    let feed = atom("", &format!("{xhtml}<link href='e/'/>"));
    let rewritten = rewriter().rewrite(feed.as_bytes()).unwrap();
    assert!(String::from_utf8_lossy(rewritten.bytes()).contains("href='http://h/d/e/x'"));
}

#[test]
fn atom_0_3_has_other_names() {
    let feed = |url: &str| {
        format!(
            "<feed version='0.3' xmlns='http://purl.org/atom/ns#'><tagline type='text/html' mode='escaped'>&lt;a href={url}></tagline>\
            <author><url>{url}</url></author><entry><link rel='alternate' type='text/html' href='{url}'/>\
            <content type='text/html' mode='escaped'>&lt;a href={url}></content></entry></feed>"
        )
    };
    let default = rewriter().feed_base(FeedBase::Feed);
    let text = default.rewrite(feed("e").as_bytes()).unwrap().bytes().to_vec();
    assert_eq!(str::from_utf8(&text).unwrap(), feed("http://h/d/e"));
}

#[test]
fn an_xml_base_in_the_item_counts_more_than_its_link() {
    let link = "<link href='e/'/>";
    leads(&atom(" xml:base='http://i/f/'", &format!("{link}{HTML}")), "http://i/f/e/x");
    let own = HTML.replace("<content", "<content xml:base='c/'");
    leads(&atom(" xml:base='http://i/f/'", &format!("{own}{link}")), "http://i/f/c/x");
    let link = "<link xml:base='http://i/' href='e/'/>";
    leads(&atom("", &format!("{HTML}{link}")), "http://h/d/x");
}

#[test]
fn html_in_rss_is_relative_to_the_link_of_its_item_or_its_permalink() {
    let of = |links: &str| rss(&format!("<description>&lt;a href=x></description>{links}"));
    leads(&of("<link>e/</link>"), "http://h/d/e/x");
    leads(&of("<link> <![CDATA[e/]]>\n</link>"), "http://h/d/e/x");
    leads(&of("<guid>g/</guid><link>e/</link><link>f/</link>"), "http://h/d/e/x");
    leads(&of("<link>e&amp;/f/</link>"), "http://h/d/e&/f/x");
    leads(&of("<guid>g/</guid>"), "http://h/d/g/x");
    leads(&of("<guid isPermaLink='true'>g/</guid>"), "http://h/d/g/x");
    leads(&of("<guid isPermaLink='false'>g/</guid>"), "http://h/d/x");
    leads(&of("<guid isPermaLink='FALSE'>g/</guid>"), "http://h/d/x");
    leads(&of("<guid ispermalink='false'>g/</guid>"), "http://h/d/x");
    leads(&of("<guid>post-17</guid>"), "http://h/d/x");
    leads(&of("<image><link>i/</link></image>"), "http://h/d/x");
    leads(
        &rss("<link>e/</link><content:encoded>&lt;a href=x></content:encoded>"),
        "http://h/d/e/x",
    );
    let channel =
        rss("<link>e/</link>").replace("<item>", "<description>&lt;a href=x></description><item>");
    leads(&channel, "http://h/d/x");
    let second = of("<link>e/</link>").replace("</item>", "</item><item><link>f/</link></item>");
    leads(&second, "http://h/d/e/x");
}

#[test]
fn only_html_is_relative_to_the_item_and_only_with_the_option() {
    let feed = rss("<link>e/</link><comments>x</comments><description>&lt;a href=x></description>");
    leads(&feed, "http://h/d/x");
    let default = rewriter().feed_base(FeedBase::Feed);
    let text = default.rewrite(feed.as_bytes()).unwrap().bytes().to_vec();
    assert!(String::from_utf8_lossy(&text).contains("&lt;a href=http://h/d/x>"));
}

#[test]
fn relative_and_moved_links_are_read_back_the_same_way() {
    let feed =
        atom("", &format!("{}<link href='e/'/>", HTML.replace("href=x", "href=http://h/d/e/x")));
    let mut maps = Maps::new();
    maps.add("http://h/d/e/", "http://h/m/").unwrap();
    let moved = Policy::from(Direction::new(Form::AsWritten).maps(maps));
    for (policy, expected) in [
        (Policy::form(Form::Relative), "&lt;a href=x></content><link href='e/'/>"),
        (moved, "&lt;a href=http://h/m/x></content><link href='../m/'/>"),
    ] {
        let rewriter = rewriter().policy(policy);
        let once = rewriter.rewrite(feed.as_bytes()).unwrap().bytes().to_vec();
        let text = String::from_utf8_lossy(&once);
        assert!(text.contains(expected), "{text}");
        assert!(!rewriter.rewrite(&once).unwrap().is_changed(), "{text}");
    }
}
