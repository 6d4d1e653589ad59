//! The keyword arguments of the Python package: `python/src/keywords.rs` for signatures, and
//! `python/absolve/_options.py` for type checkers and readers.

use std::fmt::Write as _;

use absolve_cli::args::functions::{AUDIT, EXTRACT, FILE, READER, TREE, keyword, limit_keyword};

use super::entries::{Entry, Kind, Spelling, is_flag, wrap};
use super::{NOTE, columns};

pub(super) const SPELLING: Spelling = Spelling {
    option: keyword,
    limit: limit_keyword,
    mention,
    phrases: &[
        ("; html for stdin", ""),
        (", or with - in those of a list on stdin", ""),
        (
            "if DIR is only a part of it [default: DIR]",
            "if `path` is only a part of it [default: `path`]",
        ),
        (
            "Exit with code 1 if relative links stay",
            "Raise `Error`, after files are written, if relative links stay",
        ),
        ("How rewrite would", "How `rewrite` would"),
        ("Fail if relative", "Raise `Error` if relative"),
        ("Lowest level that fails the run", "Lowest level that `AuditReport.fails` is about"),
        (", and do not fail the run", ""),
        (" [default: .orig]", "; `True` is `.orig`"),
    ],
    notes: &[
        (
            "encoding",
            "It is a label of the Encoding Standard, or a name that Python has for one, such as \
             `latin_1`. A `str` needs none.",
        ),
        (
            "ignore-link",
            "Links in an element with the attribute `data-absolve-ignore` are ignored too.",
        ),
        ("baseline", "`AuditReport.write_baseline` writes it."),
        ("rule", "It takes `{'broken-link': 'warn'}` or `'broken-link=warn'`, or several."),
        ("map", "It takes `{'OLD': 'NEW'}` or `'OLD=NEW'`, or several."),
    ],
};

/// An option as a keyword argument, or as the parameter that does the same.
fn mention(option: &str, value: &str) -> String {
    match (option, value) {
        ("write", _) => "in_place=True".to_owned(),
        ("output", _) => "destination".to_owned(),
        (_, "") if is_flag(option) => format!("{}=True", keyword(option)),
        (_, "") => keyword(option),
        (_, value) => format!("{}='{value}'", keyword(option)),
    }
}

/// Options that functions share.
struct Group {
    /// The name in signatures.
    name: &'static str,
    class: &'static str,
    about: &'static str,
    /// The group that it has the options of, too.
    base: Option<&'static str>,
    entries: Vec<Entry>,
}

const DOCUMENTS: &str = r#"The options of documents: those of the command, with `_` for `-`.

    `None` is the default of each. The file `absolve/_options.py` describes them, and those of other
    functions.

    >>> from typing import Unpack
    >>> import absolve
    >>> def browser_links(page: str, url: str, **options: Unpack[absolve.Options]) -> list[str]:
    ...     links = absolve.links(page, url, standard="whatwg", base_scope="document", **options)
    ...     return [link.url for link in links if link.url]
    >>> browser_links("<img data-src=a.png>", "http://h/", lazy=True)
    ['http://h/a.png']
    "#;

fn groups() -> Vec<Group> {
    let mut documents = SPELLING.documents(|_| true);
    documents.extend(SPELLING.limits("document"));
    let group = |name, class, about, entries| Group { name, class, about, base: None, entries };
    let [file, mut tree] = [FILE, TREE].map(|function| SPELLING.keywords(&function));
    tree.retain(|entry| !file.contains(entry));
    vec![
        group("document", "Options", DOCUMENTS, documents),
        group("file", "FileOptions", "The options of `rewrite_file`.", file),
        Group {
            base: Some("file"),
            ..group("tree", "TreeOptions", "The options of `rewrite_tree`.", tree)
        },
        group(
            "archive",
            "ArchiveOptions",
            "The options of `WarcReader`.",
            SPELLING.keywords(&READER),
        ),
        group(
            "extract",
            "ExtractOptions",
            "The options of `extract`.",
            SPELLING.keywords(&EXTRACT),
        ),
        group("audit", "AuditOptions", "The options of `audit`.", SPELLING.keywords(&AUDIT)),
    ]
}

