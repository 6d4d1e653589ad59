//! Every row of the table of attributes, in an XML document: each of its elements and attributes
//! holds a link, and the row links to its specification.

use absolve::attributes::{DefaultState, Elements, Namespace, Row, Rule, TABLE, TEXT};
use absolve::grammar::Grammar;
use absolve::{Rewriter, Syntax};

const URL: &str = "http://h/d/";

/// The URI of a namespace; a new one needs an arm.
fn uri(namespace: Namespace) -> &'static str {
    match namespace {
        Namespace::Html => "http://www.w3.org/1999/xhtml",
        Namespace::Svg => "http://www.w3.org/2000/svg",
        Namespace::MathMl => "http://www.w3.org/1998/Math/MathML",
        Namespace::Atom => "http://www.w3.org/2005/Atom",
        Namespace::MediaRss => "http://search.yahoo.com/mrss/",
        Namespace::Itunes => "http://www.itunes.com/dtds/podcast-1.0.dtd",
        Namespace::Podcast => "https://podcastindex.org/namespace/1.0",
        Namespace::GooglePlay => "http://www.google.com/schemas/play-podcasts/1.0",
        Namespace::Chapters => "http://podlove.org/simple-chapters",
        Namespace::CommentApi => "http://wellformedweb.org/CommentAPI/",
        Namespace::Threading => "http://purl.org/syndication/thread/1.0",
        Namespace::Rdf => "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
        Namespace::Rss => "http://purl.org/rss/1.0/",
        Namespace::RssContent => "http://purl.org/rss/1.0/modules/content/",
        Namespace::Sitemap => "http://www.sitemaps.org/schemas/sitemap/0.9",
        Namespace::SitemapImage => "http://www.google.com/schemas/sitemap-image/1.1",
        Namespace::SitemapVideo => "http://www.google.com/schemas/sitemap-video/1.1",
        Namespace::Opf => "http://www.idpf.org/2007/opf",
        Namespace::Ncx => "http://www.daisy.org/z3986/2005/ncx/",
        Namespace::Smil => "http://www.w3.org/ns/SMIL",
        Namespace::Xslt => "http://www.w3.org/1999/XSL/Transform",
        Namespace::Instruction => "",
        Namespace::Json | Namespace::Other => "urn:x",
    }
}

/// The rows for XML and HTML.
fn rows() -> impl Iterator<Item = &'static Row> {
    TABLE.iter().filter(|row| !matches!(row.elements, Elements::Named(Namespace::Json, _)))
}

/// The elements of a row, with a namespace that it counts in.
fn elements(row: &Row) -> (&'static [&'static str], Namespace) {
    match row.elements {
        Elements::Any if row.rule == Rule::Foreign => (&["any"], Namespace::Svg),
        Elements::Any => (&["any"], Namespace::Html),
        Elements::AnySvg => (&["path"], Namespace::Svg),
        Elements::Named(namespace, names) => (names, namespace),
    }
}

/// A value that holds a reference by a grammar, as XML has it in an attribute and in text.
fn value(grammar: Grammar, reference: &str) -> String {
    match grammar {
        Grammar::Srcset => format!("{reference} 2x"),
        Grammar::Refresh => format!("5; url={reference}"),
        Grammar::Css => format!("a: url({reference})"),
        Grammar::FuncIri => format!("url({reference})"),
        Grammar::Stylesheet => format!("a {{ b: url({reference}) }}"),
        Grammar::Html => format!("&lt;a href={reference}&gt;"),
        _ => reference.to_owned(),
    }
}

/// The attribute that a rule needs on the element.
fn sibling(rule: Rule) -> &'static str {
    match rule {
        Rule::Refresh => " http-equiv='refresh'",
        Rule::HtmlType => " type='html'",
        _ => "",
    }
}

fn document(row: &Row, element: &str, attribute: &str, reference: &str) -> String {
    let (_, namespace) = elements(row);
    let value = row.grammar.map_or(reference.to_owned(), |grammar| value(grammar, reference));
    if namespace == Namespace::Instruction {
        return format!("<?{element} {attribute}='{value}'?><r/>");
    }
    let sibling = sibling(row.rule);
    let prefixes = "xmlns:xlink='http://www.w3.org/1999/xlink' \
                    xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:epub='http://www.idpf.org/2007/ops'";
    let start = format!("p:{element} xmlns:p='{}' {prefixes}{sibling}", uri(namespace));
    // A base counts in the head of a page alone.
    let (before, after) = match row.rule {
        Rule::Base => ("<head xmlns='http://www.w3.org/1999/xhtml'>", "</head>"),
        _ => ("", ""),
    };
    match attribute {
        TEXT => format!("{before}<{start}>{value}</p:{element}>{after}"),
        _ => format!("{before}<{start} {attribute}='{value}'/>{after}"),
    }
}

