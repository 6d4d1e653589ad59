//! Searches for hints to listed findings, such as a file with a similar name.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

use absolve::url::{Base, clean};
use absolve::{Anchor, Link, Visit};
use absolve_files::FileBuffers;

use crate::hints::MAX_NAMES;
use crate::lookup::cache::{counts_from_folder, folder_of};
use crate::{
    AuditContext, AuthoredReference, Draft, Finder, HashMap, HashSet, Hint, Proposal, Search,
    Wording,
};

/// Maximum pages whose anchors are in memory at a time.
const PAGES_AT_A_TIME: usize = 64;

/// Maximum findings to which a thread adds hints at a time.
const FINDINGS_PER_TASK: usize = 64;

/// Maximum length of an anchor that a hint proposes, in bytes.
const MAX_ANCHOR_LEN: usize = 256;

/// The hint of each search; `None` if no name is similar.
type Hints = HashMap<Arc<Search>, Option<Hint>>;

/// Searches for hints and adds them. Returns the number of targets skipped to bound the effort.
pub(crate) fn search(context: &AuditContext<'_>, drafts: &mut [Draft]) -> u64 {
    let mut finder = Finder::new(context.site.files(), context.lookup.server);
    let mut hints = search_near_anchors(context, drafts, &mut finder);
    for search in drafts.iter().filter_map(|draft| draft.search.as_ref()) {
        if context.monitor.is_stopped() {
            break;
        }
        if !hints.contains_key(search) {
            hints.insert(Arc::clone(search), finder.search(search));
        }
    }
    let tasks: Vec<_> = drafts.chunks_mut(FINDINGS_PER_TASK).map(Mutex::new).collect();
    context.workers.map_ordered(
        tasks.len(),
        usize::MAX,
        |_: &mut FileBuffers, number| {
            let mut task = tasks[number].lock().unwrap_or_else(PoisonError::into_inner);
            propose_all(context, &mut task, &hints);
        },
        |_, _| ControlFlow::Continue(()),
    );
    finder.refused
}

/// Adds hints to the findings whose search is complete.
fn propose_all(context: &AuditContext<'_>, drafts: &mut [Draft], hints: &Hints) {
    let (mut base_text, mut base, mut cache) = (None, None, SurplusCache::default());
    for draft in drafts {
        let Some(search) = draft.search.take() else { continue };
        let Some(hint) = hints.get(&search) else { continue };
        // Most findings of a page share a base.
        if draft.finding.base != base_text {
            base_text.clone_from(&draft.finding.base);
            let url = base_text.as_deref().map(|base| context.lookup.deployment.whole(base));
            base = url.and_then(|url| Base::new(&url).ok());
        }
        let is_path = matches!(*search, Search::Path { .. });
        let cache = is_path.then_some(&mut cache);
        propose(context, draft, base.as_ref(), hint.as_ref(), cache);
    }
}

/// Caches proposals without surplus `..` segments, for successive pages of one folder.
///
/// The pages of a folder repeat the faults of a template: the cache saves 13 % of the instructions
/// of an audit of openjdk-17-doc, with 40,836 findings (callgrind, `-j 1`).
#[derive(Default)]
struct SurplusCache {
    folder: String,
    by_reference: HashMap<Box<str>, Option<Proposal>>,
}

impl SurplusCache {
    /// Proposes a reference without its surplus `..` segments, if it leads to a file.
    fn propose(
        &mut self,
        context: &AuditContext<'_>,
        author: &AuthoredReference<'_>,
    ) -> Option<Proposal> {
        let search = || author.without_surplus(context.site.files(), context.lookup.server);
        // Without `..` segments, a reference such as `;p` or `http:?q` is relative to the page.
        let reference = clean(author.reference);
        if !counts_from_folder(reference.trim_start_matches("../"), author.standard) {
            return search();
        }
        let folder = folder_of(author.base.map_or("", Base::as_str));
        if self.folder != folder {
            self.by_reference.clear();
            folder.clone_into(&mut self.folder);
        }
        if let Some(proposal) = self.by_reference.get(author.reference) {
            return proposal.clone();
        }
        let proposal = search();
        self.by_reference.insert(author.reference.into(), proposal.clone());
        proposal
    }
}

