//! Documents that nobody writes: tag soup with links of every grammar in it.

mod values;
mod words;

use crate::random::Random;
use words::{ATTRIBUTES, DECLARATIONS, GROUPS, LABELS, OTHERS, SCRIPTS, TEXTS, Value};

impl Random {
    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    pub(crate) fn once_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }
}

/// How deep documents in documents go. Three is the limit, so that some reach it.
const DEEPEST: usize = 4;

/// State of the generator of a document.
pub(crate) struct Soup<'r> {
    random: &'r mut Random,
    /// Index into [`SCRIPTS`].
    script: usize,
    depth: usize,
}

/// Makes a document of tag soup.
pub(crate) fn document(random: &mut Random) -> String {
    let script = random.below(SCRIPTS.len());
    Soup { random, script, depth: 0 }.document()
}

/// The document with declarations of encodings at its start and at random places.
pub(crate) fn declare(random: &mut Random, document: &str) -> String {
    let mut text = document.to_owned();
    for _ in 0..=random.below(3) {
        let tag = random.pick(DECLARATIONS).replace("LABEL", random.pick(LABELS));
        let at = boundary(&text, random.below(text.len() + 1));
        text.insert_str(at, &tag);
    }
    let start = random.pick(&["", "", "<?xml encoding='LABEL'?>"]);
    let start = start.replace("LABEL", random.pick(LABELS));
    let space = if random.once_in(2) { " ".repeat(1000) } else { String::new() };
    [start, space, text].concat()
}

/// The document with tags that hold links at random places.
pub(crate) fn insert(random: &mut Random, document: &str) -> String {
    let script = random.below(SCRIPTS.len());
    let mut soup = Soup { random, script, depth: 2 };
    let mut text = document.to_owned();
    for _ in 0..=soup.random.below(6) {
        let at = boundary(&text, soup.random.below(text.len() + 1));
        let group = soup.random.pick(GROUPS);
        let name = soup.random.pick(group);
        let tag = soup.tag(name);
        text.insert_str(at, &tag);
    }
    text
}

/// The document with bytes that are no UTF-8, or mean something, at random places.
pub(crate) fn spoil(random: &mut Random, document: &str) -> Vec<u8> {
    const BYTES: &[&[u8]] = &[
        b"\xff",
        b"\xe9",
        b"\xc3",
        b"\xe6\x97",
        b"\r",
        b"\0",
        b"\"",
        b"'",
        b"<",
        b"&",
        b"\x1b(J",
        b"\x1b$B",
        b"\x1b(B",
        b"\x83",
        b"\x1b",
        b"\x81\x30",
        b"\xa4\xa4",
    ];
    let mut bytes = document.as_bytes().to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len() + 1);
        bytes.splice(at..at, random.pick(BYTES).iter().copied());
    }
    bytes
}

/// The nearest boundary at or before a position.
fn boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

impl Soup<'_> {
    fn document(&mut self) -> String {
        let mut text = String::new();
        if self.random.once_in(2) {
            text.push_str("<!doctype html>");
        }
        let mut favourites = [0; 3];
        for favourite in &mut favourites {
            *favourite = self.random.below(GROUPS.len() + 3).min(GROUPS.len() - 1);
        }
        if self.random.once_in(4) {
            favourites = [0, 2, 8];
            let start = ["<svg><desc>", "<math><mi>", "<svg><g><title>", "<p><b><svg><desc>"];
            text.push_str(self.random.pick(&start));
        }
        let longest = self.random.pick(&[12, 22, 22, 50]) / (self.depth + 1);
        let mut opened: Vec<&str> = Vec::new();
        for _ in 0..3 + self.random.below(longest) {
            let group = match self.random.below(5) {
                0 => self.random.below(GROUPS.len()),
                _ => self.random.pick(&favourites),
            };
            let name = self.random.pick(GROUPS[group]);
            match self.random.below(20) {
                0..=10 => {
                    if name == "plaintext" && !self.random.once_in(6) {
                        continue;
                    }
                    text.push_str(&self.tag(name));
                    opened.push(name);
                }
                11 | 12 => text += &["</", &self.cased(name), ">"].concat(),
                13..=15 if !opened.is_empty() => {
                    let back = self.random.below(opened.len().min(5)) + 1;
                    let name = self.cased(opened[opened.len() - back]);
                    let end = self.random.pick(&["", "", "", " x=y", "/", " href=no"]);
                    text += &["</", &name, end, ">"].concat();
                }
                _ => text.push_str(self.random.pick(TEXTS)),
            }
        }
        text
    }

    fn cased(&mut self, name: &str) -> String {
        if self.random.once_in(12) { name.to_ascii_uppercase() } else { name.to_owned() }
    }

    /// A start tag with links, and for a `style` its text.
    fn tag(&mut self, name: &str) -> String {
        let mut tag = format!("<{}", self.cased(name));
        for _ in 0..self.random.pick(&[1, 1, 1, 2, 3]) {
            let own: Vec<_> =
                ATTRIBUTES.iter().filter(|(names, ..)| names.contains(&name)).collect();
            let (attribute, value) = match self.random.below(4) {
                0 | 1 if !own.is_empty() => {
                    let &&(_, attribute, value) = self.random.pick(&own.iter().collect::<Vec<_>>());
                    (attribute, value)
                }
                2 => ("style", Value::Css),
                _ => (self.random.pick(&["href", "src", "href", "xlink:href"]), Value::Url),
            };
            let value = self.value(value);
            let attribute = self.cased(attribute);
            let written = self.written(&value);
            let space = self.random.pick(&[" ", " ", " ", "\n", "\t", "/", "\r\n", "  "]);
            tag += &[space, &attribute, &written].concat();
        }
        tag.push_str(self.random.pick(OTHERS));
        tag.push('>');
        if name == "style" && !self.random.once_in(4) {
            let css = self.stylesheet();
            let text = match self.random.below(4) {
                0 => format!("<![CDATA[{css}]]>"),
                1 => self.escaped(&css, '<'),
                2 => format!("{css}<!-- x -->{css}"),
                _ => css,
            };
            tag.push_str(&text);
            tag.push_str(self.random.pick(&["</style>", "</style>", "</STYLE >", "", "<b>"]));
        }
        tag
    }
}
