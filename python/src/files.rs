//! Files, directory trees, web archives and books.
//!
//! The promises are those of the command: a file holds its complete old or its complete new
//! contents at every moment, and is replaced only when that is asked for.

mod archive;
mod counting;
mod document;
mod epub;
mod failure;
mod result;
mod tree;

use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use pyo3::exceptions::{PyIsADirectoryError, PyNotADirectoryError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::args::RewriteArgs;
use crate::arguments::{Function, not_a_stream};
use crate::options::{base_url, optional_path, path};
use crate::progress::Watched;
pub(crate) use archive::rewrite_stream;
use failure::RunError;
pub(crate) use failure::{is_exception, os_error};
pub(crate) use result::RewriteResult;
use result::{Counts, FileFailure, LinkCounts};

/// Adds what is here to the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<RewriteResult>()?;
    module.add_class::<Counts>()?;
    module.add_class::<LinkCounts>()?;
    module.add_class::<FileFailure>()?;
    module.add_function(wrap_pyfunction!(rewrite_tree, module)?)?;
    module.add_function(wrap_pyfunction!(rewrite_file, module)?)?;
    module.add_function(wrap_pyfunction!(rewrite_warc, module)?)?;
    module.add_function(wrap_pyfunction!(rewrite_epub, module)?)
}

/// Options that are parameters, or about the terminal.
const NOT_OPTIONS: &[&str] = &[
    "base-url",
    "output",
    "write",
    "check",
    "diff",
    "list-different",
    "stats",
    "strict",
    "config",
    "no-config",
    "print-config",
    "files-from",
    "null",
];

/// Options of folders alone.
const FOLDER_OPTIONS: &[&str] = &["copy-assets", "force", "include", "exclude", "allow-empty"];

/// The options about the records of a web archive.
const ARCHIVE_OPTIONS: &[&str] =
    &["record-type", "all-statuses", "level", "cdxj", "status", "mime", "url", "type", "no-css"];

pub(crate) const TREE: Function = Function {
    name: "rewrite_tree",
    command: "rewrite",
    parameters: &["destination", "base_url", "in_place", "progress"],
    without: &[NOT_OPTIONS, ARCHIVE_OPTIONS],
};

pub(crate) const FILE: Function = Function {
    name: "rewrite_file",
    command: "rewrite",
    parameters: &["destination", "base_url", "in_place"],
    without: &[NOT_OPTIONS, FOLDER_OPTIONS, ARCHIVE_OPTIONS, &["jobs"]],
};

pub(crate) const WARC: Function = Function {
    name: "rewrite_warc",
    command: "rewrite",
    parameters: &["base_url", "progress"],
    without: &[
        NOT_OPTIONS,
        FOLDER_OPTIONS,
        &["backup", "break-hardlinks", "keep-time", "sync", "as", "root-dir"],
        &["follow-symlinks", "layout", "base-map"],
        &["to", "for", "server", "leave-external"],
    ],
};

pub(crate) const EPUB: Function = Function {
    name: "rewrite_epub",
    parameters: &["base_url", "progress"],
    without: &[
        NOT_OPTIONS,
        FOLDER_OPTIONS,
        ARCHIVE_OPTIONS,
        &["backup", "break-hardlinks", "keep-time", "sync", "as", "root-dir", "jobs"],
        &["follow-symlinks", "layout", "base-map"],
        &["max-parts", "max-part-depth", "max-header", "max-record-header", "max-record"],
        &["max-ratio"],
        &["to", "for", "server", "leave-external"],
    ],
    ..WARC
};

#[doc = signature!("rewrite_tree(source, destination=None, base_url=None", * "in_place=False, progress=None", tree)]
/// Make every link of the documents in a folder absolute, as `absolve rewrite` does.
///
/// They are written to the folder `destination`, or replace the old ones with `in_place=True`;
/// `dry_run=True` writes nothing. `base_url` is the URL of the folder. A file holds its complete
/// old or its complete new contents at every moment, also if the process is killed, and a new
/// folder gets its files when all are done.
///
/// >>> import pathlib, tempfile
/// >>> site, new = pathlib.Path(tempfile.mkdtemp()), pathlib.Path(tempfile.mkdtemp())
/// >>> _ = (site / "a.html").write_text("<a href=b.html>")
/// >>> result = rewrite_tree(site, new, "http://h/docs/", exclude=["draft-*"])
/// >>> result.counts.rewritten, result.links.rewritten
/// (1, 1)
/// >>> (new / "a.html").read_text()
/// '<a href=http://h/docs/b.html>'
///
/// A file that fails stays as it was, and is one of the `failures` of the result.
///
/// `progress` is called with the number of files that were read and the number of all, at most 20
/// times a second. An exception in it, and Ctrl-C, end the run: every file is whole, and a new
/// folder is not written.
///
/// Raises `OSError` for a folder that cannot be read or written, and `Error` for the value of an
/// option.
#[pyfunction]
#[pyo3(
    signature = (source, destination=None, base_url=None, *, in_place=false, progress=None, **options),
    text_signature = None
)]
fn rewrite_tree(
    py: Python<'_>,
    #[pyo3(from_py_with = path)] source: PathBuf,
    #[pyo3(from_py_with = optional_path)] destination: Option<PathBuf>,
    #[pyo3(from_py_with = base_url)] base_url: Option<&str>,
    in_place: bool,
    progress: Option<&Bound<'_, PyAny>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<RewriteResult> {
    let own = parameters(&TREE, destination, base_url, in_place, options)?;
    let args = TREE.parse::<RewriteArgs>(py, options, own, std::slice::from_ref(&source))?;
    if !metadata(py, &source)?.is_dir() {
        let what = format!("{}: it is not a folder; rewrite_file takes a file", source.display());
        return Err(PyNotADirectoryError::new_err(what));
    }
    tree::rewrite(py, &TREE, &args, progress)
}

