//! A case of `tests/audit` as it is served, and what the command says of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;
use url::Url;

use crate::case::{Case, Checked};
use crate::nginx::{Host, Pages};

/// The options of a case that say where its site is served, and how references resolve; without
/// the others, every page is audited, and every finding is listed.
const KEPT: &[&str] = &["--base-url=", "--alias=", "--standard=", "--base-scope="];
/// The options of a case that say how the server looks up files, where nginx does it so.
const LOOKUP: &[&str] = &["--index=", "--accept=extensionless", "--server=github-pages"];
/// The settings of an audit that decide where a link leads.
const RESOLUTION: &[&str] = &["standard", "base-scope", "learn"];
/// Elements with these are not audited: a served copy has other attributes.
const MARKERS: &[&str] = &["data-absolve-ignore", "data-proofer-ignore"];

/// How a case is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Variant {
    /// At the URL that its options give.
    AsGiven,
    /// Below a path of the host, where the case gives no URL.
    AtSubPath,
    /// Like GitHub Pages.
    GithubPages,
}

impl Variant {
    pub(crate) const ALL: [Self; 3] = [Self::AsGiven, Self::AtSubPath, Self::GithubPages];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::AsGiven => "as-given",
            Self::AtSubPath => "at-sub-path",
            Self::GithubPages => "as-github-pages",
        }
    }

    /// The options of an audit of a case with these options; `None` if they exclude the variant.
    fn args(self, given: &[String]) -> Option<Vec<String>> {
        let with = |kept: &[&str]| -> Vec<String> {
            let is_kept = |arg: &&String| kept.iter().any(|start| arg.starts_with(start));
            given.iter().filter(is_kept).cloned().collect()
        };
        let has = |option: &str| given.iter().any(|arg| arg.starts_with(option));
        let mut args = with(KEPT);
        match self {
            Self::AsGiven => args.extend(with(LOOKUP)),
            Self::AtSubPath if has("--base-url=") => return None,
            Self::AtSubPath => args.push("--base-url=http://site.invalid/sub/path/".to_owned()),
            Self::GithubPages if LOOKUP.iter().any(|option| has(option)) => return None,
            Self::GithubPages => args.push("--server=github-pages".to_owned()),
        }
        Some(args)
    }
}

/// A case that is laid out to be served.
#[derive(Debug)]
pub(crate) struct Deployment {
    /// The case and the variant, and the host that the server knows it by.
    pub(crate) name: String,
    /// The URL that the site is served at.
    base: Url,
    args: Vec<String>,
    folder: TempDir,
}

/// Part of the host that a URL is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// The site.
    Site,
    /// The rest, of which nothing is known, and which is empty here.
    Host,
}

/// A link, or a finding about one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    /// Below the site.
    pub(crate) file: String,
    pub(crate) line: u64,
    pub(crate) column: u64,
    pub(crate) reference: String,
}

/// Verdict of the command on a place: the rule of a finding, if any, and the URL.
pub(crate) struct Printed {
    pub(crate) place: Place,
    pub(crate) rule: Option<String>,
    pub(crate) element: String,
    pub(crate) url: String,
}

impl Deployment {
    /// Lays out a case; `None` if it has no site, or no such variant.
    pub(crate) fn new(name: &str, case: &Case, variant: Variant) -> Checked<Option<Self>> {
        let Some(args) = variant.args(&case.arguments(&[])) else { return Ok(None) };
        let base = args.iter().find_map(|arg| arg.strip_prefix("--base-url="));
        let base = format!("{}/", base.unwrap_or("http://site.invalid").trim_end_matches('/'));
        let base = Url::parse(&base).map_err(|error| format!("{base}: {error}"))?;
        let name = format!("{name}.{}", variant.name());
        let laid_out = Self { name, base, args, folder: case.lay_out()? };
        if !laid_out.folder.path().join("site").is_dir() {
            return Ok(None);
        }
        laid_out.lay_out().map_err(|error| error.to_string())?;
        Ok(Some(laid_out))
    }

    /// Puts the site at its path. It stays where it is, as it may have links to files around it.
    fn lay_out(&self) -> std::io::Result<()> {
        remove_markers(&self.site())?;
        let place = self.root().join(self.base.path().trim_matches('/'));
        let place = place.components().collect::<PathBuf>();
        fs::create_dir_all(place.parent().unwrap())?;
        std::os::unix::fs::symlink(self.site(), place)
    }

    /// Returns the folder that is the root of the host: the site itself, if its URL has no path.
    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    fn site(&self) -> PathBuf {
        self.folder.path().join("site")
    }

