//! The loop in Rust that `compare.py` compares `rewrite_array` with: the pages below a folder, one
//! after the other in one thread, each with its own base URL, into one buffer.
//!
//! It reads the pages and prints `ready`. For each line of its input it does one round, and prints
//! the number of bytes that it made; `compare.py` measures the time of its only thread.

#![expect(clippy::print_stdout, reason = "it answers to compare.py")]

use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};

use absolve::{Buffers, Rewriter};

/// The folder of the page `a/b.html`, whose URL is then `http://host.example/a/b.html`.
const ROOT: &str = "http://host.example/";

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).ok_or("usage: column_loop FOLDER")?;
    let pages = read(Path::new(&folder))?;
    println!("ready");
    for line in io::stdin().lock().lines() {
        line?;
        println!("{}", round(&pages)?);
        io::stdout().flush()?;
    }
    Ok(())
}

struct Page {
    url: String,
    source: Vec<u8>,
}

fn round(pages: &[Page]) -> Result<usize, absolve::Error> {
    let mut buffers = Buffers::default();
    let mut output = Vec::new();
    let mut lengths = Vec::new();
    for page in pages {
        let rewriter = Rewriter::new().base_url(&page.url)?;
        let result = rewriter.rewrite_in(&page.source, &mut buffers)?;
        output.extend_from_slice(result.bytes());
        lengths.push(result.bytes().len());
    }
    black_box(&lengths);
    Ok(black_box(&output).len())
}

fn read(folder: &Path) -> io::Result<Vec<Page>> {
    let mut paths = Vec::new();
    list(folder, &mut paths)?;
    paths.sort();
    let mut pages = Vec::new();
    for path in paths {
        let source = fs::read(&path)?;
        if !source.is_empty() && std::str::from_utf8(&source).is_ok() {
            let place = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy();
            pages.push(Page { url: format!("{ROOT}{place}"), source });
        }
    }
    Ok(pages)
}

/// The files named `*.html`, without symbolic links.
fn list(folder: &Path, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (kind, path) = (entry.file_type()?, entry.path());
        if kind.is_dir() {
            list(&path, paths)?;
        } else if kind.is_file() && path.extension().is_some_and(|extension| extension == "html") {
            paths.push(path);
        }
    }
    Ok(())
}
