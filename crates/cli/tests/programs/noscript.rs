//! The links of documents with `noscript`, in default options, and in Chromium, where scripts run.
//!
//! `ABSOLVE_SOUP` is the number of documents.

use std::collections::BTreeSet;
use std::path::Path;

use absolve::{Engine, Rewriter};
use libtest_mimic::Trial;
use serde_json::{Value, json};

use super::browser::{Browser, no_chromium};
use super::random::Random;
use super::trial::trial;

/// Documents of one call of the browser.
const BATCH: usize = 500;

pub(crate) fn trials() -> Vec<Trial> {
    vec![trial("links after noscript, in Chromium", &[no_chromium()], links)]
}

/// The values of `href` in each document, templates included. The text of a `noscript` is parsed by
/// itself, where no script runs.
const LOOK: &str = "(documents => {
    const frame = document.body.appendChild(document.createElement('iframe'));
    const html = 'http://www.w3.org/1999/xhtml';
    const visit = (root, start, found) => {
        for (const element of root.querySelectorAll('*')) {
            if (element.hasAttribute('href')) found.push(element.getAttribute('href'));
            const name = element.namespaceURI === html ? element.localName : '';
            if (name === 'template') visit(element.content, start, found);
            if (name === 'noscript' && start !== null) {
                const text = start + element.textContent;
                visit(new DOMParser().parseFromString(text, 'text/html'), null, found);
            }
        }
        return found;
    };
    return documents.map(text => {
        const document = frame.contentDocument;
        document.open();
        document.write(text);
        document.close();
        const start = document.compatMode === 'BackCompat' ? '<body>' : '<!DOCTYPE html><body>';
        return visit(document, start, []);
    });
})";

fn links(_: &Path) {
    let count = std::env::var("ABSOLVE_SOUP").ok().and_then(|text| text.parse().ok());
    let mut random = Random(1);
    let mut browser = Browser::start();
    let (mut left, mut seen) = (count.unwrap_or(1000), 0);
    while left > 0 {
        let size = left.min(BATCH);
        left -= size;
        let documents: Vec<_> = (0..size).map(|_| document(&mut random)).collect();
        let found = browser.evaluate(&format!("{LOOK}({})", json!(documents)));
        for (text, found) in documents.iter().zip(found.as_array().unwrap()) {
            seen += check(text, found);
        }
    }
    assert!(seen > 2 * count.unwrap_or(1000), "only {seen} links");
}

fn check(text: &str, found: &Value) -> usize {
    let expected: BTreeSet<&str> =
        found.as_array().unwrap().iter().map(|link| link.as_str().unwrap()).collect();
    for engine in [Engine::Splice, Engine::Dom] {
        let rewriter = Rewriter::new().base_url("http://h/").unwrap().engine(engine);
        let mut found = Vec::new();
        let links = rewriter.links(text.as_bytes(), |link| found.push(link.reference().to_owned()));
        if engine == Engine::Dom && links.is_err() {
            // The DOM engine refuses documents that it reads in another way than browsers.
            continue;
        }
        links.unwrap();
        let found: BTreeSet<&str> = found.iter().map(|link| &**link).collect();
        assert_eq!(found, expected, "{engine:?}: {text}");
    }
    expected.len()
}

/// Elements that no tree builder drops outside a frameset.
const NAMES: &[&str] = &["a", "b", "p", "img", "link", "div", "x-y", "span", "li", "svg", "path"];

/// The surroundings of a `noscript`.
const AROUND: &[&str] = &[
    "LINK",
    "LINK",
    "LINK",
    "<head>",
    "</head>",
    "<body>",
    "</body>",
    "</html>",
    "<p>",
    "</p>",
    "</div>",
    "<table>",
    "<tr>",
    "<td>",
    "</td>",
    "</table>",
    "<caption>",
    "<colgroup>",
    "<select>",
    "<option>",
    "</select>",
    "<svg>",
    "</svg>",
    "<desc>",
    "<title>x</title>",
    "<math>",
    "<mi>",
    "</mi>",
    "</math>",
    "<annotation-xml encoding=text/html>",
    "<template>",
    "</template>",
    "<style>a</style>",
    "<script type=x>a</script>",
    "<!-- a -->",
    "<!-- </noscript> -->",
    "<textarea>a</textarea>",
    "<b>",
    "</b>",
    "<a>",
    "</a>",
    "text ",
    "-->",
    "'>",
    "\">",
    "</noscript>",
    "</style>",
    "</iframe>",
    "</title>",
    "</script>",
    "</textarea>",
    "<form>",
    "<button>",
    "<h1>",
    "<nobr>",
    "<base target=x>",
    "<noframes>a</noframes>",
];

/// The content of a `noscript`.
const CONTENT: &[&str] = &[
    "LINK",
    "LINK",
    "LINK",
    "<iframe />",
    "<iframe>",
    "</iframe>",
    "<style>",
    "</style>",
    "<script>",
    "<script><!--<script>",
    "</script>",
    "<title>",
    "</title>",
    "<textarea>",
    "</textarea>",
    "<xmp>",
    "<noembed>",
    "<noframes>",
    "<plaintext>",
    "<template>",
    "</template>",
    "<svg>",
    "</svg>",
    "<svg><title>",
    "<svg><style>",
    "<![CDATA[",
    "]]>",
    "<math>",
    "<mi>",
    "<desc>",
    "<select>",
    "<table>",
    "<tr>",
    "<td>",
    "</table>",
    "<noscript>",
    "<!--",
    "-->",
    "<!-- a -->",
    "<!-",
    "<?x",
    "</x",
    "<b title='",
    "'>",
    "<b title=\"",
    "\">",
    "<b title=",
    "<b ",
    "<",
    "</",
    "</noscripts>",
    "</ noscript>",
    "text",
    "</p>",
    "<p>",
    "<b>",
    "</b>",
    "</body>",
    "</head>",
    "<a>",
];

const ENDS: &[&str] =
    &["</noscript>", "</noscript>", "</NOSCRIPT\n>", "</noscript/>", "</noscript x='>'>"];

/// A document; each of its links has a number of its own.
fn document(random: &mut Random) -> String {
    let mut text = String::new();
    let mut add = |random: &mut Random, pieces: &[&str], most: usize| {
        for _ in 0..random.below(most + 1) {
            text.push_str(pieces[random.below(pieces.len())]);
        }
    };
    add(random, &["<!DOCTYPE html>", "<!DOCTYPE html><html><head>"], 1);
    for _ in 0..=random.below(3) {
        add(random, AROUND, 6);
        add(random, &["<noscript>", "<NoScript class=a>"], 1);
        add(random, &["LINK"], 1);
        add(random, CONTENT, 6);
        add(random, ENDS, 1);
        add(random, &["LINK"], 2);
    }
    add(random, AROUND, 6);
    let mut parts = text.split("LINK");
    let mut document = parts.next().unwrap_or_default().to_owned();
    for (number, part) in parts.enumerate() {
        let name = NAMES[random.below(NAMES.len())];
        document.extend(["<", name, " href=", &number.to_string(), ">", part]);
    }
    document
}
