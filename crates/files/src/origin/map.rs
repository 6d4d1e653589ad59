//! Lists of base URLs: tab-separated lines, `hts-cache/new.txt`, or `absolve-urls.tsv`.

use std::collections::HashMap;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use absolve::url::{Base, Parts};
use percent_encoding::percent_decode;

use crate::failure::reason;
use crate::paths::path_of;
use crate::read::read_list;

/// A list of files and the URLs that they were retrieved from.
#[derive(Debug, Clone, Default)]
pub struct BaseMap {
    /// The URL of each path, with the number of its line for messages.
    urls: HashMap<PathBuf, (usize, Base)>,
    program: Option<Program>,
    /// The folder that the paths in a program's list are relative to.
    folder: PathBuf,
}

/// The program that wrote a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Program {
    HtTrack,
    /// `absolve extract`.
    Absolve,
}

impl Program {
    /// The programs, with the first bytes of their lists.
    const ALL: [(Self, &[u8]); 2] =
        [(Self::HtTrack, b"date\tsize'/'remotesize\t"), (Self::Absolve, b"file\turl\tdate\t")];

    fn detect(list: &[u8]) -> Option<Self> {
        let row = Self::ALL.iter().find(|(_, start)| list.starts_with(start));
        row.map(|(program, _)| *program)
    }
}

impl BaseMap {
    /// Reads a list with a path, a tab and a URL on each line; empty lines are skipped. A path is
    /// as given to the run, or below the folder that paths are relative to. Two other lists are
    /// recognized: `hts-cache/new.txt` by `HTTrack`, whose paths are below the folder of the
    /// project, and the `absolve-urls.tsv` of an extracted crawl.
    ///
    /// # Errors
    ///
    /// If it cannot be read or exceeds the limits of [`read_list`], a line is malformed, a URL is
    /// not usable, or a path occurs twice.
    pub fn read(list: impl Read) -> Result<Self, String> {
        let bytes = read_list(list).map_err(|error| Self::unreadable(&error))?;
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        let program = Program::detect(text);
        let mut map = Self { program, ..Self::default() };
        for (number, line) in (1..).zip(text.split(|&byte| byte == b'\n')) {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let in_line = |why| format!("line {number}: {why}");
            match program {
                Some(Program::HtTrack) => map.add_httrack_line(number, line),
                Some(Program::Absolve) => map.add_absolve_line(number, line),
                None if line.is_empty() => {}
                None => map.add_line(number, line).map_err(in_line)?,
            }
        }
        Ok(map)
    }

    /// Creates a list of paths below the root.
    #[must_use]
    #[doc(hidden)]
    pub fn from_urls(urls: impl IntoIterator<Item = (PathBuf, Base)>) -> Self {
        let urls = urls.into_iter().map(|(path, url)| (without_cur_dirs(&path), (0, url)));
        Self { urls: urls.collect(), ..Self::default() }
    }

    /// Sets the folder that the list is in: the paths of `absolve-urls.tsv` are below it, and those
    /// of `HTTrack` below the parent of its `hts-cache`.
    #[must_use]
    #[doc(hidden)]
    pub fn in_folder(self, folder: &Path) -> Self {
        let project = || folder.parent().filter(|_| folder.ends_with("hts-cache"));
        let folder = project().filter(|_| self.is_of_httrack()).unwrap_or(folder);
        Self { folder: without_cur_dirs(folder), ..self }
    }

    /// Whether `HTTrack` wrote the list, so the links of its files are names of files.
    pub(super) fn is_of_httrack(&self) -> bool {
        self.program == Some(Program::HtTrack)
    }

    /// Returns the message for a list that cannot be read.
    #[must_use]
    pub fn unreadable(error: &io::Error) -> String {
        format!("cannot read the list of base URLs: {}", reason(error))
    }

