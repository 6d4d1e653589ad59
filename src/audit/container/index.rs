//! The documents in messages and web archives, with their numbers, and the index of the archive.

use std::ops::{ControlFlow, Range};
use std::path::PathBuf;

use crate::audit::container::archive::Archive;
use crate::audit::container::document::{AuditedDocument, Scope};
use crate::audit::container::fingerprint::Hashers;
use crate::audit::container::parts::Parts;
use crate::audit::container::records::{DocumentRole, Records};
use crate::audit::container::url_key::MAX_URL;
use crate::audit::options::Audit;
use crate::audit::site::Site;
use crate::audit::target::is_secure;
use crate::batch::{FileBuffers, Monitor, Workers};
use crate::container::{EntryId, Message, PartKind, warc};
use crate::link::Syntax;

/// The documents in the containers of a site. Their numbers follow those of the files.
#[derive(Debug)]
pub(crate) struct ContainerIndex {
    first: usize,
    /// By file, then by position in it.
    parts: Vec<PartDocument>,
    /// Their numbers follow those of the parts.
    records: Records,
    /// The file of the records.
    archive_file: usize,
    /// The messages in the order of their numbers, with their documents.
    messages: Vec<(usize, Range<usize>)>,
    /// Shared by all reads of a message, as threads cache the prefixes of its base URLs.
    hashers: Hashers,
    archive: Option<Archive>,
    /// Which archive could not be read to its end, and why.
    failure: Option<(PathBuf, String)>,
}

/// A document in a message.
#[derive(Debug)]
struct PartDocument {
    /// The number of the message.
    file: usize,
    part: usize,
    role: DocumentRole,
}

/// A document in a container.
struct Document<'i> {
    /// The number of the container.
    file: usize,
    inside: EntryId,
    /// Its URL, in an archive, if it is not longer than [`MAX_URL`].
    url: Option<&'i str>,
    role: DocumentRole,
}

impl ContainerIndex {
    /// Indexes the containers of a site.
    pub(crate) fn of(audit: &Audit, site: &Site, workers: &Workers, monitor: &dyn Monitor) -> Self {
        let mut index = Self {
            first: site.files().len(),
            parts: Vec::new(),
            records: Records::default(),
            archive_file: 0,
            messages: Vec::new(),
            hashers: Hashers::default(),
            archive: None,
            failure: None,
        };
        index.find_parts(audit, site, workers, monitor);
        if let Some(file) = site.archive() {
            index.find_pages(audit, site, file, monitor);
        }
        index
    }

    fn find_parts(&mut self, audit: &Audit, site: &Site, workers: &Workers, monitor: &dyn Monitor) {
        let messages = site.messages();
        workers.map_ordered(
            messages.len(),
            messages.len(),
            |buffers, number| {
                if monitor.is_stopped() {
                    return Vec::new();
                }
                documents_of(audit, site, buffers, messages[number])
            },
            |numbers, found| {
                for (number, parts) in numbers.zip(found) {
                    let file = messages[number];
                    let start = self.end();
                    let parts = parts.into_iter();
                    self.parts.extend(parts.map(|(part, role)| PartDocument { file, part, role }));
                    self.messages.push((file, start..self.end()));
                }
                ControlFlow::Continue(())
            },
        );
        self.messages.sort_unstable_by_key(|(file, _)| *file);
    }

    fn find_pages(&mut self, audit: &Audit, site: &Site, file: usize, monitor: &dyn Monitor) {
        let mut archive = Archive::default();
        self.archive_file = file;
        let read = site.read_archives(monitor, |reader| {
            let reader = reader.limits(audit.archive_limits);
            reader.select(audit.records.clone()).captures(|capture| {
                if monitor.is_stopped() {
                    return ControlFlow::Break(());
                }
                if capture.kind == "request" {
                    return ControlFlow::Continue(());
                }
                let role = match (capture.document, capture.is_selected) {
                    (Some(Syntax::Html | Syntax::Xml), true) => Some(DocumentRole::Page),
                    (Some(Syntax::Html | Syntax::Xml), false) => Some(DocumentRole::Target),
                    (Some(Syntax::Css), true) => Some(DocumentRole::StyleSheet),
                    _ => None,
                };
                let has_anchors = role.is_some_and(|role| role != DocumentRole::StyleSheet);
                archive.add(&capture, has_anchors.then(|| self.end()))?;
                if let Some(role) = role {
                    let url = if capture.url.len() <= MAX_URL { &*capture.url } else { "" };
                    self.records.add(capture.position, url, role);
                }
                ControlFlow::Continue(())
            })
        });
        let incomplete = || Some((site.shown(file), archive.failure()?.to_string()));
        self.failure = read.err().or_else(incomplete);
        self.archive = Some(archive);
    }

    /// One more than the number of the last document.
    pub(crate) fn end(&self) -> usize {
        self.first + self.len()
    }

    /// How many documents there are.
    pub(crate) fn len(&self) -> usize {
        self.parts.len() + self.records.len()
    }

