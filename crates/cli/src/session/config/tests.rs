use super::*;

use crate::args::RewriteArgs;

fn join_with<A: TableArgs>(typed: &str, text: &str) -> Result<(A, ArgMatches), String> {
    let typed = ["absolve"].into_iter().chain(typed.split_whitespace()).map(OsString::from);
    let parsed = CommandLine::parse(typed.collect());
    let (_, line) = parsed.map_err(|error| first_line(&error))?;
    let args = A::from_arg_matches(&line.matches).map_err(|error| first_line(&error))?;
    let (matches, configured) = (line.matches, Vec::new());
    let mut settings = Settings { args, matches, file: None, folder: None, configured };
    let joined = settings.join(line.typed, Path::new("../absolve.toml"), text);
    joined.map(|()| (settings.args, settings.matches)).map_err(|failure| match failure {
        Failure::Message(message) | Failure::Caused(message, _) => message.to_string(),
        Failure::ClosedPipe => String::new(),
    })
}

/// An audit with these lines in its table.
fn audit(typed: &str, lines: &str) -> Result<(AuditArgs, ArgMatches), String> {
    join_with(typed, &format!("[audit]\n{lines}"))
}

/// A rewriting with these lines in its table.
fn rewrite(typed: &str, lines: &str) -> Result<(RewriteArgs, ArgMatches), String> {
    join_with(typed, &format!("[rewrite]\n{lines}"))
}

#[track_caller]
fn assert_values(typed: &str, text: &str, id: &str, expected: &[&str]) {
    let (_, matches) = audit(typed, text).unwrap();
    let raw: Vec<_> = matches.get_raw(id).into_iter().flatten().collect();
    assert_eq!(raw, expected, "{typed} with {text}");
}

#[track_caller]
fn assert_refused(text: &str, why: &str) {
    let message = join_with::<AuditArgs>("audit site", text).map(|_| ());
    assert_eq!(message, Err(format!("../absolve.toml:{why}")), "{text}");
}

#[test]
fn a_key_says_what_its_option_says() {
    assert_values("audit site", "server = 'netlify'", "server", &["netlify"]);
    assert_values("audit site", "base-url = 'https://h/'", "base_url", &["https://h/"]);
    assert_values("audit site", "jobs = 0x10", "jobs", &["16"]);
    let limits = "[limits]\ninput = 7\noutput = 9\nlinks = 8";
    assert_values("audit site", limits, "limit", &["input=7", "links=8"]);
    let typed = "audit site --limit links=3";
    assert_values(typed, limits, "limit", &["input=7", "links=8", "links=3"]);
    assert_eq!(audit(typed, limits).unwrap().0.reading.limits.documents.links, 3);
    assert_values("audit site", "alias = ['a', 'b']", "alias", &["a", "b"]);
    assert_values("audit site", "baseline = 'b.jsonl'", "baseline", &["../b.jsonl"]);
    assert_values("-q audit site", "report-only = ['a.html', 'b']", "paths", &["site"]);
    assert_values("--color never audit site", "index = ['a', 'b']", "index", &["a", "b"]);
    let (args, _) = audit("audit site", "write-baseline = false\nallow-empty = true").unwrap();
    assert!(args.pages.allow_empty && !args.reporting.write_baseline);
}

#[test]
fn what_is_typed_beats_the_key_of_its_name() {
    assert_values("audit site --server plain", "server = 'netlify'", "server", &["plain"]);
    assert_values("audit site --alias c", "alias = ['a', 'b']", "alias", &["c"]);
    assert_values("audit site -j 1", "jobs = 2", "jobs", &["1"]);
    assert_values("audit -b http://i/ site", "base-url = 'http://h/'", "base_url", &["http://i/"]);
}

#[test]
fn settings_are_in_the_order_of_the_file() {
    let levels = |text| {
        let (args, _) = audit("audit site", text).unwrap();
        args.checks.levels().map(|(_, level)| level.name()).collect::<Vec<_>>()
    };
    assert_eq!(levels("rule = ['bad-tel=warn', 'bad-tel=off']"), ["warn", "off"]);
    assert_eq!(levels("rule = ['bad-tel=off', 'bad-tel=warn']"), ["off", "warn"]);
}

