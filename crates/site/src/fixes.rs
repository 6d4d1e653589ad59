//! Applies the fixes of an audit to the files of its site.

use std::collections::BTreeMap;
use std::path::Path;

use absolve_files::{Editor, Failure};

use crate::pass::source_edits::edited;
use crate::{Audit, Finding, Fix, Replacement, Safety, Site, SourceEdit, source_edits};

/// The fixes of an audit's findings, by file; an [`Editor`] that applies them.
///
/// A file that changed since the audit fails, and stays as it is.
///
/// ```
/// use absolve_site::{Audit, Deployment, Fixes, Profile, Safety, Server, Site};
/// use absolve_archive::jobs::Workers;
/// use absolve_files::{Destination, Globs, Origins, Rewriting, Symlinks, Walk, WriteMode};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let root = folder.path();
/// # std::fs::write(root.join("index.html"), "<a href=Index.HTML>x</a>")?;
///
/// let site = Site::walk(root, root, &Globs::default(), Symlinks::default())?;
/// let audit = Audit::new(Deployment::default(), Server::new(Profile::Plain));
/// let workers = Workers::new(0);
/// let findings = audit.run(&site, &workers, &()).findings;
///
/// let fixes = Fixes::new(&audit, &site, &findings, Safety::Safe);
/// let mut walk = Walk::new(WriteMode::Replace);
/// fixes.files().for_each(|file| walk.add(file, Default::default()));
/// let (rewriter, origins) = (Default::default(), Origins::default());
/// Rewriting::new(&rewriter, &origins, &Destination::InPlace).editor(&fixes).run(
///     &walk.finish(),
///     &workers,
///     &(),
///     &mut |_, report| assert!(!report.has_failed()),
/// );
/// assert_eq!(std::fs::read(root.join("index.html"))?, b"<a href=index.html>x</a>");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Fixes<'a> {
    audit: &'a Audit,
    site: &'a Site,
    files: BTreeMap<&'a Path, FileFixes<'a>>,
}

/// The fixes of a file.
#[derive(Debug, Default)]
struct FileFixes<'a> {
    /// The findings with the fixes to write.
    own: Vec<&'a Finding>,
    /// The findings that repeat them for other names of the file.
    repeated: Vec<&'a Finding>,
}

impl<'a> Fixes<'a> {
    /// The fixes that are at least as certain as `safety`: with [`Safety::Unsafe`], all.
    #[must_use]
    pub fn new(audit: &'a Audit, site: &'a Site, findings: &'a [Finding], safety: Safety) -> Self {
        let mut files: BTreeMap<&Path, FileFixes<'_>> = BTreeMap::new();
        let mut repeated = Vec::new();
        for finding in findings {
            if finding.fix.as_ref().is_some_and(|fix| fix.safety <= safety) {
                let number = site.number_of(&finding.file);
                match number.map(|number| site.first_name(number)) {
                    first if first == number => {
                        files.entry(&finding.file).or_default().own.push(finding);
                    }
                    first => repeated.extend(first.map(|first| (site.shown(first), finding))),
                }
            }
        }
        // A file is written once, by its first name.
        for (first, finding) in repeated {
            if let Some(file) = files.get_mut(&*first) {
                file.repeated.push(finding);
            }
        }
        Self { audit, site, files }
    }

    /// The files to edit, in order; each by its first name.
    pub fn files(&self) -> impl Iterator<Item = &'a Path> {
        self.files.keys().copied()
    }

    /// The findings that an edit of a file fixes, also those about its other names.
    pub fn findings(&self, file: &Path) -> impl Iterator<Item = &'a Finding> {
        self.files
            .get(file)
            .into_iter()
            .flat_map(|fixes| fixes.own.iter().chain(&fixes.repeated).copied())
    }

    /// The edits of a file; `None` if it changed since the audit.
    fn edits(&self, file: &Path, source: &[u8]) -> Option<Vec<SourceEdit>> {
        let FileFixes { own, .. } = self.files.get(file)?;
        let fixes: Option<Vec<&Fix>> = own.iter().map(|finding| finding.fix.as_ref()).collect();
        let fixes = fixes?;
        let wanted = own.iter().zip(&fixes);
        let wanted = wanted.map(|(finding, fix)| Replacement::of(finding, &fix.reference));
        let wanted: Option<Vec<_>> = wanted.collect();
        let number = self.site.number_of(file)?;
        let (edits, _) = source_edits(self.audit, self.site, number, source, &wanted?).ok()?;
        let expected = fixes.iter().zip(edits).map(|(fix, edit)| {
            edit.ok().filter(|edit| edit.span == fix.span && edit.text == fix.replacement)
        });
        expected.collect()
    }
}

impl Editor for Fixes<'_> {
    fn edit(&self, path: &Path, source: &[u8]) -> Result<Option<Vec<u8>>, Failure> {
        if !self.files.contains_key(path) {
            return Ok(None);
        }
        let edits = self.edits(path, source).ok_or_else(|| {
            Failure::new("it changed since the audit, and was left as it was; run again")
        })?;
        Ok(Some(edited(source, edits.iter())))
    }
}
