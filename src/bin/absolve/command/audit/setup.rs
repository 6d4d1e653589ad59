//! The site, the server and the rules of an audit, from its arguments.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use absolve::audit::{
    Audit, Case, Deployment, Extensionless, FileKind, Profile, Ranges, Redirects, Server, Site,
};
use absolve::batch::Effect;
use absolve::container::Format;
use absolve::{Limits, batch, report};

use crate::args::{AuditArgs, FixArgs, ServingArgs};
use crate::session::book::{is_book_file, member_path};
use crate::session::entry_path::entry_path;
use crate::session::failure::{Failure, reason};
use crate::session::is_folder_given;
use crate::session::stored::stored_archives;
use crate::terminal::printable_path;

/// A site and its audit.
pub(crate) struct Setup {
    pub(crate) site: Site,
    pub(crate) audit: Audit,
    reported: Reported,
    is_archive: bool,
}

/// The files whose findings are reported, by their paths in findings.
struct Reported {
    files: HashSet<PathBuf>,
    /// The folder whose files are all reported.
    below: Option<PathBuf>,
}

/// The folder that is served, and the one in it that is audited.
pub(crate) struct Folders<'a> {
    pub(crate) root: &'a Path,
    dir: &'a Path,
    /// The path of `dir` in `root`.
    below: PathBuf,
    /// What `dir` is if it is not a folder; `root` is then its parent folder.
    container: Option<SiteFile>,
}

/// A file that is audited in place of a folder.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SiteFile {
    /// A message or a web archive.
    Container(Format),
    Book,
}

impl Setup {
    pub(crate) fn new(args: &AuditArgs, folders: &Folders<'_>) -> Result<Self, Failure> {
        let &Folders { root, dir, ref below, container } = folders;
        let site = site(args, folders)?;
        let is_empty = site.pages().is_empty()
            && site.messages().is_empty()
            && site.xml_documents().is_empty();
        if is_empty && container.is_none() && !args.pages.allow_empty {
            let what = "there is no page in it; give the folder of the built site, or \
                        --allow-empty if it may be empty (--include says which files are pages)";
            return Err(Failure::of(&printable_path(dir), what));
        }
        let found = SiteFiles { site: &site, root };
        let checks = &args.checks;
        let (server, redirects_file) =
            server(&args.serving, &found, &args.reading.limits.documents)?;
        let ranges = if checks.anchor_ranges { Ranges::Accepted } else { Ranges::Refused };
        let failed = |error: absolve::Error| Failure::message(error);
        let mut rewriter = args.reading.rewriter().map_err(failed)?;
        let mut deployment = deployment(&args.serving)?;
        if container.is_some() {
            // The container has the URL of each page; the option is for pages without one.
            if let Some(base) = &args.serving.base_url {
                rewriter = rewriter.base_url(base.as_str()).map_err(failed)?;
            }
            deployment = Deployment::default();
        }
        // A reading system shows no index page and no listing of a folder.
        let server =
            if container == Some(SiteFile::Book) { server.with_index(Vec::new()) } else { server };
        let mut audit = Audit::new(deployment, server)
            .rewriter(rewriter)
            .archive_limits(args.reading.limits.archives)
            .records(args.records.selection())
            .anchor_ranges(ranges)
            .max_findings(checks.max_findings)
            .max_findings_size(checks.max_findings_size)
            .ignore_links(checks.ignore_link.clone())
            .own_file(report::is_own_file);
        for &(rule, level) in &checks.rules.levels {
            audit = audit.level(rule, level);
        }
        let mut files = HashSet::new();
        if let Some(file) = redirects_file {
            files.insert(file.clone());
            audit = audit.redirects_file(file);
        }
        let (sitemap, robots) = (found.sitemap(args)?, found.in_root("robots.txt", args));
        files.extend(sitemap.into_iter().chain(robots).map(|number| site.shown(number)));
        audit = audit.sitemap(sitemap).robots(robots);
        let only = &args.reporting.report_only;
        if !only.is_empty() {
            let only = only.iter().map(|path| found.file(path, "--report-only"));
            let numbers = only.collect::<Result<Vec<_>, _>>()?;
            files = numbers.iter().map(|number| site.shown(*number)).collect();
            audit = audit.report_only(numbers);
        }
        let below = only.is_empty().then(|| root.join(below));
        let is_archive = container == Some(SiteFile::Container(Format::Warc));
        Ok(Self { site, audit, reported: Reported { files, below }, is_archive })
    }

