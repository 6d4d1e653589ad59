//! Links of the table of contents, the list of pages and the landmarks that lead to the web
//! ([nav elements](https://www.w3.org/TR/epub-33/#sec-nav-def-model)).

use crate::audit::pass::book::problem::BookProblem;
use crate::audit::rules::Rule;
use crate::container::epub::navigation_links;
use crate::url::rfc1808::scheme_end;

/// Calls `report` with each problem of a navigation document.
pub(super) fn each_problem(source: &[u8], report: &mut dyn FnMut(BookProblem<'_>)) {
    navigation_links(source, |link| {
        if scheme_end(&link.href).is_some() || link.href.starts_with("//") {
            let message = "the table of contents, the list of pages and the landmarks lead to pages \
                           of the book alone";
            let place = (&*link.href, &link.span);
            report(BookProblem::new(Rule::RemoteResource, ("a", "href"), place, message));
        }
    });
}
