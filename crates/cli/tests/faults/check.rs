//! Invariants after every run, however it ended.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use libtest_mimic::Failed;

use crate::subject::{Ending, Place, Round, Run, Subject, Target, Variant};
use crate::tree::{Node, Size, Snapshot, Tree, snapshot};

/// Whether a file is one that a run makes for itself, or is in a folder that it makes for itself.
pub(crate) fn is_temporary(path: &Path) -> bool {
    path.iter().any(|name| name.to_string_lossy().starts_with(".absolve-tmp-"))
}

/// Whether a run had the time to remove its temporary files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// By a signal that nobody hears.
    Killed,
    /// By itself, or by a signal that was sent.
    Ended,
}

/// Puts into the folder that is written to what was there before.
fn put_other(place: &Place, variant: &Variant) -> io::Result<()> {
    if variant.target == Target::OldTree {
        let folder = place.target(variant.target).join("a");
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("page01.htm"), "old")?;
        fs::write(folder.join("other.txt"), "stays")?;
    }
    Ok(())
}

/// A way to run the command over a tree, and its undisturbed result.
pub(crate) struct Scene {
    pub(crate) subject: Subject,
    pub(crate) variant: Variant,
    tree: Tree,
    source: Snapshot,
    before: Snapshot,
    after: Snapshot,
    /// Of a run that nothing disturbs.
    pub(crate) duration: Duration,
}

impl Scene {
    pub(crate) fn new(subject: Subject, variant: Variant, size: Size) -> Result<Self, Failed> {
        let tree = Tree::new(crate::number("ABSOLVE_SEED", 1) as u64, size);
        let place = Place::new()?;
        tree.put(&place.site())?;
        put_other(&place, &variant)?;
        let source = snapshot(&place.site());
        let before = snapshot(&place.target(variant.target));
        let start = Instant::now();
        let ending = Run::new(subject, &variant, Round::First, &place).finish()?;
        let duration = start.elapsed();
        if ending.code() != Some(0) {
            return Err(format!("undisturbed: {}", ending.describe()).into());
        }
        let after = snapshot(&place.target(variant.target));
        let scene = Self { subject, variant, tree, source, before, after, duration };
        scene.agrees_with_library()?;
        Ok(scene)
    }

    fn agrees_with_library(&self) -> Result<(), Failed> {
        for (path, expected) in self.tree.expected() {
            match self.after.get(&path) {
                Some(Node::File(found)) if found.bytes == expected => {}
                _ => return Err(format!("undisturbed: {} is wrong", path.display()).into()),
            }
        }
        if let Some(path) = self.after.keys().find(|path| is_temporary(path)) {
            return Err(format!("undisturbed: {} is left", path.display()).into());
        }
        Ok(())
    }

    /// The tree on the disk as it was before any run.
    pub(crate) fn place(&self) -> Result<Place, Failed> {
        let place = Place::new()?;
        self.tree.put(&place.site())?;
        put_other(&place, &self.variant)?;
        Ok(place)
    }

    /// The tree below a folder that there is already.
    pub(crate) fn put(&self, place: &Place) -> Result<(), Failed> {
        self.tree.put(&place.site())?;
        Ok(put_other(place, &self.variant)?)
    }

    pub(crate) fn pages(&self) -> impl Iterator<Item = PathBuf> {
        self.tree.expected().into_keys()
    }

    pub(crate) fn run(&self, place: &Place) -> Run {
        Run::new(self.subject, &self.variant, Round::First, place)
    }

    fn again(&self, place: &Place) -> Run {
        Run::new(self.subject, &self.variant, Round::Again, place)
    }

    fn now(&self, place: &Place) -> Snapshot {
        snapshot(&place.target(self.variant.target))
    }

    /// Lists the documents that a reader finds neither old nor new.
    pub(crate) fn torn(&self, place: &Place) -> Vec<String> {
        let root = place.target(self.variant.target);
        let mut torn = Vec::new();
        for path in self.pages() {
            let found = read(&root.join(&path)).ok();
            let known = [&self.before, &self.after].map(|tree| match tree.get(&path) {
                Some(Node::File(file)) => Some((file.mode, &file.bytes)),
                _ => None,
            });
            let found = found.as_ref().map(|(mode, bytes)| (*mode, bytes));
            if !known.contains(&found) {
                let found = found.map(|(mode, bytes)| (mode, bytes.len()));
                torn.push(format!("{}: read as {found:?}", path.display()));
            }
        }
        torn
    }

    /// Lists the files that are neither old nor new.
    fn damage(&self, now: &Snapshot) -> Vec<String> {
        let mut damage = Vec::new();
        let paths: BTreeSet<_> = now.keys().chain(self.before.keys()).collect();
        for path in paths.into_iter().filter(|path| !is_temporary(path)) {
            let (old, new) = (self.before.get(path), self.after.get(path));
            let found = now.get(path);
            if found != old && found != new {
                damage.push(format!("{}: {}", path.display(), difference(found, old, new)));
            }
        }
        for path in self.before.keys().filter(|_| self.variant.has_backups()) {
            let backup = PathBuf::from(format!("{}.orig", path.display()));
            let is_written = now.get(path) != self.before.get(path);
            if is_written && now.get(&backup) != self.after.get(&backup) {
                damage.push(format!("{}: its old bytes are nowhere", path.display()));
            }
        }
        damage
    }
}

/// The mode and the bytes of one file, even if its name leads to another meanwhile.
fn read(path: &Path) -> io::Result<(u32, Vec<u8>)> {
    let mut file = File::open(path)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok((file.metadata()?.mode(), bytes))
}

