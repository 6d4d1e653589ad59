//! Signals at random moments.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use libtest_mimic::Failed;
use rustix::process::{Pid, Signal};

use crate::check::{Fate, Scene, Tally, is_temporary};
use crate::random::Random;
use crate::subject::{EACH, Ending, Place, Subject, Variant};
use crate::tree::Size;

/// Signals that a run handles by removing its temporary files.
pub(crate) const POLITE: &[Signal] = &[Signal::INT, Signal::TERM, Signal::HUP];

/// Sends signals to runs until that number of runs was struck by one.
pub(crate) fn random(
    subject: Subject,
    variant: Variant,
    signals: &[Signal],
    count: usize,
) -> Result<Tally, Failed> {
    let scene = Scene::new(subject, variant, Size::Large)?;
    let mut random = Random(crate::number("ABSOLVE_SEED", 1) as u64);
    let mut tally = Tally::default();
    let longest = usize::try_from(scene.duration.as_micros()).unwrap_or(usize::MAX);
    for round in 0..count * 4 {
        if tally.hits == count {
            break;
        }
        let signal = signals[round % signals.len()];
        let moment = Duration::from_micros(random.below(longest) as u64);
        let what = format!("{} {signal:?} after {moment:?}", variant.name);
        let place = scene.place()?;
        let running = scene.run(&place).start()?;
        sleep(moment);
        running.signal(signal);
        let ending = running.end()?;
        is_expected(&mut tally, &ending, signal, &what);
        tally.check(&scene, &place, &ending, &what);
    }
    Ok(tally)
}

/// Checks the end of a run that was sent a signal.
pub(crate) fn is_expected(tally: &mut Tally, ending: &Ending, signal: Signal, what: &str) {
    let number = signal.as_raw();
    // Before it listens, and after it has done everything, the signal ends it as any program.
    let is_struck = ending.signal() == Some(number) || ending.code() == Some(128 + number);
    if is_struck {
        tally.hits += 1;
    } else if ending.code() == Some(0) {
        tally.misses += 1;
    } else {
        tally.fail(format!("{what}: {}", ending.describe()));
    }
}

/// Runs that nothing disturbs, and somebody who reads the documents all the while.
pub(crate) fn watched(subject: Subject, variant: Variant, runs: usize) -> Result<Tally, Failed> {
    let scene = Scene::new(subject, variant, Size::Large)?;
    let mut tally = Tally::default();
    for _ in 0..runs {
        let place = scene.place()?;
        let mut running = scene.run(&place).start()?;
        while !running.has_ended() {
            for torn in scene.torn(&place) {
                tally.fail(format!("{}: {torn}", variant.name));
            }
        }
        tally.hits += 1;
        tally.check(&scene, &place, &running.end()?, variant.name);
    }
    Ok(tally)
}

/// A run is stopped while another one works on the same tree.
pub(crate) fn beside(subject: Subject, count: usize) -> Result<Tally, Failed> {
    let mut tally = Tally::default();
    let scene = Scene::new(subject, EACH, Size::Large)?;
    let start = Instant::now();
    while tally.hits < count && start.elapsed() < Duration::from_secs(60) {
        let place = scene.place()?;
        let mut first = scene.run(&place).start()?;
        while temporaries(&place).is_empty() && !first.has_ended() {}
        first.signal(Signal::STOP);
        while !is_stopped_process(first.pid()) && !first.has_ended() {}
        let (left, unlocked): (Vec<_>, Vec<_>) =
            temporaries(&place).into_iter().partition(|path| is_locked(path));
        if left.is_empty() || first.has_ended() {
            tally.misses += 1;
        } else {
            tally.hits += 1;
            let second = scene.run(&place).finish()?;
            if !matches!(second.code(), Some(0 | 2)) {
                tally.fail(format!("the second run: {}", second.describe()));
            }
            let mut after = temporaries(&place);
            // Stopped between the creation of one and its lock, or after an exchange: the second
            // run may remove it, and the first one then takes another.
            after.retain(|path| !unlocked.contains(path));
            if left != after {
                tally.fail(format!("of {left:?} a run beside left {after:?}"));
            }
        }
        first.signal(Signal::CONT);
        let ending = first.end()?;
        if !matches!(ending.code(), Some(0 | 2)) {
            tally.fail(format!("the first run: {}", ending.describe()));
        }
        tally.state(&scene, &place, Fate::Ended, "beside");
        tally.rerun(&scene, &place, "beside");
    }
    Ok(tally)
}

/// Whether a run has a temporary file in use. Those of a stopped run alone do not change.
fn is_locked(path: &Path) -> bool {
    let lock = File::open(path).and_then(|file| Ok(file.try_lock()?));
    lock.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
}

/// Whether no thread of a process goes on.
fn is_stopped_process(pid: Pid) -> bool {
    let tasks = std::fs::read_dir(format!("/proc/{}/task", pid.as_raw_nonzero()));
    let states = tasks.into_iter().flatten().flatten().map(|task| {
        let text = std::fs::read_to_string(task.path().join("stat")).unwrap_or_default();
        // After the name, which may hold anything, in parentheses.
        text.rsplit(") ").next().and_then(|rest| rest.chars().next())
    });
    states.into_iter().all(|state| state == Some('T'))
}

/// The temporary files that there are while runs are at work.
fn temporaries(place: &Place) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![place.site()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        for entry in entries.flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(entry.path());
            } else if is_temporary(&entry.path()) {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    found
}
