//! Rules about schemes that are missing, misspelt or unknown.

use absolve::url::clean;
use absolve::url::rfc1808::scheme_end;

use crate::checks::references::{KNOWN_SCHEMES, is_scheme};
use crate::hints::find_nearest_word;
use crate::{Meant, Problem, Rule, Safety, Target, Wording, after_scheme, rows, unknown_scheme};

rows! {
    MissingScheme: Error, Reference;
        summary: "an address without mailto:, or a host without https://",
        reason: "Browsers take it for the name of a file beside the page, which does not exist, or \
                 the host for a scheme. In a link that readers follow, this finding replaces \
                 broken-link. A name such as notes.org alone may be a file, and is a broken-link.",
        example: "<a href=\"help@example.org\">, <a href=\"www.example.org\">, \
                  <a href=\"localhost:8000/x\">",
        fix: "Write mailto:help@example.org, https://www.example.org or http://localhost:8000/x.";

    BadScheme: Warn, Reference;
        summary: "the scheme of a URL is misspelt, written twice, or unknown",
        reason: "Browsers follow a link only if a program for its scheme is installed, and take a \
                 second scheme for the host. Schemes with a plus, a dash or a dot inside, \
                 such as web+x:, are left alone.",
        example: "<a href=\"htps://example.org/\">, <a href=\"http://https://example.org/\">",
        fix: "Correct the scheme. For a scheme of a program of your own, --ignore-link leaves its \
              links out.";
}

/// Returns the target of a URL outside the site, with the problem of its scheme.
pub(crate) fn external_target(reference: &str) -> Target {
    // A host with a port looks like a URL with a scheme.
    let meant = unknown_scheme(reference).and_then(|_| find_host(reference));
    let mut problems: Vec<_> = meant.iter().map(missing_scheme_problem).collect();
    if problems.is_empty() {
        problems.extend(find_bad_scheme(reference).map(|BadScheme { message, meant }| {
            let problem = Problem::new(Rule::BadScheme, message);
            match meant {
                Some(meant) => {
                    problem.proposing(Meant::Reference(meant), Wording::DidYouMean, None)
                }
                None => problem,
            }
        }));
    }
    Target { problems, ..Target::OUTSIDE }
}

pub(crate) fn missing_scheme_problem(meant: &MissingScheme) -> Problem {
    let reference = Meant::Reference(meant.meant().to_owned());
    Problem::new(Rule::MissingScheme, meant.message()).proposing(
        reference,
        Wording::DidYouMean,
        meant.safety(),
    )
}

/// Top-level domains that few files have as their extension: if no such file exists, `example.com`
/// is a host and `readme.md` is not.
const TOP_LEVEL_DOMAINS: &[&str] =
    &["com", "org", "net", "edu", "gov", "mil", "int", "info", "biz", "io", "dev", "app"];

/// The probable meaning of a reference without a scheme.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MissingScheme {
    /// An address, with its `mailto:` URL.
    Address(String),
    /// A host, with its `https:` URL; `http:` for this machine (`localhost`).
    Host(String),
}

impl MissingScheme {
    /// Returns the reference as it should be written.
    pub(crate) fn meant(&self) -> &str {
        match self {
            Self::Address(url) | Self::Host(url) => url,
        }
    }

    /// Returns the certainty that no file is meant; `None` if the reference is only a hint.
    pub(crate) fn safety(&self) -> Option<Safety> {
        match self {
            Self::Address(url) => {
                let end = url.find(['?', '#']).unwrap_or(url.len());
                let last = url[..end].rsplit('.').next().unwrap_or("");
                is_top_level(last).then_some(Safety::Safe)
            }
            // The host may not support https.
            Self::Host(_) => None,
        }
    }

    /// Returns the message of a finding.
    pub(crate) fn message(&self) -> &'static str {
        match self {
            Self::Address(_) => "an address without mailto: in front",
            Self::Host(url) if url.starts_with("http:") => "a host without http:// in front",
            Self::Host(_) => "a host without https:// in front",
        }
    }
}

