use super::*;

fn joined_from(typed: &str, text: &str) -> Result<(AuditArgs, ArgMatches), String> {
    let typed = ["absolve"].into_iter().chain(typed.split_whitespace()).map(OsString::from);
    let file = (Path::new("../absolve.toml"), text);
    joined(typed.collect(), Some(file)).map_err(|failure| match failure {
        Failure::Message(message) => message,
        Failure::ClosedPipe => String::new(),
    })
}

#[track_caller]
fn values(typed: &str, text: &str, id: &str, expected: &[&str]) {
    let (_, matches) = joined_from(typed, text).unwrap();
    let found: Vec<_> = matches.get_raw(id).into_iter().flatten().collect();
    assert_eq!(found, expected, "{typed} with {text}");
}

#[track_caller]
fn refuses(text: &str, why: &str) {
    let told = joined_from("audit site", text).map(|_| ());
    assert_eq!(told, Err(format!("../absolve.toml:{why}")), "{text}");
}

#[test]
fn a_key_says_what_its_option_says() {
    values("audit site", "server = 'netlify'", "server", &["netlify"]);
    values("audit site", "base-url = 'https://h/'", "base_url", &["https://h/"]);
    values("audit site", "jobs = 0x10", "jobs", &["16"]);
    values("audit site", "max-input = 7\nmax-links = 8", "max_input", &["7"]);
    values("audit site", "max-input = '64k'", "max_input", &["64k"]);
    values("audit site", "alias = ['a', 'b']", "alias", &["a", "b"]);
    values("audit site", "baseline = 'b.jsonl'", "baseline", &["../b.jsonl"]);
    values("-q audit site", "report-only = ['a.html', 'b']", "dir", &["site"]);
    values("--color never audit site", "index = ['a', 'b']", "index", &["a", "b"]);
    let (args, _) =
        joined_from("audit site", "anchor-ranges = true\nextensionless = false").unwrap();
    assert!(args.looking.anchor_ranges && !args.serving.extensionless);
}

#[test]
fn what_is_typed_beats_the_key_of_its_name() {
    values("audit site --server plain", "server = 'netlify'", "server", &["plain"]);
    values("audit site --alias c", "alias = ['a', 'b']", "alias", &["c"]);
    values("audit site -j 1", "jobs = 2", "jobs", &["1"]);
    values("audit -b http://i/ site", "base-url = 'http://h/'", "base_url", &["http://i/"]);
    // Of options that complete each other, the typed one is the last.
    let (args, _) =
        joined_from("audit site --ignore-rule bad-tel", "rule = ['bad-tel=error']").unwrap();
    let levels: Vec<_> = args.looking.levels().iter().map(|(_, level)| level.name()).collect();
    assert_eq!(levels, ["error", "off"]);
}

#[test]
fn settings_are_in_the_order_of_the_file() {
    let levels = |text| {
        let (args, _) = joined_from("audit site", text).unwrap();
        args.looking.levels().iter().map(|(_, level)| level.name()).collect::<Vec<_>>()
    };
    assert_eq!(levels("rule = ['bad-tel=warn']\nignore-rule = ['bad-tel']"), ["warn", "off"]);
    assert_eq!(levels("ignore-rule = ['bad-tel']\nrule = ['bad-tel=warn']"), ["off", "warn"]);
}

#[test]
fn a_wrong_key_is_told_with_its_place() {
    refuses("\n  base-ulr = ''", "2:3: no such key 'base-ulr', did you mean 'base-url'?");
    refuses("base_url = ''", "1:1: no such key 'base_url', did you mean 'base-url'?");
    refuses(
        "[server]\nname = ''",
        "1:1: 'server' takes a string, such as server = \"...\", not a table",
    );
    refuses(
        "\"\\u001b[1m\\n\" = 1",
        "1:1: no such key '\\u{1b}[1m\\n'; the keys are the options of 'absolve audit --help'",
    );
    refuses(
        "print-config = true",
        "1:1: 'print-config' is no key, only an option; take it away, and give --print-config",
    );
    refuses(
        "dir = 'site'",
        "1:1: no such key 'dir'; the keys are the options of 'absolve audit --help'",
    );
}

#[test]
fn a_wrong_value_is_told_with_its_place() {
    refuses("jobs = 'x'", "1:8: 'jobs' takes a whole number, such as jobs = 4, not a string");
    refuses(
        "rule = 'bad-tel=off'",
        "1:8: 'rule' takes an array of strings, such as rule = [\"...\"], not a string",
    );
    refuses(
        "rule = [\n  'bad-tel=off', 1 ]",
        "2:18: 'rule' takes an array of strings, such as rule = [\"...\"], not an integer",
    );
    refuses(
        "extensionless = 'yes'",
        "1:17: 'extensionless' takes true or false, such as extensionless = true, not a string",
    );
    refuses(
        "# é\nalias = ['é', '/']",
        "2:15: '/' is nothing that 'alias' takes: '/' is no host, expected a name such as www.example.org",
    );
    refuses(
        "server = \"\\u001b[31m\"",
        "1:10: '\\u{1b}[31m' is nothing that 'server' takes: expected one of plain, github-pages, netlify, file",
    );
    refuses("jobs = 300", "1:8: '300' is nothing that 'jobs' takes: 300 is not in 0..=256");
    refuses("jobs = -1", "1:8: '-1' is nothing that 'jobs' takes: -1 is not in 0..=256");
    refuses(
        "include = ['a[']",
        "1:12: 'a[' is nothing that 'include' takes: unclosed character class; missing ']'",
    );
    refuses("baseline = ''", "1:12: 'baseline' takes a value that is not empty");
    refuses(
        "max-links = 99999999999999999999999999999999999999999",
        "1:13: the number of 'max-links' is too large",
    );
}

#[test]
fn what_is_no_toml_is_told_with_its_place() {
    for text in ["x", "jobs = 1\njobs = 2", "a = \u{1}", "rule = ["] {
        let told = joined_from("audit site", text).map(|_| ()).unwrap_err();
        let rest = told.strip_prefix("../absolve.toml:").unwrap();
        assert!(rest.starts_with(['1', '2']) && rest.ends_with("as TOML has it"), "{told}");
    }
}
