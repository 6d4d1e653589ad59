//! Values of every grammar, and the ways to write them.

use super::words::{REFERENCES, SCRIPTS, Value};
use super::{DEEPEST, Soup, boundary};

impl Soup<'_> {
    fn reference(&mut self) -> String {
        let own = SCRIPTS[self.script];
        let mut text = match self.random.below(3) {
            0 if !own.is_empty() => self.random.pick(own).to_owned(),
            1 => format!("{}/{}", self.random.pick(REFERENCES), self.random.pick(REFERENCES)),
            _ => self.random.pick(REFERENCES).to_owned(),
        };
        if self.random.once_in(20) {
            let at = boundary(&text, self.random.below(text.len() + 1));
            text.insert_str(at, self.random.pick(&[" ", "\t", "\n", "\r", "\0", "&", "\u{c}"]));
        }
        text
    }

    pub(super) fn value(&mut self, value: Value) -> String {
        match value {
            Value::Html if self.depth + 1 < DEEPEST => {
                let (script, depth) = (self.script, self.depth + 1);
                Soup { random: self.random, script, depth }.document()
            }
            Value::Url | Value::Html => self.reference(),
            Value::UrlList => self.list(&[" ", "\n", "  ", "\t"]),
            Value::CommaList => self.list(&[",", ", ", " , ", ",,"]),
            Value::Srcset => {
                let mut text = String::new();
                for _ in 0..=self.random.below(3) {
                    text.push_str(&self.reference());
                    let descriptors =
                        ["", " 1x", " 200w", " 1x 2x", " (a,b)", " bad", "\t1.5x", "("];
                    text.push_str(self.random.pick(&descriptors));
                    text.push_str(self.random.pick(&[", ", ",", " ,", ",,", " "]));
                }
                text
            }
            Value::Refresh => {
                let start =
                    ["5; url=", "0;URL='", "5;", " 5 , url = \"", "5.5;", "url=", ".;'", ""];
                let end = ["", "'", "\"", "' x", " "];
                format!(
                    "{}{}{}",
                    self.random.pick(&start),
                    self.reference(),
                    self.random.pick(&end)
                )
            }
            Value::Css => self.css(),
            Value::FuncIri => match self.random.below(3) {
                0 => "url(#paint) none".to_owned(),
                _ => self.function(),
            },
        }
    }

    fn list(&mut self, separators: &[&str]) -> String {
        let mut text = self.reference();
        for _ in 0..self.random.below(3) {
            text.push_str(self.random.pick(separators));
            text.push_str(&self.reference());
        }
        text
    }

    fn function(&mut self) -> String {
        let reference = self.reference();
        let forms: [(&str, &str); 10] = [
            ("url(", ")"),
            ("url('", "')"),
            ("URL( \"", "\" )"),
            ("image-set('", "' 1x)"),
            ("src('", "')"),
            ("\\75rl(", ")"),
            ("-webkit-image-set(url(", ") 2x)"),
            ("url(", ""),
            ("url('", "\n"),
            ("/*url(no)*/ url(", ")/*"),
        ];
        let (start, end) = self.random.pick(&forms);
        format!("{start}{reference}{end}")
    }

    fn css(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..=self.random.below(2) {
            let function = self.function();
            let start = ["background:", "--x:{", "a:b(", "content:'url(no)' ", "", "}", "@import "];
            let end = [";", "", "}", ")", "!important;", "]"];
            text += &[self.random.pick(&start), &*function, self.random.pick(&end)].concat();
        }
        text
    }

    pub(super) fn stylesheet(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..=self.random.below(2) {
            let inner = match self.random.below(3) {
                0 => self.function(),
                1 => format!("'{}'", self.reference()),
                _ => self.css(),
            };
            let forms = [
                ("@import ", ";"),
                ("@namespace ", ";"),
                ("a{", "}"),
                ("@media x{b{", "}}"),
                ("<!--", "-->"),
                ("", ""),
            ];
            let (start, end) = self.random.pick(&forms);
            text += &[start, &*inner, end].concat();
        }
        text
    }

    /// A value as written after an attribute's name.
    pub(super) fn written(&mut self, value: &str) -> String {
        match self.random.below(8) {
            0 => String::new(),
            1 | 2 => {
                let mut text = String::new();
                for c in value.chars() {
                    if c.is_ascii_whitespace() || matches!(c, '>' | '"' | '\'') {
                        text += &decimal(c);
                    } else {
                        text.push(c);
                    }
                }
                format!("={text}")
            }
            3 | 4 => format!(
                "={}'{}'",
                self.random.pick(&["", "", " ", "\r\n"]),
                self.escaped(value, '\'')
            ),
            5 => format!(" = \"{}\"", self.escaped(value, '"')),
            _ => format!("=\"{}\"", self.escaped(value, '"')),
        }
    }

    /// Text in which one character, and here and there another, is a character reference.
    pub(super) fn escaped(&mut self, value: &str, must: char) -> String {
        let mut text = String::new();
        let chances = self.random.pick(&[15, 40, 1000]);
        for c in value.chars() {
            if c == must || self.random.once_in(chances) {
                match self.random.below(4) {
                    0 => text += &hexadecimal(c, ";"),
                    1 if c == '&' => text += "&amp",
                    1 if c == '"' => text += "&quot",
                    2 => text += &hexadecimal(c, ""),
                    _ => text += &decimal(c),
                }
            } else {
                text.push(c);
            }
        }
        text
    }
}

fn decimal(c: char) -> String {
    format!("&#{};", u32::from(c))
}

fn hexadecimal(c: char, end: &str) -> String {
    format!("&#x{:x}{end}", u32::from(c))
}