    /// The number of files to read; `None` for a web archive, which is read as a stream.
    pub(crate) fn files(&self) -> Option<usize> {
        let site = &self.site;
        let files = site.pages().len() + site.messages().len() + site.xml_documents().len();
        (!self.is_archive).then_some(files)
    }

    /// Whether findings in a file are reported.
    pub(crate) fn is_reported(&self, file: &Path) -> bool {
        let Reported { files, below } = &self.reported;
        below.as_ref().is_some_and(|below| file.starts_with(below)) || files.contains(file)
    }
}

/// The site of the folders, or of the file in their place.
fn site(args: &AuditArgs, folders: &Folders<'_>) -> Result<Site, Failure> {
    let &Folders { root, dir, container, .. } = folders;
    let site = match container {
        None => Site::walk(root, dir, &args.pages.globs.globs(), args.pages.symlinks()),
        Some(SiteFile::Container(format)) => of_container(dir, format)?,
        Some(SiteFile::Book) => Site::of_book(dir, args.reading.limits.documents),
    };
    let name = if container.is_some() { dir } else { root };
    site.map_err(|failure| Failure::of(&printable_path(name), failure))
}

/// The site of a container, which may be a WACZ archive.
fn of_container(dir: &Path, format: Format) -> Result<Result<Site, batch::Failure>, Failure> {
    let site = Site::of_container(dir, format);
    if !Format::is_wacz(dir) {
        return Ok(site);
    }
    let archives = stored_archives(dir)?;
    Ok(site.map(|site| site.archives(archives)))
}

impl<'a> Folders<'a> {
    pub(crate) fn new(args: &'a AuditArgs) -> Result<Self, Failure> {
        let Some(dir) = &args.dir else {
            let what = "no folder is given; give that of the built site, or set path in the table \
                        [audit] of absolve.toml";
            return Err(Failure::message(what));
        };
        if let Some((book, _)) = member_path(dir) {
            let what = format!(
                "audit reads the whole book: give {}, and the file with --report-only",
                printable_path(&book)
            );
            return Err(Failure::of(&printable_path(dir), what));
        }
        if !is_folder_given(dir)? {
            if entry_path(dir).is_some() {
                let what = "audit reads the whole file: give that, and select records of an \
                            archive with --url";
                return Err(Failure::of(&printable_path(dir), what));
            }
            if is_book_file(dir) {
                return Self::of_container(args, dir, SiteFile::Book);
            }
            let is_wacz = Format::is_wacz(dir);
            let format = if is_wacz { Format::Warc } else { Format::of_name(dir) };
            if !matches!(format, Format::Html | Format::Xml) {
                return Self::of_container(args, dir, SiteFile::Container(format));
            }
        }
        check_records(args)?;
        if let Some(base) = &args.serving.base_url {
            let checked = batch::check_folder_url(base);
            checked.map_err(Failure::message)?;
        }
        let root = args.serving.root_dir.as_ref().unwrap_or(dir);
        let (real, above) = (canonical(dir)?, canonical(root)?);
        let below = real.strip_prefix(above).map_err(|_| {
            let what =
                format!("it is not in --root-dir {}; give a folder above it", printable_path(root));
            Failure::of(&printable_path(dir), what)
        })?;
        Ok(Self { root, dir, below: below.to_owned(), container: None })
    }

