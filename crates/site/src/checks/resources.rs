//! Rules about the files that a page loads.

use std::ops::Range;

use absolve_files::{Digests, FileBuffers};
use serde_json::Value;

use crate::checks::url_list;
use crate::checks::url_list::{ListedEntry, ListedUrl, Positions};
use crate::{
    AuditContext, Collector, FileKind, LinkCheck, PageAuditor, Problem, ResolvedLink, Rule,
    SiteCheck, loaded_kind, rows,
};

rows! {
    IntegrityMismatch: Error, Target;
        summary: "the digest of a style sheet or script is that of another content",
        reason: "Browsers do not load a file that matches no digest of integrity by the strongest \
                     algorithm there.",
        example: "<script src=\"a.js\" integrity=\"sha384-…\"> where a.js was changed afterwards",
        fix: "Restore the file, or write the digest that the message names.";
}

pub(super) const LINKS: &[LinkCheck] = &[check_integrity];

pub(super) const SITE: &[SiteCheck] = &[check_manifests];

/// Reports a file of the site whose digest does not match the `integrity` of the element.
fn check_integrity(auditor: &mut PageAuditor<'_>, resolved_link: ResolvedLink<'_>) {
    let ResolvedLink { link, resolved, .. } = resolved_link;
    let rule = Rule::IntegrityMismatch;
    let is_loaded = match (link.element, link.attribute) {
        // Browsers do not load a script of another language.
        (Some("script"), Some(attribute @ "src")) => {
            loaded_kind("script", attribute, link.grammar, link.sibling).is_some()
        }
        (Some("link"), Some("href")) => {
            (link.sibling)("rel").is_some_and(|rel| is_protected_link(&rel))
        }
        _ => false,
    };
    let file = resolved.target.file.filter(|_| is_loaded && auditor.is_first_pass());
    let Some(file) = file else { return };
    let Some(integrity) = (link.sibling)("integrity") else { return };
    if auditor.sink.level(rule).is_none() {
        return;
    }
    let context = auditor.context;
    let digests = context.state.digests(file, || {
        let mut buffers = FileBuffers::default();
        let read = context.site.read_into(file, &mut buffers, &context.audit.limits());
        read.is_ok().then(|| Digests::new(buffers.source()))
    });
    let Some(digests) = digests.filter(|digests| !digests.match_integrity(&integrity)) else {
        return;
    };
    let target = context.site.shown(file);
    let actual = digests.strongest(&integrity).unwrap_or_default();
    let message = format!("browsers do not load '{}', which has {actual}", target.display());
    auditor.add_problem(resolved_link, Problem::new(rule, message).with_target(target));
}

/// Whether a `link` element with this `rel` loads a file that `integrity` protects.
fn is_protected_link(rel: &str) -> bool {
    let kinds = ["stylesheet", "preload", "modulepreload"];
    rel.split_ascii_whitespace().any(|rel| kinds.iter().any(|kind| rel.eq_ignore_ascii_case(kind)))
}

/// Audits the images of each file that has the name of a web app manifest.
pub(crate) fn check_manifests(context: &AuditContext<'_>, collector: &mut Collector<'_, '_>) {
    for (file, (path, kind)) in context.site.files().iter().enumerate() {
        let is_manifest = path.ends_with(b".webmanifest")
            || path == b"manifest.json"
            || path.ends_with(b"/manifest.json");
        if kind != FileKind::File || !is_manifest || context.monitor.is_stopped() {
            continue;
        }
        url_list::audit_list(context, file, collector, |source, auditor, base| {
            // Other programs use these names, too: a file without images is not a fault.
            let manifest: Value = serde_json::from_slice(source).unwrap_or_default();
            let mut end = 0;
            for url in list_images(&manifest) {
                let span = find_string(source, end, url);
                end = span.end;
                ListedUrl { entry: ListedEntry::Icon, url, span, base }.audit_relative(auditor);
            }
            (Positions::Known, Ok(()))
        });
    }
}

/// Lists the URLs of the icons, the screenshots, and last the icons of shortcuts.
fn list_images(manifest: &Value) -> impl Iterator<Item = &str> {
    let shortcuts = manifest["shortcuts"].as_array().into_iter().flatten();
    let lists = ["icons", "screenshots"].into_iter().map(|name| manifest[name].as_array());
    let lists = lists.chain(shortcuts.map(|shortcut| shortcut["icons"].as_array()));
    lists.flatten().flatten().filter_map(|image| image["src"].as_str())
}

/// Finds a quoted string in a file, after an offset or else before it. A string with escapes is not
/// found, and gets an empty span at the beginning of the file.
fn find_string(source: &[u8], from: usize, text: &str) -> Range<usize> {
    let quoted = format!("\"{text}\"");
    let find_from = |from: usize| {
        let at = memchr::memmem::find(source.get(from..)?, quoted.as_bytes())?;
        Some(from + at + 1)
    };
    let start = find_from(from).or_else(|| find_from(0));
    start.map_or(0..0, |start| start..start + text.len())
}
