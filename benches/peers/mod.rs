//! Other ways to make the links of a page absolute, as a program would use them
//! that has `href` and `src` in mind.

use std::borrow::Cow;

use crate::Memory;
use absolve::url::{Base, Resolution, Standard};
use html5ever::interface::Attribute;
use html5ever::serialize::{SerializeOpts, serialize};
use html5ever::tendril::TendrilSink;
use html5ever::{ParseOpts, local_name, parse_document};
use lol_html::html_content::Element;
use lol_html::{HtmlRewriter, Settings, element};
use markup5ever_rcdom::{NodeData, RcDom, SerializableHandle};

/// A page as rewritten, and how many of its links were changed.
pub(crate) type Output<'p> = (Cow<'p, [u8]>, usize);

fn absolute(base: &Base, reference: &str) -> Option<String> {
    match Standard::Rfc1808.resolve(Some(base), reference) {
        Ok(Resolution::Resolved(url)) => Some(url),
        _ => None,
    }
}

/// A streaming rewriter with handlers for selectors.
pub(crate) fn lol_html<'p>(source: &'p [u8], url: &str, memory: &'p mut Memory) -> Output<'p> {
    let base = Base::new(url).unwrap();
    let mut links = 0;
    let output = &mut memory.out;
    output.clear();
    let change = |element: &mut Element<'_, '_>| {
        for name in ["href", "src"] {
            if let Some(url) = element.get_attribute(name).and_then(|it| absolute(&base, &it)) {
                element.set_attribute(name, &url)?;
                links += 1;
            }
        }
        Ok(())
    };
    let settings =
        Settings::new().append_element_content_handler(element!("[href], [src]", change));
    let mut rewriter = HtmlRewriter::new(settings, |piece: &[u8]| output.extend_from_slice(piece));
    rewriter.write(source).unwrap();
    rewriter.end().unwrap();
    (Cow::Borrowed(output), links)
}

/// The parser that the DOM engine is built on, with its own tree and serializer.
pub(crate) fn rcdom<'p>(source: &'p [u8], url: &str, memory: &'p mut Memory) -> Output<'p> {
    let base = Base::new(url).unwrap();
    let mut links = 0;
    let dom = parse_document(RcDom::default(), ParseOpts::default()).from_utf8().one(source);
    let mut work = vec![dom.document.clone()];
    while let Some(node) = work.pop() {
        if let NodeData::Element { attrs, template_contents, .. } = &node.data {
            let mut attributes = attrs.borrow_mut();
            let links_of = |it: &&mut Attribute| {
                matches!(it.name.local, local_name!("href") | local_name!("src"))
            };
            for attribute in attributes.iter_mut().filter(links_of) {
                if let Some(url) = absolute(&base, &attribute.value) {
                    attribute.value = url.into();
                    links += 1;
                }
            }
            work.extend(template_contents.borrow().clone());
        }
        work.extend(node.children.borrow().iter().cloned());
    }
    let output = &mut memory.out;
    output.clear();
    let document = SerializableHandle::from(dom.document.clone());
    serialize(&mut *output, &document, SerializeOpts::default()).unwrap();
    (Cow::Borrowed(output), links)
}
