//! Options of the command in messages, as keyword arguments.

use absolve::cli::terminal::with_options;

/// An option as a keyword argument: `as` is a word of Python, and `map` is a function.
pub(crate) fn keyword(option: &str) -> String {
    match option {
        "as" => "as_".to_owned(),
        "map" => "maps".to_owned(),
        option => option.replace('-', "_"),
    }
}

/// A limit as a keyword argument.
pub(crate) fn of_limit(name: &str) -> String {
    format!("max_{}", name.replace('-', "_"))
}

/// A message of the library or the command, with keyword arguments for options.
pub(crate) fn in_python(message: &str, is_flag: impl Fn(&str) -> bool) -> String {
    let message = with_options(message).replace(", or -w to ", ", or --write to ");
    let mut parts = message.split("--");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_name = |c: char| c.is_ascii_lowercase() || c == '-';
        let is_text = !text.is_empty() && !text.ends_with([' ', '(', '\'']);
        if is_text || !part.starts_with(is_name) {
            text.extend(["--", part]);
            continue;
        }
        let (option, rest) = part.split_at(part.find(|c| !is_name(c)).unwrap_or(part.len()));
        let rest = without_placeholder(rest);
        // Of the options with named values that messages have.
        let has_value = matches!(option, "as" | "engine" | "learn" | "limit");
        let value = rest.strip_prefix(' ').filter(|value| has_value && value.starts_with(is_name));
        let (value, rest) = value.map_or(("", rest), |value| {
            value.split_at(value.find(|c| !is_name(c)).unwrap_or(value.len()))
        });
        let name = keyword(option);
        let words = match option {
            "limit" => {
                text.extend([&*of_limit(value), rest.strip_prefix("=N").unwrap_or(rest)]);
                continue;
            }
            "write" => "in_place=True".to_owned(),
            "output" => "destination".to_owned(),
            "explain" => "absolve audit --explain".to_owned(),
            _ if !value.is_empty() => format!("{name}='{value}'"),
            _ if is_flag(&name) => format!("{name}=True"),
            _ => name,
        };
        text.push_str(&words);
        text.push_str(rest);
    }
    text
}

/// What follows the placeholder of an option's value, as in `--output <PATH>`.
fn without_placeholder(rest: &str) -> &str {
    let placeholders = [("[=<", ">]"), ("=<", ">"), (" <", ">")];
    let mut after = placeholders.iter().filter_map(|(start, end)| {
        Some(rest.strip_prefix(start)?.split_once(end)?.1.trim_start_matches("..."))
    });
    after.next().unwrap_or(rest)
}
