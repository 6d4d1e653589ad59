//! A folder, a file and the root change places with symbolic links that lead outside, again and
//! again while a run is at work. Outside are the same names: what is written there by mistake
//! finds its place, and is seen by the times of the files and folders even if it is gone again.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use libtest_mimic::Failed;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::process::Pid;

use crate::check::{Fate, Scene, Tally, is_temporary};
use crate::random::Random;
use crate::subject::{Place, Subject, Target, Variant};
use crate::tree::Size;

/// Two paths that exchange places, one of which is a link.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Swap {
    pub(crate) name: &'static str,
    /// Whether it is in the tree that is read or in the one that is written.
    side: Target,
    /// Below the root; empty for the root itself.
    path: &'static str,
}

pub(crate) const FOLDER: Swap = Swap { name: "folder", side: Target::InPlace, path: "a" };
pub(crate) const DEEP: Swap = Swap { name: "deep", side: Target::InPlace, path: "a/b" };
pub(crate) const FILE: Swap = Swap { name: "file", side: Target::InPlace, path: "page08.htm" };
pub(crate) const ROOT: Swap = Swap { name: "root", side: Target::InPlace, path: "" };
pub(crate) const OUTPUT_FOLDER: Swap =
    Swap { name: "output_folder", side: Target::NewTree, path: "a" };
pub(crate) const OUTPUT_ROOT: Swap = Swap { name: "output_root", side: Target::NewTree, path: "" };

/// Content of every file outside, which no file inside may have.
const MARK: &str = "<p>outside <a href=x>link</a>";

/// Evidence that something was changed, or was there for a while.
type Fingerprint = BTreeMap<PathBuf, (u64, u32, i64, i64, Vec<u8>)>;

fn fingerprint(root: &Path) -> io::Result<Fingerprint> {
    let mut found = Fingerprint::new();
    let mut paths = vec![root.to_owned()];
    while let Some(path) = paths.pop() {
        let metadata = fs::symlink_metadata(&path)?;
        let mut bytes = Vec::new();
        if metadata.is_dir() {
            for entry in fs::read_dir(&path)? {
                paths.push(entry?.path());
            }
        } else if metadata.is_file() {
            bytes = fs::read(&path)?;
        }
        let (changed, nanos) = (metadata.ctime(), metadata.ctime_nsec());
        found.insert(path, (metadata.ino(), metadata.mode(), changed, nanos, bytes));
    }
    Ok(found)
}

/// The names of the tree, with other content.
fn make_outside(scene: &Scene, place: &Place) -> io::Result<PathBuf> {
    let outside = place.path().join("outside");
    for path in scene.pages() {
        let path = outside.join(path);
        fs::create_dir_all(path.parent().unwrap_or(&outside))?;
        fs::write(path, MARK)?;
    }
    Ok(outside)
}

/// Lets two names change what they represent.
fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

/// Whether a process has opened a folder: from then on it knows the tree by its handle.
fn has_open(pid: Pid, folder: &Path) -> bool {
    let handles = fs::read_dir(format!("/proc/{}/fd", pid.as_raw_nonzero()));
    let mut handles = handles.into_iter().flatten().flatten();
    handles.any(|handle| fs::read_link(handle.path()).is_ok_and(|opened| opened == folder))
}

/// Finds a folder of the output while the run still builds the tree in a folder of its own.
fn while_made(root: &Path, path: &str) -> Option<PathBuf> {
    let own = |folder: &Path| {
        let entries = fs::read_dir(folder).ok()?.flatten();
        entries.map(|entry| entry.path()).find(|path| is_temporary(path))
    };
    Some(own(&own(root)?)?.join(path))
}

/// Swaps until stopped, each time after another while, and says how often.
fn swap_until(
    stop: &AtomicBool,
    random: &mut Random,
    root: &Path,
    path: &str,
    other: &Path,
) -> usize {
    let mut swaps = 0;
    let mut last = None;
    while !stop.load(Ordering::Relaxed) {
        let made = if path.is_empty() { None } else { while_made(root, path) };
        let one = made.unwrap_or_else(|| at(root, path));
        if exchange(&one, other).is_ok() {
            swaps += 1;
            last = Some(one);
        }
        for _ in 0..random.below(20_000) {
            std::hint::spin_loop();
        }
    }
    // Undoes the last exchange.
    if let Some(one) = last.filter(|one| one.is_symlink()) {
        let _ = exchange(&one, other);
    }
    swaps
}

fn at(root: &Path, path: &str) -> PathBuf {
    if path.is_empty() { root.to_owned() } else { root.join(path) }
}

/// The number of runs with something swapped meanwhile.
pub(crate) fn swapped(
    subject: Subject,
    variant: Variant,
    swap: Swap,
    runs: usize,
) -> Result<Tally, Failed> {
    let scene = Scene::new(subject, variant, Size::Small)?;
    let mut random = Random(crate::number("ABSOLVE_SEED", 1) as u64);
    let mut tally = Tally::default();
    for round in 0..runs * 2 {
        if tally.hits == runs {
            break;
        }
        let what = format!("{} {} run {round}", variant.name, swap.name);
        let place = scene.place()?;
        let outside = make_outside(&scene, &place)?;
        let root = place.target(swap.side);
        let inner = at(&root, swap.path);
        let spare = place.path().join("spare");
        symlink(outside.join(swap.path), &spare)?;
        let before = fingerprint(&outside)?;

        let running = scene.run(&place).start()?;
        let (pid, stop, swaps) = (running.pid(), AtomicBool::new(false), AtomicUsize::new(0));
        let ending = std::thread::scope(|scope| {
            scope.spawn(|| {
                // An output folder that is a link from the start is what was requested; a tree
                // that is one is refused.
                while swap.path.is_empty() && swap.side.is_other() && !has_open(pid, &root) {
                    if stop.load(Ordering::Relaxed) {
                        return;
                    }
                }
                swaps.store(
                    swap_until(&stop, &mut random, &root, swap.path, &spare),
                    Ordering::Relaxed,
                );
            });
            let ending = running.end();
            stop.store(true, Ordering::Relaxed);
            ending
        })?;
        if inner.is_symlink() {
            exchange(&inner, &spare)?;
        }
        match swaps.into_inner() {
            0 => tally.misses += 1,
            _ => tally.hits += 1,
        }
        if !matches!(ending.code(), Some(0 | 2)) {
            tally.fail(format!("{what}: {}", ending.describe()));
        }
        let after = fingerprint(&outside)?;
        if let Some(path) =
            before.keys().chain(after.keys()).find(|p| before.get(*p) != after.get(*p))
        {
            tally.fail(format!("{what}: outside, {} was touched", path.display()));
        }
        let taken_along = at(&place.target(variant.target), swap.path);
        if variant.target.is_other() && swap.side == Target::InPlace && taken_along.is_symlink() {
            // The walk found the link in the tree, and a link is what it became.
            fs::remove_file(taken_along)?;
        }
        tally.state(&scene, &place, Fate::Ended, &what);
        if round % 16 == 0 {
            tally.rerun(&scene, &place, &what);
        }
    }
    Ok(tally)
}