#[doc = signature!("rewrite_file(source, destination=None, base_url=None", * "in_place=False", file)]
/// Make every link of a file absolute: a document, a message or MHTML.
///
/// It is written to the file `destination`, or replaces the old one with `in_place=True`;
/// `dry_run=True` writes nothing. `base_url` is the URL of the file.
///
/// >>> import pathlib, tempfile
/// >>> page = pathlib.Path(tempfile.mkdtemp(), "a.html")
/// >>> _ = page.write_text("<a href=b.html>")
/// >>> rewrite_file(page, base_url="http://h/docs/", in_place=True).links.rewritten
/// 1
/// >>> page.read_text()
/// '<a href=http://h/docs/b.html>'
///
/// Raises `OSError` for a file that cannot be read or written, and `Error` for a document or an
/// option that cannot be used: `LimitError` for a document that reaches a limit, `BaseUrlError` and
/// `EncodingError`. The files are then as they were. A part of a message that fails is one of the
/// `failures` of the result.
#[pyfunction]
#[pyo3(
    signature = (source, destination=None, base_url=None, *, in_place=false, **options),
    text_signature = None
)]
fn rewrite_file(
    py: Python<'_>,
    #[pyo3(from_py_with = path)] source: PathBuf,
    #[pyo3(from_py_with = optional_path)] destination: Option<PathBuf>,
    #[pyo3(from_py_with = base_url)] base_url: Option<&str>,
    in_place: bool,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<RewriteResult> {
    let own = parameters(&FILE, destination, base_url, in_place, options)?;
    let args = FILE.parse::<RewriteArgs>(py, options, own, std::slice::from_ref(&source))?;
    check_is_no_folder(py, &source)?;
    if args.writing.output.is_some() {
        document::rewrite(py, &FILE, &args, not_a_stream(source))
    } else {
        tree::rewrite_in_place(py, &FILE, &args)
    }
}

#[doc = signature!("rewrite_warc(source, destination, base_url=None", * "progress=None", warc)]
/// Make every link of the documents in a web archive absolute.
///
/// The archive is a `.warc`, `.warc.gz`, `.warc.zst` or `.wacz`. The new one is the file
/// `destination`, of the same kind, and `cdxj` the file of its index, which a `.wacz` has inside.
/// Each document has the URL of its
/// record; `base_url` is that of records without one.
///
/// >>> import pathlib, tempfile
/// >>> folder = pathlib.Path(tempfile.mkdtemp())
/// >>> record = [
/// ...     "WARC/1.1", "WARC-Type: resource", "Content-Type: text/html",
/// ...     "WARC-Target-URI: http://h/a/", "Content-Length: 10", "", "<a href=b>", "", "",
/// ... ]
/// >>> _ = (folder / "old.warc").write_text("\r\n".join(record), newline="")
/// >>> rewrite_warc(folder / "old.warc", folder / "new.warc").counts.rewritten
/// 1
///
/// `progress` is called with the bytes that were read and the bytes of the archive, at most 20
/// times a second. An exception in it, and Ctrl-C, end the run, and nothing is written.
///
/// Raises `OSError` for a file that cannot be read or written, and `Error` for the value of an
/// option. Records that fail are copied, and are `failures` of the result.
#[pyfunction]
#[pyo3(
    signature = (source, destination, base_url=None, *, progress=None, **options),
    text_signature = None
)]
fn rewrite_warc(
    py: Python<'_>,
    #[pyo3(from_py_with = path)] source: PathBuf,
    #[pyo3(from_py_with = path)] destination: PathBuf,
    #[pyo3(from_py_with = base_url)] base_url: Option<&str>,
    progress: Option<&Bound<'_, PyAny>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<RewriteResult> {
    let own = parameters(&WARC, Some(destination.clone()), base_url, false, options)?;
    let sources = std::slice::from_ref(&source);
    let (args, matches) = WARC.parse_with_matches::<RewriteArgs>(py, options, own, sources)?;
    let info = archive::warcinfo(&matches)?;
    check_is_no_folder(py, &source)?;
    archive::rewrite(py, &args, info, &not_a_stream(source), &not_a_stream(destination), progress)
}