    /// The number of pages that are audited.
    pub(crate) fn pages(&self) -> usize {
        self.count(DocumentRole::Page)
    }

    /// The number of style sheets that are audited.
    pub(crate) fn style_sheets(&self) -> usize {
        self.count(DocumentRole::StyleSheet)
    }

    fn count(&self, role: DocumentRole) -> usize {
        self.roles().filter(|&found| found == role).count()
    }

    fn roles(&self) -> impl Iterator<Item = DocumentRole> {
        self.parts.iter().map(|part| part.role).chain(self.records.roles())
    }

    /// For each document, whether it is a page, so that it has anchors.
    pub(crate) fn are_pages(&self) -> impl Iterator<Item = bool> {
        self.roles().map(|role| role != DocumentRole::StyleSheet)
    }

    /// Whether a number is not that of a page that is only a target.
    pub(crate) fn is_audited(&self, number: usize) -> bool {
        self.document(number).is_none_or(|document| document.role != DocumentRole::Target)
    }

    /// The position of a document in the index; `None` for a file.
    pub(crate) fn index(&self, number: usize) -> Option<usize> {
        number.checked_sub(self.first)
    }

    /// The numbers of the documents in a message.
    pub(crate) fn in_message(&self, file: usize) -> Range<usize> {
        let found = self.messages.binary_search_by_key(&file, |(file, _)| *file);
        found.map_or(0..0, |at| self.messages[at].1.clone())
    }

    /// The parts of the message in a file.
    pub(crate) fn parts(&self, file: usize, message: &Message<'_>) -> Parts {
        Parts::new(message, self.in_message(file), self.hashers.clone())
    }

    /// The index of the archive, if there is one, and why it is not complete.
    pub(crate) fn archive(&self) -> (Option<&Archive>, Option<&(PathBuf, String)>) {
        (self.archive.as_ref(), self.failure.as_ref())
    }

    /// The number of the document at a position in the archive.
    pub(crate) fn at(&self, place: warc::RecordPosition) -> Option<usize> {
        self.records.at(place).map(|at| self.first + self.parts.len() + at)
    }

    /// The number of the file: of the container, for a document in one.
    pub(crate) fn file(&self, number: usize) -> usize {
        self.document(number).map_or(number, |document| document.file)
    }

    /// The document of a number; `parts` are those of its message.
    pub(crate) fn subject<'a>(
        &'a self,
        number: usize,
        parts: Option<&'a Parts>,
    ) -> AuditedDocument<'a> {
        let Some(document) = self.document(number) else { return AuditedDocument::file(number) };
        let Document { file, inside, url, .. } = document;
        let scope = match (parts, &self.archive) {
            (Some(parts), _) => Scope::Message { file, parts },
            (None, Some(archive)) => {
                Scope::Archive { archive, is_secure: url.is_some_and(is_secure) }
            }
            (None, None) => Scope::Site,
        };
        AuditedDocument { number, file, inside: Some(inside), url, scope }
    }

    /// The document of a number in the archive; `url` is that of its record.
    pub(crate) fn subject_in_archive<'a>(
        &'a self,
        number: usize,
        url: Option<&'a str>,
    ) -> AuditedDocument<'a> {
        let mut subject = self.subject(number, None);
        subject.url = url.or(subject.url);
        if let Scope::Archive { is_secure: secure, .. } = &mut subject.scope {
            *secure = subject.url.is_some_and(is_secure);
        }
        subject
    }

    /// The name of a document in messages.
    pub(crate) fn name(&self, number: usize, site: &Site) -> Option<String> {
        let Document { file, inside, url, .. } = self.document(number)?;
        let place = || match site.place(file, Some(inside)) {
            (file, Some(inside)) => format!("{}!{inside}", file.display()),
            (file, None) => file.display().to_string(),
        };
        Some(url.map_or_else(place, str::to_owned))
    }

    fn document(&self, number: usize) -> Option<Document<'_>> {
        let index = self.index(number)?;
        let Some(record) = index.checked_sub(self.parts.len()) else {
            let PartDocument { file, part, role } = self.parts[index];
            return Some(Document { file, inside: EntryId::Part(part), url: None, role });
        };
        let (position, url, role) = self.records.get(record)?;
        let inside = EntryId::Record(position);
        Some(Document { file: self.archive_file, inside, url, role })
    }
}

/// The documents of a message, by the numbers of their parts; empty if it cannot be read, which the
/// audit of the message reports.
fn documents_of(
    audit: &Audit,
    site: &Site,
    buffers: &mut FileBuffers,
    file: usize,
) -> Vec<(usize, DocumentRole)> {
    if site.read_number(file, buffers, &audit.limits()).is_err() {
        return Vec::new();
    }
    let Ok(message) = Message::read(buffers.source(), &audit.rewriter) else {
        return Vec::new();
    };
    let role = |kind| match kind {
        PartKind::Html | PartKind::Xml => Some(DocumentRole::Page),
        PartKind::Css => Some(DocumentRole::StyleSheet),
        _ => None,
    };
    message.parts().filter_map(|part| Some((part.number(), role(part.kind())?))).collect()
}
