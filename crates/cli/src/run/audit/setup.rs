//! Creates the site, the server and the rules of an audit from its arguments.

use std::collections::HashSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use absolve::{Diagnosis, HasAdvice, Limits};
use absolve_site::report::display::printable_path;
use absolve_site::{
    Audit, Case, Deployment, Extensionless, ExternalStatuses, Finding, Profile, Ranges, Redirects,
    Rule, Server, Site, Sources,
};

use super::paths::{Folders, SiteFiles, TOO_LARGE, max_size};

use crate::args::{AcceptedLink, AuditArgs, ServingArgs};
use crate::session::failure::{Failure, reason};
use crate::session::redirects;

/// A site, and the audit of it.
pub struct Setup {
    pub site: Site,
    pub audit: Audit,
    /// The names of `--report-only` that are neither files of the site nor sources.
    pub unreported: Vec<PathBuf>,
    reported: ReportedFiles,
}

/// The files whose findings are reported, by the paths that findings have.
struct ReportedFiles {
    files: HashSet<PathBuf>,
    /// The folder whose findings are all reported.
    folder: Option<PathBuf>,
    /// The Markdown files whose findings are reported, on any page.
    sources: HashSet<Arc<Path>>,
}

impl Setup {
    /// Prepares an audit; `--report-only` may name files of `sources`.
    pub(super) fn new(
        args: &AuditArgs,
        folders: &Folders<'_>,
        sources: Option<&Sources>,
    ) -> Result<Self, Failure> {
        let &Folders { root, dir, ref dir_in_root } = folders;
        let site = walk_site(args, folders)?;
        let documents = [site.pages(), site.xml_documents()];
        let is_empty = documents.iter().all(|files| files.is_empty());
        if is_empty && !args.pages.allow_empty {
            let problem = "there is no page in it; give the folder of the built site, or \
                           {allow-empty} if it may be empty ({include} says which files are pages)";
            return Err(Failure::new(&printable_path(dir), Diagnosis::from_words(problem, &[])));
        }
        let lookup = SiteFiles { site: &site, root };
        let checks = &args.checks;
        let (server, redirects_files) =
            make_server(&args.serving, &lookup, &args.reading.limits.documents)?;
        let rewriter = args.reading.rewriter();
        let deployment = make_deployment(&args.serving)?;
        let mut audit = Audit::new(deployment, server)
            .rewriter(rewriter)
            .anchor_ranges(choose_ranges(&args.serving))
            .finding_limits(args.reading.limits.findings)
            .ignore_links(checks.ignore.ignored())
            .forbid_hosts(checks.forbid_host.clone());
        audit = checks.levels().fold(audit, |audit, (rule, level)| audit.level(rule, level));
        if let Some(file) = &checks.external_status {
            let statuses = read_external_statuses(file, &args.reading.limits.documents)?;
            audit = audit.external_statuses(statuses);
        }
        let mut files = HashSet::new();
        for file in redirects_files {
            files.insert(file.clone());
            audit = audit.redirects_file(file);
        }
        let (sitemap, robots) =
            (lookup.find_sitemap(args)?, lookup.find_in_root("robots.txt", args));
        files.extend(sitemap.into_iter().chain(robots).map(|number| site.shown(number)));
        audit = audit.sitemap(sitemap).robots(robots);
        let only = &args.reporting.report_only;
        let listed = lookup.find_listed(only, sources)?;
        if !only.is_empty() {
            files = listed.numbers.iter().map(|number| site.shown(*number)).collect();
            // The audit does not know sources. If sources select findings, it reports all findings.
            if listed.sources.is_empty() {
                audit = audit.report_only(listed.numbers);
            }
        }
        let folder = only.is_empty().then(|| root.join(dir_in_root));
        let reported = ReportedFiles { files, folder, sources: listed.sources };
        Ok(Self { site, audit, unreported: listed.others, reported })
    }

    /// Whether sources select findings, which needs a complete audit.
    pub fn selects_sources(&self) -> bool {
        !self.reported.sources.is_empty()
    }

    /// Returns the number of files that the audit reads.
    pub fn files(&self) -> usize {
        let site = &self.site;
        let files = [site.pages(), site.styles(), site.xml_documents()];
        files.iter().map(|files| files.len()).sum()
    }

    /// Keeps the findings that are reported, once their sources are known.
    pub fn retain_reported(&self, findings: &mut Vec<Finding>) {
        let sources = &self.reported.sources;
        if !sources.is_empty() {
            findings.retain(|Finding { file, source, .. }| {
                self.is_reported(file)
                    || source.as_ref().is_some_and(|source| sources.contains(&source.file))
            });
        }
    }

    /// Whether `--report-only` selects no file at all.
    pub fn reports_none(&self) -> bool {
        let ReportedFiles { files, folder, sources } = &self.reported;
        folder.is_none() && files.is_empty() && sources.is_empty()
    }

    /// Whether findings in a file are reported.
    pub fn is_reported(&self, file: &Path) -> bool {
        let ReportedFiles { files, folder, .. } = &self.reported;
        folder.as_ref().is_some_and(|folder| file.starts_with(folder)) || files.contains(file)
    }
}

/// Walks the site, without auditing the files that the run may write.
fn walk_site(args: &AuditArgs, folders: &Folders<'_>) -> Result<Site, Failure> {
    let &Folders { root, .. } = folders;
    let site = Site::walk(root, folders.dir, &args.pages.globs.globs(), args.pages.symlinks());
    let mut site = site.map_err(|failure| Failure::new(&printable_path(root), failure))?;
    args.reporting.output_files().for_each(|file| site.exclude_from_audit(file));
    Ok(site)
}

