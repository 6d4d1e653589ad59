//! Web archives of other programs are read.

use std::fs::File;
use std::ops::ControlFlow;
use std::path::Path;
use std::slice::from_ref;

use absolve::Rewriter;
use absolve_archive::warc::Reader;
use libtest_mimic::Trial;

use super::server::Server;
use super::trial::{no_module, no_program, python, run, trial};

pub(crate) fn trials() -> Vec<Trial> {
    let warcio = no_module("warcio");
    vec![
        trial("an archive by warcio", from_ref(&warcio), reads_archives_of_warcio),
        trial("an archive by wget", &[no_program("wget")], reads_archives_of_wget),
    ]
}

/// Writes a response in every coding that the standard library has, and a resource.
pub(crate) const WRITE: &str = r"
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

/// The pages with their URLs and absolute links.
fn pages(file: &Path) -> Vec<(String, Vec<u8>)> {
    let (mut pages, rewriter) = (Vec::new(), Rewriter::new());
    let read = Reader::seekable(File::open(file).unwrap()).pages(|page| {
        let page = page.unwrap();
        let new = page.rewriter(&rewriter).rewrite(page.document()).unwrap().into_bytes();
        pages.push((page.url().unwrap().into_owned(), new.into_owned()));
        ControlFlow::Continue(())
    });
    read.unwrap();
    pages
}

fn reads_archives_of_warcio(folder: &Path) {
    for name in ["a.warc", "a.warc.gz"] {
        let file = folder.join(name);
        python(WRITE, &[&file]);
        let page = |number| {
            let url = format!("http://h/{number}/");
            let text = format!("</p><a href={url}x>x</a><a href=http://h/>h</a>");
            (url, [b"<p>caf\xe9", text.as_bytes()].concat())
        };
        assert_eq!(pages(&file), ["0", "1", "2", "3", "4", "r"].map(page), "{name}");
    }
}

fn reads_archives_of_wget(folder: &Path) {
    let server = Server::start();
    for (options, name) in [(&["--no-warc-compression"][..], "w.warc"), (&[], "w.warc.gz")] {
        let args = ["-q", "-r", "-l1", "-p", "--delete-after", "--warc-file=w"];
        run(folder, "wget", &[&args, options, &[&server.url_of("/index.html")]].concat());
        let pages = pages(&folder.join(name));
        for path in ["/index.html", "/d/a.html", "/my%20d/caf%C3%A9.html"] {
            let url = server.url_of(path);
            let page = pages.iter().find(|(found, _)| *found == url).unwrap();
            let mut written = &*String::from_utf8_lossy(&page.1);
            for url in server.links_of(path) {
                let url = url.replace('&', "&amp;");
                let at = written.find(&url).unwrap_or_else(|| panic!("{url} in {path}"));
                written = &written[at + url.len()..];
            }
        }
    }
}