/// Adds a hint to a finding about a link with this base: the result of its search, or the reference
/// without its surplus `..` segments. A similar name usually takes precedence.
fn propose(
    context: &AuditContext<'_>,
    draft: &mut Draft,
    base: Option<&Base>,
    hint: Option<&Hint>,
    cache: Option<&mut SurplusCache>,
) {
    let (standard, deployment) = (context.audit.standard(), context.lookup.deployment);
    let Some(reference) = draft.finding.reference.clone() else {
        if let Some(Hint::Text(text)) = hint {
            draft.finding.hint = Some(text.clone());
        }
        return;
    };
    let reference = &*reference;
    let author = AuthoredReference { reference, base, standard, deployment };
    let without_surplus = cache.and_then(|cache| cache.propose(context, &author));
    match (hint, without_surplus) {
        // Both are equally likely, so the similar name becomes a hint without a fix.
        (Some(Hint::Proposal(near)), Some(_)) if near.wording == Wording::DidYouMean => {
            draft.propose(&near.as_hint(), &author);
        }
        (Some(Hint::Proposal(near)), Some(without_surplus)) if near.wording == Wording::Moved => {
            draft.propose(&without_surplus, &author);
        }
        (Some(Hint::Proposal(near)), _)
            if near.wording == Wording::Exists && !leads_to_page(draft) =>
        {
            draft.propose(&near.as_hint(), &author);
        }
        (Some(Hint::Proposal(near)), _) => draft.propose(near, &author),
        (_, Some(without_surplus)) => draft.propose(&without_surplus, &author),
        (Some(Hint::Text(text)), None) => draft.finding.hint = Some(text.clone()),
        (None, None) => {}
    }
}

/// Whether a finding is about an element that shows a page: a link or a frame.
fn leads_to_page(draft: &Draft) -> bool {
    matches!(draft.finding.element.as_deref(), Some("a" | "area" | "frame" | "iframe"))
}

/// Searches for anchors similar to the missing ones, page by page, so that each page is read once.
fn search_near_anchors(
    context: &AuditContext<'_>,
    drafts: &[Draft],
    finder: &mut Finder<'_>,
) -> Hints {
    let mut requested: BTreeMap<usize, Vec<&Arc<Search>>> = BTreeMap::new();
    let mut seen = HashSet::default();
    for search in drafts.iter().filter_map(|draft| draft.search.as_ref()) {
        if let Search::Anchor { file, .. } = &**search
            && seen.insert(search)
        {
            requested.entry(*file).or_default().push(search);
        }
    }
    let requested: Vec<_> = requested.into_iter().collect();
    let mut hints = Hints::default();
    context.workers.map_ordered(
        requested.len(),
        PAGES_AT_A_TIME,
        |file_buffers, number| AnchorNames::read(context, file_buffers, requested[number].0),
        |numbers, pages| {
            // Results come in order, so the number of threads does not decide where effort ends.
            for (number, AnchorNames(anchors)) in numbers.zip(pages) {
                for &search in &requested[number].1 {
                    let hint = match &**search {
                        Search::Anchor { anchor, .. } if !anchors.is_empty() => {
                            finder.search_anchor(anchor, anchors.iter().map(String::as_str))
                        }
                        _ => None,
                    };
                    hints.insert(Arc::clone(search), hint);
                }
            }
            ControlFlow::Continue(())
        },
    );
    hints
}

/// The anchors of a page, at most [`MAX_NAMES`].
#[derive(Default)]
struct AnchorNames(Vec<String>);

impl Visit for AnchorNames {
    fn link(&mut self, _: &Link<'_>) {}

    fn anchor(&mut self, anchor: &Anchor<'_>) {
        if self.0.len() < MAX_NAMES && anchor.value().len() <= MAX_ANCHOR_LEN {
            self.0.push(anchor.value().to_owned());
        }
    }
}

impl AnchorNames {
    fn read(context: &AuditContext<'_>, file_buffers: &mut FileBuffers, file: usize) -> Self {
        let mut anchors = Self::default();
        if !context.monitor.is_stopped()
            && context.site.read_into(file, file_buffers, &context.audit.limits()).is_ok()
        {
            let (source, buffers) = file_buffers.parts();
            // The audit has already reported a page that cannot be read.
            if let Ok(rewriter) = context.audit.rewriter_for(file, context.site) {
                let _ = rewriter.inspect(source, buffers, &mut anchors);
            }
        }
        anchors
    }
}