    fn add_line(&mut self, number: usize, line: &[u8]) -> Result<(), String> {
        let mut cells = line.split(|&byte| byte == b'\t');
        let (Some(path), Some(url), None) = (cells.next(), cells.next(), cells.next()) else {
            return Err("expected a path, a tab and a URL".to_owned());
        };
        if path.is_empty() {
            return Err("expected a path before the tab".to_owned());
        }
        let path = without_cur_dirs(&path_of(path).ok_or("the path is not UTF-8")?);
        let base = Base::new(&String::from_utf8_lossy(url)).map_err(|error| error.to_string())?;
        match self.urls.insert(path, (number, base)) {
            Some((first, _)) => Err(format!("this path is on line {first} too, give it once")),
            None => Ok(()),
        }
    }

    /// Adds a line of `HTTrack`'s list, unless it is malformed or of a redirect. The URL and the
    /// path are the eighth and ninth cell. The path begins with the output folder that was given to
    /// `HTTrack`, which is stripped, and goes on with the folder of the host.
    fn add_httrack_line(&mut self, number: usize, line: &[u8]) {
        let cells: Vec<_> = line.split(|&byte| byte == b'\t').collect();
        let &[_, _, _, status, _, _, _, url, path, ..] = &cells[..] else { return };
        let is_redirect = status.starts_with(b"3") && status != b"304";
        let url = String::from_utf8_lossy(url);
        let host = Parts::of(&url).map(|parts| parts.net_loc.replace(':', "_"));
        let (Some(host), Some(path), Ok(base)) = (host, path_of(path), Base::new(&url)) else {
            return;
        };
        let is_before_host = |part: &Component<'_>| part.as_os_str() != host.as_str();
        let mut path: PathBuf = path.components().skip_while(is_before_host).collect();
        // The folder of the project may have the name of the host too.
        let inner: PathBuf = path.components().skip(1).collect();
        if inner.starts_with(&host) && !url.contains(&format!("//{host}/{host}/")) {
            path = inner;
        }
        if path.file_name().is_some() && !is_redirect {
            // The list encodes blanks and non-ASCII characters, but not a `%`: adds both forms.
            let encoded = path.as_os_str().as_encoded_bytes();
            let decoded = path_of(&percent_decode(encoded).collect::<Vec<_>>());
            if let Some(decoded) = decoded.filter(|decoded| *decoded != path) {
                self.urls.entry(decoded).or_insert_with(|| (number, base.clone()));
            }
            self.urls.insert(path, (number, base));
        }
    }

    /// Adds a line of the list by `absolve extract`; a file with several URLs gets the first one.
    fn add_absolve_line(&mut self, number: usize, line: &[u8]) {
        let mut cells = line.split(|&byte| byte == b'\t');
        let (Some(path), Some(url)) = (cells.next(), cells.next()) else { return };
        if let (Some(path), Ok(base)) = (path_of(path), Base::new(&String::from_utf8_lossy(url))) {
            self.urls.entry(without_cur_dirs(&path)).or_insert((number, base));
        }
    }

    /// Returns the URL of a file, found by its path as given or by its path below the root.
    pub(super) fn get(&self, shown: &Path, below: &Path) -> Option<&Base> {
        let shown = without_cur_dirs(shown);
        let inside = shown.strip_prefix(&self.folder).ok().filter(|_| self.program.is_some());
        let entry = inside.and_then(|path| self.urls.get(path));
        let entry = entry.or_else(|| self.urls.get(&shown));
        entry.or_else(|| self.urls.get(&without_cur_dirs(below))).map(|(_, base)| base)
    }
}