/// [`Rule::MissingScheme`], for a reference whose target does not exist or whose scheme is unknown.
///
/// An address has one `@` and a host with a dot; a host begins with `www.`, ends in a top-level
/// domain that is not an extension of files, or has a port
/// ([RFC 1808 section 2.4.3][rfc]: a host needs `//`). A name such as `notes.org` alone may be a
/// file (`find_possible_host`).
///
/// [rfc]: https://www.rfc-editor.org/rfc/rfc1808#section-2.4.3
#[must_use]
pub fn missing_scheme(reference: &str) -> Option<MissingScheme> {
    let reference = clean(reference);
    let end = reference.find(['/', '?', '#']).unwrap_or(reference.len());
    let (first, rest) = reference.split_at(end);
    if let Some((name, host)) = first.split_once('@') {
        let is_address = is_local_part(name) && is_mail_domain(host) && !rest.starts_with('/');
        return is_address.then(|| MissingScheme::Address(format!("mailto:{reference}")));
    }
    let (host, port) = match first.split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (first, None),
    };
    let is_local = host.eq_ignore_ascii_case("localhost");
    let is_host = match port {
        Some(port) => is_port(port) && (is_domain(host) || is_local),
        None => is_host_name(host) && !is_file_name(host, rest),
    };
    let scheme = if is_local { "http" } else { "https" };
    is_host.then(|| MissingScheme::Host(format!("{scheme}://{reference}")))
}

/// Finds the host that a reference means ([`missing_scheme`]).
pub(crate) fn find_host(reference: &str) -> Option<MissingScheme> {
    missing_scheme(reference).filter(|meant| matches!(meant, MissingScheme::Host(_)))
}

/// Finds the address that a reference means ([`missing_scheme`]). The caller makes sure that
/// readers follow the link: an image or a style sheet is not an address.
pub(crate) fn find_address(reference: &str) -> Option<MissingScheme> {
    missing_scheme(reference).filter(|meant| matches!(meant, MissingScheme::Address(_)))
}

/// Returns the URL of a host, if a reference such as `notes.org` may mean a host or a missing file.
pub(crate) fn find_possible_host(reference: &str) -> Option<String> {
    let reference = clean(reference);
    let end = reference.find(['/', '?', '#']).unwrap_or(reference.len());
    let (name, rest) = reference.split_at(end);
    (is_host_name(name) && is_file_name(name, rest)).then(|| format!("https://{reference}"))
}

/// Whether the name of a host looks like the name of a file: `name.extension`, without a path.
fn is_file_name(host: &str, rest: &str) -> bool {
    !rest.starts_with('/') && !begins_with_www(host) && host.matches('.').count() == 1
}

/// Whether a name is a domain that may be a host.
fn is_host_name(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or("");
    is_domain(name) && (begins_with_www(name) || is_top_level(last))
}

fn begins_with_www(name: &str) -> bool {
    name.get(..4).is_some_and(|www| www.eq_ignore_ascii_case("www."))
}

fn is_mail_domain(host: &str) -> bool {
    let last = host.rsplit('.').next().unwrap_or("");
    // `left-pad@1.3.0` is a version.
    let is_number = |label: &str| label.bytes().all(|byte| byte.is_ascii_digit());
    // Top-level domains of two letters belong to countries; `logo@2x.png` is a file.
    let has_domain_end = is_top_level(last) || last.len() == 2;
    is_domain(host) && !host.split('.').any(is_number) && has_domain_end
}

fn is_top_level(end: &str) -> bool {
    TOP_LEVEL_DOMAINS.iter().any(|known| known.eq_ignore_ascii_case(end))
}

fn is_port(port: &str) -> bool {
    (1..=5).contains(&port.len()) && port.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a name is a [`dot-atom`](https://www.rfc-editor.org/rfc/rfc5322#section-3.2.3).
fn is_local_part(name: &str) -> bool {
    let is_atext =
        |c: char| !c.is_ascii() || c.is_ascii_alphanumeric() || "!$%&'*+-=^_`{|}~.".contains(c);
    !name.is_empty() && !name.starts_with('.') && !name.ends_with('.') && name.chars().all(is_atext)
}

/// Whether a name consists of labels with dots between them, the last of which begins with a
/// letter.
fn is_domain(host: &str) -> bool {
    let is_label = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|c| c == '-' || !c.is_ascii() || c.is_ascii_alphanumeric())
    };
    let top = host.rsplit('.').next().unwrap_or("");
    host.contains('.')
        && host.split('.').all(is_label)
        && top.chars().count() > 1
        && top.starts_with(|c: char| !c.is_ascii() || c.is_ascii_alphabetic())
}

