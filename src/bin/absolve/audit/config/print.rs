//! `--print-config`: settings as a configuration that can be read back.

use std::fmt::Write as _;

use absolve::audit::{Profile, Server};

use super::keys::{Key, Keys, Takes};
use super::{Settings, shown};
use crate::Status;
use crate::args::AuditArgs;
use crate::failure::Failure;
use crate::output::{is_harmless, printable, to_stdout};

/// Prints every setting, those that were not given too.
pub(in crate::audit) fn print(settings: &Settings) -> Result<Status, Failure> {
    let text = text(settings)?;
    to_stdout(|out| out.write_all(text.as_bytes()))?;
    Ok(Status::Done)
}

fn text(settings: &Settings) -> Result<String, Failure> {
    let mut text = match &settings.file {
        Some(file) => format!("# The command line, and {}.\n", shown(file)),
        None => "# The command line; no configuration was read.\n".to_owned(),
    };
    text.push_str(
        "# Paths count from the folder of this file; here they do from the current one.\n",
    );
    let keys = Keys::new();
    let mut ordered: Vec<Key<'_>> = keys.iter().collect();
    in_order(&mut ordered, settings);
    let mut without = Vec::new();
    for key in ordered {
        match value(key, settings)? {
            Some(value) => {
                let _ = writeln!(text, "{} = {value}", key.name);
            }
            None => without.push(key.name),
        }
    }
    if !without.is_empty() {
        let _ = writeln!(text, "# Without a value: {}", without.join(", "));
    }
    Ok(text)
}

/// Patterns count in their order, and the keys in that of the file.
fn in_order(keys: &mut [Key<'_>], settings: &Settings) {
    let last = |name| settings.matches.indices_of(name).and_then(Iterator::max);
    let at = |name| keys.iter().position(|key| key.name == name);
    if let (Some(include), Some(exclude)) = (at("include"), at("exclude"))
        && last("include") > last("exclude")
        && last("exclude").is_some()
    {
        keys.swap(include, exclude);
    }
}

/// What a key has, as TOML; none where nothing is the default.
fn value(key: Key<'_>, settings: &Settings) -> Result<Option<String>, Failure> {
    let (args, matches) = (&settings.args, &settings.matches);
    let raw = matches.get_raw(key.id()).into_iter().flatten();
    let raw = raw.map(|value| {
        value.to_str().map(str::to_owned).ok_or_else(|| {
            let what = "is not UTF-8, and cannot stand in a configuration; rename it";
            Failure::of(&printable(&value.to_string_lossy()), what)
        })
    });
    let mut values: Vec<String> = raw.collect::<Result<_, _>>()?;
    match key.name {
        // In one list, which keeps their order.
        "rule" => {
            let levels = args.looking.levels().iter();
            values = levels.map(|(rule, level)| format!("{rule}={level}")).collect();
        }
        "ignore-rule" => values.clear(),
        "index" if values.is_empty() => {
            values = Server::new(args.serving.server).index().to_vec();
        }
        _ => {}
    }
    let scalar = || values.first().cloned().or_else(|| default(key, args));
    let text = match key.takes() {
        Takes::Flag => {
            let is_set = matches.get_flag(key.id()) || is_of(key, args.serving.server);
            return Ok(Some(is_set.to_string()));
        }
        Takes::List => {
            let values: Vec<String> = values.iter().map(|value| quoted(value)).collect();
            return Ok(Some(format!("[{}]", values.join(", "))));
        }
        Takes::Text => scalar().map(|text| quoted(&text)),
        Takes::Number | Takes::Size => scalar().map(|text| {
            let is_number = text.parse::<i64>().is_ok();
            if is_number { text.trim_start_matches('+').to_owned() } else { quoted(&text) }
        }),
    };
    Ok(text)
}

/// What holds where nothing is given, and clap does not know.
fn default(key: Key<'_>, args: &AuditArgs) -> Option<String> {
    let (limits, bounds) = (args.reading.limits(), args.reading.bounds());
    let limit = match key.name {
        "max-input" => limits.input,
        "max-base-url" => limits.base_url,
        "max-reference" => limits.reference,
        "max-links" => limits.links,
        "max-srcdoc" => limits.srcdoc,
        "max-parts" => limits.parts,
        "max-part-depth" => limits.part_depth,
        "max-header" => limits.header,
        "max-record-header" => bounds.head,
        "max-record" => bounds.record,
        "max-ratio" => return Some(bounds.ratio.to_string()),
        _ => return None,
    };
    Some(limit.to_string())
}

/// Whether a server does by itself what a flag asks for.
fn is_of(key: Key<'_>, server: Profile) -> bool {
    match key.name {
        "extensionless" => matches!(server, Profile::GithubPages | Profile::Netlify),
        "ignore-case" => server == Profile::Netlify,
        _ => false,
    }
}

/// A [basic string](https://toml.io/en/v1.0.0#string), in which nothing moves the
/// cursor.
fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if is_harmless(c) => quoted.push(c),
            c => {
                let _ = write!(quoted, "\\U{:08x}", u32::from(c));
            }
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use absolve::audit::{Answer, FileKind, Files};

    use super::*;

    #[test]
    fn a_string_is_read_back() {
        for text in ["", "a b", "\"\\\n\r\t\u{1b}[31m\u{202e}\u{7f}\u{9b}\u{2028}", "\u{10ffff}é"]
        {
            let line = format!("key = {}", quoted(text));
            assert!(line.chars().all(is_harmless), "{line}");
            let table = toml::de::DeTable::parse(&line).unwrap();
            let value = table.get_ref().values().next().unwrap().get_ref();
            assert_eq!(value.as_str(), Some(text));
        }
    }

    #[test]
    fn flags_are_told_as_the_server_has_them() {
        let files = Files::new([("a.html", FileKind::File)]);
        let keys = Keys::new();
        for &profile in Profile::ALL {
            let answers = |path: &[u8]| {
                Server::new(profile).answer(&files, path, false, None) != Answer::Missing
            };
            let told = |name| is_of(keys.get(name).unwrap(), profile);
            assert_eq!(answers(b"a"), told("extensionless"), "{profile}");
            assert_eq!(answers(b"A.html"), told("ignore-case"), "{profile}");
        }
    }
}
