//! The archive in a WACZ archive of py-wacz is found.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use absolve_archive::ByteRange;
use absolve_archive::wacz::Wacz;
use libtest_mimic::Trial;

use super::trial::{no_module, python, run, trial};
use super::warc;

pub(crate) fn trials() -> Vec<Trial> {
    let wacz = [no_module("wacz"), no_module("warcio")];
    vec![trial("a WACZ archive of py-wacz", &wacz, reads_an_archive_of_py_wacz)]
}

/// The command `wacz`, which may not be on the path.
const WACZ: &str = "import sys; from wacz.main import main; sys.exit(main(sys.argv[1:]))";

fn reads_an_archive_of_py_wacz(folder: &Path) {
    let own = folder.join("own.warc.gz");
    python(warc::WRITE, &[&own]);
    run(folder, "python3", &["-c", WACZ, "create", "-f", "own.warc.gz", "-o", "old.wacz"]);
    let open = || File::open(folder.join("old.wacz")).unwrap();
    let wacz = Wacz::open(open()).unwrap();
    let [archive] = wacz.archives() else { panic!("{:?}", wacz.archives()) };
    assert_eq!(archive.name, "archive/own.warc.gz");
    let mut bytes = Vec::new();
    ByteRange::new(open(), archive.bytes.clone()).unwrap().read_to_end(&mut bytes).unwrap();
    assert!(bytes == fs::read(own).unwrap());
}
