//! URLs lead to files below the root of a site, by its redirects, and to the same each time.

use absolve::url::{Base, Standard};
use absolve_site::{
    Answer, Deployment, FileKind, Files, Fragment, Location, Profile, Redirects, Server,
    check_reference, hints, missing_scheme,
};

use crate::common::arbitrary;

pub(crate) fn run(data: &[u8]) {
    let Some(data) = arbitrary::<(&str, &str, &str)>(data) else { return };
    let (redirects, written, name) = data;
    let files = Files::new(
        ["index.html", "a/index.html", "a/b.html", "A/c", name].map(|path| (path, FileKind::File)),
    );
    let deployment = Deployment::parse("https://example.org/x/").expect("it is usable");
    let base = Base::new("https://example.org/x/a/b.html").expect("it is usable");
    let redirects = Redirects::parse(redirects);
    for (check, message) in check_reference(written) {
        assert!(!message.is_empty(), "{}", check.rule);
    }
    let _ = (missing_scheme(written), Fragment::parse(written));
    let Ok(resolution) = Standard::Rfc1808.resolve(Some(&base), written) else { return };
    let Some(url) = resolution.url() else { return };
    let Location::Inside { path, has_trailing_slash, query, .. } = deployment.locate(url) else {
        return;
    };
    let is_name = |name: &[u8]| !matches!(name, b"" | b"." | b"..");
    assert!(path.is_empty() || path.split(|byte| *byte == b'/').all(is_name), "{url} at {path:?}");
    for &profile in Profile::ALL {
        let server = Server::new(profile).with_redirects(redirects.clone());
        let answer = server.answer(&files, &path, has_trailing_slash, query);
        if let Answer::File(file) | Answer::CaseDiffers(file) = &answer {
            assert_eq!(files.kind(file), Some(FileKind::File), "{url}");
        }
        if answer == Answer::Missing {
            let _ = hints::Finder::new(&files, &server).path(&path, has_trailing_slash);
        }
    }
}
