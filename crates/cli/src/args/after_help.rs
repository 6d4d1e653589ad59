//! Text after the options, in the help of commands and in the manual: examples, the configuration
//! file and exit codes.

/// The text after the options of a command.
pub struct AfterHelp {
    /// Comments, and command lines that can be typed.
    examples: &'static str,
    /// The configuration file, if the command reads one.
    configuration: Option<&'static str>,
    pub exit_codes: &'static str,
}

impl AfterHelp {
    /// Returns the text of `--help`.
    pub fn long(&self) -> String {
        let lines = self.examples.lines().map(|line| format!("  {line}"));
        let lines: Vec<_> = lines.map(|line| line.trim_end().to_owned()).collect();
        let rest: Vec<_> = self.configuration.into_iter().chain([self.exit_codes]).collect();
        format!("Examples:\n{}\n\n{}", lines.join("\n"), rest.join("\n\n"))
    }
}

pub const REWRITE: AfterHelp = AfterHelp {
    examples: "\
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
absolve rewrite -w -b https://a.example/ site --map https://a.example/=https://b.example/",
    configuration: Some(CONFIGURATION),
    exit_codes: "Exit codes: 0 success; 1 a document would change (--check, --diff), or relative \
        links stay (--strict); 2 usage, configuration or I/O error, no document, or some files \
        failed; 128 + n signal n.",
};

pub const LINKS: AfterHelp = AfterHelp {
    examples: "\
# The links of a page, as a table
absolve links -b https://example.org/docs/page.html page.html

# Every absolute URL of a folder, once
absolve links -b https://example.org/docs/ docs --format url --unique

# What a page from the web loads
curl -s https://example.org/ | absolve links -b https://example.org/ --only src,srcset",
    configuration: None,
    exit_codes: "Exit codes: 0 success; 2 usage, configuration or I/O error, no document, or some \
        files failed; 128 + n signal n.",
};

pub const AUDIT: AfterHelp = AfterHelp {
    examples: "\
# A built site, as it is served at a URL
absolve audit -b https://example.org/docs/ public

# In continuous integration: fail on warnings too, and keep a report
absolve audit public --fail-on warn --format text --format sarif=absolve.sarif

# Only broken links and anchors
absolve audit public --rule all=off,broken-link=error,missing-anchor=error",
    configuration: Some(CONFIGURATION),
    exit_codes: "Exit codes: 0 no finding at the level of --fail-on or above; 1 findings; 2 \
        usage, configuration or I/O error; 128 + n signal n.",
};

pub const EXTRACT: AfterHelp = AfterHelp {
    examples: "\
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
absolve extract --limit record=1G 'crawl.warc!@1234' -o film.mp4",
    configuration: None,
    exit_codes: "Exit codes: 0 success; 2 usage or I/O error, no such document, or some files of \
        a crawl could not be extracted; 128 + n signal n.",
};

pub const RESOLVE: AfterHelp = AfterHelp {
    examples: "\
# One reference
absolve resolve http://a/b/c/d ../g

# The steps of RFC 1808, and the results of other standards
absolve resolve --explain http://a/b/c/d ../g
absolve resolve --compare http://a/b/c/d '//x' '?y'

# References from a file, one per line
absolve resolve http://a/b/c/d < references.txt",
    configuration: None,
    exit_codes: "Exit codes: 0 success; 1 the standard refused a reference; 2 usage or I/O error; \
        128 + n signal n.",
};

/// The examples of all commands, for the manual.
pub const EXAMPLES: &[&str] =
    &[REWRITE.examples, LINKS.examples, AUDIT.examples, RESOLVE.examples, EXTRACT.examples];

/// Describes the configuration file, in the help and in the manual.
pub const CONFIGURATION: &str = "\
absolve.toml is read from the current folder or the nearest folder above it, up to the first with .git. An absolve.toml in PATH is not read. \
The keys of its tables [rewrite] and [audit] are long options of these commands, such as \
base-url = \"https://example.org/\" or rule = [\"orphan-page=warn\"], and path, which is used if no \
PATH is typed; paths are relative to its folder. An option on the command line overrides the key of \
its name; a list is replaced, not extended. A configuration that --config does not name cannot turn \
on writing, and reads only files inside its own folder.";

/// The exit codes of all commands, in the help without a command and in the manual.
pub const EXIT_CODES: &str = "Exit codes: 0 success; 1 findings (audit), a document would \
    change (rewrite --check, --diff), relative links stay (rewrite --strict), or a standard refused a \
    reference (resolve); 2 usage, configuration or I/O error, also if only some files failed; \
    128 + n signal n.";
