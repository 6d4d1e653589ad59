//! The general entities that a document type declaration declares with plain text.
//!
//! NOTE: the internal subset is read for these alone. A value with a reference in it and an external
//! entity are not expanded: who uses one gets an error with its name.

use std::cell::Cell;
use std::collections::HashMap;

/// Maximum bytes of a value, before and after entities are expanded: a URL has no more.
const MAX_VALUE: usize = 64 << 10;

/// Maximum characters of a name.
const MAX_NAME: usize = 1024;

/// Maximum bytes of the values that replace the entities of a document, unless the document has
/// more: one long value in many items would take memory by the product of both.
const MAX_EXPANDED: usize = 1 << 20;

/// The entities of a document, by name.
#[derive(Debug, Default)]
pub(super) struct Entities {
    values: HashMap<String, String>,
    /// Bytes of values that may still replace entities.
    budget: Cell<usize>,
}

impl Entities {
    /// Reads the text between `<!DOCTYPE` and its `>`, of a document of so many bytes. The first
    /// declaration of a name is binding ([entities](https://www.w3.org/TR/xml/#sec-entity-decl)).
    pub(super) fn of_doctype(text: &str, document: usize) -> Self {
        let mut entities = HashMap::new();
        let budget = Cell::new(document.max(MAX_EXPANDED));
        let Some((_, mut rest)) = text.split_once('[') else {
            return Self { values: entities, budget };
        };
        while let Some(at) = rest.find(['<', '"', '\'', ']']) {
            let (declaration, length) = declaration(&rest[at..]);
            if let Some((name, value)) = declaration.and_then(entity) {
                entities.entry(name.to_owned()).or_insert_with(|| value.to_owned());
            }
            rest = &rest[at + length..];
        }
        Self { values: entities, budget }
    }

    /// The text of a value; else why it is not expanded.
    pub(super) fn expand(&self, raw: &str) -> Result<String, String> {
        if raw.len() > MAX_VALUE {
            return Err("a value of more than 64 KiB".to_owned());
        }
        let (mut text, mut rest) = (String::with_capacity(raw.len()), raw);
        while let Some((before, after)) = rest.split_once('&') {
            text.push_str(before);
            let name = after.split_once(';').map(|(name, _)| name);
            let Some(name) = name.filter(|name| name.len() <= MAX_NAME) else {
                return Err("'&' without an entity; write '&amp;'".to_owned());
            };
            let named = |what| Err(format!("the entity '&{};', {what}", shown(name)));
            let unknown = "which is not expanded; write its text";
            match (quick_xml::escape::unescape(&format!("&{name};")), self.values.get(name)) {
                (Ok(character), _) => text.push_str(&character),
                (Err(_), Some(value)) => {
                    let Some(budget) = self.budget.get().checked_sub(value.len()) else {
                        let what = "and the entities of the document have more than 1 MiB of text";
                        return named(what);
                    };
                    self.budget.set(budget);
                    text.push_str(value);
                }
                (Err(_), None) => return named(unknown),
            }
            if text.len() > MAX_VALUE {
                return named(unknown);
            }
            rest = &after[name.len() + 1..];
        }
        Ok(text + rest)
    }
}

/// A name as messages show it.
fn shown(name: &str) -> String {
    name.chars().take(60).filter(|one| !one.is_control()).collect()
}

/// What begins here, if it is a declaration of an entity, and its bytes.
fn declaration(text: &str) -> (Option<&str>, usize) {
    let to = |end: &str| text.find(end).map_or(text.len(), |at| at + end.len());
    match () {
        () if text.starts_with("<!--") => (None, to("-->")),
        () if text.starts_with("<?") => (None, to("?>")),
        () if text.starts_with("<!ENTITY") => (text.get("<!ENTITY".len()..), "<!ENTITY".len()),
        () if text.starts_with(['"', '\'']) => {
            (None, quoted(text).map_or(text.len(), |(_, to)| to))
        }
        () => (None, 1),
    }
}

/// The name and the value of an [entity](https://www.w3.org/TR/xml/#NT-GEDecl), after its keyword.
fn entity(text: &str) -> Option<(&str, &str)> {
    let rest = text.trim_start();
    let end = rest.char_indices().take(MAX_NAME).find(|(_, one)| one.is_whitespace())?.0;
    let (name, rest) = rest.split_at(end);
    let (value, _) = quoted(rest.trim_start())?;
    let is_plain = !name.starts_with('%') && !value.contains(['&', '%', '<']);
    (is_plain && value.len() <= MAX_VALUE).then_some((name, value))
}

/// The text between quotes at the start, and its bytes with them.
fn quoted(text: &str) -> Option<(&str, usize)> {
    let quote = text.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let end = text[1..].find(quote)?;
    Some((&text[1..=end], end + 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_entities_are_expanded() {
        let doctype = "package [<!-- <!ENTITY c 'no'> --><?x <!ENTITY p 'no'>?> <!ENTITY f \"c1\">\n\
            <!ENTITY f 'second'><!ENTITY % q 'no'><!ENTITY n '&f;'><!ENTITY e SYSTEM 'x'>\
            <!ATTLIST item id CDATA \"<!ENTITY s 'no'>\"><!ENTITY g ']>'>]";
        let entities = Entities::of_doctype(doctype, 0);
        let expands = |raw: &str, expected: &str| {
            let expanded = entities.expand(raw).unwrap_or_else(|why| why);
            assert_eq!(expanded, expected, "{raw}");
        };
        expands("", "");
        expands("&f;.x&amp;y&#x41;&#66;", "c1.x&yAB");
        expands("&g;&f;&f;", "]>c1c1");
        for name in ["c", "p", "q", "n", "e", "s", "gone"] {
            expands(
                &format!("a&{name};"),
                &format!("the entity '&{name};', which is not expanded; write its text"),
            );
        }
        expands("a&b", "'&' without an entity; write '&amp;'");
        assert_eq!(Entities::of_doctype("html", 0).expand("a&lt;"), Ok("a<".to_owned()));
    }

    #[test]
    fn values_are_bounded() {
        let doctype = format!("x [<!ENTITY l '{}'>]", "l".repeat(40_000));
        let entities = Entities::of_doctype(&doctype, 0);
        assert_eq!(entities.expand("&l;").map(|text| text.len()), Ok(40_000));
        assert!(entities.expand(&"&l;".repeat(20_000)).is_err());
        assert!(entities.expand(&"x".repeat(MAX_VALUE + 1)).is_err());
        // All values of a document together.
        for (document, most) in [(0, 26), (2 << 20, 52)] {
            let entities = Entities::of_doctype(&doctype, document);
            let expanded = (0..100).take_while(|_| entities.expand("&l;").is_ok()).count();
            assert_eq!(expanded, most);
        }
    }
}
