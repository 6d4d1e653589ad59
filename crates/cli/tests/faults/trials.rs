//! Which trials there are, and how long each is.

use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use rustix::process::Signal;

use crate::check::Tally;
use crate::edits;
use crate::escapes::{self, Swap};
use crate::inject::{self, GROUPS, NAMED};
use crate::kills::{self, POLITE};
use crate::learned;
use crate::limits;
use crate::naive::{self, Way};
use crate::one_file;
use crate::subject::{EACH, NEW_TREE, OLD_TREE, PLAIN, ROLE, Subject, Target, VARIANTS, Variant};

/// How much of each trial runs.
#[derive(Clone, Copy)]
enum Form {
    /// The part that a developer waits for.
    Short,
    /// The part that CI runs. Each call that reads fails once there, because the bytes that a
    /// command reads first decide the meaning of all that follow.
    Usual,
    Whole,
}

impl Form {
    fn pick(self, short: usize, usual: usize, whole: usize) -> usize {
        match self {
            Self::Short => short,
            Self::Usual => usual,
            Self::Whole => whole,
        }
    }
}

fn form() -> Form {
    match std::env::var("ABSOLVE_FAULTS").as_deref() {
        Ok("all") => Form::Whole,
        Ok("usual") => Form::Usual,
        _ => Form::Short,
    }
}

/// Of how many calls that read one fails.
fn reads(form: Form) -> usize {
    form.pick(8, 1, 1)
}

