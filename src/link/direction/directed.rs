//! The forms that one link can get.

use std::borrow::Cow;

use crate::url::{Base, OwnPage, Resolution, Standard, relative, rfc1808, root_relative};

/// A link with its URLs.
pub(super) struct DirectedLink<'l> {
    /// Without white space around it.
    pub(super) reference: &'l str,
    pub(super) url: &'l str,
    /// The URL that it is moved to.
    pub(super) moved: Option<&'l str>,
    pub(super) standard: Standard,
    /// What the written reference is resolved against.
    pub(super) base: Option<&'l Base>,
    pub(super) is_absolute: bool,
    pub(super) own_page: OwnPage,
}

impl<'l> DirectedLink<'l> {
    /// Where it leads in the end.
    pub(super) fn target(&self) -> &'l str {
        self.moved.unwrap_or(self.url)
    }

    /// The relative reference to a URL.
    pub(super) fn relative(&self, base: &Base, to: &str) -> Option<String> {
        relative(self.standard, base, to, self.own_page)
    }

    /// Whether it is empty or a fragment, which names the document itself.
    pub(super) fn is_of_document(&self) -> bool {
        self.reference.is_empty() || self.reference.starts_with('#')
    }

    /// Whether the reference leads to a URL if it stays as it is written.
    pub(super) fn leads_to(&self, url: &str) -> bool {
        match self.standard.resolve(self.base, self.reference) {
            Ok(Resolution::Resolved(resolved)) => resolved == url,
            Ok(Resolution::Absolute(absolute)) => absolute == url,
            _ => false,
        }
    }

    pub(super) fn absolute(&self) -> Option<Cow<'l, str>> {
        // As `Policy::Absolute` has it, a URL stays as it is written.
        if self.moved.is_none() && self.is_absolute { None } else { Some(self.target().into()) }
    }

    /// The path of its target from the root of the host, if it leads to that of the base.
    pub(super) fn root_relative(&self) -> Option<Cow<'l, str>> {
        let Some(base) = self.base else { return self.absolute() };
        if self.is_of_document() && self.leads_to(self.target()) {
            return None;
        }
        match root_relative(self.standard, base, self.target()) {
            Some(reference) => Some(reference.into()),
            None => self.absolute(),
        }
    }

    /// Its target in the form that it has.
    pub(super) fn as_written(&self) -> Option<Cow<'l, str>> {
        let target = self.target();
        if self.is_absolute {
            return self.moved.map(Cow::Borrowed);
        }
        let base = self.base?;
        let after = self.reference.strip_prefix("//");
        // Without a host, it has that of the page by RFC 1808.
        let has_host =
            after.is_some_and(|host| !host.is_empty() && !host.starts_with(['/', '\\', '?', '#']));
        // Without a rule for it, it has the scheme of the page, wherever that is.
        if has_host && self.moved.is_none() || self.leads_to(target) {
            return None;
        }
        if self.is_of_document() && self.leads_to(self.url) {
            return None;
        }
        let reference = if has_host {
            without_scheme(base, target).map(str::to_owned)
        } else if self.reference.starts_with('/') {
            root_relative(self.standard, base, target)
        } else {
            self.relative(base, target)
        };
        Some(reference.map_or(Cow::Borrowed(target), Cow::Owned))
    }
}

/// A URL without its scheme, if that is the scheme of the base.
fn without_scheme<'u>(base: &Base, url: &'u str) -> Option<&'u str> {
    let colon = rfc1808::scheme_end(base.as_str())?;
    let (scheme, rest) = url.split_at_checked(colon + 1)?;
    let is_same = scheme.eq_ignore_ascii_case(&base.as_str()[..=colon]);
    (is_same && rest.starts_with("//")).then_some(rest)
}