fn difference(found: Option<&Node>, old: Option<&Node>, new: Option<&Node>) -> String {
    let bytes = |node: Option<&Node>| match node {
        None => "nothing".to_owned(),
        Some(Node::Folder) => "a folder".to_owned(),
        Some(Node::Link(to)) => format!("a link to {}", to.display()),
        Some(Node::File(file)) => {
            let (length, mode) = (file.bytes.len(), file.mode);
            let is = |other: Option<&Node>| matches!(other, Some(Node::File(f)) if f.bytes == file.bytes);
            let as_is = ["", ", old bytes"][usize::from(is(old))];
            let as_new = ["", ", new bytes"][usize::from(is(new))];
            format!("{length} bytes, mode {mode:o}{as_is}{as_new}")
        }
    };
    format!("found {}, was {}, becomes {}", bytes(found), bytes(old), bytes(new))
}

/// The temporary folders beside the folders that runs read and write.
fn beside(place: &Place) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(place.path()).into_iter().flatten().flatten();
    entries.map(|entry| PathBuf::from(entry.file_name())).filter(|path| is_temporary(path))
}

/// Counts the results of the runs of a trial, and keeps what is wrong.
#[derive(Default)]
pub(crate) struct Tally {
    /// Runs that a trial disturbed in time.
    pub(crate) hits: usize,
    /// Runs that ended before the fault.
    pub(crate) misses: usize,
    /// Runs after which some files were new and some old.
    partial: usize,
    /// Temporary files found after a kill.
    left: usize,
    reruns: usize,
    wrong: usize,
    failures: Vec<String>,
}

impl Tally {
    /// More are counted only.
    const MOST: usize = 12;

    pub(crate) fn fail(&mut self, failure: String) {
        self.wrong += 1;
        if self.failures.len() < Self::MOST {
            self.failures.push(failure);
        }
    }

    /// Everything that must be so after a run, the run after it included.
    pub(crate) fn check(&mut self, scene: &Scene, place: &Place, ending: &Ending, what: &str) {
        let fate = if ending.is_killed() { Fate::Killed } else { Fate::Ended };
        self.check_after(scene, place, ending, fate, what);
    }

    /// Checks a run that may have been unable to remove its temporary files.
    pub(crate) fn check_after(
        &mut self,
        scene: &Scene,
        place: &Place,
        ending: &Ending,
        fate: Fate,
        what: &str,
    ) {
        self.state(scene, place, fate, what);
        if ending.code() == Some(0) && scene.now(place) != scene.after {
            self.fail(format!("{what}: exit 0, and not everything is done"));
        }
        self.rerun(scene, place, what);
    }

    /// Checks the files while no run is at work.
    pub(crate) fn state(&mut self, scene: &Scene, place: &Place, fate: Fate, what: &str) {
        let now = scene.now(place);
        for damage in scene.damage(&now) {
            self.fail(format!("{what}: {damage}"));
        }
        let inside = now.keys().filter(|path| is_temporary(path)).cloned();
        let left: Vec<PathBuf> = inside.chain(beside(place)).collect();
        self.left += left.len();
        if fate == Fate::Ended && !left.is_empty() {
            self.fail(format!("{what}: left {left:?}"));
        }
        self.partial += usize::from(now != scene.before && now != scene.after);
        let source = snapshot(&place.site());
        if scene.variant.target.is_other() && source != scene.source {
            self.fail(format!("{what}: the tree that is read is another"));
        }
    }

    /// Runs to the end what was disturbed, and compares.
    pub(crate) fn rerun(&mut self, scene: &Scene, place: &Place, what: &str) {
        self.reruns += 1;
        match scene.again(place).finish() {
            Ok(ending) if ending.code() == Some(0) => {}
            Ok(ending) => self.fail(format!("{what}, again: {}", ending.describe())),
            Err(error) => self.fail(format!("{what}, again: {error}")),
        }
        let now = scene.now(place);
        let paths = now.keys().chain(scene.after.keys());
        if let Some(path) = paths.into_iter().find(|path| now.get(*path) != scene.after.get(*path))
        {
            let shown = difference(now.get(path), scene.before.get(path), scene.after.get(path));
            self.fail(format!("{what}, again: {}: {shown}", path.display()));
        }
        for path in beside(place) {
            self.fail(format!("{what}, again: left {}", path.display()));
        }
    }

    fn show(&self, name: &str) {
        let Self { hits, misses, partial, left, reruns, wrong, .. } = self;
        crate::show(&format!(
            "{name}: {hits} disturbed, {misses} not in time, {partial} ended half-way, \
             {left} temporary files found, {reruns} run again, {wrong} wrong"
        ));
    }

    /// Fails if anything was wrong, or if nothing was tried.
    pub(crate) fn finish(self, name: &str) -> Result<(), Failed> {
        if self.hits == 0 {
            self.show(name);
            return Err("no run was disturbed".into());
        }
        self.finish_any(name)
    }

    /// Fails if anything was wrong.
    pub(crate) fn finish_any(self, name: &str) -> Result<(), Failed> {
        self.show(name);
        if self.wrong == 0 {
            return Ok(());
        }
        Err(format!("{} wrong, such as\n{}", self.wrong, self.failures.join("\n")).into())
    }

    /// Whether something was wrong, as it must be for a control.
    pub(crate) fn is_caught(&self, name: &str) -> bool {
        self.show(name);
        self.wrong > 0
    }
}
