//! Findings about the links of a book.

use crate::audit::page::auditor::PageAuditor;
use crate::audit::page::occurrence::{Occurrence, ResolvedLink};
use crate::audit::reference::{BookResource, book_resource};
use crate::audit::rules::Rule;
use crate::audit::target::{LinkScope, Problem};
use crate::grammar::Grammar;
use crate::url::clean;
use crate::url::rfc1808::scheme_end;

/// The schemes of URLs that are content themselves (`about:blank`).
const NOT_ON_WEB: &[&str] = &["data", "about"];

impl PageAuditor<'_> {
    /// Reports a resource on the web that has to be in the book, a file that the manifest does not
    /// list, and a link to a file by a path from the root of a server.
    pub(super) fn report_in_book(&mut self, resolved_link: ResolvedLink<'_>) {
        let site = self.sink.lookup.site;
        let Some(book) = site.book() else { return };
        let ResolvedLink { link, resolved, fragment } = resolved_link;
        let element = link.element.unwrap_or("");
        if let (Some(file), LinkScope::Internal) = (resolved.target.file, resolved.target.scope) {
            if clean(link.reference).starts_with('/') {
                let message = "it begins at the root of a server, above the folder of the book in \
                               many reading systems; write it relative to this file";
                self.add_problem(resolved_link, Problem::new(Rule::AboveRoot, message));
            }
            // These elements are the manifest itself, and what describes the book.
            let is_described = matches!(element, "item" | "link") && book.is_package(self.number());
            // A fragment of EPUB CFI leads into the book by its package document.
            let is_cfi = fragment.is_some_and(|fragment| fragment.starts_with("epubcfi("));
            if !book.lists(file) && file != self.number() && !is_described && !is_cfi {
                let name = site.path(file);
                let name = String::from_utf8_lossy(name);
                let message = format!("the manifest does not list '{name}'");
                let problem = Problem {
                    target: Some(site.shown(file)),
                    ..Problem::new(Rule::NotInManifest, message)
                };
                self.add_problem(resolved_link, problem);
            }
            return;
        }
        let url = resolved.url.as_deref().unwrap_or_default();
        let is_remote = resolved.target.scope == LinkScope::External
            && scheme_end(url).is_some_and(|end| {
                !NOT_ON_WEB.iter().any(|scheme| url[..end].eq_ignore_ascii_case(scheme))
            });
        let rel = (link.sibling)("rel");
        let is_style = matches!(link.grammar, Grammar::Stylesheet | Grammar::Css);
        let attribute = link.attribute.filter(|_| !is_style);
        if !is_remote {
            return;
        }
        let Some(needed) = book_resource(element, attribute, rel.as_deref(), url) else { return };
        let problem = match (needed, book.listed_url(url)) {
            // The URL of a font need not have its extension.
            (_, Some(BookResource::Listed)) | (BookResource::Listed, Some(_)) => return,
            (BookResource::Inside, _) => Problem::new(
                Rule::RemoteResource,
                "it is loaded from the web; only audio, video and fonts may be there",
            ),
            (BookResource::Listed, None) => {
                let message =
                    format!("the manifest does not list '{}'", self.sink.lookup.shown(url));
                Problem::new(Rule::NotInManifest, message)
            }
        };
        self.add_problem(resolved_link, problem);
    }

    /// The problem of a link of a book with an empty value, if its element loads a file.
    pub(super) fn empty_in_book(&self, link: &Occurrence<'_>) -> Option<Problem> {
        self.sink.lookup.site.book()?;
        let (element, rel) = (link.element?, (link.sibling)("rel"));
        book_resource(element, link.attribute, rel.as_deref(), "")?;
        let is_folder = matches!(link.attribute, Some("codebase" | "classid"));
        let message = "an empty value; name a file of the book, or remove the element";
        (!is_folder).then(|| Problem::new(Rule::BrokenLink, message))
    }
}
