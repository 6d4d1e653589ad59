//! Files, directory trees, web archives and books.
//!
//! The promises are those of the command: a file holds its complete old or its complete new
//! contents at every moment, and is replaced only when that is asked for.

mod collector;
mod failure;
mod result;
mod run;

use std::io::Write;
use std::path::{Path, PathBuf};

use absolve::cli::args::RewriteArgs;
use absolve::cli::command::rewrite::{ContainerRun, DocumentRun, Listener, Totals, check, report};
use absolve::cli::session::failure::Failure;
use absolve::cli::session::input::Input;
use absolve::cli::session::inputs::Inputs;
use absolve::cli::session::unfinished::check_not_being_written;
use absolve::container::{Format, Source};
use pyo3::exceptions::{PyNotADirectoryError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments::{Function, not_a_stream};
use crate::functions::{EPUB, FILE, TREE, WARC};
use crate::options::{base_url, destination_path, in_place, optional_path, source_path};
use crate::progress::Unit;
pub(crate) use failure::{exception, os_error, python_exception};
pub(crate) use result::RewriteResult;
use result::{Counts, FileFailure, LinkCounts};
use run::{
    check_is_another, check_is_no_folder, inputs, metadata, parameters, run, tree, warcinfo,
};

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
    #[pyo3(from_py_with = source_path)] source: PathBuf,
    #[pyo3(from_py_with = optional_path)] destination: Option<PathBuf>,
    #[pyo3(from_py_with = base_url)] base_url: Option<&str>,
    #[pyo3(from_py_with = in_place)] in_place: bool,
    progress: Option<&Bound<'_, PyAny>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<RewriteResult> {
    let own = parameters(&TREE, destination, base_url, in_place, options)?;
    let (args, _) = TREE.parse::<RewriteArgs>(py, options, own, std::slice::from_ref(&source))?;
    if !metadata(py, &source)?.is_dir() {
        let what = format!("{}: it is not a folder; rewrite_file takes a file", source.display());
        return Err(PyNotADirectoryError::new_err(what));
    }
    tree(py, &TREE, &args, progress)
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
    #[pyo3(from_py_with = source_path)] source: PathBuf,
    #[pyo3(from_py_with = optional_path)] destination: Option<PathBuf>,
    #[pyo3(from_py_with = base_url)] base_url: Option<&str>,
    #[pyo3(from_py_with = in_place)] in_place: bool,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<RewriteResult> {
    let own = parameters(&FILE, destination, base_url, in_place, options)?;
    let (args, _) = FILE.parse::<RewriteArgs>(py, options, own, std::slice::from_ref(&source))?;
    check_is_no_folder(py, &source)?;
    let Some(destination) = &args.writing.output else {
        let result = tree(py, &FILE, &args, None)?;
        return match result.failure() {
            Some(failure) => Err(failure.exception(py, failure.to_string())),
            None => Ok(result),
        };
    };
    run(py, &FILE, (&source, None, Unit::Files), |_, collector| {
        check(&args)?;
        let Inputs::One(input) = inputs(&args)? else { return Err(Failure::message("no path")) };
        let document = DocumentRun::new(&args, &input)?;
        document.run(|_, rewritten| {
            let report = report(rewritten);
            collector.file(input.shown(), &report);
            if collector.commits() {
                document.write(destination, rewritten.bytes())?;
            }
            Ok(Totals::of_document(&report, &input.name()))
        })
    })
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
    #[pyo3(from_py_with = source_path)] source: PathBuf,
    #[pyo3(from_py_with = destination_path)] destination: PathBuf,
    #[pyo3(from_py_with = base_url)] base_url: Option<&str>,
    progress: Option<&Bound<'_, PyAny>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<RewriteResult> {
    let own = parameters(&WARC, Some(destination.clone()), base_url, false, options)?;
    let sources = std::slice::from_ref(&source);
    let (args, matches) = WARC.parse::<RewriteArgs>(py, options, own, sources)?;
    let info = warcinfo(&matches);
    check_is_no_folder(py, &source)?;
    let is_wacz = |path: &Path| Format::of_name(path) == Format::Wacz;
    run(py, &WARC, (&source, progress, Unit::Bytes), |watch, collector| {
        check_is_another(&source, &destination)?;
        check_not_being_written(&destination, "destination")?;
        if is_wacz(&source) != is_wacz(&destination) {
            let what =
                "a WACZ archive stays one; give both names the extension .wacz, or none of them";
            return Err(Failure::of(&destination.to_string_lossy(), what));
        }
        let format = if is_wacz(&source) { Format::Wacz } else { Format::Warc };
        let input = Input::File(not_a_stream(source.clone()));
        check(&args)?;
        ContainerRun::new(&args, &input, format, info?)?.run(&mut collector.observers(watch))
    })
}

#[doc = signature!("rewrite_epub(source, destination, base_url=None", * "progress=None", epub)]
/// Move the links of a book (`.epub`) to the web: `maps` has old URLs, and what replaces them.
///
/// Links between the files of the book stay as they are. The new book is the file `destination`; a
/// document that changes is recompressed, and all other files are copied in their compressed
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
    #[pyo3(from_py_with = source_path)] source: PathBuf,
    #[pyo3(from_py_with = destination_path)] destination: PathBuf,
    #[pyo3(from_py_with = base_url)] base_url: Option<&str>,
    progress: Option<&Bound<'_, PyAny>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<RewriteResult> {
    let own = parameters(&EPUB, Some(destination.clone()), base_url, false, options)?;
    let sources = std::slice::from_ref(&source);
    let (args, matches) = EPUB.parse::<RewriteArgs>(py, options, own, sources)?;
    let info = warcinfo(&matches);
    check_is_no_folder(py, &source)?;
    run(py, &EPUB, (&source, progress, Unit::Files), |watch, collector| {
        check_is_another(&source, &destination)?;
        let input = Input::File(not_a_stream(source.clone()));
        check(&args)?;
        ContainerRun::new(&args, &input, Format::Epub, info?)?.run(&mut collector.observers(watch))
    })
}

/// Rewrites an archive from a stream into another; `name` is that of the source.
pub(crate) fn rewrite_stream(
    py: Python<'_>,
    (source, name): (Source<'static>, &Path),
    mut output: impl Write + Send,
    base_url: Option<&str>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<RewriteResult> {
    let function = &Function {
        name: "rewrite_warc_stream",
        parameters: &["source", "destination", "base_url"],
        ..WARC
    };
    let own = base_url.map(|url| format!("--base-url={url}").into()).into_iter().collect();
    let paths = [name.to_owned()];
    let (args, matches) = &function.parse::<RewriteArgs>(py, options, own, &paths)?;
    let info = warcinfo(matches);
    if args.writing.cdxj.is_some() {
        return Err(PyTypeError::new_err("cdxj needs a path, which rewrite_warc() takes"));
    }
    if args.writing.dry_run {
        return Err(PyTypeError::new_err("dry_run=True needs a path, which rewrite_warc() takes"));
    }
    run(py, function, (name, None, Unit::Bytes), |watch, collector| {
        check(args)?;
        let input = Input::File(name.to_owned());
        let container = ContainerRun::new(args, &input, Format::Warc, info?)?;
        container.stream(source, &mut output, &mut collector.observers(watch))
    })
}
