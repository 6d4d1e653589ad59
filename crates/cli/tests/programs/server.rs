//! A small server of a small site.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use absolve::{Link, Rewriter};

/// A path, its type, and what is there.
type File = (&'static str, &'static str, &'static [u8]);

/// Pages with links that lead up, down and to themselves, none of them absolute but one.
pub(crate) const SITE: &[File] = &[
    (
        "/index.html",
        "text/html; charset=utf-8",
        "<!doctype html>\n<html><head><title>caf\u{e9}</title><link rel=stylesheet href=s.css>\
         </head>\n<body><p>\u{6f22}\u{5b57} <a href=d/a.html#x>a</a> <a href=#here>here</a>\
         <a href=http://other.invalid/o?x=1&amp;y=2>o</a><img src=i.png alt=i>\
         <a href='my%20d/caf%C3%A9.html'>c</a><iframe src=d/f.html></iframe>\
         <p style='background: url(i.png)'>\n</body></html>\n"
            .as_bytes(),
    ),
    (
        "/d/a.html",
        "text/html; charset=utf-8",
        b"<html><head><title>a</title></head>\n<body><a href=../index.html#here>up</a>\
          <a href=../based.html>b</a><a href=f.html>f</a><a href=/d/e/g.html>g</a><img src=../i.png alt=i></body></html>\n",
    ),
    (
        "/based.html",
        "text/html; charset=utf-8",
        b"<html><head><base href=/d/ target=_top><title>b</title></head>\n\
          <body><a href=e/g.html>g</a><img src=../i.png alt=i></body></html>\n",
    ),
    // No `html` tag.
    ("/d/f.html", "text/html; charset=utf-8", b"<title>f</title><a href=e/g.html>g</a>"),
    (
        "/d/e/g.html",
        "text/html; charset=utf-8",
        b"<html><body><a href=../a.html#x>a</a><img src=../../i.png alt=i></body></html>",
    ),
    (
        "/my%20d/caf%C3%A9.html",
        "text/html; charset=windows-1252",
        b"<html><head><meta charset=windows-1252><title>caf\xe9</title></head>\n\
          <body><a href=../index.html>up</a></body></html>\n",
    ),
    ("/s.css", "text/css", b"p { background: url(i.png) }\n"),
    ("/i.png", "image/png", PNG),
];

/// A picture of one pixel.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\
    \x89\0\0\0\rIDATx\x9cc\xfc\xcf\xc0P\x0f\0\x04\x85\x01\x80\x84\xa9\x8c!\0\0\0\0IEND\xaeB`\x82";

/// A server of [`SITE`], until the tests end.
pub(crate) struct Server {
    /// `http://127.0.0.1:` and the port.
    pub(crate) url: String,
}

impl Server {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // A browser opens connections and asks for nothing.
                thread::spawn(move || answer(stream));
            }
        });
        Self { url }
    }

    /// Returns the URL of a file of the site.
    pub(crate) fn url_of(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }

    /// Returns the links of a page when it was fetched, in its order, without that of a `base`
    /// element.
    pub(crate) fn links_of(&self, path: &str) -> Vec<String> {
        let (.., page) = SITE.iter().find(|(name, ..)| *name == path).unwrap();
        let mut links = Vec::new();
        let rewriter = Rewriter::new().base_url(&self.url_of(path)).unwrap();
        let visit = |link: &Link<'_>| {
            if link.element() != "base" {
                links.push(link.url().unwrap().to_owned());
            }
        };
        rewriter.links(page, visit).unwrap();
        links
    }
}

/// Answers one request.
fn answer(mut stream: TcpStream) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let request = lines.next().unwrap_or_else(|| Ok(String::new()))?;
    while lines.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
    let mut words = request.split(' ');
    let (Some(method), Some(path)) = (words.next(), words.next()) else { return Ok(()) };
    let without_query = path.split('?').next().unwrap_or_default();
    // Escapes are in either case.
    let found = SITE.iter().find(|(name, ..)| name.eq_ignore_ascii_case(without_query));
    let (status, media, body) = match found {
        Some((_, media, body)) => ("200 OK", *media, *body),
        None => ("404 Not Found", "text/plain", &b"not here\n"[..]),
    };
    let length = body.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {media}\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n"
    )?;
    stream.write_all(if method == "HEAD" { b"" } else { body })
}
