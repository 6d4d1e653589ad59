//! Web archives of other programs: what they write is rewritten, and they read what is
//! written.

use std::fs::File;
use std::ops::ControlFlow;
use std::path::Path;
use std::slice::from_ref;

use absolve::Rewriter;
use absolve::batch::Workers;
use absolve::container::warc::{Reader, RecordType, Rewriting, Totals, WarcInfo};
use libtest_mimic::Trial;

use super::server::Server;
use super::trial::{no_module, no_program, python, run, trial};

pub(crate) fn trials() -> Vec<Trial> {
    let warcio = no_module("warcio");
    vec![
        trial("an archive by warcio", from_ref(&warcio), of_warcio),
        trial("an archive by wget", &[no_program("wget"), warcio.clone()], of_wget),
    ]
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

fn rewrite(from: &Path, to: &Path, record_type: RecordType) -> Totals {
    let rewriter = Rewriter::new();
    let info = WarcInfo::new("2026-01-01T00:00:00Z");
    let rewriting = Rewriting::new(&rewriter).record_type(record_type).warcinfo(info);
    let reader = Reader::seekable(File::open(from).unwrap());
    let (output, jobs) = (File::create(to).unwrap(), Workers::new(2));
    rewriting.run(reader, output, &jobs, |_| ControlFlow::Continue(())).unwrap()
}

/// That `warcio check` finds nothing wrong, and what its library reads.
fn checked(file: &Path) -> String {
    let check = "from warcio.cli import main; import sys; main(['check', sys.argv[1]])";
    python(check, &[file]);
    python(READ, &[file])
}

fn of_warcio(folder: &Path) {
    for name in ["a.warc", "a.warc.gz"] {
        let (from, to) = (folder.join(name), folder.join(format!("new-{name}")));
        python(WRITE, &[&from]);
        let totals = rewrite(&from, &to, RecordType::Response);
        assert_eq!((totals.records, totals.rewritten, totals.copied), (7, 6, 1), "{totals:?}");
        let read = checked(&to);
        let mut lines = read.lines();
        assert!(lines.next().unwrap().starts_with("warcinfo None "), "{read}");
        assert!(lines.next().unwrap().starts_with("warcinfo None b'software: absolve/"), "{read}");
        for number in ["0", "1", "2", "3", "4", "r"] {
            let page = format!(
                r"b'<p>caf\xe9</p><a href=http://h/{number}/x>x</a><a href=http://h/>h</a>'"
            );
            let kind = if number == "r" { "resource" } else { "response" };
            let expected = format!("{kind} http://h/{number}/ {page}");
            assert_eq!(lines.next(), Some(&*expected), "{name}");
        }
        rewrite(&from, &to, RecordType::Conversion);
        assert_eq!(checked(&to).lines().count(), 13);
    }
}

fn of_wget(folder: &Path) {
    let server = Server::start();
    for (options, name) in [(&["--no-warc-compression"][..], "w.warc"), (&[], "w.warc.gz")] {
        let args = ["-q", "-r", "-l1", "-p", "--delete-after", "--warc-file=w"];
        run(folder, "wget", &[&args, options, &[&server.url_of("/index.html")]].concat());
        let (from, to) = (folder.join(name), folder.join(format!("new-{name}")));
        let totals = rewrite(&from, &to, RecordType::Conversion);
        assert_eq!(totals.failed, 0, "{totals:?}");
        let read = checked(&to);
        for page in ["/index.html", "/d/a.html", "/my%20d/caf%C3%A9.html"] {
            let line = format!("conversion {} b", server.url_of(page));
            let line = read.lines().find(|found| found.starts_with(&line)).unwrap();
            let mut written = line;
            for url in server.links_of(page) {
                let url = url.replace('&', "&amp;");
                let at = written.find(&url).unwrap_or_else(|| panic!("{url} in {line}"));
                written = &written[at + url.len()..];
            }
        }
        let records = checked(&from).lines().count() + usize::try_from(totals.rewritten).unwrap();
        assert_eq!(read.lines().count(), records);
        rewrite(&from, &to, RecordType::Response);
        // The warcinfo of absolve is one more.
        assert_eq!(checked(&to).lines().count(), checked(&from).lines().count() + 1);
    }
}