#[test]
fn a_wrong_key_is_refused_with_its_place() {
    assert_refused(
        "[audit]\n\n  base-ulr = ''",
        "3:3: no such key 'base-ulr', did you mean 'base-url'?",
    );
    assert_refused(
        "[audit]\nbase_url = ''",
        "2:1: no such key 'base_url', did you mean 'base-url'?",
    );
    assert_refused(
        "[audit.server]\nname = ''",
        "1:1: 'server' takes one of plain, github-pages, netlify, file, such as server = \
         \"plain\", not a table",
    );
    assert_refused(
        "[audit]\n\"\\u001b[1m\\n\" = 1",
        "2:1: no such key '\\u{1b}[1m\\n'; the keys are the options of 'absolve audit --help'",
    );
    assert_refused(
        "[audit]\nprint-config = true",
        "2:1: 'print-config' cannot be set in a configuration file; type --print-config",
    );
    assert_refused("[audit]\ndir = 'site'", "2:1: no such key 'dir', did you mean 'root-dir'?");
}

#[test]
fn a_wrong_value_is_refused_with_its_place() {
    assert_refused(
        "[audit]\njobs = 'x'",
        "2:8: 'jobs' takes a whole number, such as jobs = 4, not a string",
    );
    assert_refused(
        "[audit]\nrule = 'bad-tel=off'",
        "2:8: 'rule' takes an array of strings, such as rule = [\"...\"], not a string",
    );
    assert_refused(
        "[audit]\nrule = [\n  'bad-tel=off', 1 ]",
        "3:18: 'rule' takes an array of strings, such as rule = [\"...\"], not an integer",
    );
    assert_refused(
        "[audit]\nmeta = 'yes'",
        "2:8: 'meta' takes true or false, such as meta = true, not a string",
    );
    assert_refused(
        "[audit]\n# é\nalias = ['é', '/']",
        "3:15: invalid value '/' for 'alias': '/' is not a host, expected a name such as www.example.org",
    );
    assert_refused(
        "[audit]\nserver = \"\\u001b[31m\"",
        "2:10: invalid value '\\u{1b}[31m' for 'server': expected one of plain, github-pages, netlify, file",
    );
    assert_refused(
        "[audit]\njobs = 300",
        "2:8: invalid value '300' for 'jobs': expected a number from 0 to 256",
    );
    assert_refused(
        "[audit]\njobs = -1",
        "2:8: invalid value '-1' for 'jobs': expected a number from 0 to 256",
    );
    assert_refused(
        "[audit]\ninclude = ['a[']",
        "2:12: invalid value 'a[' for 'include': unclosed character class; missing ']'",
    );
    assert_refused("[audit]\nbaseline = ''", "2:12: 'baseline' takes a value that is not empty");
    assert_refused(
        "[limits]\nlinks = 99999999999999999999999999999999999999999",
        "2:9: the number of 'limits.links' is too large",
    );
}

#[test]
fn what_is_no_toml_is_refused_with_its_place() {
    for text in ["x", "jobs = 1\njobs = 2", "a = \u{1}", "rule = ["] {
        let message = audit("audit site", text).map(|_| ()).unwrap_err();
        let rest = message.strip_prefix("../absolve.toml:").unwrap();
        assert!(rest.starts_with(['2', '3']) && rest.ends_with("as TOML has it"), "{message}");
    }
}

#[test]
fn a_key_outside_of_a_table_is_refused_with_its_table() {
    assert_refused(
        "# Old.\n  alias = 'h'",
        "2:3: 'alias' is not in a table; move it below [audit]",
    );
    assert_refused("write = true", "1:1: 'write' is not in a table; move it below [rewrite]");
    assert_refused(
        "path = 'site'",
        "1:1: 'path' is not in a table; move it below [audit] or [rewrite]",
    );
    assert_refused("[adit]", "1:2: no such table 'adit', did you mean 'audit'?");
    assert_refused("[x]", "1:2: no such table 'x'; the tables are [audit], [rewrite], [limits]");
    assert_refused("audit = 1", "1:1: 'audit' is a table; write [audit] above its keys");
    assert_refused("[[audit]]", "1:3: 'audit' is a table; write [audit] above its keys");
    assert_refused(
        "[audit]\nout = 1\n[rewrite]",
        "2:1: no such key 'out'; the keys are the options of 'absolve audit --help'",
    );
    // The other table is read too.
    assert_refused("[rewrite]\nwrit = true", "2:1: no such key 'writ', did you mean 'write'?");
    assert_refused(
        "[rewrite]\nexplain = true",
        "2:1: no such key 'explain'; the keys are the options of 'absolve rewrite --help'",
    );
}

