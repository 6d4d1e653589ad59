//! Errors while a run looks for what the URLs of documents are learned from: each document is
//! written as in an undisturbed run, or is not written, with exit code 2.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::Failed;

const PAGE: &str = "<a href=x>1</a>";

/// Calls that look for files, and what may be read of them.
const CALLS: &[&str] = &["readlink", "readlinkat", "statx", "getdents64", "openat", "openat2"];

/// Exit code of the dynamic loader, if the command never began.
const NOT_LOADED: i32 = 127;

/// A folder of documents, the options of a run, and its PATH.
struct Site {
    folder: PathBuf,
    options: &'static [&'static str],
    path: &'static str,
}

impl Site {
    fn write(&self, name: &str, text: &str) -> Result<(), Failed> {
        let path = self.folder.join(name);
        fs::create_dir_all(path.parent().unwrap_or(&self.folder))?;
        Ok(fs::write(path, text)?)
    }

    /// The words of a run, and its output.
    fn command(&self, output: &Path) -> Vec<String> {
        let binary = env!("CARGO_BIN_EXE_absolve");
        let words = [binary, "rewrite", "-q", "-j", "1", "--no-config", self.path, "-o"];
        let output = output.to_string_lossy().into_owned();
        let words = words.into_iter().chain(self.options.iter().copied());
        let mut words: Vec<_> = words.map(str::to_owned).collect();
        words.insert(8, output);
        words
    }

    fn run(&self, words: &[String]) -> Result<Option<i32>, Failed> {
        let mut command = Command::new(&words[0]);
        Ok(command.args(&words[1..]).current_dir(&self.folder).output()?.status.code())
    }

    /// An error at every nth call of a run, one a run; how many there were.
    fn check(&self, work: &Path, step: usize) -> Result<usize, Failed> {
        let expected = work.join("expected");
        if self.run(&self.command(&expected))? != Some(0) {
            return Err(format!("{}: the undisturbed run fails", self.path).into());
        }
        let expected = documents(&expected)?;
        let mut hits = 0;
        for call in CALLS {
            for number in (1..).step_by(step) {
                let (output, log) = (work.join(format!("{call}-{number}")), work.join("log"));
                let trace = format!("trace={call}");
                let inject = format!("inject={call}:error=EIO:when={number}");
                let log_name = log.to_string_lossy();
                let strace = ["strace", "-f", "-qq", "-o", &log_name, "-e", &trace, "-e", &inject];
                let mut words: Vec<_> = strace.map(str::to_owned).to_vec();
                words.extend(self.command(&output));
                let code = self.run(&words)?;
                if !fs::read_to_string(&log)?.contains("(INJECTED)") {
                    break;
                }
                hits += 1;
                let found = documents(&output)?;
                let is_as_expected =
                    found.iter().all(|(name, text)| expected.get(name) == Some(text));
                let is_complete = found.len() == expected.len();
                let is_reported = matches!(code, Some(2 | NOT_LOADED));
                if !is_as_expected || !(is_complete || is_reported) {
                    let what = format!("{} {call} {number}: {code:?} {found:?}", self.path);
                    return Err(what.into());
                }
            }
        }
        Ok(hits)
    }
}

/// The documents of an output that is a folder or a file.
fn documents(output: &Path) -> Result<BTreeMap<PathBuf, String>, Failed> {
    let mut found = BTreeMap::new();
    let mut paths = vec![output.to_owned()];
    while let Some(path) = paths.pop() {
        if path.is_dir() {
            for entry in fs::read_dir(&path)? {
                paths.push(entry?.path());
            }
        } else if path.exists() {
            let name = path.strip_prefix(output)?.to_owned();
            found.insert(name, fs::read_to_string(&path)?);
        }
    }
    Ok(found)
}

pub(crate) fn trial(step: usize) -> Result<(), Failed> {
    const LAYOUT: &[&str] = &["--layout", "host-path"];
    let mut hits = 0;
    for (path, options) in
        [(".", &[][..]), ("zone.html", &[]), (".", LAYOUT), ("www.example.org/page.html", LAYOUT)]
    {
        let temporary = tempfile::tempdir()?;
        let folder = temporary.path().join("example.com");
        let site = Site { folder, options, path };
        site.write("page.html", PAGE)?;
        site.write("saved.html", &format!("<!-- saved from url=(0011)http://s/a/ -->{PAGE}"))?;
        for name in ["zone.html", "sub/zone.html"] {
            site.write(name, PAGE)?;
            site.write(&format!("{name}:Zone.Identifier"), "HostUrl=http://z/a/\n")?;
        }
        site.write("www.example.org/page.html", PAGE)?;
        let work = tempfile::tempdir()?;
        hits += site.check(work.path(), step)?;
    }
    if hits < 50 { Err(format!("only {hits} errors").into()) } else { Ok(()) }
}
