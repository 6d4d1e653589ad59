//! A signal while one document is written to a file: the file is complete, and nothing else stays.

use std::fs;
use std::process::Command;

use libtest_mimic::Failed;
use rustix::process::Signal;

const RUNS: &[&[&str]] =
    &[&["rewrite", "-q", "-b", "http://h/", "page.html"], &["extract", "page.eml!0"]];

pub(crate) fn trial() -> Result<(), Failed> {
    let temporary = tempfile::tempdir()?;
    let folder = temporary.path();
    fs::write(folder.join("page.html"), "<a href=x>")?;
    fs::write(folder.join("page.eml"), "Content-Type: text/html\n\n<a href=http://h/x>")?;
    for words in RUNS {
        let signal = Signal::TERM.as_raw();
        let inject = format!("inject=fsync:signal={signal}:when=1");
        let strace = ["-f", "-qq", "-o", "log", "-e", "trace=fsync", "-e", &inject];
        let mut command = Command::new("strace");
        command.args(strace).arg(env!("CARGO_BIN_EXE_absolve")).args(*words).args(["-o", "out"]);
        let status = command.current_dir(folder).status()?;
        let mut names = Vec::new();
        for entry in fs::read_dir(folder)? {
            names.push(entry?.file_name().to_string_lossy().into_owned());
        }
        names.sort();
        let text = fs::read_to_string(folder.join("out")).unwrap_or_default();
        let is_complete = names == ["log", "out", "page.eml", "page.html"]
            && text.trim_end() == "<a href=http://h/x>";
        if !is_complete || status.code() != Some(128 + signal) {
            return Err(format!("{words:?}: {status} {names:?} {text:?}").into());
        }
        fs::remove_file(folder.join("out"))?;
    }
    Ok(())
}
