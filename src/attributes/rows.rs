//! The rows of the table. Each links to its specification.

use super::DefaultState::{Always, Never, WithAttr, WithLazy, WithMeta};
use super::{Elements, EmptyValue, Namespace, RequiredForm, Row, Rule, TEXT};

use crate::grammar::Grammar::{
    self, CommaList, Css, FuncIri, Html, Refresh, Srcset, Stylesheet, Url, UrlList,
};

/// The attributes and texts that contain URLs in HTML, XML and JSON documents. Each row counts as
/// links always, on request, or never.
pub static TABLE: &[Row] = &[
    // Any element.
    any(&["href"], Url, "https://html.spec.whatwg.org/multipage/links.html#attr-hyperlink-href"),
    any(&["src"], Url, "https://html.spec.whatwg.org/multipage/embedded-content.html#attr-img-src"),
    any(&["xlink:href"], Url, "https://www.w3.org/TR/SVG11/linking.html#AElementXLinkHrefAttribute")
        .with_rule(Rule::Foreign),
    any(&["style"], Css, "https://html.spec.whatwg.org/multipage/dom.html#the-style-attribute"),
    // HTML.
    html(&["a", "area"], &["href"], Url, "https://html.spec.whatwg.org/multipage/links.html#following-hyperlinks-2")
        .with_empty(EmptyValue::Resolves),
    html(&["base"], &["href"], Url, "https://html.spec.whatwg.org/multipage/semantics.html#attr-base-href")
        .with_rule(Rule::Base)
        .with_empty(EmptyValue::Resolves),
    html(&["a", "area"], &["ping"], UrlList, "https://html.spec.whatwg.org/multipage/links.html#ping"),
    html(&["a", "img", "script"], &["attributionsrc"], UrlList, "https://wicg.github.io/attribution-reporting-api/#element-attrdef-attributionsrc"),
    html(&["link"], &["imagesrcset"], Srcset, "https://html.spec.whatwg.org/multipage/semantics.html#attr-link-imagesrcset"),
    html(&["img", "source"], &["srcset"], Srcset, "https://html.spec.whatwg.org/multipage/images.html#srcset-attributes"),
    html(&["amp-img", "amp-anim"], &["srcset"], Srcset, "https://amp.dev/documentation/components/amp-img#srcset"),
    html(&["amp-video"], &["poster"], Url, "https://amp.dev/documentation/components/amp-video#poster"),
    html(&["iframe"], &["srcdoc"], Html, "https://html.spec.whatwg.org/multipage/iframe-embed-object.html#attr-iframe-srcdoc"),
    html(&["video"], &["poster"], Url, "https://html.spec.whatwg.org/multipage/media.html#attr-video-poster"),
    html(&["object"], &["data"], Url, "https://html.spec.whatwg.org/multipage/iframe-embed-object.html#attr-object-data"),
    html(&["object", "applet"], &["codebase"], Url, "https://www.w3.org/TR/html401/struct/objects.html#adef-codebase-OBJECT"),
    html(&["object"], &["classid"], Url, "https://www.w3.org/TR/html401/struct/objects.html#adef-classid")
        .with_rule(Rule::Codebase),
    html(&["object"], &["archive"], UrlList, "https://www.w3.org/TR/html401/struct/objects.html#adef-archive-OBJECT")
        .with_rule(Rule::Codebase),
    html(&["applet"], &["archive"], CommaList, "https://www.w3.org/TR/html401/struct/objects.html#adef-archive-APPLET")
        .with_rule(Rule::Codebase),
    html(&["form"], &["action"], Url, "https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#attr-fs-action"),
    html(&["button", "input"], &["formaction"], Url, "https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#attr-fs-formaction"),
    html(&["blockquote", "q"], &["cite"], Url, "https://html.spec.whatwg.org/multipage/grouping-content.html#attr-blockquote-cite"),
    html(&["ins", "del"], &["cite"], Url, "https://html.spec.whatwg.org/multipage/edits.html#attr-mod-cite"),
    html(&["meta"], &["content"], Refresh, "https://html.spec.whatwg.org/multipage/semantics.html#attr-meta-http-equiv-refresh")
        .with_rule(Rule::Refresh)
        .with_empty(EmptyValue::Resolves),
    html(&["style"], &[TEXT], Stylesheet, "https://html.spec.whatwg.org/multipage/semantics.html#the-style-element"),
    // Obsolete HTML.
    html(&["body", "table", "thead", "tbody", "tfoot", "tr", "td", "th", "col", "colgroup", "layer", "ilayer"], &["background"], Url, "https://html.spec.whatwg.org/multipage/rendering.html#the-page"),
    html(&["img", "frame", "iframe"], &["longdesc"], Url, "https://www.w3.org/TR/html401/struct/objects.html#adef-longdesc-IMG"),
    html(&["img"], &["lowsrc"], Url, "https://html.spec.whatwg.org/multipage/obsolete.html#dom-img-lowsrc"),
    html(&["img", "input"], &["dynsrc"], Url, "https://html.spec.whatwg.org/multipage/obsolete.html#non-conforming-features"),
    html(&["head"], &["profile"], UrlList, "https://www.w3.org/TR/html401/struct/global.html#adef-profile"),
    html(&["html"], &["manifest"], Url, "https://www.w3.org/TR/2014/REC-html5-20141028/semantics.html#attr-html-manifest")
        .with_rule(Rule::DocumentUrl),
    html(&["embed"], &["pluginspage", "pluginurl"], Url, "https://html.spec.whatwg.org/multipage/obsolete.html#non-conforming-features"),
    html(&["isindex"], &["action"], Url, "https://www.w3.org/TR/html401/interact/forms.html#edef-ISINDEX"),
    html(&["command", "menuitem"], &["icon"], Url, "https://www.w3.org/TR/2013/CR-html5-20130806/interactive-elements.html#attr-command-icon"),
    // MathML and SVG.
    named(Namespace::MathMl, &["math"], &["altimg"], Url, "https://www.w3.org/TR/MathML3/chapter2.html#interf.toplevel"),
    named(Namespace::Svg, &["a"], &["href", "xlink:href"], Url, "https://www.w3.org/TR/SVG2/linking.html#AElementHrefAttribute")
        .with_empty(EmptyValue::Resolves),
    named(Namespace::Svg, &["a"], &["ping"], UrlList, "https://www.w3.org/TR/SVG2/linking.html#AElementPingAttribute"),
    named(Namespace::Svg, &["style"], &[TEXT], Stylesheet, "https://www.w3.org/TR/SVG2/styling.html#StyleElement"),
    Row {
        elements: Elements::AnySvg,
        ..any(&["fill", "stroke", "clip-path", "mask", "filter", "marker", "marker-start", "marker-mid", "marker-end", "cursor"], FuncIri, "https://www.w3.org/TR/SVG11/types.html#DataTypeFuncIRI")
    },
    named(Namespace::Svg, SVG_REFERENCES, &["href", "xlink:href"], Url, "https://www.w3.org/TR/SVG2/linking.html#URLReference")
        .with_rule(Rule::FragmentStays),
    // XML documents.
    named(Namespace::Instruction, &["xml-stylesheet"], &["href"], Url, "https://www.w3.org/TR/xml-stylesheet/#the-xml-stylesheet-processing-instruction")
        .with_rule(Rule::FragmentStays),
    named(Namespace::Atom, &["link"], &["href"], Url, "https://www.rfc-editor.org/rfc/rfc4287#section-4.2.7.1")
        .with_empty(EmptyValue::Resolves),
    named(Namespace::Atom, &["content"], &["src"], Url, "https://www.rfc-editor.org/rfc/rfc4287#section-4.1.3.2"),
    named(Namespace::Atom, &["icon", "logo", "uri", "url"], &[TEXT], Url, "https://www.rfc-editor.org/rfc/rfc4287#section-4.2.5"),
    named(Namespace::Atom, &["generator"], &["uri"], Url, "https://www.rfc-editor.org/rfc/rfc4287#section-4.2.4"),
    named(Namespace::Atom, &["content", "summary", "title", "subtitle", "rights", "tagline", "info", "copyright"], &[TEXT], Html, "https://www.rfc-editor.org/rfc/rfc4287#section-3.1.1.2")
        .with_rule(Rule::HtmlType),
    absolute(Namespace::Rss, &["link", "url", "comments", "docs"], &[TEXT], Url, "https://www.rssboard.org/rss-specification#requiredChannelElements"),
    absolute(Namespace::Rss, &["enclosure", "source"], &["url"], Url, "https://www.rssboard.org/rss-specification#ltenclosuregtSubelementOfLtitemgt"),
    absolute(Namespace::Rss, &["guid"], &[TEXT], Url, "https://www.rssboard.org/rss-specification#ltguidgtSubelementOfLtitemgt")
        .with_rule(Rule::Permalink),
    absolute(Namespace::Rss, &["description"], &[TEXT], Html, "https://www.rssboard.org/rss-specification#hrelementsOfLtitemgt"),
    absolute(Namespace::Rss, &["channel", "item", "image", "textinput"], &["rdf:about", "rdf:resource"], Url, "https://web.resource.org/rss/1.0/spec"),
    absolute(Namespace::Rdf, &["li"], &["rdf:resource", "resource"], Url, "https://web.resource.org/rss/1.0/spec#s5.3.5"),
    absolute(Namespace::MediaRss, &["content", "thumbnail", "player"], &["url"], Url, "https://www.rssboard.org/media-rss#media-content"),
    absolute(Namespace::MediaRss, &["license", "subTitle", "peerLink"], &["href"], Url, "https://www.rssboard.org/media-rss#media-license"),
    absolute(Namespace::MediaRss, &["embed", "copyright"], &["url"], Url, "https://www.rssboard.org/media-rss#media-embed"),
    absolute(Namespace::MediaRss, &["backLink", "response"], &[TEXT], Url, "https://www.rssboard.org/media-rss#media-backlinks"),
    absolute(Namespace::MediaRss, &["title", "description", "text"], &[TEXT], Html, "https://www.rssboard.org/media-rss#media-description")
        .with_rule(Rule::HtmlType),
    absolute(Namespace::Itunes, &["image"], &["href"], Url, "https://podcasters.apple.com/support/823-podcast-requirements"),
    absolute(Namespace::Itunes, &["new-feed-url"], &[TEXT], Url, "https://podcasters.apple.com/support/837-change-the-rss-feed-url"),
    absolute(Namespace::Itunes, &["summary"], &[TEXT], Html, "https://podcasters.apple.com/support/823-podcast-requirements"),
    absolute(Namespace::Podcast, &["transcript", "chapters", "funding", "trailer", "license"], &["url"], Url, "https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/1.0.md#transcript"),
    absolute(Namespace::Podcast, &["person"], &["href", "img"], Url, "https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/1.0.md#person"),
    absolute(Namespace::Podcast, &["image", "contentLink"], &["href"], Url, "https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/tags/image.md"),
    absolute(Namespace::Podcast, &["source", "socialInteract"], &["uri"], Url, "https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/1.0.md#source"),
    absolute(Namespace::Podcast, &["images"], &["srcset"], Srcset, "https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/1.0.md#images"),
    absolute(Namespace::GooglePlay, &["image"], &["href"], Url, "https://support.google.com/podcast-publishers/answer/9889544"),
    absolute(Namespace::Chapters, &["chapter"], &["href", "image"], Url, "https://podlove.org/simple-chapters/"),
    absolute(Namespace::CommentApi, &["comment", "commentRss", "commentRSS"], &[TEXT], Url, "https://www.rssboard.org/comment-api"),
    named(Namespace::Threading, &["in-reply-to"], &["href", "source"], Url, "https://www.rfc-editor.org/rfc/rfc4685#section-3"),
    absolute(Namespace::RssContent, &["encoded"], &[TEXT], Html, "https://web.resource.org/rss/1.0/modules/content/"),
    absolute(Namespace::Sitemap, &["loc"], &[TEXT], Url, "https://www.sitemaps.org/protocol.html#locdef"),
    absolute(Namespace::SitemapImage, &["loc", "license"], &[TEXT], Url, "https://developers.google.com/search/docs/crawling-indexing/sitemaps/image-sitemaps"),
    absolute(Namespace::SitemapVideo, &["thumbnail_loc", "content_loc", "player_loc", "gallery_loc"], &[TEXT], Url, "https://developers.google.com/search/docs/crawling-indexing/sitemaps/video-sitemaps"),
    absolute(Namespace::SitemapVideo, &["uploader"], &["info"], Url, "https://developers.google.com/search/docs/crawling-indexing/sitemaps/video-sitemaps"),
    named(Namespace::Opf, &["item", "link", "reference"], &["href"], Url, "https://www.w3.org/TR/epub-33/#attrdef-href"),
    named(Namespace::Ncx, &["content", "img", "audio"], &["src"], Url, "https://idpf.org/epub/20/spec/OPF_2.0.1_draft.htm#Section2.4.1"),
    named(Namespace::Smil, &["text", "audio"], &["src"], Url, "https://www.w3.org/TR/epub-33/#sec-smil-text-elem"),
    named(Namespace::Smil, &["body", "seq"], &["epub:textref"], Url, "https://www.w3.org/TR/epub-33/#sec-smil-seq-elem"),
    named(Namespace::Xslt, &["include", "import"], &["href"], Url, "https://www.w3.org/TR/xslt-30/#include"),
    // JSON.
    absolute(Namespace::Json, &["feed"], &["home_page_url", "feed_url", "next_url", "icon", "favicon"], Url, "https://www.jsonfeed.org/version/1.1/#top-level"),
    absolute(Namespace::Json, &["item"], &["url", "external_url", "image", "banner_image"], Url, "https://www.jsonfeed.org/version/1.1/#items"),
    absolute(Namespace::Json, &["item"], &["content_html"], Html, "https://www.jsonfeed.org/version/1.1/#items"),
    absolute(Namespace::Json, &["author"], &["url", "avatar"], Url, "https://www.jsonfeed.org/version/1.1/#top-level"),
    absolute(Namespace::Json, &["attachment"], &["url"], Url, "https://www.jsonfeed.org/version/1.1/#attachments"),
    named(Namespace::Json, &["script"], &["imports", "scopes", "integrity"], Url, "https://html.spec.whatwg.org/multipage/webappapis.html#import-maps"),
    named(Namespace::Json, &["script"], &["urls", "href_matches"], Url, "https://html.spec.whatwg.org/multipage/speculative-loading.html#speculation-rules"),
    // Rows that count on request.
    html(&["meta"], &["content"], Url, "https://ogp.me/").with_rule(Rule::MetaProperty).counting(WithMeta),
    any(
        &["data-src", "data-original", "data-lazy", "data-lazy-src", "data-full-src", "data-bg", "data-poster", "data-thumb", "data-uri", "data-url"],
        Url,
        "https://html.spec.whatwg.org/multipage/dom.html#embedding-custom-non-visible-data-with-the-data-*-attributes",
    )
    .counting(WithLazy),
    any(
        &["data-srcset", "data-lazy-srcset", "data-original-set"],
        Srcset,
        "https://html.spec.whatwg.org/multipage/dom.html#embedding-custom-non-visible-data-with-the-data-*-attributes",
    )
    .counting(WithLazy),
    any(&["itemid"], Url, "https://html.spec.whatwg.org/multipage/microdata.html#attr-itemid").counting(WithAttr),
    any(&["about", "resource"], Url, "https://www.w3.org/TR/rdfa-core/#s_syntax").counting(WithAttr),
    any(&["xml:base"], Url, "https://www.w3.org/TR/xmlbase/").counting(WithAttr),
    html(&["applet"], &["code"], Url, "https://www.w3.org/TR/html401/struct/objects.html#adef-code").counting(WithAttr),
    html(&["param"], &["value"], Url, "https://www.w3.org/TR/html401/struct/objects.html#adef-value-PARAM").counting(WithAttr),
    // Values that look like URLs, but are not.
    never(Elements::Named(Namespace::Html, &["img", "object", "input"]), &["usemap"], "https://html.spec.whatwg.org/multipage/image-maps.html#attr-hyperlink-usemap"),
    never(Elements::Any, &["itemtype", "itemprop", "typeof", "vocab", "property", "datatype"], "https://html.spec.whatwg.org/multipage/microdata.html#attr-itemtype"),
    never(Elements::Named(Namespace::Html, &["script"]), &["for"], "https://html.spec.whatwg.org/multipage/obsolete.html#attr-script-for"),
    never(Elements::Any, &["datasrc"], "https://html.spec.whatwg.org/multipage/obsolete.html#non-conforming-features"),
    never(Elements::Any, &["xlink:role", "xlink:arcrole", "definitionurl"], "https://www.w3.org/TR/xlink11/#link-semantics"),
];