/// The other [registered] schemes. Schemes with a dash, a dot or a plus are not listed, because
/// [`find_bad_scheme`] accepts them.
///
/// [registered]: https://www.iana.org/assignments/uri-schemes/uri-schemes.xhtml
const REGISTERED_SCHEMES: &str = "\
    aaa aaas acap acct acd acr adiumxtra adt afp afs aim amss android appdata apt ar ark at attachment \
    aw barion bb beshare bitcoin bitcoincash bluetooth bolo brid browserext cabal calculator cap cast \
    casts chrome coap coaps content crid cstr cvs dab dat dav dhttp diaspora dict did dis dns dntp dpp \
    drm drop dtmi dtn dvb dvx dweb ed2k eid elsi embedded ens ethereum example fax feedready fido \
    filesystem finger fish fm gg gitoid gizmoproject go graph grd gtalk h323 ham hcap hcp hs20 hxxp \
    hxxps hydrazone hyper iax icap icon imap iotdisco ipfs ipn ipns ipp ipps irc6 iris isostore itms \
    jabber jar jms keyparc lastfm lbry ldaps leaptofrogans lid lorawan lpa lvlt mailserver message \
    modem mongodb moz msnim msrp msrps mss mt mtqp mumble mupdate mvn mvrp mvrps nfs ni nih notes num \
    ocf oid onenote opaquelocktoken openid openpgp4fpr otpauth p1 pack palm paparazzi payment payto \
    pkcs11 platform pop pres prospero proxy psyc pttp pwid qb query redis rediss reload res resource \
    rmi rsync rtmfp rtmp rtsps rtspu sarif secondlife service session sgn shc shelter sieve \
    simpleledger simplex smb smp smtp snews snmp soldat spiffe spotify ssb starknet stun stuns submit \
    swh swid swidpath tag taler teamspeak teapot teapots teliaeid tftp things thismessage thzp tip \
    tn3270 tool turn turns tv udp unreal upt ut2004 vemmi ventrilo ves videotex vnc vscode vsls w3 wais \
    wcr web3 wifi wpid wtai wyciwyg xcon xfire xftp xrcp xri ymsgr";

/// Schemes of well-known programs, protocols and browsers that are not registered.
const UNREGISTERED_SCHEMES: &str = "\
    amqp amqps brave bzr cursor devtools discord docker edge fb figma firefox gemini ghelp gs hdfs help \
    hg idea instagram intent itmss jdbc jetbrains kafka man mariadb mqtt mqtts mysql nats notion obsidian \
    oci opera postgres postgresql s3 sgnl shortcuts slack sqlite srt tcp tls twitter unix vbscript viber \
    webcals youtube zoommtg zoomus zotero";

/// Schemes that a misspelt scheme may mean, each with the maximum number of wrong letters.
const INTENDED_SCHEMES: &[(&str, usize)] =
    &[("https", 2), ("http", 1), ("mailto", 2), ("javascript", 2), ("tel", 1)];

/// The fault of the scheme of a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BadScheme {
    /// The message of a finding.
    pub(crate) message: String,
    /// The reference as it is probably meant.
    pub(crate) meant: Option<String>,
}

