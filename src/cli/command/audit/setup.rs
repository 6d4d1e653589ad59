//! The site, the server and the rules of an audit, from its arguments.

mod external;
mod files;
mod folders;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::audit::{
    Audit, Case, Deployment, Extensionless, Finding, Profile, Ranges, Redirects, Server, Site,
    Sources,
};
use crate::batch::Archive;
use crate::container::Format;
use crate::{Limits, batch, report};

use crate::cli::args::{Accepted, AuditArgs, ServingArgs};
use crate::cli::session::book;
use crate::cli::session::failure::{Failure, reason};
use crate::cli::terminal::printable_path;

use files::{SiteFiles, max_size};
use folders::SiteFile;
pub use folders::{Folders, in_repository};

/// A site and its audit.
pub struct Setup {
    pub site: Site,
    pub audit: Audit,
    /// Names of `--report-only` that are no files of the site, and none of `--sources`.
    pub unreported: Vec<PathBuf>,
    reported: Reported,
    is_archive: bool,
}

/// The files whose findings are reported, by their paths in findings.
struct Reported {
    files: HashSet<PathBuf>,
    /// The folder whose files are all reported.
    below: Option<PathBuf>,
    /// The Markdown files whose findings are reported, whatever page they are on.
    sources: HashSet<Arc<Path>>,
}

impl Setup {
    /// Prepares an audit; `sources` are those that `--report-only` may name.
    pub fn new(
        args: &AuditArgs,
        folders: &Folders<'_>,
        sources: Option<&Sources>,
    ) -> Result<Self, Failure> {
        let &Folders { root, dir, ref below, container, .. } = folders;
        let site = site(args, folders)?;
        let documents = [site.pages(), site.messages(), site.xml_documents()];
        let is_empty = documents.iter().all(|files| files.is_empty());
        if is_empty && container.is_none() && !args.pages.allow_empty {
            let what = "there is no page in it; give the folder of the built site, or \
                        --allow-empty if it may be empty (--include says which files are pages)";
            return Err(Failure::of(&printable_path(dir), what));
        }
        let found = SiteFiles { site: &site, root };
        let checks = &args.checks;
        let (server, redirects_file) =
            server(&args.serving, &found, &args.reading.limits.documents)?;
        let failed = |error: crate::Error| Failure::message(error);
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
            .anchor_ranges(ranges(&args.serving))
            .max_findings(args.reading.limits.findings)
            .max_findings_size(args.reading.limits.findings_size)
            .ignore_links(checks.ignore_link.clone())
            .forbid_hosts(checks.forbid_host.clone())
            .own_file(report::is_own_file);
        audit = checks.levels().fold(audit, |audit, (rule, level)| audit.level(rule, level));
        if let Some(file) = &checks.external_status {
            let statuses = external::read(file, &args.reading.limits.documents)?;
            audit = audit.external_statuses(statuses);
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
        let listed = found.listed(only, sources)?;
        if !only.is_empty() {
            files = listed.numbers.iter().map(|number| site.shown(*number)).collect();
            // The sources of findings are searched after the audit.
            if listed.sources.is_empty() {
                audit = audit.report_only(listed.numbers);
            }
        }
        let below = only.is_empty().then(|| root.join(below));
        let is_archive = container == Some(SiteFile::Container(Format::Warc));
        let reported = Reported { files, below, sources: listed.sources };
        Ok(Self { site, audit, unreported: listed.others, reported, is_archive })
    }

    /// Whether findings are selected by their sources, after the audit.
    pub fn selects_sources(&self) -> bool {
        !self.reported.sources.is_empty()
    }

    /// The number of files to read; `None` for a web archive, which is read as a stream.
    pub fn files(&self) -> Option<usize> {
        let site = &self.site;
        let files = [site.pages(), site.styles(), site.messages(), site.xml_documents()];
        (!self.is_archive).then(|| files.iter().map(|files| files.len()).sum())
    }

    /// Removes the findings that are not reported, once their sources are known.
    pub fn retain_reported(&self, findings: &mut Vec<Finding>) {
        let sources = &self.reported.sources;
        if !sources.is_empty() {
            findings.retain(|Finding { file, source, .. }| {
                self.is_reported(file)
                    || source.as_ref().is_some_and(|source| sources.contains(&source.file))
            });
        }
    }

    /// Whether `--report-only` names no file whose findings could be reported.
    pub fn reports_none(&self) -> bool {
        let Reported { files, below, sources } = &self.reported;
        below.is_none() && files.is_empty() && sources.is_empty()
    }

    /// Whether findings in a file are reported.
    pub fn is_reported(&self, file: &Path) -> bool {
        let Reported { files, below, .. } = &self.reported;
        below.as_ref().is_some_and(|below| file.starts_with(below)) || files.contains(file)
    }
}

/// The site of the folders, or of the file in their place.
fn site(args: &AuditArgs, folders: &Folders<'_>) -> Result<Site, Failure> {
    let &Folders { root, dir, container, .. } = folders;
    let site = match container {
        Some(_) if !folders.archives.is_empty() => return of_archives(&folders.archives),
        None => Site::walk(root, dir, &args.pages.globs.globs(), args.pages.symlinks()),
        Some(SiteFile::Container(format)) => Site::of_container(dir, format),
        Some(SiteFile::Book) => Site::of_book(dir, args.reading.limits.documents),
    };
    let name = if container.is_some() { dir } else { root };
    site.map_err(|failure| Failure::of(&printable_path(name), failure))
}

/// The site of web archives.
fn of_archives(paths: &[PathBuf]) -> Result<Site, Failure> {
    let mut archives = Vec::new();
    for path in paths {
        let found = Archive::of_file(path, Format::of_name(path));
        archives.extend(found.map_err(|error| book::failure(&printable_path(path), error))?);
    }
    let site = Site::of_container(&paths[0], Format::Warc);
    let site = site.map_err(|why| Failure::of(&printable_path(&paths[0]), why))?;
    site.archives(archives)
        .map_err(|(path, error)| Failure::of(&printable_path(&path), batch::Failure::read(&error)))
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

/// Whether links may name several anchors.
fn ranges(serving: &ServingArgs) -> Ranges {
    let is_accepted = serving.accept.contains(&Accepted::AnchorRanges);
    if is_accepted { Ranges::Accepted } else { Ranges::Refused }
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
    if serving.accept.contains(&Accepted::Extensionless) && profile != Profile::Netlify {
        server = server.with_extensionless(Extensionless::Served);
    }
    if serving.accept.contains(&Accepted::Case) {
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
        batch::read_file(&file, max_size(limits)).map_err(|error| unread(&reason(&error)))?
    };
    if limits.input > 0 && bytes.len() > limits.input {
        return Err(unread("it exceeds --limit input"));
    }
    let redirects = Redirects::parse(&String::from_utf8_lossy(&bytes));
    let shown = number.map_or(file, |number| found.site.shown(number));
    Ok((server.with_redirects(redirects), Some(shown)))
}
