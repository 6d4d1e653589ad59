//! Web archives of other programs: what they write is rewritten, and they read what is
//! written.
//!
//! `wget` and Python's `warcio` are tried where they are installed (`pip install warcio`),
//! and the trials are ignored where they are not.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use absolve::Rewriter;
use absolve::batch::Jobs;
use absolve::container::warc::{Originals, Reader, Rewriting, Totals};
use libtest_mimic::{Arguments, Trial};

fn main() {
    let has_warcio = succeeds(Command::new("python3").args(["-c", "import warcio"]));
    let has_wget = succeeds(Command::new("wget").arg("--version"));
    let trials = vec![
        trial("what warcio writes", has_warcio, "warcio is not installed", of_warcio),
        trial(
            "what wget writes",
            has_wget && has_warcio,
            "wget or warcio is not installed",
            of_wget,
        ),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn succeeds(command: &mut Command) -> bool {
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

fn trial(name: &str, is_there: bool, why: &str, test: fn(&Path)) -> Trial {
    if !is_there {
        return Trial::test(format!("{name} ({why})"), || Ok(())).with_ignored_flag(true);
    }
    Trial::test(name, move || {
        test(tempfile::tempdir()?.path());
        Ok(())
    })
}

/// Writes a response in every coding that the standard library has, and a resource.
const WRITE: &str = r"
import gzip, io, sys, zlib
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

PAGE = b'<p>caf\xe9</p><a href=x>x</a><a href=http://h/>h</a>'
chunked = b'10\r\n' + PAGE[:16] + b'\r\n%x\r\n' % len(PAGE[16:]) + PAGE[16:] + b'\r\n0\r\n\r\n'
raw = zlib.compressobj(wbits=-15)
bodies = [
    ([], PAGE),
    ([('Transfer-Encoding', 'chunked')], chunked),
    ([('Content-Encoding', 'gzip')], gzip.compress(PAGE)),
    ([('Content-Encoding', 'deflate')], zlib.compress(PAGE)),
    ([('Content-Encoding', 'deflate')], raw.compress(PAGE) + raw.flush()),
]
with open(sys.argv[1], 'wb') as file:
    writer = WARCWriter(file, gzip=sys.argv[1].endswith('.gz'))
    writer.write_record(writer.create_warcinfo_record('a.warc', {'software': 'x'}))
    for number, (headers, body) in enumerate(bodies):
        headers = [('Content-Type', 'text/html; charset=iso-8859-1')] + headers
        head = StatusAndHeaders('200 OK', headers, protocol='HTTP/1.1')
        uri = 'http://h/%d/' % number
        record = writer.create_warc_record(uri, 'response', payload=io.BytesIO(body), http_headers=head)
        writer.write_record(record)
    record = writer.create_warc_record(
        'http://h/r/', 'resource', payload=io.BytesIO(PAGE), warc_content_type='text/html')
    writer.write_record(record)
";

/// Reads an archive, verifies its digests, and prints a line a record.
const READ: &str = r"
import sys
from warcio.archiveiterator import ArchiveIterator

with open(sys.argv[1], 'rb') as file:
    for record in ArchiveIterator(file, check_digests='raise'):
        headers = record.rec_headers
        print(record.rec_type, headers.get_header('WARC-Target-URI'), record.content_stream().read())
";

fn python(script: &str, file: &Path) -> String {
    let output = Command::new("python3").args(["-c", script]).arg(file).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn rewrite(from: &Path, to: &Path, originals: Originals) -> Totals {
    let rewriter = Rewriter::new();
    let rewriting = Rewriting::new(&rewriter).originals(originals);
    let reader = Reader::seekable(File::open(from).unwrap());
    let (output, jobs) = (File::create(to).unwrap(), Jobs::new(2).unwrap());
    rewriting.run(reader, output, &jobs, |_| ControlFlow::Continue(())).unwrap()
}

/// That `warcio check` finds nothing wrong, and what its library reads.
fn checked(file: &Path) -> String {
    let check = "from warcio.cli import main; import sys; main(['check', sys.argv[1]])";
    python(check, file);
    python(READ, file)
}

fn of_warcio(folder: &Path) {
    for name in ["a.warc", "a.warc.gz"] {
        let (from, to) = (folder.join(name), folder.join(format!("new-{name}")));
        python(WRITE, &from);
        let totals = rewrite(&from, &to, Originals::Replace);
        assert_eq!((totals.records, totals.rewritten, totals.copied), (7, 6, 1), "{totals:?}");
        let read = checked(&to);
        let mut lines = read.lines();
        assert!(lines.next().unwrap().starts_with("warcinfo None "), "{read}");
        for number in ["0", "1", "2", "3", "4", "r"] {
            let page = format!(
                r"b'<p>caf\xe9</p><a href=http://h/{number}/x>x</a><a href=http://h/>h</a>'"
            );
            let expected = format!("conversion http://h/{number}/ {page}");
            assert_eq!(lines.next(), Some(&*expected), "{name}");
        }
        rewrite(&from, &to, Originals::Keep);
        assert_eq!(checked(&to).lines().count(), 13);
    }
}

/// A server of files that ends with the test.
struct Server(Child, String);

impl Server {
    fn of(folder: &Path) -> Self {
        let mut command = Command::new("python3");
        command.args(["-u", "-m", "http.server", "--bind", "127.0.0.1", "0"]).current_dir(folder);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.split(['(', ')']).nth(1).unwrap().to_owned();
        Self(child, url)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill().and_then(|()| self.0.wait());
    }
}

fn of_wget(folder: &Path) {
    let site = folder.join("site");
    fs::create_dir_all(site.join("sub")).unwrap();
    fs::write(site.join("index.html"), "<a href=sub/a.html>a</a><img src=i.png>").unwrap();
    fs::write(site.join("sub/a.html"), "<a href=../index.html#x>up</a>").unwrap();
    fs::write(site.join("i.png"), [0x89, b'P', b'N', b'G', 0, 1, 2]).unwrap();
    let server = Server::of(&site);
    let url = &server.1;
    for (options, name) in [(&["--no-warc-compression"][..], "w.warc"), (&[], "w.warc.gz")] {
        let mut wget = Command::new("wget");
        wget.args(["-q", "-r", "-l1", "-p", "--delete-after", "--warc-file=w"]).args(options);
        assert!(wget.arg(url).current_dir(folder).status().unwrap().success());
        let (from, to) = (folder.join(name), folder.join(format!("new-{name}")));
        let totals = rewrite(&from, &to, Originals::Replace);
        assert_eq!((totals.rewritten, totals.failed), (2, 0), "{totals:?}");
        let read = checked(&to);
        for line in [
            format!("conversion {url} b'<a href={url}sub/a.html>a</a><img src={url}i.png>'"),
            format!("conversion {url}sub/a.html b'<a href={url}index.html#x>up</a>'"),
        ] {
            assert!(read.lines().any(|found| found == line), "{line}\n{read}");
        }
        assert_eq!(read.lines().count(), checked(&from).lines().count());
    }
}