/// [`Rule::BadScheme`], for a reference that leads out of the site.
pub(crate) fn find_bad_scheme(reference: &str) -> Option<BadScheme> {
    let reference = clean(reference);
    let report = |message: String, meant: Option<String>| Some(BadScheme { message, meant });
    if let Some(host_and_path) = reference.strip_prefix("//") {
        return find_doubled(host_and_path, report);
    }
    let colon = scheme_end(&reference)?;
    let (scheme, rest) = (reference[..colon].to_ascii_lowercase(), &reference[colon + 1..]);
    if matches!(&*scheme, "http" | "https") {
        return match rest.strip_prefix("//") {
            Some(host_and_path) => find_doubled(host_and_path, report),
            None if rest.starts_with('\\') => None,
            None => {
                let host = rest.trim_start_matches('/');
                let meant = (!host.is_empty()).then(|| format!("{scheme}://{host}"));
                report(format!("no // after '{scheme}:'"), meant)
            }
        };
    }
    if scheme == "mailto" {
        let address = rest.trim_start_matches('/');
        let address = after_scheme(address, "mailto").unwrap_or(address);
        let message = "only the address follows 'mailto:'".to_owned();
        let is_bad = address.len() < rest.len();
        return is_bad.then(|| report(message, Some(format!("mailto:{address}")))).flatten();
    }
    // A single letter is a Windows drive.
    if scheme.len() < 2 || !is_scheme(&scheme) {
        return None;
    }
    let is_in = |schemes: &str| schemes.split(' ').any(|known| known == scheme);
    if [KNOWN_SCHEMES, REGISTERED_SCHEMES, UNREGISTERED_SCHEMES].into_iter().any(is_in) {
        return None;
    }
    let inner = rest.trim_start();
    if ["http://", "https://"].iter().any(|begin| inner.starts_with(begin)) {
        let message = format!("'{scheme}:' before a URL, which hides its scheme");
        return report(message, Some(inner.to_owned()));
    }
    let is_number = rest.starts_with(|c: char| c == '+' || c.is_ascii_digit());
    let meant = INTENDED_SCHEMES.iter().filter(|(meant, _)| *meant != "tel" || is_number);
    if let Some(meant) = find_nearest_word(&scheme, meant) {
        let message = format!("the scheme '{scheme}' is unknown, and near '{meant}'");
        return report(message, Some(format!("{meant}:{rest}")));
    }
    if let Some(address) = find_address(rest) {
        let message = format!("the scheme '{scheme}' is unknown; links to addresses have mailto:");
        return report(message, Some(address.meant().to_owned()));
    }
    let message = format!("the scheme '{scheme}' is unknown: most browsers do not follow the link");
    // Programs with a scheme of their own often use these characters in it.
    let is_private = scheme.contains(['-', '.', '+']);
    (rest.starts_with("//") && !is_private).then(|| report(message, None)).flatten()
}

