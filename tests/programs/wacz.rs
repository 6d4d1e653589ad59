//! WACZ archives of py-wacz are rewritten: it finds the new ones valid, and makes the same index of
//! their archives.

use std::fs::{self, File};
use std::io::Read;
use std::ops::ControlFlow;
use std::path::Path;

use absolve::Rewriter;
use absolve::batch::Workers;
use absolve::container::wacz::Wacz;
use absolve::container::warc::{RecordType, Rewriting, WarcInfo};
use flate2::read::MultiGzDecoder;
use libtest_mimic::Trial;
use zip::ZipArchive;

use super::trial::{no_module, run, trial};

pub(crate) fn trials() -> Vec<Trial> {
    let wacz = [no_module("wacz")];
    vec![trial("a WACZ archive of py-wacz", &wacz, of_own_archive)]
}

/// Writes an archive with records of every type, and odd URLs.
const WRITE: &str = include_str!("index/write.py");

/// The command `wacz`, which may not be on the path.
const WACZ: &str = "import sys; from wacz.main import main; sys.exit(main(sys.argv[1:]))";

/// The lines of the compressed index, sorted.
fn index(folder: &Path, name: &str) -> Vec<String> {
    let mut zip = ZipArchive::new(File::open(folder.join(name)).unwrap()).unwrap();
    let mut text = String::new();
    let member = zip.by_name("indexes/index.cdx.gz").unwrap();
    MultiGzDecoder::new(member).read_to_string(&mut text).unwrap();
    let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
    lines.sort_unstable();
    lines
}

fn of_own_archive(folder: &Path) {
    run(folder, "python3", &["-c", WRITE, "own.warc.gz"]);
    run(folder, "python3", &["-c", WACZ, "create", "-f", "own.warc.gz", "-o", "old.wacz"]);
    for record_type in [RecordType::Conversion, RecordType::Response] {
        let rewriter = Rewriter::new();
        let info = WarcInfo::new("2026-01-01T00:00:00Z");
        let rewriting = Rewriting::new(&rewriter).record_type(record_type).warcinfo(info);
        let (old, workers) = (folder.join("old.wacz"), Workers::new(2));
        let mut wacz = Wacz::open(File::open(old).unwrap()).unwrap();
        let new = File::create(folder.join("new.wacz")).unwrap();
        let report = |_: &str, _: &_| ControlFlow::Continue(());
        let totals = wacz.rewrite(&new, &rewriting, &workers, report).unwrap();
        new.set_len(totals.bytes).unwrap();
        assert_eq!(totals.index_lines_left_out, 0);
        run(folder, "python3", &["-c", WACZ, "validate", "-f", "new.wacz"]);

        // The same index is made of the archive inside.
        let mut zip = ZipArchive::new(File::open(folder.join("new.wacz")).unwrap()).unwrap();
        let mut archive = Vec::new();
        zip.by_name("archive/own.warc.gz").unwrap().read_to_end(&mut archive).unwrap();
        fs::create_dir_all(folder.join("new")).unwrap();
        fs::write(folder.join("new/own.warc.gz"), archive).unwrap();
        let create = ["-c", WACZ, "create", "-f", "new/own.warc.gz", "-o", "fresh.wacz"];
        run(folder, "python3", &create);
        let lines = index(folder, "new.wacz");
        assert!(lines.len() > 2000 && lines.iter().all(|line| line.contains("recordDigest")));
        assert_eq!(lines, index(folder, "fresh.wacz"));
    }
}
