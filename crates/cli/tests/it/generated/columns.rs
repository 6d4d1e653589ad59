//! The columns of links in packages for other languages: the properties and docstrings of Python, and
//! the objects of JavaScript with their types.

use std::fmt::Write as _;

use absolve::column::{Column, Read};

use super::npm::camel_case;
use super::wrap;

const NOTE: &str = "Generated from the columns of links; GENERATED=overwrite cargo test --test it \
    generated writes this file.";

/// The help with what a package adds for spans and for numbers.
fn help(column: &Column, for_span: &str, for_number: &str) -> String {
    let more = match column.read {
        _ if column.help.ends_with('.') => "",
        Read::Span(_) => for_span,
        _ => for_number,
    };
    column.help.to_owned() + more
}

fn docstring(column: &Column) -> String {
    help(
        column,
        ": bytes of `bytes`, code points of `str`.\n\n`None` with `engine=\"dom\"`.",
        "; `None` with `engine=\"dom\"`.",
    )
}

/// The docstrings of the properties of `Link`, in Rust.
pub(super) fn docstrings() -> String {
    let lines =
        Column::of_objects().map(|column| format!("            {:?},\n", docstring(column)));
    format!("[\n{}        ]", lines.collect::<String>())
}

/// The parameters of the class `Link`.
pub(super) fn parameters() -> String {
    names().join(", ")
}

fn names() -> Vec<&'static str> {
    Column::of_objects().map(|column| column.name).collect()
}

/// The columns of tables as a list in a docstring, and those that only a table has that names them.
pub(super) fn tables() -> [Vec<String>; 2] {
    let item = |column: &Column| {
        let help = help(column, "", ".");
        wrap(&format!("- `{}`: {help}", column.name), 93).join("\n  ")
    };
    let (shown, more): (Vec<_>, Vec<_>) = Column::on_request()
        .partition(|column| Column::of_tables().any(|one| one.name == column.name));
    [shown, more].map(|columns| columns.into_iter().map(item).collect())
}

/// `python/absolve/_columns.pyi`: the base of the class `Link`, by its columns.
pub(super) fn stub() -> String {
    let mut text = format!(
        "# {}\n\nfrom typing import Final, Self\n\nclass Columns:\n    _fields: Final = (\n",
        wrap(NOTE, 97).join("\n# ")
    );
    for name in names() {
        let _ = writeln!(text, "        \"{name}\",");
    }
    text += "    )\n    __match_args__ = _fields\n    def __new__(\n        cls,\n";
    for column in Column::of_objects() {
        let _ = writeln!(text, "        {}: {},", column.name, python_type(column));
    }
    text += "    ) -> Self: ...\n";
    for column in Column::of_objects() {
        let docstring = docstring(column).replace('\n', "\n        ").replace("        \n", "\n");
        let end = if docstring.contains('\n') { "\n        " } else { "" };
        let _ = write!(
            text,
            "    @property\n    def {}(self) -> {}:\n        \"\"\"{docstring}{end}\"\"\"\n",
            column.name,
            python_type(column)
        );
    }
    text
}

fn python_type(column: &Column) -> String {
    let name = match column.read {
        Read::Number(_) => "int",
        Read::Flag(_) => "bool",
        Read::Span(_) => "tuple[int, int]",
        _ => "str",
    };
    name.to_owned() + if column.is_required() { "" } else { " | None" }
}

/// `npm/lib/link.d.ts`: the type of a link.
pub(super) fn types() -> String {
    let mut text = format!(
        "// {NOTE}\n\n/** One occurrence of a reference in a document. */\nexport interface Link {{\n"
    );
    for column in Column::of_objects() {
        let help = help(column, ": bytes of a `Uint8Array`, UTF-16 code units of a string.", ".");
        let help = help.replace("`None`", "`null`");
        let (name, is_known) = match column.read {
            Read::Number(_) => ("number", !column.is_optional),
            Read::Span(_) => ("[start: number, end: number]", !column.is_optional),
            Read::Flag(_) => ("boolean", false),
            _ => ("string", column.is_required()),
        };
        let null = if is_known { "" } else { " | null" };
        let name = format!("{}: {name}{null}", camel_case(column.name));
        let _ = write!(text, "  /** {help} */\n  {name};\n");
    }
    text + "}\n"
}

/// `npm/lib/link.js`: the object of a link, and where the numbers are that it is read from.
pub(super) fn reader() -> String {
    let (mut at, mut places, mut values) = (0, String::new(), String::new());
    for column in Column::of_objects() {
        let (method, numbers) = match column.read {
            Read::Name(_) | Read::InElement(_) | Read::Base(_) => ("name", 1),
            Read::Number(_) => ("number", 1),
            Read::Flag(_) => ("flag", 1),
            Read::Span(_) => ("span", 2),
            Read::Text(_) | Read::Reference(_) | Read::Url(_) => ("text", 2),
        };
        let name = camel_case(column.name);
        let _ = write!(places, " {name}: {at},");
        let _ = writeln!(values, "  {name}: records.{method}(first + {at}),");
        at += numbers;
    }
    let places = places.trim_end_matches(',');
    format!(
        "// {NOTE}\n\n/** The places of the columns in the numbers of a link, and the count of numbers. */\n\
         const AT = {{{places} }};\nconst LINK = {at};\n\n\
         /** The link whose numbers begin here. Engines make an object fastest of a literal. */\n\
         const readLink = (records, first) => ({{\n{values}}});\n\n\
         export {{ AT, LINK, readLink }};\n"
    )
}