pub(super) fn keywords() -> String {
    let mut text = format!("// {}\n\n", wrap(NOTE, 96).join("\n// "));
    text +=
        "/// The options that functions share, as a signature has them.\nmacro_rules! keywords {\n";
    for group in groups() {
        let names = group.entries.iter().map(|entry| format!("{}=None", entry.name));
        let list = names.collect::<Vec<_>>().join(", ");
        let lines = wrap(&format!(", {list}"), 86).join(" \\\n         ");
        let list = match group.base {
            Some(base) => format!("concat!(keywords!({base}), \"\\\n         {lines}\")"),
            None => format!("\"{lines}\""),
        };
        let _ = writeln!(text, "    ({}) => {{\n        {list}\n    }};", group.name);
    }
    let _ = writeln!(text, "    (link) => {{\n        \"{}\"\n    }};", columns::parameters());
    let _ = writeln!(text, "    (docstrings) => {{\n        {}\n    }};", columns::docstrings());
    for (name, list) in ["columns", "more_columns"].into_iter().zip(columns::tables()) {
        let list = list.join("\n");
        let _ = writeln!(text, "    ({name}) => {{\n        \"{list}\"\n    }};");
    }
    text + "}\n"
}

pub(super) fn options() -> String {
    let groups = groups();
    let mut aliases = Aliases::default();
    let mut classes = String::new();
    for group in &groups {
        let base = groups.iter().find(|other| Some(other.name) == group.base);
        let base = base.map_or("TypedDict", |base| base.class);
        let _ = write!(
            classes,
            "\n\nclass {}({base}, total=False):\n    \"\"\"{}\"\"\"\n",
            group.class, group.about
        );
        for entry in &group.entries {
            let annotation = aliases.annotation(entry, group.class);
            let _ =
                write!(classes, "\n    {}: {annotation} | None\n{}", entry.name, docstring(entry));
        }
    }
    format!(
        r#""""The keyword arguments that functions share, for type checkers and readers.

`None` is the default of each. As a limit, 0 is none; in defaults, k, M and G are powers of 1,024.
"""

# {}

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Literal, TypedDict

Path = str | bytes | PathLike[str] | PathLike[bytes]
{}{classes}"#,
        wrap(NOTE, 97).join("\n# "),
        aliases.definitions()
    )
}

/// Names of long types.
#[derive(Default)]
struct Aliases(Vec<(String, Vec<String>)>);

impl Aliases {
    fn annotation(&mut self, entry: &Entry, class: &str) -> String {
        match &entry.kind {
            Kind::Flag => "bool".to_owned(),
            Kind::FlagOrText => "bool | str".to_owned(),
            Kind::Number => "int".to_owned(),
            Kind::Text => "str".to_owned(),
            Kind::Texts => "str | Iterable[str]".to_owned(),
            Kind::Path => "Path".to_owned(),
            Kind::Paths => "Path | Iterable[Path]".to_owned(),
            Kind::Pairs => "Mapping[str, str] | str | Iterable[str]".to_owned(),
            Kind::Name(names) if names.len() < 5 => literal(names),
            Kind::Name(names) => self.alias(&entry.name, names, class),
            Kind::Names(names) => {
                let alias = self.alias(&entry.name, names, class);
                format!("{alias} | Iterable[{alias}]")
            }
        }
    }

    /// The alias of these names: that of the option, and of the class if others have another one.
    fn alias(&mut self, option: &str, names: &[String], class: &str) -> String {
        if let Some((alias, _)) = self.0.iter().find(|(_, known)| known == names) {
            return alias.clone();
        }
        let words = option.split('_').filter(|word| !word.is_empty());
        let mut alias: String = words.map(|word| word[..1].to_uppercase() + &word[1..]).collect();
        if self.0.iter().any(|(known, _)| *known == alias) {
            alias = class.replace("Options", &alias);
        }
        self.0.push((alias.clone(), names.to_vec()));
        alias
    }

    fn definitions(&self) -> String {
        let definition = |(alias, names): &(String, Vec<String>)| {
            let line = format!("{alias} = {}", literal(names));
            if line.len() < 100 {
                return format!("{line}\n");
            }
            let names: Vec<_> = names.iter().map(|name| format!("    \"{name}\",\n")).collect();
            format!("{alias} = Literal[\n{}]\n", names.concat())
        };
        self.0.iter().map(definition).collect()
    }
}

fn literal(names: &[String]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("\"{name}\"")).collect();
    format!("Literal[{}]", names.join(", "))
}

fn docstring(entry: &Entry) -> String {
    let text = format!("\"\"\"{}", entry.text);
    let lines = if entry.values.is_empty() {
        wrap(&format!("{text}\"\"\""), 95)
    } else {
        let mut lines = wrap(&text, 95);
        lines.push(String::new());
        lines.extend(entry.list_values(95));
        lines.push("\"\"\"".to_owned());
        lines
    };
    let text = lines.join("\n    ").replace("\n    \n", "\n\n");
    assert!(!text.contains('\\'), "{text}");
    format!("    {text}\n")
}