/// A path without `.` segments.
fn without_cur_dirs(path: &Path) -> PathBuf {
    path.components().filter(|part| !matches!(part, Component::CurDir)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn finds(list: &str, shown: &str, below: &str, url: Option<&str>) {
        let map = BaseMap::read(list.as_bytes()).unwrap();
        let found = map.get(Path::new(shown), Path::new(below));
        assert_eq!(found.map(Base::as_str), url, "{list:?}");
    }

    #[track_caller]
    fn fails(list: &[u8], error: &str) {
        assert_eq!(BaseMap::read(list).unwrap_err(), error);
    }

    #[test]
    fn a_file_is_found_by_each_of_its_paths() {
        let list = "\u{feff}d/a b.html\thttp://h/a\r\n\n./c.html\thttp://h/c";
        finds(list, "d/a b.html", "x", Some("http://h/a"));
        finds(list, "../d/a b.html", "d/a b.html", Some("http://h/a"));
        finds(list, "./d/./a b.html", "x", Some("http://h/a"));
        finds(list, "c.html", "x", Some("http://h/c"));
        finds(list, "a b.html", "a b.html", None);
        finds("", "a", "a", None);
        let both = "a\thttp://h/below\n../a\thttp://h/shown\n";
        finds(both, "../a", "a", Some("http://h/shown"));
    }

    #[test]
    fn the_list_of_httrack_has_paths_below_its_project() {
        let line = |url: &str, path: &str| {
            format!(
                "10:00:00\t1/1\t---M--\t200\tadded ('OK')\ttext/html\tdate:x\t{url}\t{path}\t(from )\n"
            )
        };
        let list = [
            "date\tsize'/'remotesize\tflags\n".to_owned(),
            line("http://h:81/robots.txt", ""),
            line("http://h:81/a?b=1", "/my/copy/h_81/a2.html"),
            line("http://h:81/c", "copy/h_81/c.html"),
            line("http://h:81/old", "copy/h_81/c.html").replace("\t200\t", "\t301\t"),
            line("http://i/d/e", "/x/i/i/d/e.html"),
            "cut".to_owned(),
        ];
        let list = list.concat();
        finds(&list, "copy/h_81/a2.html", "h_81/a2.html", Some("http://h:81/a?b=1"));
        finds(&list, "x", "h_81/c.html", Some("http://h:81/c"));
        finds(&list, "x", "i/d/e.html", Some("http://i/d/e"));
        finds(&list, "x", "h_81/robots.txt", None);
        let encoded = line("http://i/%c3%a9%20f", "x/i/%c3%a9%20f.html");
        let list = list + &encoded + &line("http://i/a%2541", "x/i/a%41.html");
        finds(&list, "x", "i/\u{e9} f.html", Some("http://i/%c3%a9%20f"));
        finds(&list, "x", "i/a%41.html", Some("http://i/a%2541"));
        let map = BaseMap::read(list.as_bytes()).unwrap().in_folder(Path::new("copy/hts-cache"));
        let url = map.get(Path::new("copy/h_81/c.html"), Path::new("c.html"));
        assert_eq!(url.map(Base::as_str), Some("http://h:81/c"));
    }

    #[test]
    fn the_table_of_an_extracted_crawl_has_paths_below_its_folder() {
        let list = "file\turl\tdate\tstatus\ttype\tdigest\n\
            h/a.html\thttp://h/a\t2026-01-01T00:00:00Z\t200\ttext/html\t\n\
            h/a.html\thttp://h/a/index.html\t\t\t\t\ncid/b\tcid:b\t\t\t\t\n";
        finds(list, "x", "h/a.html", Some("http://h/a"));
        finds(list, "cid/b", "cid/b", None);
        let map = BaseMap::read(list.as_bytes()).unwrap().in_folder(Path::new("./out"));
        let url = |shown, below| map.get(Path::new(shown), Path::new(below)).map(Base::as_str);
        assert_eq!(url("out/h/a.html", "a.html"), Some("http://h/a"));
        assert_eq!(url("other/h/a.html", "a.html"), None);
    }

    #[test]
    fn an_error_names_its_line() {
        fails(b"a\thttp://h/\nb http://h/", "line 2: expected a path, a tab and a URL");
        fails(b"a\thttp://h/\tx", "line 1: expected a path, a tab and a URL");
        fails(b"\n\thttp://h/", "line 2: expected a path before the tab");
        let why = "no reference resolves against mailto: URLs";
        fails(b"a\tmailto:x", &format!("line 1: the base URL 'mailto:x' is not usable: {why}"));
        let twice = "line 3: this path is on line 1 too, give it once";
        fails(b"a\thttp://h/\nb\thttp://h/\n./a\thttp://h/", twice);
    }
}
