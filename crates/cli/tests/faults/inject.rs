//! Faults and signals at system calls, by strace.
//!
//! A short write is not among them: strace can give a call another result, but then nothing is
//! written at all, and a result that says otherwise is one that no kernel gives. The limits of
//! file sizes and the full disk make the kernel write less than it is asked to.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};

use libtest_mimic::Failed;
use rustix::process::Signal;

use crate::check::{Fate, Scene, Tally};
use crate::kills::is_expected;
use crate::random::Random;
use crate::subject::{Place, Subject, Variant};
use crate::tree::Size;

/// A fault: what fails, as which system calls, with which errors.
pub(crate) struct Group {
    pub(crate) name: &'static str,
    calls: &'static [&'static str],
    errors: &'static [&'static str],
    meaning: Meaning,
}

/// How a run may end that meets a fault.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meaning {
    /// The run may succeed, if it did everything.
    Open,
    /// The run has to fail: data that was not flushed cannot be reported as written.
    Fails,
    /// Its temporary files may stay, as after a kill.
    Stays,
}

pub(crate) const GROUPS: &[Group] = &[
    Group {
        name: "write",
        calls: &["write", "pwrite64", "writev", "copy_file_range", "sendfile"],
        errors: &["ENOSPC", "EIO", "EDQUOT", "EINTR"],
        meaning: Meaning::Open,
    },
    Group {
        name: "fsync",
        calls: &["fsync", "fdatasync", "syncfs", "sync_file_range"],
        errors: &["EIO", "ENOSPC"],
        meaning: Meaning::Fails,
    },
    Group {
        name: "rename",
        calls: &["rename", "renameat", "renameat2", "link", "linkat"],
        errors: &["EACCES", "EIO", "ENOSPC"],
        meaning: Meaning::Open,
    },
    Group {
        name: "fchmod",
        calls: &["chmod", "fchmod", "fchmodat", "fchown", "fchownat", "fsetxattr", "utimensat"],
        errors: &["EPERM", "EIO"],
        meaning: Meaning::Open,
    },
    Group {
        name: "openat",
        calls: &["open", "openat", "openat2", "mkdir", "mkdirat"],
        errors: &["EMFILE", "EACCES", "EIO", "EINTR"],
        meaning: Meaning::Open,
    },
    Group {
        name: "read",
        calls: &["read", "pread64", "getdents64", "statx", "newfstatat", "fstat"],
        errors: &["EIO", "EINTR"],
        meaning: Meaning::Open,
    },
    Group {
        name: "flock",
        calls: &["flock", "ftruncate", "fallocate"],
        errors: &["ENOLCK", "EIO"],
        meaning: Meaning::Open,
    },
    Group {
        name: "unlink",
        calls: &["unlink", "unlinkat"],
        errors: &["EACCES", "EIO"],
        meaning: Meaning::Stays,
    },
];

/// The groups that every run in place meets.
pub(crate) const NAMED: &[&str] = &["write", "fsync", "rename", "fchmod", "openat"];

/// Why there is no strace here, if there is none.
pub(crate) fn missing() -> Option<String> {
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-o", "/dev/null", "true"]).stdin(Stdio::null());
    match command.output() {
        Err(error) => Some(format!("strace: {error}")),
        Ok(output) if !output.status.success() => {
            Some(String::from_utf8_lossy(&output.stderr).trim().to_owned())
        }
        Ok(_) => None,
    }
}

/// The log of what strace saw, outside of what is checked.
fn log(place: &Place) -> String {
    place.path().join("log").to_string_lossy().into_owned()
}

fn words(place: &Place, more: &[&str]) -> Vec<String> {
    let first = ["strace", "-f", "-qq", "-o", &log(place)].map(str::to_owned);
    first.into_iter().chain(more.iter().map(|word| (*word).to_owned())).collect()
}

/// Every system call of an undisturbed run: its name and its number among those of that name.
///
/// NOTE: strace counts by thread. Of threads that make the same call, the one that is the first
/// to come to a number is struck.
pub(crate) fn points(scene: &Scene) -> Result<Vec<(String, usize)>, Failed> {
    let place = scene.place()?;
    let ending = scene.run(&place).within(words(&place, &[])).finish()?;
    if ending.code() != Some(0) {
        return Err(format!("traced: {}", ending.describe()).into());
    }
    let text = std::fs::read_to_string(log(&place))?;
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut points = Vec::new();
    for line in text.lines() {
        let Some((thread, call)) = line.split_once(' ') else { continue };
        let Some((name, _)) = call.trim_start().split_once('(') else { continue };
        if !name.starts_with(|first: char| first.is_ascii_lowercase()) {
            continue;
        }
        let count = counts.entry((thread, name)).or_default();
        *count += 1;
        points.push((name.to_owned(), *count));
    }
    points.sort();
    points.dedup();
    Ok(points)
}

/// A signal at every system call of a run, or at a number of them.
pub(crate) fn at_calls(
    subject: Subject,
    variant: Variant,
    signals: &[Signal],
    most: usize,
) -> Result<Tally, Failed> {
    let scene = Scene::new(subject, variant, Size::Small)?;
    let points = points(&scene)?;
    let mut random = Random(crate::number("ABSOLVE_SEED", 1) as u64);
    let mut tally = Tally::default();
    let step = points.len().div_ceil(most).max(1);
    for (at, (name, number)) in points.iter().enumerate().skip(random.below(step)).step_by(step) {
        let signal = signals[at / step % signals.len()];
        let what = format!("{} {signal:?} at {name} {number}", variant.name);
        let place = scene.place()?;
        let trace = format!("trace={name}");
        // The name of a signal is its number for strace too.
        let inject = format!("inject={name}:signal={}:when={number}", signal.as_raw());
        let run = scene.run(&place).within(words(&place, &["-e", &trace, "-e", &inject]));
        let ending = run.finish()?;
        is_expected(&mut tally, &ending, signal, &what);
        tally.check(&scene, &place, &ending, &what);
    }
    Ok(tally)
}

/// How many of the first calls of each name fail, each in a run of its own.
const CALLS: usize = 30;

/// Injects an error into each of the first calls of a group, one a run.
pub(crate) fn errors(
    subject: Subject,
    variant: Variant,
    group: &Group,
    step: usize,
) -> Result<Tally, Failed> {
    let scene = Scene::new(subject, variant, Size::Many)?;
    let mut tally = Tally::default();
    let calls = group.calls.iter().map(|call| format!("?{call}")).collect::<Vec<_>>().join(",");
    for error in group.errors {
        for number in (1..=CALLS).step_by(step) {
            let what = format!("{} {} {error} at call {number}", variant.name, group.name);
            let place = scene.place()?;
            let trace = format!("trace={calls}");
            let inject = format!("inject={calls}:error={error}:when={number}");
            let run = scene.run(&place).within(words(&place, &["-e", &trace, "-e", &inject]));
            let ending = run.finish()?;
            let seen = std::fs::read_to_string(log(&place))?;
            if !seen.contains("(INJECTED)") {
                tally.misses += 1;
                tally.check(&scene, &place, &ending, &what);
                break;
            }
            tally.hits += 1;
            if ending.code() == Some(0) && group.meaning == Meaning::Fails {
                tally.fail(format!("{what}: exit 0"));
            }
            let fate = if group.meaning == Meaning::Stays { Fate::Killed } else { Fate::Ended };
            tally.check_after(&scene, &place, &ending, fate, &what);
        }
    }
    Ok(tally)
}