/// The SVG elements whose `href` may name a part of the document.
#[rustfmt::skip]
const SVG_REFERENCES: &[&str] = &[
    "use", "image", "feimage", "lineargradient", "radialgradient", "pattern", "textpath", "mpath", "filter",
    "animate", "animatemotion", "animatetransform", "set", "discard", "cursor", "tref", "glyphref", "altglyph",
    "color-profile",
];

const fn any(attributes: &'static [&'static str], grammar: Grammar, spec: &'static str) -> Row {
    Row {
        elements: Elements::Any,
        attributes,
        grammar: Some(grammar),
        counts: Always,
        rule: Rule::None,
        empty: EmptyValue::Stays,
        form: RequiredForm::Any,
        spec,
    }
}

const fn html(
    names: &'static [&'static str],
    attributes: &'static [&'static str],
    grammar: Grammar,
    spec: &'static str,
) -> Row {
    named(Namespace::Html, names, attributes, grammar, spec)
}

const fn named(
    namespace: Namespace,
    names: &'static [&'static str],
    attributes: &'static [&'static str],
    grammar: Grammar,
    spec: &'static str,
) -> Row {
    Row { elements: Elements::Named(namespace, names), ..any(attributes, grammar, spec) }
}

/// Creates a row whose references must be absolute URLs.
const fn absolute(
    namespace: Namespace,
    names: &'static [&'static str],
    attributes: &'static [&'static str],
    grammar: Grammar,
    spec: &'static str,
) -> Row {
    Row { form: RequiredForm::Absolute, ..named(namespace, names, attributes, grammar, spec) }
}

const fn never(elements: Elements, attributes: &'static [&'static str], spec: &'static str) -> Row {
    Row { elements, grammar: None, counts: Never, ..any(attributes, Url, spec) }
}

impl Row {
    const fn with_rule(self, rule: Rule) -> Self {
        Self { rule, ..self }
    }

    const fn with_empty(self, empty: EmptyValue) -> Self {
        Self { empty, ..self }
    }

    const fn counting(self, counts: super::DefaultState) -> Self {
        Self { counts, ..self }
    }
}
