//! Tests of the command that need something of the machine, and are ignored with the reason where
//! it is missing: extended attributes, another user, names that are not UTF-8, GNU patch.

#![cfg_attr(unix, expect(clippy::unwrap_used, reason = "a test fails by panicking"))]

#[cfg(unix)]
mod files;
#[cfg(unix)]
mod origins;
#[cfg(unix)]
#[path = "../it/trees/site.rs"]
#[expect(dead_code, reason = "the tests of trees use the rest")]
mod site;
#[cfg(unix)]
mod user;

use libtest_mimic::Trial;

fn main() {
    libtest_mimic::run(&libtest_mimic::Arguments::from_args(), trials()).exit();
}

#[cfg(unix)]
fn trials() -> Vec<Trial> {
    [files::trials(), origins::trials(), user::trials()].into_iter().flatten().collect()
}

#[cfg(not(unix))]
fn trials() -> Vec<Trial> {
    Vec::new()
}

/// A test, which is ignored where something is missing.
#[cfg(unix)]
fn trial(name: &str, missing: Option<&str>, test: fn()) -> Trial {
    let name = missing.map_or_else(|| name.to_owned(), |missing| format!("{name} ({missing})"));
    let run = move || {
        test();
        Ok(())
    };
    Trial::test(name, run).with_ignored_flag(missing.is_some())
}

/// Why files in folders for tests have no extended attributes.
#[cfg(target_os = "linux")]
fn no_xattrs() -> Option<&'static str> {
    let file = tempfile::NamedTempFile::new().unwrap();
    let set = xattr::set(file.path(), "user.absolve", b"x");
    set.is_err().then_some("no extended attributes")
}
