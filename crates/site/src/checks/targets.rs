//! Rules about links to files that do not exist, or that only some servers find.

use std::collections::BTreeMap;
use std::sync::Arc;

use absolve::url::clean;

use crate::checks::schemes::{find_host, find_possible_host};
use crate::{
    FileKind, Meant, Problem, Proposal, Rule, Safety, Search, Server, Site, Target, Wording,
    begins_at_root, missing_scheme_problem, path_of, rows,
};

rows! {
    BrokenLink: Error, Target;
        summary: "link target does not exist",
        reason: "The server answers 404: the linked page, image, script or style sheet is missing; or it \
                 answers with a page where a browser loads something else.",
        example: "<a href=\"guide.html\"> where there is only Guide.html",
        fix: "Correct the reference, add the file, or remove the link.";

    DirectoryWithoutIndex: Error, Target;
        summary: "link to a folder without an index page",
        reason: "The server shows a listing of the folder, or answers 403.",
        example: "<a href=\"images/\"> where images has no index.html",
        fix: "Link to a file in the folder, or add an index page. --index sets the names of index \
              pages.";

    MissingPrefix: Error, Url;
        summary: "a link to a file of the site lacks the path of --base-url",
        reason: "The site is served below a path of its host, and the link leads to the root of the \
                 host, where the server answers 404. A link to the root itself is outside-base.",
        example: "<a href=\"/guide/\"> with --base-url https://example.org/manual/, where there is \
                  guide/index.html",
        fix: "Write /manual/guide/, or a relative reference. Site generators add the prefix if their \
              configuration has the base URL.";

    MissingTrailingSlash: Warn, Target;
        summary: "a link to a folder without a trailing slash",
        reason: "The server answers with a redirect, which costs a round trip. If it does not \
                 redirect, the relative links of the page break.",
        example: "<a href=\"docs\"> where docs is a folder with index.html",
        fix: "Write docs/.";

    CaseMismatch: Warn, Target;
        summary: "link and file name differ in letter case",
        reason: "It works on this server, which ignores case, and breaks on a server that does \
                 not.",
        example: "<img src=\"Logo.PNG\"> where the file is logo.png",
        fix: "Write the name exactly as the file has it.";

    AboveRoot: Warn, Reference;
        summary: "the link climbs above the root of the host",
        reason: "A browser drops the surplus .. segments, so that the link works by chance; RFC \
                 1808 keeps them in the URL.",
        example: "<a href=\"../../index.html\"> in a page one folder below the root",
        fix: "Remove the surplus .. segments, or write the path relative to the file.";

    OutsideBase: Note, Url;
        summary: "a link to the same host outside the path of --base-url",
        reason: "The folder has no such file, or it is a file of the root of most hosts, such as \
                 /index.html. The link may lead to another site of the host: the audit does not check \
                 it. If most links with a slash in front are such, --base-url is probably wrong.",
        example: "<a href=\"/shop/\"> with --base-url https://example.org/manual/",
        fix: "If the target belongs to the site, write /manual/shop/ and add the file. To check the \
              link, audit a folder with all of the host as --root-dir.";
}

/// Creates the problem of a reference that climbs above the root; browsers look for `path` instead.
pub(crate) fn above_root_problem(path: &[u8]) -> Problem {
    let message = format!(
        "more .. than there are folders to leave: a browser drops them and looks for '{}'",
        String::from_utf8_lossy(path)
    );
    Problem::new(Rule::AboveRoot, message)
}

/// Creates the problem of a path without a file, or of a missing scheme if a host is meant.
pub(crate) fn missing_file_problem(
    site: &Site,
    path: &[u8],
    has_trailing_slash: bool,
    reference: &str,
    is_redirected: bool,
) -> Problem {
    if !is_redirected && let Some(meant) = find_host(reference) {
        return missing_scheme_problem(&meant).with_target(site.shown_path(path));
    }
    let shown = String::from_utf8_lossy(path);
    let message = match (is_redirected, has_trailing_slash && !path.is_empty()) {
        (true, _) => format!("it redirects to '{shown}', which does not exist"),
        (false, true) => format!("target '{shown}/' does not exist"),
        (false, false) => format!("target '{shown}' does not exist"),
    };
    let message = match site.dangling(path) {
        Some(to) => {
            format!("target '{shown}' is a symbolic link to nothing, '{}'", to.display())
        }
        None => message,
    };
    let host = find_possible_host(reference).filter(|_| !is_redirected);
    Problem {
        hint: host.map(|url| format!("did you mean {url}?")),
        search: Some(path_search(path, has_trailing_slash)),
        target: Some(site.shown_path(path)),
        ..Problem::new(Rule::BrokenLink, message)
    }
}

pub(crate) fn missing_index_problem(site: &Site, server: &Server, folder: &[u8]) -> Problem {
    let names = server.index();
    let message = match names {
        [] => "a folder: a browser shows a listing".to_owned(),
        names => format!("a folder without {}", names.join(" or ")),
    };
    Problem {
        search: Some(Arc::new(Search::Folder(folder.into()))),
        target: Some(site.shown_path(folder)),
        ..Problem::new(Rule::DirectoryWithoutIndex, message)
    }
}

pub(crate) fn missing_slash_problem(site: &Site, path: &[u8]) -> Problem {
    let message = "a folder without a trailing slash: the server answers with a redirect";
    Problem::new(Rule::MissingTrailingSlash, message).with_target(site.shown_path(path)).proposing(
        Meant::folder(path),
        Wording::Write,
        Some(Safety::Safe),
    )
}

