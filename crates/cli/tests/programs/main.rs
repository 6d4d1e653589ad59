//! Documents that other programs write: their base URLs are learned, and what is rewritten
//! is read by the program that wrote it, or by one that reads such files.
//!
//! Each program is tried where it is installed, and ignored where it is not, with the
//! reason in the name. On Debian: `apt-get install wget curl httrack chromium`,
//! `pip install warcio pywb wacz lxml cmarkgfm markdown-it-py feedparser`, `cargo install monolith`. The servers are of this test, on
//! 127.0.0.1.

#![cfg_attr(unix, expect(clippy::unwrap_used, reason = "a test fails by panicking"))]

#[cfg(unix)]
mod base;
#[cfg(unix)]
mod browser;
#[cfg(unix)]
mod chromium;
#[cfg(unix)]
mod crawl;
#[cfg(unix)]
mod directions;
#[cfg(unix)]
mod feeds;
#[cfg(unix)]
#[path = "../../../../tests/random/heads.rs"]
mod heads;
#[cfg(unix)]
mod httrack;
#[cfg(unix)]
mod integrity;
#[cfg(unix)]
mod links;
#[cfg(unix)]
mod markdown;
#[cfg(unix)]
mod monolith;
#[cfg(unix)]
mod noscript;
#[cfg(unix)]
#[path = "../../../../tests/random/mod.rs"]
mod random;
#[cfg(unix)]
mod server;
#[cfg(unix)]
mod trial;
#[cfg(unix)]
mod wacz;
#[cfg(unix)]
mod warc;
#[cfg(unix)]
mod xattr;
#[cfg(unix)]
mod xml;

fn main() {
    libtest_mimic::run(&libtest_mimic::Arguments::from_args(), trials()).exit();
}

#[cfg(unix)]
fn trials() -> Vec<libtest_mimic::Trial> {
    let all = [
        xattr::trials(),
        crawl::trials(),
        httrack::trials(),
        monolith::trials(),
        chromium::trials(),
        base::trials(),
        noscript::trials(),
        directions::trials(),
        integrity::trials(),
        warc::trials(),
        wacz::trials(),
        xml::trials(),
        markdown::trials(),
        feeds::trials(),
    ];
    all.into_iter().flatten().collect()
}

#[cfg(not(unix))]
fn trials() -> Vec<libtest_mimic::Trial> {
    Vec::new()
}
