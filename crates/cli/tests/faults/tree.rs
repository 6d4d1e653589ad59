//! The tree that is rewritten: made from a seed, put on the disk, and read back.

use std::collections::BTreeMap;
use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use absolve::Rewriter;
use rustix::fs::{XattrFlags, getxattr, setxattr};

use crate::random::Random;

/// The URL of the root of every tree.
pub(crate) const BASE_URL: &str = "http://h.example/";

const ATTRIBUTE: &str = "user.absolve";

/// How large a tree is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Size {
    /// A dozen pages, for trials that run the command once for each of its system calls.
    Small,
    /// Small pages, more than the calls at which a fault is tried.
    Many,
    /// Half a hundred pages, some of hundreds of kilobytes, for kills at random moments.
    Large,
}

struct Made {
    path: String,
    bytes: Vec<u8>,
    mode: u32,
    /// An extended attribute, where the file system has them.
    attribute: Option<&'static [u8]>,
}

/// Documents with relative links, and files that are none, in folders.
pub(crate) struct Tree {
    files: Vec<Made>,
}

impl Tree {
    pub(crate) fn new(seed: u64, size: Size) -> Self {
        const FOLDERS: &[&str] = &["", "a/", "a/b/", "c d/"];
        const ENDS: &[&str] = &["html", "htm", "shtml"];
        const MODES: &[u32] = &[0o644, 0o600, 0o640, 0o664, 0o744, 0o755];
        let (pages, large) = match size {
            Size::Small => (10, [9_000, 70_000]),
            Size::Many => (36, [9_000, 70_000]),
            Size::Large => (48, [120_000, 300_000]),
        };
        let mut random = Random(seed);
        let mut files = Vec::new();
        for number in 0..pages {
            let folder = FOLDERS[number % FOLDERS.len()];
            let length = match number {
                3 | 6 => large[number / 6],
                _ => 300 + random.below(4000),
            };
            files.push(Made {
                path: format!("{folder}page{number:02}.{}", ENDS[number % 7 % ENDS.len()]),
                bytes: page(&mut random, length),
                mode: MODES[number % MODES.len()],
                attribute: (number % 9 == 1).then_some(b"kept"),
            });
        }
        for number in 0..pages / 6 {
            let folder = FOLDERS[number % FOLDERS.len()];
            let bytes = (0..=random.below(20_000)).map(|at| at.to_le_bytes()[0]).collect();
            let path = format!("{folder}image{number}.png");
            files.push(Made { path, bytes, mode: 0o644, attribute: None });
        }
        let bytes = b"<a href=http://elsewhere.example/>stays</a>".to_vec();
        files.push(Made { path: "a/absolute.html".into(), bytes, mode: 0o644, attribute: None });
        Self { files }
    }

    /// Makes the tree in a folder that there is not yet.
    pub(crate) fn put(&self, root: &Path) -> io::Result<()> {
        // Old enough that no run gives a file this time by chance.
        let modified = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        for made in &self.files {
            let path = root.join(&made.path);
            fs::create_dir_all(path.parent().unwrap_or(root))?;
            fs::write(&path, &made.bytes)?;
            if let Some(value) = made.attribute {
                // Not every file system has them.
                let _ = setxattr(&path, ATTRIBUTE, value, XattrFlags::empty());
            }
            File::options().write(true).open(&path)?.set_modified(modified)?;
            fs::set_permissions(&path, Permissions::from_mode(made.mode))?;
        }
        symlink("page00.html", root.join("link.html"))
    }

    /// The documents as the library rewrites them.
    pub(crate) fn expected(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let documents = self.files.iter().filter(|made| is_page(Path::new(&made.path)));
        let rewritten = documents.map(|made| {
            let url = format!("{BASE_URL}{}", made.path.replace(' ', "%20"));
            let rewriter = Rewriter::new().base_url(&url).expect("a usable base");
            let new = rewriter.rewrite(&made.bytes).expect("a page within the limits");
            (PathBuf::from(&made.path), new.bytes().to_vec())
        });
        rewritten.collect()
    }
}

/// Whether the command takes a file for a document.
pub(crate) fn is_page(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "html" || end == "htm" || end == "shtml")
}

fn page(random: &mut Random, length: usize) -> Vec<u8> {
    let mut text = String::from("<!DOCTYPE html>\n<html><head><title>page</title></head><body>\n");
    while text.len() < length {
        let number = random.below(1000);
        let line = match number % 4 {
            0 => format!("<p>text {number} <a href=\"../x{number}.html?a=1&amp;b=2\">up</a>\n"),
            1 => format!("<img src=i{number}.png alt='an image'>\n"),
            2 => format!("<p>words that stay as they are, {number} times\n"),
            _ => format!("<a href=#part{number}>part</a> <a href=/root/{number}>root</a>\n"),
        };
        text.push_str(&line);
    }
    text.push_str("</body></html>\n");
    text.into_bytes()
}

/// A file as the checks see it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) bytes: Vec<u8>,
    pub(crate) mode: u32,
    attribute: Option<Vec<u8>>,
}

#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Node {
    Folder,
    Link(PathBuf),
    File(Found),
}

/// All that is below a folder, by path.
pub(crate) type Snapshot = BTreeMap<PathBuf, Node>;

/// Reads all files below a folder; a missing folder has none.
pub(crate) fn snapshot(root: &Path) -> Snapshot {
    let mut found = Snapshot::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(root.join(&folder)) else { continue };
        for entry in entries.map(|entry| entry.expect("a readable folder")) {
            let (inner, path) = (folder.join(entry.file_name()), entry.path());
            let node = node(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            if node == Node::Folder {
                folders.push(inner.clone());
            }
            found.insert(inner, node);
        }
    }
    found
}

fn node(path: &Path) -> io::Result<Node> {
    let metadata = fs::symlink_metadata(path)?;
    if metadata.is_dir() {
        return Ok(Node::Folder);
    }
    if metadata.is_symlink() {
        return Ok(Node::Link(fs::read_link(path)?));
    }
    let mut value = Vec::with_capacity(64);
    let attribute = getxattr(path, ATTRIBUTE, rustix::buffer::spare_capacity(&mut value));
    Ok(Node::File(Found {
        bytes: fs::read(path)?,
        mode: metadata.mode(),
        attribute: attribute.is_ok().then_some(value),
    }))
}