    /// The host, as nginx has to be configured for it.
    pub(crate) fn host(&self) -> Host {
        let value = |option: &str| self.args.iter().find_map(|arg| arg.strip_prefix(option));
        let is_github = value("--server=") == Some("github-pages");
        let index = match value("--index=") {
            Some(names) => names.replace(',', " "),
            None if is_github => "index.html".to_owned(),
            None => "index.html index.htm index.xhtml index.xht".to_owned(),
        };
        let is_extensionless = is_github || value("--accept=extensionless").is_some();
        let pages = if is_extensionless { Pages::Extensionless } else { Pages::ByName };
        Host { name: self.name.clone(), root: self.root(), index, pages }
    }

    /// The path and query of a URL on the host of the site, as a browser requests it.
    pub(crate) fn path_of(&self, url: &str) -> Option<(String, Part)> {
        let url = self.base.join(url).ok()?;
        let aliases = self.args.iter().filter_map(|arg| arg.strip_prefix("--alias="));
        let mut hosts = aliases.chain(self.base.host_str());
        let is_here = matches!(url.scheme(), "http" | "https")
            && hosts.any(|host| url.host_str() == Some(host))
            && url.port() == self.base.port();
        let path = url.path();
        // The server adds the slash of the folder itself.
        let is_inside = format!("{path}/").starts_with(self.base.path());
        let part = if is_inside { Part::Site } else { Part::Host };
        let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
        is_here.then(|| (format!("{path}{query}"), part))
    }

    /// The findings of the audit about links of files that are served as they are.
    pub(crate) fn findings(&self) -> Checked<Vec<Printed>> {
        let fixed = ["--no-config", "--allow-empty", "--format=jsonl", "--limit=findings=0"];
        self.printed(&[&["audit"], &fixed[..], &self.args()].concat())
    }

    /// The links of the site's pages, resolved as the audit resolves them.
    pub(crate) fn links(&self) -> Checked<Vec<Printed>> {
        let base = format!("--base-url={}", self.base);
        let fixed = ["audit", "--no-config", "--print-config"];
        let settings = self.run(&[&fixed[..], &self.args()].concat())?;
        let option = |line: &str| {
            let (key, value) = line.split_once(" = ")?;
            let is_used = RESOLUTION.contains(&key);
            is_used.then(|| format!("--{key}={}", value.trim_matches('"')))
        };
        let options: Vec<String> = settings.lines().filter_map(option).collect();
        if options.len() != RESOLUTION.len() {
            return Err(format!("--print-config prints other settings:\n{settings}"));
        }
        let options: Vec<&str> = options.iter().map(|option| &**option).collect();
        let fixed = ["links", "--allow-empty", "--format=jsonl", &base];
        self.printed(&[&fixed[..], &options].concat())
    }

    fn args(&self) -> Vec<&str> {
        self.args.iter().map(|arg| &**arg).collect()
    }

    /// Runs the command on the site; the exit code says what is found, not whether it ran.
    fn run(&self, args: &[&str]) -> Checked<String> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_absolve"));
        command.env_remove("GITHUB_ACTIONS").current_dir(self.site()).args(args).arg(".");
        let output = command.output().map_err(|error| error.to_string())?;
        String::from_utf8(output.stdout).map_err(|error| error.to_string())
    }

    fn printed(&self, args: &[&str]) -> Checked<Vec<Printed>> {
        let mut all = Vec::new();
        for line in self.run(args)?.lines() {
            let value: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
            let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
            // A part of a message has no URL on the server.
            if !value["part"].is_null() || !value["offset"].is_null() || value["url"].is_null() {
                continue;
            }
            let place = Place {
                file: text("file").trim_start_matches("./").to_owned(),
                line: value["line"].as_u64().unwrap_or_default(),
                column: value["column"].as_u64().unwrap_or_default(),
                reference: text("reference"),
            };
            let rule = value["rule"].as_str().map(str::to_owned);
            all.push(Printed { place, rule, element: text("element"), url: text("url") });
        }
        Ok(all)
    }
}

/// Gives the markers in all pages of a folder another name.
fn remove_markers(folder: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_symlink() {
            continue;
        }
        if path.is_dir() {
            remove_markers(&path)?;
        } else if let Ok(mut text) = fs::read_to_string(&path) {
            for marker in MARKERS {
                for marker in [marker.to_string(), marker.to_uppercase()] {
                    text = text.replace(&marker, &marker.replace('-', "--"));
                }
            }
            fs::write(&path, text)?;
        }
    }
    Ok(())
}
