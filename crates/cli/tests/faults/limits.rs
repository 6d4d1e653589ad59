//! Limits that the kernel sets: the size of files, open files, a full disk, a disk that cannot be
//! written to. At the first and the third it writes less than it is asked to.

use std::fs::{self, File};
use std::io::Write;
use std::process::{Command, ExitCode, Stdio};

use libtest_mimic::Failed;

use crate::check::{Scene, Tally};
use crate::subject::{Place, ROLE, Subject, Variant};
use crate::tree::Size;

/// Wraps the command in a script of a shell, which then becomes the command.
fn shell(script: &str) -> Vec<String> {
    let script = format!("{script}; exec \"$@\"");
    ["sh", "-c", &script, "sh"].map(str::to_owned).to_vec()
}

/// Bytes in a unit of a shell's limit of file sizes.
const BLOCK: usize = 512;

/// No file may grow beyond a size, with its signal handled and not.
pub(crate) fn file_size(subject: Subject, variant: Variant, step: usize) -> Result<Tally, Failed> {
    let scene = Scene::new(subject, variant, Size::Small)?;
    let mut tally = Tally::default();
    // Beyond the largest page, so that the last runs are disturbed no more.
    for blocks in (0..100_000 / BLOCK).step_by(step) {
        for heard in ["", "trap '' XFSZ; "] {
            let what = format!("{} {heard}ulimit -f {blocks}", variant.name);
            let place = scene.place()?;
            let words = shell(&format!("{heard}ulimit -f {blocks}"));
            let ending = scene.run(&place).within(words).finish()?;
            tally.limited(&scene, &place, &ending, &what);
        }
    }
    Ok(tally)
}

/// The number of files that may be open.
pub(crate) fn open_files(subject: Subject, variant: Variant, step: usize) -> Result<Tally, Failed> {
    let scene = Scene::new(subject, variant, Size::Small)?;
    let mut tally = Tally::default();
    for most in (3..41).step_by(step) {
        let what = format!("{} ulimit -n {most}", variant.name);
        let place = scene.place()?;
        let words = shell(&format!("ulimit -n {most}"));
        let ending = scene.run(&place).within(words).finish()?;
        tally.limited(&scene, &place, &ending, &what);
    }
    Ok(tally)
}

impl Tally {
    fn limited(
        &mut self,
        scene: &Scene,
        place: &Place,
        ending: &crate::subject::Ending,
        what: &str,
    ) {
        if ending.code() == Some(0) {
            self.misses += 1;
        } else {
            self.hits += 1;
        }
        self.check(scene, place, ending, what);
    }
}

/// How to have mounts that no other process sees, or why there are none.
fn unshared() -> Result<&'static [&'static str], String> {
    const WAYS: &[&[&str]] = &[&["unshare", "-m"], &["unshare", "-rm"]];
    let mut errors = Vec::new();
    for way in WAYS {
        let mut command = Command::new(way[0]);
        command.args(&way[1..]).args(["mount", "-t", "tmpfs", "tmpfs", "/mnt"]);
        match command.stdin(Stdio::null()).output() {
            Ok(output) if output.status.success() => return Ok(way),
            Ok(output) => errors.push(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
            Err(error) => errors.push(format!("unshare: {error}")),
        }
    }
    Err(errors.join("; "))
}

/// Why nothing can be mounted here, if nothing can.
pub(crate) fn no_mounts() -> Option<String> {
    unshared().err()
}

/// Runs a trial of this binary where it may mount: the mounts end with it, however it ends.
pub(crate) fn mounted(trial: &str) -> Result<(), Failed> {
    let way = unshared()?;
    let mut command = Command::new(way[0]);
    command.args(&way[1..]).arg(std::env::current_exe()?).env(ROLE, trial);
    let output = command.stdin(Stdio::null()).output()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(errors.into_owned().into());
    }
    crate::show(errors.trim_end());
    Ok(())
}

/// The other side of [`mounted`].
#[expect(clippy::print_stderr, reason = "it is read by who started this")]
pub(crate) fn inside(trial: impl FnOnce() -> Result<(), Failed>) -> ExitCode {
    match trial() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failed) => {
            eprintln!("{}", failed.message().unwrap_or_default());
            ExitCode::FAILURE
        }
    }
}

fn mount(words: &[&str]) -> Result<(), Failed> {
    let output = Command::new("mount").args(words).stdin(Stdio::null()).output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&output.stderr).into_owned().into())
}

/// A disk with room for a number of pages of memory beside the tree, and more from run to run.
pub(crate) fn full_disk(subject: Subject, variant: Variant, step: usize) -> Result<Tally, Failed> {
    const PAGE: usize = 4096;
    let scene = Scene::new(subject, variant, Size::Small)?;
    let mut tally = Tally::default();
    for free in (0..64).step_by(step) {
        let what = format!("{} {free} pages free", variant.name);
        let place = Place::new()?;
        let folder = place.path().to_string_lossy().into_owned();
        mount(&["-t", "tmpfs", "-o", "size=2m", "tmpfs", &folder])?;
        scene.put(&place)?;
        let filler = place.path().join("filler");
        let mut file = File::create(&filler)?;
        let mut size = 0;
        while file.write_all(&[0; PAGE]).is_ok() {
            size += PAGE;
        }
        file.set_len(size.saturating_sub(free * PAGE) as u64)?;
        drop(file);
        let ending = scene.run(&place).finish()?;
        fs::remove_file(&filler)?;
        tally.limited(&scene, &place, &ending, &what);
        let unmounted = Command::new("umount").arg(&folder).status()?;
        assert!(unmounted.success(), "{folder} is in use");
    }
    Ok(tally)
}

/// A disk that cannot be written to: nothing changes, and the run says so.
pub(crate) fn read_only(subject: Subject, variant: Variant) -> Result<Tally, Failed> {
    let scene = Scene::new(subject, variant, Size::Small)?;
    let mut tally = Tally::default();
    let place = Place::new()?;
    let folder = place.path().to_string_lossy().into_owned();
    mount(&["-t", "tmpfs", "tmpfs", &folder])?;
    scene.put(&place)?;
    mount(&["-o", "remount,ro", &folder])?;
    let ending = scene.run(&place).finish()?;
    if ending.code() != Some(2) {
        tally.fail(format!("{}: {}", variant.name, ending.describe()));
    }
    tally.state(&scene, &place, crate::check::Fate::Ended, variant.name);
    mount(&["-o", "remount,rw", &folder])?;
    tally.limited(&scene, &place, &ending, variant.name);
    Command::new("umount").arg(&folder).status()?;
    Ok(tally)
}
