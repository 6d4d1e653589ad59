//! Another program writes the files that a run replaces, at the same time: no version that it
//! wrote may be lost.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use libtest_mimic::Failed;

use crate::check::{Tally, is_temporary};
use crate::random::Random;
use crate::subject::{Place, Round, Run, Subject, Target, Variant};

/// Enough pages that most are not being edited, and few enough that a run replaces some during an
/// edit.
const PAGES: usize = 60;

/// Every page is replaced as soon as it is written.
const EACH_AT_ONCE: Variant =
    Variant { name: "edits", target: Target::InPlace, options: &["-j", "1", "--sync", "never"] };

/// Runs over a tree, again and again, until another program has replaced its pages the given number of times.
///
/// Before that program replaces a page, it looks whether its last version of it is still there,
/// rewritten or not.
pub(crate) fn by_rename(subject: Subject, edits: usize) -> Result<Tally, Failed> {
    let place = Place::new()?;
    fs::create_dir(place.site())?;
    let mut editor = Editor {
        site: place.site(),
        versions: vec![0; PAGES],
        inodes: vec![0; PAGES],
        ..Editor::default()
    };
    for page in 0..PAGES {
        editor.replace(page)?;
    }
    let has_ended = AtomicBool::new(false);
    let mut tally = Tally::default();
    std::thread::scope(|scope| -> Result<(), Failed> {
        let editing = scope.spawn(|| {
            let edited = editor.edit(edits);
            has_ended.store(true, Ordering::Relaxed);
            edited
        });
        while !has_ended.load(Ordering::Relaxed) {
            let ending = Run::new(subject, &EACH_AT_ONCE, Round::First, &place).finish()?;
            match ending.code() {
                Some(0) => tally.misses += 1,
                Some(2) => tally.hits += 1,
                _ => tally.fail(ending.describe()),
            }
        }
        editing.join().map_err(|_| "the editor panicked")??;
        Ok(())
    })?;
    for page in 0..PAGES {
        editor.look(page)?;
    }
    if editor.lost > 0 {
        tally.fail(format!("{} of {edits} versions were lost", editor.lost));
    }
    let left = temporaries(&place.site())?;
    if !left.is_empty() {
        tally.fail(format!("left {left:?}"));
    }
    crate::show(&format!("{edits} edits, {} aimed, {} lost", editor.aimed, editor.lost));
    Ok(tally)
}

fn temporaries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    entries.filter(|path| path.as_ref().map_or(true, |path| is_temporary(path))).collect()
}

/// A program that saves pages as editors do: beside the old one, and renamed over it.
#[derive(Default)]
struct Editor {
    site: PathBuf,
    versions: Vec<usize>,
    /// Inodes of the last versions.
    inodes: Vec<u64>,
    /// Pages that were edited while a run was about to replace them.
    aimed: usize,
    lost: usize,
}

impl Editor {
    fn path(&self, page: usize) -> PathBuf {
        self.site.join(format!("page{page}.html"))
    }

    fn mark(&self, page: usize) -> String {
        format!("<p>version {} of page {page}.", self.versions[page])
    }

    fn edit(&mut self, edits: usize) -> io::Result<()> {
        let mut random = Random(crate::number("ABSOLVE_SEED", 1) as u64);
        for _ in 0..edits {
            let page = self.aim()?.unwrap_or_else(|| random.below(PAGES));
            self.look(page)?;
            self.replace(page)?;
        }
        Ok(())
    }

    /// Waits for a page that a run is about to replace, which the name of its temporary file
    /// says, but not for long.
    fn aim(&mut self) -> io::Result<Option<usize>> {
        const LONGEST: Duration = Duration::from_millis(1);
        let start = Instant::now();
        while start.elapsed() < LONGEST {
            for path in temporaries(&self.site)? {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let inode = name.split('-').nth(5).map(|field| u64::from_str_radix(field, 16));
                let page = self.inodes.iter().position(|own| inode == Some(Ok(*own)));
                if page.is_some() {
                    self.aimed += 1;
                    return Ok(page);
                }
            }
        }
        Ok(None)
    }

    fn replace(&mut self, page: usize) -> io::Result<()> {
        self.versions[page] += 1;
        let text = format!("<a href=x>1</a>{}\n", self.mark(page));
        let new = self.site.join("editor");
        fs::write(&new, text)?;
        self.inodes[page] = fs::metadata(&new)?.ino();
        fs::rename(new, self.path(page))
    }

    /// Counts a version that is lost.
    fn look(&mut self, page: usize) -> io::Result<()> {
        // A run that finds that it exchanged a newer version puts it back.
        const LONGEST: Duration = Duration::from_millis(200);
        let start = Instant::now();
        while !fs::read_to_string(self.path(page))?.contains(&self.mark(page)) {
            if start.elapsed() > LONGEST {
                self.lost += 1;
                return Ok(());
            }
        }
        Ok(())
    }
}
