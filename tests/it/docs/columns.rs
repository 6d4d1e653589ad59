//! The columns of links in the table and as the types of Python and JavaScript declare them.

use std::fs;

use absolve::column::{Column, Read};

use super::root;

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

/// The text between two others.
fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    text.split_once(start).unwrap().1.split_once(end).unwrap().0
}

fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| name + &word[..1].to_ascii_uppercase() + &word[1..])
}

#[test]
fn links_in_python_have_the_columns() {
    let stub = read("python/absolve/_absolve.pyi");
    let class = between(&stub, "class Link(", "\n    def _asdict");
    let names: Vec<_> = Column::of_objects().map(|column| format!("\"{}\"", column.name)).collect();
    let fields = between(class, "_fields: Final = (", ")").split(',').map(str::trim);
    assert_eq!(fields.filter(|name| !name.is_empty()).collect::<Vec<_>>(), names);
    for column in Column::of_objects() {
        let start = format!("def {}(self) -> ", column.name);
        let (_, declared) = class.split_once(&start).unwrap();
        let (declared, help) = declared.split_once(":\n        \"\"\"").unwrap();
        let expected = match column.read {
            Read::Text(_) | Read::Reference(_) | Read::Url(_) => "str",
            Read::Number(_) => "int",
            Read::Flag(_) => "bool",
            Read::Span(_) => "tuple[int, int]",
        };
        assert!(declared.starts_with(expected), "{}: {declared}", column.name);
        assert!(help.starts_with(column.help), "{}: {help}", column.name);
    }
}

#[test]
fn links_in_javascript_have_the_columns() {
    let types = read("npm/lib/index.d.ts");
    let interface = between(&types, "export interface Link {\n", "\n}");
    let declared: Vec<_> = interface.split("  /** ").skip(1).collect();
    assert_eq!(declared.len(), Column::of_objects().count());
    for (column, declared) in Column::of_objects().zip(declared) {
        let (help, declared) = declared.split_once(" */\n  ").unwrap();
        let expected = match column.read {
            Read::Text(_) | Read::Reference(_) | Read::Url(_) => "string",
            Read::Number(_) => "number",
            Read::Flag(_) => "boolean",
            Read::Span(_) => "[start: number, end: number]",
        };
        let expected = format!("{}: {expected}", camel_case(column.name));
        assert!(declared.starts_with(&expected), "{declared}");
        assert!(help.starts_with(&column.help.replace("`None`", "`null`")), "{help}");
    }
}

#[test]
fn documents_name_the_columns() {
    let (stub, page) = (read("python/absolve/_absolve.pyi"), read("docs/links.md"));
    let function = between(&stub, "\n    \"\"\"List the links of an array", "\"\"\"");
    let names = |text: &str, column: &Column| text.contains(&format!("`{}`", column.name));
    assert!(Column::on_request().all(|column| names(function, column)));
    assert!(Column::of_objects().all(|column| names(&page, column)));
}