    /// The path of the root relative to the nearest folder with `.git` that contains it, else to the
    /// current folder; the absolute path if it is not below that.
    pub(crate) fn in_repository(&self) -> PathBuf {
        let root = if self.root.as_os_str().is_empty() { Path::new(".") } else { self.root };
        let Ok(real) = root.canonicalize() else { return self.root.to_owned() };
        let repository = real.ancestors().find(|folder| folder.join(".git").exists());
        let current = || Path::new(".").canonicalize().ok();
        let repository = repository.map(Path::to_owned).or_else(current);
        let below = repository.and_then(|folder| Some(real.strip_prefix(folder).ok()?.to_owned()));
        below.unwrap_or(real)
    }

    /// Rejects options of `--fix` that do not count.
    pub(super) fn check_fixing(&self, fixing: &FixArgs) -> Result<(), Failure> {
        if fixing.diff && !fixing.fix {
            return Err(Failure::message("--diff shows what --fix would write; give --fix too"));
        }
        if fixing.fix && self.container.is_some() {
            let what = "it is not a folder; --fix writes the pages of a folder only";
            return Err(Failure::of(&printable_path(self.dir), what));
        }
        Ok(())
    }

    /// A message, a web archive or a book in place of a folder.
    fn of_container(
        args: &'a AuditArgs,
        dir: &'a Path,
        container: SiteFile,
    ) -> Result<Self, Failure> {
        if container != SiteFile::Container(Format::Warc) {
            check_records(args)?;
        }
        let (serving, checks, globs) = (&args.serving, &args.checks, &args.pages.globs);
        // The manifest of a book says which of its files are documents.
        let have = |effect| container == SiteFile::Book && globs.have(effect);
        let of_folders = [
            ("--root-dir", serving.root_dir.is_some()),
            ("--redirects", serving.redirects.is_some()),
            ("--sitemap", checks.sitemap.is_some()),
            ("--include", have(Effect::Include)),
            ("--exclude", have(Effect::Exclude)),
        ];
        if let Some((option, _)) = of_folders.into_iter().find(|(_, is_given)| *is_given) {
            let what = format!("it is not a folder; {option} is for the folder of a site");
            return Err(Failure::of(&printable_path(dir), what));
        }
        let root = dir.parent().unwrap_or(Path::new(""));
        Ok(Self { root, dir, below: PathBuf::new(), container: Some(container) })
    }
}

/// Rejects options that select records of web archives.
fn check_records(args: &AuditArgs) -> Result<(), Failure> {
    args.records.for_archives().map_or(Ok(()), |what| Err(Failure::message(what)))
}

/// The path of an existing folder without symbolic links.
fn canonical(path: &Path) -> Result<PathBuf, Failure> {
    let found = path.canonicalize().and_then(|path| Ok((path.metadata()?, path)));
    let what = match found {
        Ok((metadata, path)) if metadata.is_dir() => return Ok(path),
        Ok(_) => {
            "it is not a folder; give the folder of the built site, a message, a web archive or a book, \
                  and --report-only FILE for what is in one page"
                .to_owned()
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            "no such folder; give the folder of the built site".to_owned()
        }
        Err(error) => return Err(Failure::unreadable(&printable_path(path), &error)),
    };
    Err(Failure::of(&printable_path(path), what))
}

fn deployment(serving: &ServingArgs) -> Result<Deployment, Failure> {
    let mut deployment =
        serving.base_url.as_ref().map_or_else(Deployment::default, Deployment::new);
    for host in &serving.alias {
        let named = deployment.with_alias(host);
        deployment = named.map_err(Failure::message)?;
    }
    Ok(deployment)
}

