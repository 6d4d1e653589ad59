//! `npm/lib/options.d.ts`: the options of the npm package, for type checkers and readers.

use std::fmt::Write as _;

use absolve::option::{DocumentOption, Host};

use super::NOTE;
use super::entries::{Entry, Kind, Spelling, is_flag, wrap};

pub(super) const SPELLING: Spelling = Spelling {
    option: camel_case,
    limit: |name| camel_case(&format!("max-{name}")),
    mention: |option, value| match value {
        "" if is_flag(option) => camel_case(option) + ": true",
        "" => camel_case(option),
        value => format!("{}: '{value}'", camel_case(option)),
    },
    phrases: &[],
    notes: &[
        ("as", "`absolve/lite` has no `markdown`."),
        ("raw-base", "`absolve/lite` has no Markdown."),
        (
            "encoding",
            "It is a [label](https://encoding.spec.whatwg.org/#names-and-labels) of the Encoding \
             Standard. A string needs none.",
        ),
        (
            "ignore-link",
            "Links in an element with the attribute `data-absolve-ignore` are ignored too.",
        ),
        ("map", "It takes `{ OLD: NEW }` or `'OLD=NEW'`, or several."),
    ],
};

/// The names of options that have a type of their own.
const TYPES: [(&str, &str, &str); 2] = [
    ("learn", "Source", "Names of the sources that a base URL is learned from."),
    ("standard", "Standard", "The rules that references are resolved by."),
];

pub(super) fn types() -> String {
    let options = SPELLING.documents(|option: &DocumentOption| option.hosts.contains(&Host::Npm));
    let mut text = format!("// {NOTE}\n");
    for (option, name, about) in TYPES {
        let option = options.iter().find(|entry| entry.name == option).unwrap();
        let (Kind::Name(names) | Kind::Names(names)) = &option.kind else { unreachable!() };
        let line = format!("export type {name} = {};", union(names));
        let mut lines = vec![line];
        if lines[0].len() > 120 {
            let names: Vec<_> = names.iter().map(|name| format!("|\u{a0}'{name}'")).collect();
            lines = wrap(&format!("{};", names.join(" ")), 118);
            lines.insert(0, format!("export type {name} ="));
        }
        let lines = lines.join("\n  ").replace('\u{a0}', " ");
        let _ = write!(text, "\n/** {about} */\n{lines}\n");
    }
    text += &interface(
        "Limits",
        "Limits on documents; 0 is no limit. In defaults, k, M and G are powers of 1,024.",
        &SPELLING.limits("npm"),
    );
    text + &interface(
        "Options extends Limits",
        "The options of documents: those of the command in camel case. `null` is the default of each.",
        &options,
    )
}

fn interface(name: &str, about: &str, entries: &[Entry]) -> String {
    let mut text = format!("\n/** {about} */\nexport interface {name} {{\n");
    for entry in entries {
        let line = format!("  {}?: {} | null;\n", entry.name, annotation(entry));
        assert!(line.len() <= 121, "{line}");
        text += &comment(entry);
        text += &line;
    }
    text + "}\n"
}

fn annotation(entry: &Entry) -> String {
    let own = TYPES.iter().find(|(option, ..)| *option == entry.name).map(|(_, name, _)| *name);
    let one_of = |names: &[String]| own.map_or_else(|| union(names), str::to_owned);
    match &entry.kind {
        Kind::Flag => "boolean".to_owned(),
        Kind::Number => "number".to_owned(),
        Kind::Text => "string".to_owned(),
        Kind::Texts => "string | readonly string[]".to_owned(),
        Kind::Name(names) => one_of(names),
        Kind::Names(names) => format!("{0} | readonly {0}[]", one_of(names)),
        Kind::Pairs => {
            "Record<string, string> | ReadonlyMap<string, string> | string | readonly string[]"
                .to_owned()
        }
        Kind::FlagOrText | Kind::Path | Kind::Paths => unreachable!("{entry:?}"),
    }
}

fn union(names: &[String]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("'{name}'")).collect();
    names.join(" | ")
}

fn comment(entry: &Entry) -> String {
    let line = format!("  /** {} */\n", entry.text);
    if entry.values.is_empty() && line.len() <= 121 {
        return line;
    }
    let mut lines = wrap(&entry.text, 115);
    lines.extend(entry.list_values(115));
    let lines = lines.join("\n   * ");
    assert!(!lines.contains("*/"), "{lines}");
    format!("  /**\n   * {lines}\n   */\n")
}

/// `baseScope` for `base-scope` and `base_scope`.
pub(super) fn camel_case(name: &str) -> String {
    let mut words = name.split(['-', '_']);
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| name + &word[..1].to_uppercase() + &word[1..])
}
