//! Options as JavaScript spells them.

use absolve::option::{DocumentOption, Values};

/// The name in camel case: `baseScope` for `base-scope`.
pub(crate) fn camel_case(name: &str) -> String {
    let mut words = name.split('-');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| name + &word[..1].to_ascii_uppercase() + &word[1..])
}

/// The option of a limit: `maxBaseUrl` for `base-url`.
pub(crate) fn limit_option(name: &str) -> String {
    camel_case(&format!("max-{name}"))
}

/// An option with its value.
pub(crate) fn spell(option: &str, value: &str) -> String {
    let name = camel_case(option);
    match (DocumentOption::find(option).map(|option| option.values), value) {
        (Some(Values::Flag), _) => name + ": true",
        (_, "") => name,
        (_, value) => format!("{name}: '{value}'"),
    }
}