/// The server, and the path of its redirects file in findings.
fn server(
    serving: &ServingArgs,
    found: &SiteFiles<'_>,
    limits: &Limits,
) -> Result<(Server, Option<PathBuf>), Failure> {
    let profile = serving.server;
    let mut server = Server::new(profile);
    if !serving.index.is_empty() {
        server = server.with_index(serving.index.clone());
    }
    // Netlify's profile includes this.
    if serving.extensionless && profile != Profile::Netlify {
        server = server.with_extensionless(Extensionless::Served);
    }
    if serving.ignore_case {
        server = server.with_case(Case::Ignored);
    }
    let own = || profile.redirects_file().map(|name| found.root.join(name));
    let own = || own().filter(|file| found.number(file).is_some());
    let Some(file) = serving.redirects.clone().or_else(own) else {
        return Ok((server, None));
    };
    let unread = |why: &str| {
        let what = format!("cannot read the redirects: {why}; give another with --redirects");
        Failure::of(&printable_path(&file), what)
    };
    let number = found.number(&file);
    // A file of the site is read like its pages.
    let bytes = if let Some(number) = number {
        let read = found.site.read(&found.site.shown(number));
        read.ok_or_else(|| unread("it is not a regular file"))?
    } else {
        let most = if limits.input == 0 { LARGEST_REDIRECTS } else { limits.input as u64 };
        batch::read_file(&file, most).map_err(|error| unread(&reason(&error)))?
    };
    if limits.input > 0 && bytes.len() > limits.input {
        return Err(unread("it exceeds --max-input"));
    }
    let redirects = Redirects::parse(&String::from_utf8_lossy(&bytes));
    let shown = number.map_or(file, |number| found.site.shown(number));
    Ok((server.with_redirects(redirects), Some(shown)))
}

/// The maximum size of a redirects file if documents have no limit.
const LARGEST_REDIRECTS: u64 = 1 << 30;

/// The files of a site.
struct SiteFiles<'a> {
    site: &'a Site,
    root: &'a Path,
}

impl SiteFiles<'_> {
    /// The number of the sitemap that an option names, else of the one in the root.
    fn sitemap(&self, args: &AuditArgs) -> Result<Option<usize>, Failure> {
        let given = args.checks.sitemap.as_ref().map(|file| self.file(file, "--sitemap"));
        let own = || Ok(self.in_root("sitemap.xml", args));
        given.map_or_else(own, |number| number.map(Some))
    }

    /// The number of the file with this name in the root, unless it is excluded.
    fn in_root(&self, name: &str, args: &AuditArgs) -> Option<usize> {
        let is_excluded = args.pages.globs.globs().is_excluded(Path::new(name));
        let number = self.site.files().find(name.as_bytes())?;
        let is_file = self.site.files().get(number)?.1 == FileKind::File;
        (is_file && !is_excluded).then_some(number)
    }

    /// The number of a file that an option names.
    fn file(&self, path: &Path, option: &str) -> Result<usize, Failure> {
        let number = self.number(path).filter(|&number| {
            let found = self.site.files().get(number);
            found.is_some_and(|(_, kind)| kind == FileKind::File)
        });
        number.ok_or_else(|| {
            let why = match path.metadata() {
                Ok(metadata) if metadata.is_dir() => "it is a folder".to_owned(),
                Ok(_) => format!("it is not in {}", printable_path(self.root)),
                Err(error) => reason(&error),
            };
            Failure::of(&printable_path(path), format!("{why}; {option} takes files of the site"))
        })
    }

    /// The number of a path as it is typed, or of its canonical path.
    fn number(&self, path: &Path) -> Option<usize> {
        let below = |path: PathBuf| {
            let root = self.root.canonicalize().ok()?;
            self.site.find(&self.root.join(path.strip_prefix(root).ok()?))
        };
        let beside = || {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
            Some(folder.join(path.file_name()?))
        };
        let typed = || self.site.find(path).filter(|_| path.exists());
        // A file of a book.
        let member = || member_path(path).and_then(|_| self.site.find(path));
        typed()
            .or_else(member)
            .or_else(|| below(beside()?))
            .or_else(|| below(path.canonicalize().ok()?))
    }
}
