//! Examples of the commands, in their help and in the manual.

/// A command line, and what it does.
pub(crate) struct Example {
    pub(crate) what: &'static str,
    pub(crate) command: &'static str,
}

pub(super) const REWRITE: &[Example] = &[
    Example {
        what: "One page, to another file",
        command: "absolve rewrite -b https://example.org/docs/page.html page.html -o out.html",
    },
    Example {
        what: "A folder in place, after a look at what would change",
        command: "absolve rewrite -b https://example.org/docs/ docs --diff\n\
                  absolve rewrite -b https://example.org/docs/ docs -w",
    },
    Example {
        what: "A folder of saved pages, each with the URL that it remembers, to a new folder",
        command: "absolve rewrite saved -o absolute --copy-assets",
    },
    Example {
        what: "A copy of a site to browse from the disk",
        command: "absolve rewrite --to relative --for file -b https://example.org/ site -o offline --copy-assets",
    },
    Example {
        what: "A site that moves to another host",
        command: "absolve rewrite -w -b https://old.example.org/ site --map https://old.example.org/=https://example.org/",
    },
];

pub(super) const LINKS: &[Example] = &[
    Example {
        what: "The links of a page, as a table",
        command: "absolve links -b https://example.org/docs/page.html page.html",
    },
    Example {
        what: "Every absolute URL of a folder, once",
        command: "absolve links -b https://example.org/docs/ docs --format jsonl | jq -r .url | sort -u",
    },
    Example {
        what: "The images of a page from the web",
        command: "curl -s https://example.org/ | absolve links -b https://example.org/ --only src,srcset",
    },
];

pub(super) const AUDIT: &[Example] = &[
    Example {
        what: "A built site, as it is served at a URL",
        command: "absolve audit -b https://example.org/docs/ public",
    },
    Example {
        what: "In continuous integration: fail on warnings too, and keep a report",
        command: "absolve audit public --fail-on warn --format text --format sarif=absolve.sarif",
    },
    Example {
        what: "Only broken links and anchors",
        command: "absolve audit public --ignore-rule all --rule broken-link=error,missing-anchor=error",
    },
];

pub(super) const EXTRACT: &[Example] = &[
    Example {
        what: "The page in a record of a web archive, to a file",
        command: "absolve extract 'crawl.warc.gz!@1234' -o page.html",
    },
    Example { what: "A part of a message", command: "absolve extract 'page.mhtml!3'" },
    Example { what: "A page of a book", command: "absolve extract 'book.epub!OEBPS/ch1.xhtml'" },
    Example {
        what: "A record that is larger than 16 MiB",
        command: "absolve extract --max-record 1G 'crawl.warc!@1234' -o film.mp4",
    },
];

pub(super) const RESOLVE: &[Example] = &[
    Example { what: "One reference", command: "absolve resolve http://a/b/c/d ../g" },
    Example {
        what: "The steps of RFC 1808, and the results of other standards",
        command: "absolve resolve --explain http://a/b/c/d ../g\n\
                  absolve resolve --compare http://a/b/c/d '//x' '?y'",
    },
    Example {
        what: "References from a file, one per line",
        command: "absolve resolve http://a/b/c/d < references.txt",
    },
];

impl Example {
    /// The examples of each command.
    pub(crate) const ALL: &[&[Self]] = &[REWRITE, LINKS, AUDIT, RESOLVE, EXTRACT];
}

/// The text below the options of `--help`: examples, and `rest`.
pub(super) fn help(examples: &[Example], rest: &str) -> String {
    let mut text = "Examples:\n".to_owned();
    for Example { what, command } in examples {
        let command = command.replace('\n', "\n  ");
        text.extend(["  # ", what, "\n  ", &command, "\n\n"]);
    }
    text + rest
}
