//! Allocations for a page, if buffers are reused from page to page.

use absolve::{Buffers, Rewriter};

const PAGE: &str = "<meta http-equiv=refresh content='5; url=next.html'><a href=a.html>a</a>\
                    <a href='../b/?x&amp;y'>b</a><a href=/c#d>c</a><img src=http://h/e.png>";

#[test]
fn a_page_takes_as_many_allocations_as_its_links_that_are_not_plain() {
    let rewriter = Rewriter::new();
    let mut buffers = Buffers::new();
    let mut rewrite = |links: usize, base_url: &str| {
        let page = "<a href=x><a href=../y><a href=#z>".repeat(links);
        let mut first = |page: &str| {
            let rewriter = rewriter.clone().base_url(base_url).unwrap();
            let counts = rewriter.rewrite_in(page.as_bytes(), &mut buffers).unwrap().counts();
            assert!(counts.rewritten > 0, "{page}");
        };
        // The second time, the memory is there.
        first(&page);
        let plain = allocation_counter::measure(|| first(&page)).count_total;
        first(PAGE);
        let mixed = allocation_counter::measure(|| first(PAGE)).count_total;
        [plain, mixed]
    };
    // The URL as the parser has it, and what its clones share.
    assert_eq!(rewrite(1, "http://h/a/b")[0], 2);
    assert_eq!(rewrite(1000, "http://h/a/b")[0], 2);
    // The text of a base that the parser writes in another way.
    assert_eq!(rewrite(1, "http://h/a/./b")[0], 5);
    let [_, mixed] = rewrite(1, "http://h/a/b");
    assert!(mixed <= 12, "{mixed}");
}
