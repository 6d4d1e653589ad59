//! Documents with `noscript` in the head, and `base` elements in and after it.

use crate::random::Random;

/// Starts of documents.
const STARTS: &[&str] = &["", "<!DOCTYPE html>", "<html>", "<head>", "<html><head>", "x", "<body>"];

/// Content of a head, closed or not.
const HEAD: &[&str] = &[
    " ",
    "BASE",
    "BASE",
    "BASE",
    "<base target=t>",
    "<meta name=a>",
    "<link href=l>",
    "<title>t</title>",
    "<style>p { }</style>",
    "<script type=x>s</script>",
    "<!--c-->",
    "<template>BASE</template>",
    "<noframes>BASE</noframes>",
];

/// Content of a `noscript`, and what ends it.
const NOSCRIPT: &[&str] = &[
    "<img src=i>",
    "<iframe src=f></iframe>",
    "<iframe>",
    "</iframe>",
    "<style>a",
    "</style>",
    "<link href=l>",
    "<meta name=a>",
    "<p>",
    "</p>",
    "<br>",
    "<div>",
    "t",
    " ",
    "BASE",
    "<!--",
    "-->",
    "<!--c-->",
    "<a title='",
    "'>",
    "<title>",
    "</title>",
    "<textarea>",
    "<script type=x>",
    "</script>",
    "<template>",
    "</template>",
    "<svg>",
    "</svg>",
    "<noscript>",
    "</noscript>",
    "</noscripts>",
    "</head>",
    "<body>",
    "<frameset>",
    "<plaintext>",
];

/// Markup after the head.
const REST: &[&str] = &[
    "BASE",
    "BASE",
    "</head>",
    "<body>",
    "<p>",
    "t",
    "<a href=x>y</a>",
    "<svg>BASE</svg>",
    "<svg><desc>BASE</desc></svg>",
    "<noscript>BASE</noscript>",
    "<frameset><frame src=x></frameset>",
    "</noscript>",
    "-->",
    "'>",
];

/// A document; each of its bases has a host of its own.
pub(crate) fn document(random: &mut Random) -> String {
    let mut text = String::new();
    let mut add = |random: &mut Random, pieces: &[&str], most: usize| {
        for _ in 0..random.below(most + 1) {
            text.push_str(pieces[random.below(pieces.len())]);
        }
    };
    add(random, STARTS, 1);
    add(random, HEAD, 2);
    for _ in 0..=random.below(2) {
        add(random, &["<noscript>"], 1);
        add(random, NOSCRIPT, 4);
        add(random, &["</noscript>", "</NOSCRIPT >", "</noscript"], 1);
        add(random, HEAD, 2);
    }
    add(random, REST, 4);
    let mut parts = text.split("BASE");
    let mut document = parts.next().unwrap_or_default().to_owned();
    for (number, part) in parts.enumerate() {
        document.extend(["<base href=http://b", &number.to_string(), ".example/>", part]);
    }
    document
}
