//! URLs of the site's host outside the base path: of another site there, or without the prefix.

use crate::audit::fix::Safety;
use crate::audit::hints::{Meant, Wording};
use crate::audit::lookup::{Lookup, RequestPath};
use crate::audit::rules::Rule;
use crate::audit::site::files::path_of;
use crate::audit::site::server::Answer;
use crate::audit::target::{LinkScope, Problem, Target};

/// A file that a URL without the prefix of the site names.
struct Unprefixed {
    /// The path of the URL below the root of the site.
    path: Vec<u8>,
    has_trailing_slash: bool,
    file: Vec<u8>,
}

impl Lookup<'_> {
    /// The target of a URL outside the base path.
    pub(super) fn outside(&self, request: &RequestPath<'_>) -> Target {
        let base = self.deployment.base_path();
        let problem = if let Some(Unprefixed { path, has_trailing_slash, file }) =
            self.unprefixed(request)
        {
            let file = path_of(&file);
            let message =
                format!("the site has '{}', but begins at '{base}' on its host", file.display());
            let meant = Meant::Path { path: path.into(), has_trailing_slash };
            Problem::new(Rule::MissingPrefix, message).proposing(
                meant,
                Wording::Write,
                Some(Safety::Safe),
            )
        } else {
            let message = format!("a URL of the same host outside '{base}', which is not checked");
            Problem::new(Rule::OutsideBase, message)
        };
        Target { scope: LinkScope::Outside, problems: vec![problem], ..Target::in_site(None) }
    }

    /// The file that the folder has for the path of a URL. The root of the host is not that of the
    /// site, although the folder has a page for it.
    fn unprefixed(&self, request: &RequestPath<'_>) -> Option<Unprefixed> {
        let RequestPath { path, has_trailing_slash, query } = request;
        let slash = *has_trailing_slash;
        // The root of a host has files of these names itself.
        let is_of_root = ["index.html", "robots.txt", "favicon.ico"];
        if path.is_empty() || is_of_root.iter().any(|name| name.as_bytes() == &**path) {
            return None;
        }
        let own = path.to_vec();
        Some(match self.server.answer(self.site.files(), path, slash, *query) {
            Answer::File(file) => Unprefixed { path: own, has_trailing_slash: slash, file },
            Answer::RedirectsToSlash(file) => {
                Unprefixed { path: own, has_trailing_slash: true, file }
            }
            Answer::CaseDiffers(file) => {
                Unprefixed { path: file.clone(), has_trailing_slash: false, file }
            }
            _ => return None,
        })
    }
}