#[doc = signature!("rewrite_epub(source, destination, base_url=None", * "progress=None", epub)]
/// Move the links of a book (`.epub`) to the web: `maps` has old URLs, and what replaces them.
///
/// Links between the files of the book stay as they are. The new book is the file `destination`; a
/// document that changes is compressed anew, and all other files are copied in their compressed
/// form.
/// `base_url` is the URL of the root of the book, if `maps` is about that too.
///
/// >>> import pathlib, tempfile, zipfile
/// >>> folder = pathlib.Path(tempfile.mkdtemp())
/// >>> item = "<item href='a.html' media-type='text/html'/>"
/// >>> with zipfile.ZipFile(folder / "old.epub", "w") as book:
/// ...     book.writestr("mimetype", "application/epub+zip")
/// ...     book.writestr("META-INF/container.xml", "<a><rootfile full-path='p.opf'/></a>")
/// ...     book.writestr("p.opf", f"<package>{item}</package>")
/// ...     book.writestr("a.html", "<a href=http://old.example/x>")
/// >>> maps = {"http://old.example/": "https://new.example/"}
/// >>> rewrite_epub(folder / "old.epub", folder / "new.epub", maps=maps).counts.rewritten
/// 1
/// >>> zipfile.ZipFile(folder / "new.epub").read("a.html")
/// b'<a href=https://new.example/x>'
///
/// `progress` is called with the number of documents that were read and the number of all, at most
/// 20 times a second. An exception in it, and Ctrl-C, end the run, and nothing is written.
///
/// Raises `OSError` for a file that cannot be read or written, and `Error` for the value of an
/// option and for a book that is damaged, hostile or encrypted. Documents that fail are copied, and
/// are `failures` of the result.
#[pyfunction]
#[pyo3(
    signature = (source, destination, base_url=None, *, progress=None, **options),
    text_signature = None
)]
fn rewrite_epub(
    py: Python<'_>,
    #[pyo3(from_py_with = path)] source: PathBuf,
    #[pyo3(from_py_with = path)] destination: PathBuf,
    #[pyo3(from_py_with = base_url)] base_url: Option<&str>,
    progress: Option<&Bound<'_, PyAny>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<RewriteResult> {
    let own = parameters(&EPUB, Some(destination.clone()), base_url, false, options)?;
    let args = EPUB.parse::<RewriteArgs>(py, options, own, std::slice::from_ref(&source))?;
    check_is_no_folder(py, &source)?;
    epub::rewrite(py, &args, &not_a_stream(source), &not_a_stream(destination), progress)
}

/// The arguments of the parameters, which say where the documents go: nothing is replaced unless
/// that is asked for.
fn parameters(
    function: &Function,
    destination: Option<PathBuf>,
    base_url: Option<&str>,
    in_place: bool,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Vec<OsString>> {
    let with = |option: &str, value: OsString| {
        let mut argument = OsString::from(option);
        argument.push(value);
        argument
    };
    let mut own = Vec::new();
    own.extend(base_url.map(|url| with("--base-url=", url.into())));
    let dry_run =
        options.and_then(|options| options.get_item("dry_run").transpose()).transpose()?;
    let is_dry_run = dry_run.is_some_and(|value| value.is_truthy().unwrap_or(true));
    match destination {
        Some(_) if in_place => {
            let what = "takes a destination or in_place=True, not both";
            return Err(PyTypeError::new_err(format!("{}() {what}", function.name)));
        }
        Some(path) => own.push(with("--output=", not_a_stream(path).into_os_string())),
        None if in_place => own.push("--write".into()),
        None if is_dry_run => {}
        None => {
            let what = "needs a destination, or in_place=True to replace what it rewrites";
            return Err(PyTypeError::new_err(format!("{}() {what}", function.name)));
        }
    }
    Ok(own)
}

fn check_is_no_folder(py: Python<'_>, path: &Path) -> PyResult<()> {
    if metadata(py, path)?.is_dir() {
        let what = format!("{}: it is a folder; rewrite_tree takes one", path.display());
        return Err(PyIsADirectoryError::new_err(what));
    }
    Ok(())
}

fn metadata(py: Python<'_>, path: &Path) -> PyResult<Metadata> {
    py.detach(|| fs::metadata(path)).map_err(|error| os_error(path, &error))
}

/// The result of work, unless an exception was to stop it or it failed.
fn finished<T>(
    py: Python<'_>,
    function: &Function,
    name: &Path,
    watched: Watched<Result<T, RunError>>,
) -> PyResult<T> {
    watched.finish(name)?.map_err(|error| error.exception(py, function))
}
