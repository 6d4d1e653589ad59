//! Markdown of any bytes: no panic, no decision changes nothing, a second run makes no edit, and what
//! is not in the span of a link stays.

use absolve::Syntax;

use crate::common::{holds, rewriter, stable};

pub(crate) fn run(data: &[u8]) {
    holds(|| properties(data));
}

fn properties(data: &[u8]) -> Result<(), String> {
    let rewriter = rewriter(Syntax::Markdown);
    let Some(first) = stable(&rewriter, data)? else { return Ok(()) };
    let mut spans = Vec::new();
    let links = rewriter.links(data, |link| spans.extend(link.span()));
    links.map_err(|error| error.to_string())?;
    spans.sort_unstable_by_key(|span| (span.start, span.end));
    let (mut rest, mut done) = (&first[..], 0);
    for span in spans {
        let between = &data[done..span.start.max(done)];
        let at = rest.windows(between.len().max(1)).position(|window| window.starts_with(between));
        let at = if between.is_empty() { Some(0) } else { at };
        rest = &rest[at.ok_or("bytes between links change")? + between.len()..];
        done = done.max(span.end);
    }
    if rest.ends_with(&data[done..]) { Ok(()) } else { Err("bytes after links change".to_owned()) }
}
