//! JSON Feed and scripts that are JSON, of any bytes: no panic, no decision changes nothing, and a second
//! run makes no edit.

use absolve::{FeedBase, Syntax};

use crate::common::{holds, rewriter, stable};

pub(crate) fn run(data: &[u8]) {
    holds(|| properties(data));
}

fn properties(data: &[u8]) -> Result<(), String> {
    let feeds = rewriter(Syntax::JsonFeed).feed_base(FeedBase::Item);
    let version = br#"{"version":"https://jsonfeed.org/version/1.1","items":["#;
    stable(&feeds, data)?;
    stable(&feeds, &[version, data, b"]}"].concat())?;
    let pages = rewriter(Syntax::Html);
    for kind in ["importmap", "speculationrules"] {
        let start = format!("<script type={kind}>");
        stable(&pages, &[start.as_bytes(), data, b"</script>"].concat())?;
    }
    Ok(())
}