pub(crate) fn number(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[expect(clippy::print_stderr, reason = "figures are shown on request")]
pub(crate) fn show(figures: &str) {
    if std::env::var_os("ABSOLVE_FIGURES").is_some() {
        eprintln!("{figures}");
    }
}

pub(crate) fn main() -> ExitCode {
    let form = form();
    match std::env::var(ROLE).as_deref() {
        Ok("naive") => return naive::run(Way::Over),
        Ok("by-path") => return naive::run(Way::ByPath),
        Ok("full_disk") => return limits::inside(|| full_disk(form)),
        Ok("control/full_disk") => return limits::inside(full_disk_control),
        Ok("read_only") => return limits::inside(read_only),
        _ => {}
    }
    let mut trials = random_kills(form);
    trials.extend(at_calls(form));
    trials.extend(limits(form));
    trials.extend(escapes(form));
    trials.extend(edits(form));
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// The trials, or one that is ignored and says why.
fn unless(missing: Option<String>, what: &str, trials: Vec<Trial>) -> Vec<Trial> {
    let Some(why) = missing else { return trials };
    vec![Trial::test(format!("{what}: {why}"), || Ok(())).with_ignored_flag(true)]
}

/// A trial of what does it wrong, which must be found out.
fn control(name: &str, run: impl Fn() -> Result<Tally, Failed> + Send + 'static) -> Trial {
    let own = name.to_owned();
    Trial::test(name, move || caught(&own, run))
}

/// Tries again where the moment decides: a wrong that is there is found sooner or later.
fn caught(name: &str, run: impl Fn() -> Result<Tally, Failed>) -> Result<(), Failed> {
    const ROUNDS: usize = 50;
    for _ in 0..ROUNDS {
        if run()?.is_caught(name) {
            return Ok(());
        }
    }
    Err("the control was not caught".into())
}

fn random_kills(form: Form) -> Vec<Trial> {
    let kills = number("ABSOLVE_FAULTS_KILLS", form.pick(50, 50, 2000));
    let share = kills.div_ceil(VARIANTS.len());
    let mut trials = Vec::new();
    for variant in VARIANTS {
        let name = format!("kills/{}", variant.name);
        trials.push(Trial::test(name.clone(), move || {
            kills::random(Subject::Command, *variant, &[Signal::KILL], share)?.finish(&name)
        }));
        let name = format!("signals/{}", variant.name);
        trials.push(Trial::test(name.clone(), move || {
            kills::random(Subject::Command, *variant, POLITE, share)?.finish(&name)
        }));
    }
    for variant in [PLAIN, NEW_TREE, OLD_TREE] {
        let name = format!("watched/{}", variant.name);
        trials.push(Trial::test(name.clone(), move || {
            kills::watched(Subject::Command, variant, form.pick(3, 3, 50))?.finish(&name)
        }));
    }
    let runs = form.pick(3, 3, 50);
    trials.push(Trial::test("beside", move || {
        kills::beside(Subject::Command, runs)?.finish("beside")
    }));
    trials.push(control("control/kills", || {
        kills::random(Subject::Naive, PLAIN, &[Signal::KILL], 20)
    }));
    trials.push(control("control/watched", || kills::watched(Subject::Naive, PLAIN, 3)));
    trials.push(Trial::test("control/whole", || {
        kills::random(Subject::ByPath, PLAIN, &[Signal::KILL], 10)?.finish("control/whole")
    }));
    trials
}

fn at_calls(form: Form) -> Vec<Trial> {
    // This trial is the longest, and has one thread, so it starts before the others.
    let mut trials = vec![Trial::test("errors/learned", move || learned::trial(reads(form)))];
    let most = form.pick(15, 40, usize::MAX);
    let variants = [PLAIN, NEW_TREE, OLD_TREE, EACH];
    for variant in variants.into_iter().take(form.pick(3, 3, 4)) {
        let name = format!("kills_at_calls/{}", variant.name);
        trials.push(Trial::test(name.clone(), move || {
            inject::at_calls(Subject::Command, variant, &[Signal::KILL], most)?.finish(&name)
        }));
        let name = format!("signals_at_calls/{}", variant.name);
        trials.push(Trial::test(name.clone(), move || {
            inject::at_calls(Subject::Command, variant, POLITE, most / 2)?.finish(&name)
        }));
        for group in GROUPS {
            let name = format!("errors/{}/{}", variant.name, group.name);
            trials.push(Trial::test(name.clone(), move || {
                let step = if group.name == "read" { reads(form) } else { form.pick(15, 7, 1) };
                let tally = inject::errors(Subject::Command, variant, group, step)?;
                // A new tree is not flushed, and some calls a run may do without.
                let is_named = variant.target == Target::InPlace && NAMED.contains(&group.name);
                if is_named { tally.finish(&name) } else { tally.finish_any(&name) }
            }));
        }
    }
    trials.push(control("control/kills_at_calls", || {
        inject::at_calls(Subject::Naive, PLAIN, &[Signal::KILL], 40)
    }));
    trials.push(control("control/signals_at_calls", || {
        inject::at_calls(Subject::ByPath, PLAIN, POLITE, 40)
    }));
    trials.push(Trial::test("signals/one_file", one_file::trial));
    unless(inject::missing(), "faults at system calls", trials)
}

fn escapes(form: Form) -> Vec<Trial> {
    let runs = form.pick(10, 10, 1000);
    let mut trials = Vec::new();
    let mut trial = |variant: Variant, swap: Swap| {
        let name = format!("escapes/{}/{}", variant.name, swap.name);
        trials.push(Trial::test(name.clone(), move || {
            escapes::swapped(Subject::Command, variant, swap, runs)?.finish(&name)
        }));
    };
    for swap in [escapes::FOLDER, escapes::DEEP, escapes::FILE, escapes::ROOT] {
        trial(PLAIN, swap);
    }
    for variant in [NEW_TREE, OLD_TREE] {
        for swap in [escapes::FOLDER, escapes::OUTPUT_FOLDER, escapes::OUTPUT_ROOT] {
            trial(variant, swap);
        }
    }
    let controls = [
        (Subject::ByPath, escapes::FOLDER),
        (Subject::ByPath, escapes::ROOT),
        (Subject::Naive, escapes::FILE),
    ];
    for (subject, swap) in controls {
        let name = format!("control/escapes/{}", swap.name);
        trials.push(control(&name, move || escapes::swapped(subject, PLAIN, swap, 10)));
    }
    trials
}

/// Another program writes the files that a run replaces.
fn edits(form: Form) -> Vec<Trial> {
    let edits = form.pick(200, 600, 15_000);
    vec![
        Trial::test("edits/by_rename", move || {
            edits::by_rename(Subject::Command, edits)?.finish("edits/by_rename")
        }),
        control("control/edits", || edits::by_rename(Subject::ByPath, 600)),
    ]
}

fn limits(form: Form) -> Vec<Trial> {
    let mut trials = Vec::new();
    for variant in [PLAIN, NEW_TREE, OLD_TREE] {
        let name = format!("file_size/{}", variant.name);
        trials.push(Trial::test(name.clone(), move || {
            limits::file_size(Subject::Command, variant, form.pick(17, 17, 1))?.finish(&name)
        }));
        let name = format!("open_files/{}", variant.name);
        trials.push(Trial::test(name.clone(), move || {
            limits::open_files(Subject::Command, variant, form.pick(4, 4, 1))?.finish(&name)
        }));
    }
    trials.push(control("control/file_size", || limits::file_size(Subject::Naive, PLAIN, 17)));
    let mounts = ["full_disk", "control/full_disk", "read_only"]
        .map(|name| Trial::test(name, move || limits::mounted(name)));
    trials.extend(unless(limits::no_mounts(), "full and read-only disks", mounts.into()));
    trials
}

fn full_disk(form: Form) -> Result<(), Failed> {
    for variant in [PLAIN, NEW_TREE, OLD_TREE] {
        let tally = limits::full_disk(Subject::Command, variant, form.pick(7, 7, 1))?;
        tally.finish(&format!("full_disk/{}", variant.name))?;
    }
    Ok(())
}

fn full_disk_control() -> Result<(), Failed> {
    caught("control/full_disk", || limits::full_disk(Subject::Naive, PLAIN, 7))
}

fn read_only() -> Result<(), Failed> {
    for variant in [PLAIN, NEW_TREE, OLD_TREE] {
        let tally = limits::read_only(Subject::Command, variant)?;
        tally.finish(&format!("read_only/{}", variant.name))?;
    }
    Ok(())
}
