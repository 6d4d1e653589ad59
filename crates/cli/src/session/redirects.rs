//! Finds and reads the files with the redirect rules of a server.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use absolve_site::{Profile, Redirects};
use toml::de::{DeTable, DeValue};

use super::config::explain_syntax;

/// The configuration of Netlify. Its rules apply after the rules of `_redirects`.
const NETLIFY_TOML: &str = "netlify.toml";

/// Lists the files that a server reads redirects from, in the order of their rules. `is_in_root`
/// tests whether the root has a file.
pub fn find_files(
    profile: Profile,
    root: &Path,
    is_in_root: impl Fn(&Path) -> bool,
) -> Vec<PathBuf> {
    let native = profile.redirects_file().map(|name| root.join(name));
    let native = native.filter(|file| is_in_root(file));
    let configured = (profile == Profile::Netlify).then(|| {
        let file = root.join(NETLIFY_TOML);
        if is_in_root(&file) { Some(file) } else { find_publishing(root) }
    });
    native.into_iter().chain(configured.flatten()).collect()
}

/// Finds the nearest `netlify.toml` in a parent of a folder, if [it publishes that folder][build].
///
/// [build]: https://docs.netlify.com/configure-builds/file-based-configuration/#build-settings
fn find_publishing(root: &Path) -> Option<PathBuf> {
    let root = root.canonicalize().ok()?;
    let file = root
        .ancestors()
        .skip(1)
        .map(|parent| parent.join(NETLIFY_TOML))
        .find(|file| file.is_file())?;
    let text = std::fs::read_to_string(&file).ok()?;
    let document = DeTable::parse(&text).ok()?;
    let build = document.get_ref().get("build").and_then(|build| build.get_ref().as_table());
    let setting = |key: &str| build.and_then(|build| build.get(key)?.get_ref().as_str());
    let folders = ["base", "publish"].into_iter().filter_map(setting);
    let parent = file.parent().unwrap_or(&file).to_owned();
    // A leading slash means the root of the repository.
    let published = folders.fold(parent, |path, name| path.join(name.trim_start_matches('/')));
    let current = std::env::current_dir().unwrap_or_default();
    let shown = file.strip_prefix(current).map(Path::to_owned);
    (published.canonicalize().ok()? == root).then(|| shown.unwrap_or(file))
}

/// Adds the rules of a file to those before it.
///
/// # Errors
///
/// If a file of Netlify's configuration is not TOML.
pub fn add_rules(rules: Redirects, file: &Path, text: &str) -> Result<Redirects, String> {
    let is_toml = file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"));
    if !is_toml {
        return Ok(rules.with_file("the redirects file", Redirects::lines_of(text)));
    }
    let lines = convert_netlify(text)?;
    Ok(rules.with_file(NETLIFY_TOML, lines.iter().map(|(number, line)| (*number, &**line))))
}

/// Converts the [`[[redirects]]`][redirects] of a `netlify.toml` to lines of a redirects file, each
/// with its line number in `netlify.toml`.
///
/// [redirects]: https://docs.netlify.com/configure-builds/file-based-configuration/#redirects
fn convert_netlify(text: &str) -> Result<Vec<(u64, String)>, String> {
    let find_line =
        |at: usize| 1 + memchr::memchr_iter(b'\n', &text.as_bytes()[..at]).count() as u64;
    let document = DeTable::parse(text).map_err(|error| {
        let (at, problem) = explain_syntax(text, &error);
        format!("line {}: {problem}", find_line(at))
    })?;
    let rules = document.get_ref().get("redirects").and_then(|rules| rules.get_ref().as_array());
    let rules = rules.into_iter().flatten().filter_map(|rule| rule.get_ref().as_table());
    let lines = rules.map(|rule| {
        let first = rule.get("from").or_else(|| rule.values().next());
        (find_line(first.map_or(0, |value| value.span().start)), format_rule(rule))
    });
    Ok(lines.collect())
}

/// Writes a rule as a line of a redirects file: source, query, destination, status and conditions.
fn format_rule(rule: &DeTable<'_>) -> String {
    let text = |key: &str| rule.get(key).map(|value| format_word(value.get_ref()));
    let table = |key: &str| rule.get(key).and_then(|value| value.get_ref().as_table());
    let pairs = table("query").into_iter().flatten();
    let query = pairs
        .map(|(key, value)| format!("{}={}", key.get_ref(), format_word(value.get_ref())).into());
    let is_forced = rule.get("force").is_some_and(|force| force.get_ref().as_bool() == Some(true));
    let status = text("status").unwrap_or(Cow::Borrowed("301"));
    let status = format!("{status}{}", if is_forced { "!" } else { "" }).into();
    let conditions = table("conditions").into_iter().flatten();
    let conditions = conditions.map(|(key, _)| format!("{}=", key.get_ref()).into());
    // A rule without `from` becomes a malformed line.
    let parts = [Some(text("from").unwrap_or(Cow::Borrowed("?")))].into_iter().flatten();
    let parts = parts.chain(query).chain(text("to")).chain([status]).chain(conditions);
    parts.collect::<Vec<Cow<'_, str>>>().join(" ")
}

/// Writes a value as a word of a line; other types than texts and numbers become `?`.
fn format_word<'v>(value: &'v DeValue<'_>) -> Cow<'v, str> {
    match value {
        DeValue::String(text) if !text.contains(char::is_whitespace) => Cow::Borrowed(text),
        DeValue::String(text) => {
            let encoded = text.split(char::is_whitespace).collect::<Vec<_>>().join("%20");
            Cow::Owned(encoded)
        }
        DeValue::Integer(number) => Cow::Borrowed(number.as_str()),
        _ => Cow::Borrowed("?"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_lines(text: &str, expected: &[(u64, &str)]) {
        let lines = convert_netlify(text).unwrap();
        let lines: Vec<_> = lines.iter().map(|(number, line)| (*number, &**line)).collect();
        assert_eq!(lines, expected, "{text}");
    }

    #[test]
    fn a_rule_becomes_a_line() {
        assert_lines("[[redirects]]\nfrom = '/a'\nto = '/b'\n", &[(2, "/a /b 301")]);
        assert_lines(
            "[[redirects]]\nto='/b'\nstatus=200\nfrom='/a/*'\nforce=true",
            &[(4, "/a/* /b 200!")],
        );
        assert_lines(
            "[[redirects]]\nfrom='/a'\nto='/b'\nquery={id=':id'}\n[redirects.conditions]\nCountry=['de']",
            &[(2, "/a id=:id /b 301 Country=")],
        );
        assert_lines(
            "redirects = [{from='/a b', to='/c'}, {from='/d'}]",
            &[(1, "/a%20b /c 301"), (1, "/d 301")],
        );
        assert_lines("[[redirects]]\nto='/b'", &[(2, "? /b 301")]);
        assert_lines("[build]\npublish='x'", &[]);
        assert_lines("redirects = 1", &[]);
        assert!(convert_netlify("a\n[").unwrap_err().starts_with("line 1: "));
    }
}
