//! The files of several hosts in one folder.

use std::collections::HashMap;
use std::path::Path;
use std::{fmt, io};

use super::SiteTargets;
use crate::audit::site::Site;
use crate::audit::site::deployment::Deployment;
use crate::audit::site::server::Server;
use crate::audit::site_targets::OpenedBy;
use crate::batch::{Scheme, host_folders};
use crate::link::{Placement, Targets};
use crate::url::{Base, Parts};

/// Where the folder is for relative links; no URL of a page is there
/// ([RFC 2606](https://www.rfc-editor.org/rfc/rfc2606#section-2)).
const ROOT: &str = "http://mirror.invalid/";

/// The files of a mirror of several hosts, as [`SiteTargets`] finds those of one: each host has a folder
/// with its name ([`Layout::HostPath`](crate::batch::Layout::HostPath)).
pub struct HostTargets {
    files: SiteTargets,
    /// The URL of each folder of a host, by scheme and authority; those of no scheme have both.
    hosts: HashMap<(Option<Scheme>, String), String>,
}

impl HostTargets {
    /// The files of the site in a folder.
    ///
    /// # Errors
    ///
    /// If the folder cannot be read.
    pub fn new(root: &Path, site: Site, server: Server, opened_by: OpenedBy) -> io::Result<Self> {
        let deployment =
            Deployment::at(ROOT).map_err(|error| io::Error::other(error.to_string()))?;
        let url = |path: &Path| deployment.page_url(path);
        let folders = host_folders(root)?.into_iter();
        let hosts =
            folders.map(|(scheme, host, path)| ((scheme, host.to_ascii_lowercase()), url(&path)));
        let hosts = hosts.collect();
        Ok(Self { files: SiteTargets::new(site, deployment, server, opened_by), hosts })
    }

    /// The URL of a file by its path, in the folder.
    #[must_use]
    pub fn url_of(&self, path: &Path) -> String {
        self.files.url_of(path)
    }

    /// The URL in the folder for one of the mirror.
    fn url(&self, url: &str) -> Option<String> {
        let parts = Parts::of(url).filter(|parts| parts.credentials().is_none())?;
        let is_own = |scheme: &&Scheme| parts.scheme.eq_ignore_ascii_case(scheme.name());
        let scheme = *Scheme::ALL.iter().find(is_own)?;
        let default = match scheme {
            Scheme::Http => ":80",
            Scheme::Https => ":443",
        };
        let authority = parts.net_loc.to_ascii_lowercase();
        let host = authority.strip_suffix(default).unwrap_or(&authority).to_owned();
        let own = self.hosts.get(&(Some(scheme), host.clone()));
        let folder = own.or_else(|| self.hosts.get(&(None, host)))?;
        let after = url.find("://")? + "://".len() + parts.net_loc.len();
        let rest = &url[after..];
        let slash = if rest.starts_with('/') { "" } else { "/" };
        Some(format!("{folder}{slash}{rest}"))
    }
}

impl Targets for HostTargets {
    fn find<'u>(&self, url: &'u str) -> Placement<'u> {
        let Some(url) = self.url(url) else { return Placement::Outside };
        match self.files.find(&url) {
            Placement::InSite(url) => Placement::InSite(url.into_owned().into()),
            Placement::Outside | Placement::Kept => Placement::Outside,
        }
    }

    fn document(&self, url: &Base) -> Option<Base> {
        let url = self.url(url.as_str())?;
        match self.files.find(&url) {
            Placement::InSite(file) => Base::new(&file).ok(),
            Placement::Outside | Placement::Kept => Base::new(&url).ok(),
        }
    }
}

impl fmt::Debug for HostTargets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostTargets").field("hosts", &self.hosts.len()).finish_non_exhaustive()
    }
}
