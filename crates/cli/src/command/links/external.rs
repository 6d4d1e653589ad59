//! `--external`: selects the links that a link checker requests.

use absolve::url::Base;
use absolve::{Link, Visit};
use absolve_site::{Audit, Deployment, Location, Profile, Server, external_url};

use crate::args::LinksArgs;
use crate::session::config::read_audit_args;
use crate::session::failure::Failure;
use crate::terminal::Messages;

/// Selects links that lead out of the site, with the settings of its audit.
pub(super) struct ExternalLinks(Audit);

impl ExternalLinks {
    /// Reads the configuration of the audit of a folder, and changes `args` to read pages as that
    /// audit does.
    pub(super) fn new(args: &mut LinksArgs, messages: Messages) -> Result<Self, Failure> {
        args.document.options.read_as_browsers();
        args.base.set_base_url(None);
        let config = args.listing.config.as_deref();
        let mut configured = None;
        if args.inputs.paths.is_empty() && args.inputs.files.files_from.is_none() {
            let mut audit = read_audit_args(None, config, messages)?;
            args.inputs.paths = std::mem::take(&mut audit.paths);
            if args.inputs.paths.is_empty() {
                let problem = "--external lists the links of a site: give its folder, set path \
                               in the table [audit] of absolve.toml, or give - to read a page \
                               from stdin";
                return Err(Failure::message(problem));
            }
            configured = Some(audit);
        }
        let folder = match &args.inputs.paths[..] {
            [path] if path.is_dir() => Some(path),
            _ => None,
        };
        let is_site = folder.is_some() || args.inputs.files.root_dir.is_some();
        let typed_base = args.base.base_url();
        let typed_base =
            typed_base.map(|base| if is_site { base.clone() } else { resolve_folder_url(base) });
        let (mut aliases, mut ignored) = (Vec::new(), Vec::new());
        let audit = match (configured, folder) {
            (None, Some(folder)) => Some(read_audit_args(Some(folder), config, messages)?),
            (given, _) => given,
        };
        if let Some(audit) = audit {
            // A layout or a map gives each document its URL.
            if typed_base.is_none() && !args.base.has_layout() && !args.base.has_map() {
                // Without a URL, relative links lead to the site too, as in an audit.
                let default_base = || Deployment::default().base().clone();
                args.base.set_base_url(Some(audit.serving.base_url.unwrap_or_else(default_base)));
                let root = &mut args.inputs.files.root_dir;
                *root = root.take().or(audit.serving.root_dir);
            }
            if args.inputs.files.globs.is_empty() {
                args.inputs.files.globs = audit.pages.globs;
            }
            (aliases, ignored) = (audit.serving.alias, audit.checks.ignore.ignored());
        }
        let base = typed_base.or_else(|| args.base.base_url().cloned());
        let deployment = base.as_ref().map_or_else(Deployment::default, Deployment::new);
        let deployment = aliases.iter().try_fold(deployment, |site, host| site.with_alias(host));
        let deployment = deployment.map_err(Failure::message)?;
        let audit = Audit::new(deployment, Server::new(Profile::Plain)).ignore_links(ignored);
        Ok(Self(audit))
    }

    /// Returns the URL that a link checker requests for a link; `None` if the link stays in the
    /// site, is ignored, or is not requested by browsers.
    pub(super) fn url(&self, link: &Link<'_>) -> Option<String> {
        external_url(link, |url| {
            !matches!(self.0.deployment.locate(url), Location::Inside { .. })
                && !self.0.ignores(link.reference(), || link.url())
        })
    }
}

/// Returns the URL of the folder of a document.
fn resolve_folder_url(base: &Base) -> Base {
    let folder = base.resolve_rfc1808(".", |_| {});
    Base::new(&folder).unwrap_or_else(|_| base.clone())
}

/// Visits links, except inside elements with `data-absolve-ignore`, which [`Visit`] ignores.
pub(super) struct UnmarkedLinks<'s>(pub(super) &'s mut dyn FnMut(&Link<'_>));

impl Visit for UnmarkedLinks<'_> {
    fn link(&mut self, link: &Link<'_>) {
        (self.0)(link);
    }
}
