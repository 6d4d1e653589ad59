use clap::error::ErrorKind;

use super::*;

use crate::args::{AuditArgs, RewriteArgs, option_traits};

#[test]
fn every_option_is_a_key_but_those_about_the_configuration() {
    let keys = Keys::new::<AuditArgs>();
    let takes = |name: &str| keys.get(name).map(|key| key.value_kind());
    assert_eq!(takes("path"), Some(ValueKind::Paths));
    assert_eq!(takes("base-url"), Some(ValueKind::Text));
    assert_eq!(takes("rule"), Some(ValueKind::List));
    assert_eq!(takes("index"), Some(ValueKind::List));
    assert_eq!(takes("only"), Some(ValueKind::List));
    assert_eq!(takes("report-only"), Some(ValueKind::List));
    assert_eq!(takes("meta"), Some(ValueKind::Flag));
    assert_eq!(takes("jobs"), Some(ValueKind::Number));
    for name in ["config", "no-config", "print-config", "explain", "dir", "help", "limit"] {
        assert_eq!(takes(name), None, "{name}");
    }
    assert!(keys.check(&[]).is_ok());
    let keys = Keys::new::<RewriteArgs>();
    let takes = |name: &str| keys.get(name).map(|key| key.value_kind());
    assert_eq!(takes("path"), Some(ValueKind::Paths));
    assert_eq!(takes("output"), Some(ValueKind::Text));
    assert_eq!(takes("write"), Some(ValueKind::Flag));
    assert_eq!(takes("backup"), Some(ValueKind::Text));
    assert_eq!(takes("learn"), Some(ValueKind::List));
    assert_eq!(takes("print-config"), None);
    assert!(keys.check(&[]).is_ok());
}

#[test]
fn a_key_needs_another_where_its_option_requires_one() {
    fn check<A: TableArgs>() {
        let keys = Keys::new::<A>();
        for key in keys.iter() {
            let argument = match key.value_kind() {
                ValueKind::Flag => key.flag(),
                ValueKind::Number => key.argument("1", Path::new("")),
                _ => key.argument("x", Path::new("")),
            };
            let parsed = keys.command.clone().try_get_matches_from([argument]);
            let is_incomplete =
                parsed.is_err_and(|error| error.kind() == ErrorKind::MissingRequiredArgument);
            let needs =
                option_traits(key.name).iter().any(|one| matches!(one, OptionTrait::Needs(_)));
            assert_eq!(is_incomplete, needs, "{}", key.name);
        }
    }
    check::<AuditArgs>();
    check::<RewriteArgs>();
}

#[test]
fn keys_exclude_each_other_as_their_options_do() {
    let keys = Keys::new::<RewriteArgs>();
    assert!(keys.exclude("write", "output") && keys.exclude("output", "write"));
    assert!(keys.exclude("path", "files-from"));
    assert!(!keys.exclude("write", "path"));
}

#[test]
fn paths_count_from_the_folder_of_the_file() {
    let keys = Keys::new::<AuditArgs>();
    let argument = |key: &str, value: &str| {
        keys.get(key).unwrap().argument(value, Path::new("../up")).into_string().unwrap()
    };
    assert_eq!(argument("baseline", "b.jsonl"), "--baseline=../up/b.jsonl");
    assert_eq!(argument("baseline", ""), "--baseline=");
    assert_eq!(argument("root-dir", "/srv"), "--root-dir=/srv");
    assert_eq!(argument("report-only", "-x"), "--report-only=../up/-x");
    assert_eq!(argument("format", "sarif=a=b"), "--format=sarif=../up/a=b");
    assert_eq!(argument("format", "sarif=-"), "--format=sarif=-");
    assert_eq!(argument("format", "text"), "--format=text");
    assert_eq!(argument("include", "a/*.html"), "--include=a/*.html");
    assert_eq!(argument("path", "site"), "../up/site");
    let here = |value| keys.get("path").unwrap().argument(value, Path::new(""));
    assert_eq!(here("-w"), "./-w");
    assert_eq!(here("-"), "./-");
}