/// Creates the problem of a path that differs from the name of its file in letter case.
pub(crate) fn wrong_case_problem(site: &Site, path: &[u8], file: &[u8]) -> Problem {
    // The server may have added an extension or the name of an index page.
    let meant = file.get(..path.len()).unwrap_or(file);
    let is_folder = file.get(meant.len()) == Some(&b'/');
    let kind = if is_folder { FileKind::Folder } else { FileKind::File };
    let meant = Meant::from_kind(meant, kind);
    let safety = site.files().is_only_in_any_case(path).then_some(Safety::Safe);
    Problem::new(Rule::CaseMismatch, "link and file name differ in letter case")
        .with_target(site.shown_path(file))
        .proposing(meant, Wording::Write, safety)
}

/// Creates the problem of a link to a redirect, by a `line` of a redirects file or by the server.
pub(crate) fn redirect_problem(server: &Server, to: &str, line: Option<u64>) -> Problem {
    let position = line.map(|line| server.redirects().shown_place(line));
    let redirecting = position.as_deref().unwrap_or("the server");
    Problem::new(Rule::LinkToRedirect, format!("{redirecting} redirects to '{to}'"))
}

/// Creates the problem of a rewrite whose target does not exist; `position` names its line.
pub(crate) fn broken_rewrite_problem(position: &str, to: &str) -> Problem {
    let message = format!("{position} answers with '{to}', which does not exist");
    Problem::new(Rule::BrokenLink, message)
}

/// Creates the search for a hint about a path that does not exist.
pub(crate) fn path_search(path: &[u8], has_trailing_slash: bool) -> Arc<Search> {
    Arc::new(Search::Path { path: path.into(), has_trailing_slash })
}

/// Creates the problem of a URL that leads to a file if the prefix of the site is added.
pub(crate) fn missing_prefix_problem(base: &str, file: &[u8], meant: Meant) -> Problem {
    let file = path_of(file);
    let message = format!("the site has '{}', but begins at '{base}' on its host", file.display());
    let problem = Problem::new(Rule::MissingPrefix, message);
    problem.proposing(meant, Wording::Write, Some(Safety::Safe))
}

/// Creates the problem of a URL outside the base path, which may belong to another site.
pub(crate) fn outside_base_problem(base: &str) -> Problem {
    let message = format!("a URL of the same host outside '{base}', which is not checked");
    Problem::new(Rule::OutsideBase, message)
}

/// Merges the problem of surplus `..` segments into the problem of a broken link, as they are its
/// likely cause.
pub(crate) fn merge_above_root(target: &mut Target) {
    let find = |rule| target.problems.iter().position(|problem| problem.rule == rule);
    let (Some(above), Some(broken)) = (find(Rule::AboveRoot), find(Rule::BrokenLink)) else {
        return;
    };
    let message = &mut target.problems[broken].message;
    *message =
        format!("{message}, and the link has more .. than there are folders to leave").into();
    target.problems.remove(above);
}

/// Proposes to remove surplus `..` segments, if browsers find a file without them.
pub(crate) fn propose_below_root(target: &mut Target) {
    if target.file.is_none() {
        return;
    }
    if let Some(above) = target.problems.iter_mut().find(|known| known.rule == Rule::AboveRoot) {
        let proposal = Proposal::new(Meant::BelowRoot, Wording::Write, Some(Safety::Unsafe));
        above.proposal = Some(Box::new(proposal));
    }
}

/// Maximum paths of a page that are kept: enough for its menus.
const MAX_PATHS: usize = 100;

/// Maximum paths of a run that are kept: up to 6 MB.
const MAX_PATHS_OF_RUN: usize = 20_000;

/// Maximum length of a kept path, in bytes.
const MAX_PATH_LEN: usize = 256;

/// The root-relative links of a page or of a run that are broken or outside the base URL.
#[derive(Debug, Default)]
pub(crate) struct LinksFromRoot {
    /// The number of links that lead to no file of the site, inside or outside the base URL.
    pub(crate) lost: u64,
    /// The number of links outside the base URL, including those that only lack its path.
    pub(crate) outside: u64,
    /// The paths of lost links, without the first slash, query and fragment, with their counts.
    pub(crate) paths: BTreeMap<Box<str>, u64>,
}

impl LinksFromRoot {
    /// Counts a link with a problem of this rule.
    pub(crate) fn add(&mut self, rule: Rule, reference: &str) {
        let (is_lost, is_outside) = match rule {
            Rule::BrokenLink => (true, false),
            Rule::OutsideBase => (true, true),
            Rule::MissingPrefix => (false, true),
            _ => return,
        };
        let reference = clean(reference);
        if !begins_at_root(&reference) || reference[1..].starts_with('\\') {
            return;
        }
        self.outside += u64::from(is_outside);
        self.lost += u64::from(is_lost);
        if is_lost {
            let end = reference.find(['?', '#']).unwrap_or(reference.len());
            self.keep(&reference[1..end], 1, MAX_PATHS);
        }
    }

    /// Adds the links of a page.
    pub(crate) fn append(&mut self, page: &Self) {
        self.lost += page.lost;
        self.outside += page.outside;
        for (path, count) in &page.paths {
            self.keep(path, *count, MAX_PATHS_OF_RUN);
        }
    }

    fn keep(&mut self, path: &str, count: u64, max_paths: usize) {
        if let Some(sum) = self.paths.get_mut(path) {
            *sum += count;
        } else if self.paths.len() < max_paths && path.len() <= MAX_PATH_LEN {
            self.paths.insert(path.into(), count);
        }
    }
}
