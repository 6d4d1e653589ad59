//! The page that a folder of a crawl begins with.

use std::io::{self, Write};

use minijinja::Environment;
use minijinja::value::Serde;
use serde::Serialize;

const TEMPLATE: &str = include_str!("html/entries.html");

#[derive(Serialize)]
struct Entries<'e> {
    pages: &'e [(String, String)],
}

/// Writes a page of links to the pages that a crawl began with: their URLs, and references to them.
///
/// # Errors
///
/// If writing fails.
pub fn write_entries(pages: &[(String, String)], out: &mut dyn Write) -> io::Result<()> {
    let mut templates = Environment::new();
    templates.add_template("entries.html", TEMPLATE).map_err(io::Error::other)?;
    let template = templates.get_template("entries.html").map_err(io::Error::other)?;
    let filled = template.render_captured_to(Serde(Entries { pages }), out);
    filled.map(drop).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_text() {
        let mut page = Vec::new();
        write_entries(&[("http://h/<b>".to_owned(), "h/a%22.html".to_owned())], &mut page).unwrap();
        let page = String::from_utf8(page).unwrap();
        assert!(
            page.contains("<li><a href=\"h&#x2f;a%22.html\">http:&#x2f;&#x2f;h&#x2f;&lt;b&gt;</a>"),
            "{page}"
        );
    }
}
