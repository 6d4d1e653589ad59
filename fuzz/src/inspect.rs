//! Links, anchors and bases of a page: places in order and in bounds, with and without ignored parts.

use absolve::{Anchor, BaseTag, Buffers, Link, Rewriter, Visit};

#[derive(Default)]
struct Shown {
    length: usize,
    links: usize,
    last_base: usize,
    bases_that_count: usize,
}

impl Visit for Shown {
    fn link(&mut self, link: &Link<'_>) {
        self.links += 1;
        let span = link.span().expect("the source is scanned");
        assert!(span.start <= span.end && span.end <= self.length);
        let _ = (link.url(), link.sibling("rel"));
    }

    fn anchor(&mut self, anchor: &Anchor<'_>) {
        assert!(anchor.span().end <= self.length);
    }

    fn base(&mut self, base: &BaseTag) {
        assert!(base.href().start >= self.last_base && base.href().end <= self.length);
        self.last_base = base.href().start;
        self.bases_that_count += usize::from(base.counts());
    }
}

pub(crate) fn run(source: &[u8]) {
    let rewriter = Rewriter::new().base_url("http://h/a/b").expect("it is usable");
    let mut shown = Shown { length: source.len(), ..Shown::default() };
    let Ok(summary) = rewriter.inspect(source, &mut Buffers::new(), &mut shown) else { return };
    assert_eq!(summary.counts().links, shown.links);
    assert!(shown.bases_that_count <= 1);
    let mut links = 0;
    let listed = rewriter.links(source, |_| links += 1).expect("no limit was reached");
    // The content of an element with a marker is left out.
    assert!(shown.links <= links);
    assert_eq!(summary.base(), listed.base());
}