#[test]
fn a_path_counts_where_none_is_typed() {
    assert_values("audit", "path = 'site'", "paths", &["../site"]);
    assert_values("audit", "path = ['site']", "paths", &["../site"]);
    assert_values("audit typed", "path = 'site'", "paths", &["typed"]);
    assert_values("audit --report-only a b", "path = 'site'", "paths", &["../site"]);
    let paths = |typed, lines| rewrite(typed, lines).unwrap().0.inputs.paths;
    assert_eq!(paths("rewrite", "path = ['a', 'b']"), [Path::new("../a"), Path::new("../b")]);
    assert_eq!(paths("rewrite -", "path = ['a', 'b']"), [Path::new("-")]);
    assert!(paths("rewrite --files-from list", "path = 'a'").is_empty());
    assert_refused(
        "[rewrite]\npath = 1",
        "2:8: 'path' takes a string or an array of strings, such as path = \"...\", not an integer",
    );
}

#[test]
fn a_key_counts_beside_the_option_that_it_needs_and_not_beside_one_that_it_excludes() {
    let writing = |typed, lines| rewrite(typed, lines).unwrap().0.writing;
    assert_eq!(writing("rewrite a", "backup = '.old'").old_files.0.suffix(), None);
    assert_eq!(writing("rewrite a -w", "backup = '.old'").old_files.0.suffix(), Some(".old"));
    let output = |typed| writing(typed, "output = 'out'\ncopy-assets = true").output;
    assert_eq!(output("rewrite a").as_deref(), Some(Path::new("../out")));
    assert_eq!(output("rewrite a -o b").as_deref(), Some(Path::new("b")));
    for typed in ["rewrite a -w", "rewrite a --check", "rewrite a --diff"] {
        assert_eq!(output(typed), None, "{typed}");
    }
    let message = rewrite("rewrite a", "output = 'out'\nwrite = true").map(|_| ()).unwrap_err();
    assert!(message.contains("'--output <PATH>'") && message.contains("'--write'"), "{message}");
}

#[test]
fn a_typed_mode_goes_before_that_of_a_key() {
    let writing = |typed, lines| rewrite(typed, lines).unwrap().0.writing;
    let in_place = "write = true\nbackup = '.old'";
    for (typed, writes) in [
        ("rewrite a", true),
        ("rewrite a -n", true),
        ("rewrite a -n -l", true),
        ("rewrite a -l", false),
        ("rewrite a -l -w", true),
        ("rewrite a --check", false),
        ("rewrite -", false),
        ("rewrite", false),
        ("rewrite --files-from list", true),
    ] {
        let writing = writing(typed, in_place);
        assert_eq!(
            (writing.write, writing.old_files.0.suffix().is_some()),
            (writes, writes),
            "{typed}"
        );
    }
    assert!(writing("rewrite", "path = 'a'\nwrite = true").write);
    assert!(writing("rewrite", "files-from = 'a'\nwrite = true").write);
    assert_eq!(writing("rewrite -", "output = 'out'\nforce = true").output, None);
    assert!(writing("rewrite a -l", "output = 'out'").output.is_some());
}

#[test]
fn an_empty_array_is_none_where_an_option_takes_none() {
    assert_values("audit site", "learn = []", "learn", &["none"]);
    let (_, matches) = rewrite("rewrite a", "learn = []").unwrap();
    let learn: Vec<_> = matches.get_raw("learn").into_iter().flatten().collect();
    assert_eq!(learn, ["none"]);
    assert_refused(
        "[audit]\nlearn = ['none']",
        "2:9: 'learn' takes one of saved-from, none, such as learn = \"saved-from\", not an array",
    );
    assert_refused(
        "[rewrite]\nlearn = 'none'",
        "2:9: 'learn' takes an array of saved-from, singlefile, httrack, monolith, webscrapbook, \
         original, xattr, zone-identifier, none, such as learn = [\"saved-from\"], not a string",
    );
    assert_refused(
        "[audit]\nserver = []",
        "2:10: 'server' takes one of plain, github-pages, netlify, file, such as server = \
         \"plain\", not an array",
    );
}

#[test]
fn a_string_is_read_back() {
    for text in ["", "a b", "\"\\\n\r\t\u{1b}[31m\u{202e}\u{7f}\u{9b}\u{2028}", "\u{10ffff}é"] {
        let line = format!("key = {}", quote(text));
        assert!(line.chars().all(is_harmless), "{line}");
        let table = ::toml::de::DeTable::parse(&line).unwrap();
        let value = table.get_ref().values().next().unwrap().get_ref();
        assert_eq!(value.as_str(), Some(text));
    }
}