fn make_deployment(serving: &ServingArgs) -> Result<Deployment, Failure> {
    let mut deployment = match &serving.base_url {
        Some(base) => Deployment::new(base),
        None if serving.server.is_secure() => Deployment::secure(),
        None => Deployment::default(),
    };
    for host in &serving.alias {
        let named = deployment.with_alias(host);
        deployment = named.map_err(Failure::message)?;
    }
    Ok(deployment)
}

/// Chooses the ranges of anchors that exist if both ends do, such as `#L1-L3`.
fn choose_ranges(serving: &ServingArgs) -> Ranges {
    let is_accepted = serving.accept.contains(&AcceptedLink::AnchorRanges);
    if is_accepted { Ranges::Lines } else { Ranges::Numbers }
}

/// Reads the file of `--external-status`.
fn read_external_statuses(file: &Path, limits: &Limits) -> Result<ExternalStatuses, Failure> {
    let name = printable_path(file);
    let bytes = absolve_files::read_file(file, max_size(limits)).map_err(|error| {
        let why = match error.kind() {
            ErrorKind::FileTooLarge => Diagnosis::from_words(TOO_LARGE, &[]),
            _ => Diagnosis::new(reason(&error)),
        };
        let words = "cannot read the answers: {}; give another with {external-status}";
        Failure::new(&name, Diagnosis::from_words(words, &[&why]))
    })?;
    ExternalStatuses::parse(&bytes).map_err(|error| Failure::new(&name, error.to_string()))
}

/// Creates the server with its redirects. Also returns the redirects files, by the paths that
/// findings have for them.
fn make_server(
    serving: &ServingArgs,
    lookup: &SiteFiles<'_>,
    limits: &Limits,
) -> Result<(Server, Vec<PathBuf>), Failure> {
    let profile = serving.server;
    let mut server = Server::new(profile);
    if !serving.index.is_empty() {
        server = server.with_index(serving.index.clone());
    }
    // The profile of Netlify serves pages without their extension anyway.
    if serving.accept.contains(&AcceptedLink::Extensionless) && profile != Profile::Netlify {
        server = server.with_extensionless(Extensionless::Served);
    }
    if serving.accept.contains(&AcceptedLink::Case) {
        server = server.with_case(Case::Ignored);
    }
    let given = serving.redirects.clone().map(|file| vec![file]);
    let files = given.unwrap_or_else(|| {
        redirects::find_files(profile, lookup.root, |file| lookup.find_number(file).is_some())
    });
    let (mut rules, mut shown) = (create_rules(serving), Vec::new());
    for file in files {
        let (text, file) = read_redirects(file, lookup, limits)?;
        rules = redirects::add_rules(rules, &file, &text)
            .map_err(|why| redirects_failure(&file, why))?;
        shown.push(file);
    }
    Ok((server.with_redirects(rules), shown))
}

/// Returns redirects without rules, at the path of the site.
fn create_rules(serving: &ServingArgs) -> Redirects {
    let deployment = serving.base_url.as_ref().map(Deployment::new).unwrap_or_default();
    Redirects::new(deployment.base_path())
}

/// Finds a redirects file that the server does not read, but whose rules would answer broken links.
/// Also returns the number of these links.
pub fn find_unread_redirects(
    serving: &ServingArgs,
    limits: &Limits,
    site: &Site,
    root: &Path,
    findings: &[Finding],
) -> Option<(PathBuf, u64)> {
    if serving.redirects.is_some() || serving.server.redirects_file().is_some() {
        return None;
    }
    let lookup = SiteFiles { site, root };
    let is_in_root = |file: &Path| lookup.find_number(file).is_some();
    redirects::find_files(Profile::Netlify, root, is_in_root).into_iter().find_map(|file| {
        let (text, file) = read_redirects(file, &lookup, limits).ok()?;
        let rules = redirects::add_rules(create_rules(serving), &file, &text).ok()?;
        let is_answered = |finding: &&Finding| {
            let target = finding.target.as_deref().filter(|_| finding.rule == Rule::BrokenLink);
            let path = target.and_then(|target| target.strip_prefix(root).ok());
            let path = path.map(|path| path.as_os_str().as_encoded_bytes());
            path.is_some_and(|path| rules.matching(path, None).is_some())
        };
        let answered = findings.iter().filter(is_answered).count() as u64;
        (answered > 0).then_some((file, answered))
    })
}

/// Reads a redirects file. Returns its text, and the path that findings have for it.
fn read_redirects(
    file: PathBuf,
    lookup: &SiteFiles<'_>,
    limits: &Limits,
) -> Result<(String, PathBuf), Failure> {
    let number = lookup.find_number(&file);
    // A file of the site is read like a page.
    let bytes = if let Some(number) = number {
        let read = lookup.site.read(&lookup.site.shown(number));
        read.ok_or_else(|| redirects_failure(&file, "it is not a regular file"))?
    } else {
        let read = absolve_files::read_file(&file, max_size(limits));
        read.map_err(|error| redirects_failure(&file, reason(&error)))?
    };
    if limits.input > 0 && bytes.len() > limits.input {
        return Err(redirects_failure(&file, Diagnosis::from_words(TOO_LARGE, &[])));
    }
    let shown = number.map_or(file, |number| lookup.site.shown(number));
    Ok((String::from_utf8_lossy(&bytes).into_owned(), shown))
}

fn redirects_failure(file: &Path, why: impl HasAdvice) -> Failure {
    let words = "cannot read the redirects: {}; give another with {redirects}";
    Failure::new(&printable_path(file), Diagnosis::from_words(words, &[&why]))
}