/// Finds a URL after the scheme of another, which makes its scheme the host: `http://http://h`,
/// `https://https//h`.
fn find_doubled(
    rest: &str,
    report: impl FnOnce(String, Option<String>) -> Option<BadScheme>,
) -> Option<BadScheme> {
    let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(end);
    let name = host.strip_suffix(':').unwrap_or(host);
    let is_scheme = ["http", "https"].iter().any(|scheme| name.eq_ignore_ascii_case(scheme));
    let begins_again = host.ends_with(':') && path.starts_with("//");
    if !is_scheme && !begins_again {
        return None;
    }
    let inner = path.trim_start_matches('/');
    let meant = (is_scheme && !inner.is_empty()).then(|| format!("{name}://{inner}"));
    report(format!("a URL inside another: the host is '{name}'"), meant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_means(reference: &str, expected: Option<&str>) {
        let missing = missing_scheme(reference);
        assert_eq!(missing.as_ref().map(MissingScheme::meant), expected, "{reference}");
    }

    #[test]
    fn an_address_lacks_mailto() {
        assert_means(
            "pgsql-docs@lists.postgresql.org",
            Some("mailto:pgsql-docs@lists.postgresql.org"),
        );
        assert_means(" a.b+c@h.org?subject=x ", Some("mailto:a.b+c@h.org?subject=x"));
        assert_means("a@b", None);
        assert_means("@h.org", None);
        assert_means("a@h.org/b", None);
        assert_means("dir/a@h.org", None);
        assert_means("logo@2x.png", None);
        assert_means("a@b@h.org", None);
        for file in ["a@b.docx", "demo@v2.ipynb", "_mixins@old.scss", "clip@home.MOV"] {
            assert_means(file, None);
        }
        assert_means(".a@h.org", None);
    }

    #[test]
    fn an_address_is_certain_by_its_domain() {
        let safety = |reference: &str| missing_scheme(reference).and_then(|meant| meant.safety());
        for certain in ["a@h.org", "a@h.example.COM?subject=x.docx", "a@b.info#x"] {
            assert_eq!(safety(certain), Some(Safety::Safe), "{certain}");
        }
        for uncertain in ["a@h.de", "a@main.rs", "a@b.uk?c.org", "www.example.org"] {
            assert!(missing_scheme(uncertain).is_some(), "{uncertain}");
            assert_eq!(safety(uncertain), None, "{uncertain}");
        }
    }

    #[test]
    fn a_host_lacks_slashes() {
        assert_means("www.example.org", Some("https://www.example.org"));
        assert_means("WWW.example.de/a", Some("https://WWW.example.de/a"));
        assert_means("example.com/a?b", Some("https://example.com/a?b"));
        assert_means("example.com:8080/a", Some("https://example.com:8080/a"));
        assert_means("docs.example.org", Some("https://docs.example.org"));
        assert_means("localhost:8080", Some("http://localhost:8080"));
        assert_means("LocalHost:8000/x", Some("http://LocalHost:8000/x"));
        assert_means("notes.org", None);
        assert_means("readme.md", None);
        assert_means("page.html", None);
        assert_means("a/example.com", None);
        assert_means("www.", None);
        assert_means("www..org", None);
        assert_means("com", None);
        assert_means("mailto:a@h.org", None);
        assert_means("http://example.com", None);
        assert_means("urn:12", None);
        assert_means("1.2.3", None);
        assert_means("", None);
    }

    #[test]
    fn a_name_may_be_a_host_or_a_file() {
        let assert_possible = |reference: &str, expected: Option<&str>| {
            assert_eq!(find_possible_host(reference).as_deref(), expected, "{reference}");
        };
        assert_possible("notes.org", Some("https://notes.org"));
        assert_possible(" example.com?x ", Some("https://example.com?x"));
        assert_possible("example.com/", None);
        assert_possible("www.org", None);
        assert_possible("docs.example.org", None);
        assert_possible("notes.md", None);
        assert_possible("a/notes.org", None);
        assert_possible("h@notes.org", None);
    }

    #[track_caller]
    fn assert_bad(reference: &str, meant: &str) {
        let bad = find_bad_scheme(reference);
        assert_eq!(
            bad.map(|bad| bad.meant.unwrap_or_default()).as_deref(),
            Some(meant),
            "{reference}"
        );
    }

    #[test]
    fn a_misspelt_scheme_is_found() {
        assert_bad("htps://h/", "https://h/");
        assert_bad("hhttps://h/", "https://h/");
        assert_bad("ttps://h/", "https://h/");
        assert_bad("httpss://h", "https://h");
        assert_bad("HTTTP://h", "http://h");
        assert_bad("htp:h", "http:h");
        assert_bad("mailtto:a@h.org", "mailto:a@h.org");
        assert_bad("mail:a@h.org", "mailto:a@h.org");
        assert_bad("email:a@h.org", "mailto:a@h.org");
        assert_bad("javascipt:x()", "javascript:x()");
        assert_bad("te:+1-201", "tel:+1-201");
        assert_bad("https.://h", "https://h");
        assert_bad("e-mail:a@h.org", "mailto:a@h.org");
        assert_bad("foo://bar", "");
    }

    #[test]
    fn a_scheme_before_another_is_found() {
        assert_bad("http://http://h/a", "http://h/a");
        assert_bad("https://https//h", "https://h");
        assert_bad("//https://h", "https://h");
        assert_bad("http://https", "");
        assert_bad("https://h:https://i", "");
        assert_bad("https://h.https://i", "");
        assert_bad("url: https://h/", "https://h/");
        assert_bad("link:http://h/", "http://h/");
        assert_bad("https:h.org", "https://h.org");
        assert_bad("https:/h.org", "https://h.org");
        assert_bad("mailto://a@h.org", "mailto:a@h.org");
        assert_bad("mailto:Mailto:a@h.org", "mailto:a@h.org");
    }

    #[test]
    fn a_known_scheme_is_not_found() {
        for reference in [
            "https://h/https://i",
            "https://h:80//x",
            "https://http.org/",
            "//h/a",
            "a/b:c",
            "web+x:y",
            "magnet:?x",
            "irc://h/c",
            "matrix:u/a:h",
            "vscode://x/y",
            "Https://h",
            "mailto:a@h",
            "feed:https://h",
            "view-source:https://h",
            "git+ssh://h",
            "com.example.app://x",
            "foo:bar",
            "isbn:0123",
            "mailto:",
            "c:/x",
            "#a:b",
            "?http://http://h",
            "",
        ] {
            assert_eq!(find_bad_scheme(reference), None, "{reference}");
        }
    }
}