fn rewritten(source: &str) -> String {
    let rewriter = Rewriter::new().base_url(URL).unwrap().syntax(Syntax::Xml);
    let result = rewriter.rewrite(source.as_bytes());
    let result = result.unwrap_or_else(|error| panic!("{source}: {error}"));
    String::from_utf8(result.bytes().to_vec()).unwrap()
}

#[test]
fn every_row_counts_in_xml() {
    let mut tried = 0;
    for row in rows() {
        assert!(row.spec.starts_with("https://"), "{row:?}");
        let (names, _) = elements(row);
        for element in names {
            for attribute in row.attributes {
                // An identifier without a slash is no URL.
                let source = document(row, element, attribute, "r/s");
                let expected = match row.counts {
                    DefaultState::Always => document(row, element, attribute, "http://h/d/r/s"),
                    _ => source.clone(),
                };
                assert_eq!(rewritten(&source), expected, "{row:?}");
                tried += 1;
            }
        }
    }
    assert!(tried > 190, "{tried}");
}

#[test]
fn no_row_for_named_elements_counts_in_another_namespace() {
    let of_any = |row: &Row| matches!(row.elements, Elements::Any);
    let any: Vec<_> = rows().filter(|row| of_any(row)).flat_map(|row| row.attributes).collect();
    for row in rows().filter(|row| matches!(row.elements, Elements::Named(..))) {
        let (names, namespace) = elements(row);
        for (element, attribute) in
            names.iter().flat_map(|name| row.attributes.iter().map(move |one| (name, one)))
        {
            let source = document(row, element, attribute, "r");
            if namespace == Namespace::Instruction {
                let source = source.replace("<?", "<?x-");
                assert_eq!(rewritten(&source), source, "{row:?}");
                continue;
            }
            for other in [Namespace::Other, Namespace::Html, Namespace::Svg, Namespace::MathMl] {
                let is_shared = matches!((*element, *attribute), ("style", TEXT) | ("a", "ping"))
                    && matches!(other, Namespace::Html | Namespace::Svg);
                let is_of_any = other != Namespace::Other && any.contains(&attribute);
                if other == namespace || is_shared || is_of_any {
                    continue;
                }
                let source = source.replace(uri(namespace), uri(other));
                assert_eq!(rewritten(&source), source, "{row:?}");
            }
        }
    }
}

#[test]
fn an_empty_link_of_svg_is_the_document() {
    let svg = |url: &str| {
        format!(
            "<s:svg xmlns:s='http://www.w3.org/2000/svg' xmlns:l='http://www.w3.org/1999/xlink'>\
             <s:a l:href='{url}'/><s:a href='{url}'/><s:image l:href=''/></s:svg>"
        )
    };
    assert_eq!(rewritten(&svg("")), svg(URL));
}

#[test]
fn published_feeds_have_links() {
    let is =
        |source: &str| assert_eq!(rewritten(&source.replace('@', "")), source.replace('@', URL));
    is(
        "<rdf:RDF xmlns='http://purl.org/rss/1.0/' xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:epub='http://www.idpf.org/2007/ops'>\
        <channel rdf:about='@a'><link>@b</link><image rdf:resource='@c'/><items><rdf:Seq>\
        <rdf:li rdf:resource='@d'/><rdf:li resource='@e'/></rdf:Seq></items></channel>\
        <item rdf:about='@d'><link>@d</link></item></rdf:RDF>",
    );
    is(
        "<rss xmlns:media='http://search.yahoo.com/mrss/' xmlns:i='http://www.itunes.com/dtds/podcast-1.0.dtd'>\
        <channel><i:image href='@a'/><item><media:group><media:content url='@b'><media:thumbnail url='@c'/>\
        <media:title>d</media:title></media:content></media:group></item></channel></rss>",
    );
    is("<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9' \
        xmlns:i='http://www.google.com/schemas/sitemap-image/1.1' \
        xmlns:v='http://www.google.com/schemas/sitemap-video/1.1' xmlns:x='http://www.w3.org/1999/xhtml'>\
        <url><loc>@a</loc><i:image><i:loc>@b</i:loc></i:image><v:video><v:thumbnail_loc>@c</v:thumbnail_loc>\
        <v:uploader info='@d'>e</v:uploader></v:video><x:link rel='alternate' href='@f'/></url></urlset>");
}
