//! JSON Feed and scripts that are JSON, of any bytes: no panic, no decision changes nothing, and a second
//! run makes no edit.
#![no_main]

mod common;

use absolve::{FeedBase, Rewriter, Syntax};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| common::holds(|| properties(data)));

fn properties(data: &[u8]) -> Result<(), String> {
    let rewriter = Rewriter::new().base_url("http://h/d/p").map_err(|error| error.to_string())?;
    let feeds = rewriter.clone().syntax(Syntax::JsonFeed).feed_base(FeedBase::Item);
    let version = br#"{"version":"https://jsonfeed.org/version/1.1","items":["#;
    check(&feeds, data)?;
    check(&feeds, &[version, data, b"]}"].concat())?;
    for kind in ["importmap", "speculationrules"] {
        let start = format!("<script type={kind}>");
        check(&rewriter, &[start.as_bytes(), data, b"</script>"].concat())?;
    }
    Ok(())
}

fn check(rewriter: &Rewriter, data: &[u8]) -> Result<(), String> {
    let Ok(first) = rewriter.rewrite(data) else { return Ok(()) };
    let second = rewriter.rewrite(first.bytes()).map_err(|error| error.to_string())?;
    if second.bytes() != first.bytes() {
        return Err("a second run makes an edit".to_owned());
    }
    let same = rewriter.rewrite_with(data, |_| None).map_err(|error| error.to_string())?;
    if same.bytes() != data {
        return Err("no decision makes an edit".to_owned());
    }
    Ok(())
}
