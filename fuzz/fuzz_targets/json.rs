//! JSON Feed and scripts that are JSON, of any bytes: no panic, no decision changes nothing, and a second
//! run makes no edit.
#![no_main]

mod common;

use absolve::{FeedBase, Syntax};
use common::stable;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| common::holds(|| properties(data)));

fn properties(data: &[u8]) -> Result<(), String> {
    let feeds = common::rewriter(Syntax::JsonFeed).feed_base(FeedBase::Item);
    let version = br#"{"version":"https://jsonfeed.org/version/1.1","items":["#;
    stable(&feeds, data)?;
    stable(&feeds, &[version, data, b"]}"].concat())?;
    let pages = common::rewriter(Syntax::Html);
    for kind in ["importmap", "speculationrules"] {
        let start = format!("<script type={kind}>");
        stable(&pages, &[start.as_bytes(), data, b"</script>"].concat())?;
    }
    Ok(())
}
