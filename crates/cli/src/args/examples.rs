//! Examples of the commands, in their help and in the manual: what a command line does, and the line.

pub(super) const REWRITE: &str = "\
# One page, to another file
absolve rewrite -b https://example.org/docs/page.html page.html -o out.html

# A folder in place, after a look at what would change
absolve rewrite -b https://example.org/docs/ docs --diff
absolve rewrite -b https://example.org/docs/ docs -w

# A folder of saved pages, each with the URL that it remembers, to a new folder
absolve rewrite saved -o absolute --copy-assets

# A copy of a site to browse from the disk
absolve rewrite --to offline -b https://example.org/ site -o offline --copy-assets

# A site that moves to another host
absolve rewrite -w -b https://a.example/ site --map https://a.example/=https://b.example/";

pub(super) const LINKS: &str = "\
# The links of a page, as a table
absolve links -b https://example.org/docs/page.html page.html

# Every absolute URL of a folder, once
absolve links -b https://example.org/docs/ docs --format url --unique

# What a page from the web loads
curl -s https://example.org/ | absolve links -b https://example.org/ --only src,srcset";

pub(super) const AUDIT: &str = "\
# A built site, as it is served at a URL
absolve audit -b https://example.org/docs/ public

# In continuous integration: fail on warnings too, and keep a report
absolve audit public --fail-on warn --format text --format sarif=absolve.sarif

# Only broken links and anchors
absolve audit public --rule all=off,broken-link=error,missing-anchor=error";

pub(super) const EXTRACT: &str = "\
# A crawl as a folder that a browser opens without a network
absolve extract crawl.warc.gz -o site --to relative

# The bytes of all style sheets of several archives, as they were on a day
absolve extract archives --mime text/css --at 2026-01-31 -o styles

# The last response of a URL
absolve extract 'crawl.warc.gz!https://example.org/page'

# The page in a record of a web archive, to a file
absolve extract 'crawl.warc.gz!@1234' -o page.html

# A part of a message
absolve extract 'page.mhtml!3'

# A record that is larger than 16 MiB
absolve extract --limit record=1G 'crawl.warc!@1234' -o film.mp4";

pub(super) const RESOLVE: &str = "\
# One reference
absolve resolve http://a/b/c/d ../g

# The steps of RFC 1808, and the results of other standards
absolve resolve --explain http://a/b/c/d ../g
absolve resolve --compare http://a/b/c/d '//x' '?y'

# References from a file, one per line
absolve resolve http://a/b/c/d < references.txt";

/// The examples of each command.
pub const EXAMPLES: &[&str] = &[REWRITE, LINKS, AUDIT, RESOLVE, EXTRACT];

/// The text below the options of `--help`: examples, and `rest`.
pub(super) fn help(examples: &str, rest: &[&str]) -> String {
    let lines = examples.lines().map(|line| format!("  {line}"));
    let lines: Vec<_> = lines.map(|line| line.trim_end().to_owned()).collect();
    format!("Examples:\n{}\n\n{}", lines.join("\n"), rest.join("\n\n"))
}
