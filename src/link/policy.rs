//! The policy that replaces links: with absolute URLs, with links in another form or with moved
//! URLs, or by a decision of the caller.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use super::{Link, LinkOutcome};

use crate::attributes::RequiredForm;
use crate::base::BaseSource;
use crate::grammar::Grammar;
use crate::url::{
    Base, Maps, OwnPage, Parts, Resolution, Standard, clean, has_dots, is_same_origin,
    make_relative, make_root_relative, read_by_browsers, rfc1808,
};

/// Returns the replacement of a link; `None` leaves the link as it is.
pub type Decision = dyn Fn(&Link<'_>) -> Option<String> + Send + Sync;

/// The replacement of links in documents, trees, messages and archives.
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum Policy {
    /// The absolute URL of each link that has one. The default.
    #[default]
    Absolute,
    /// Links in another form, with moved URLs, or both.
    Directed(Arc<Direction>),
    /// The result of a function for each link; `None` leaves the link as it is.
    #[doc(hidden)]
    Custom(Arc<Decision>),
}

impl Policy {
    /// Creates a policy that gives links this form and keeps their URLs; [`Direction`] has more.
    #[must_use]
    pub fn form(form: Form) -> Self {
        match form {
            Form::Absolute => Self::Absolute,
            form => Direction::new(form).into(),
        }
    }

    /// Whether every link becomes absolute and none moves.
    #[doc(hidden)]
    pub fn is_absolute(&self) -> bool {
        matches!(self, Self::Absolute) || self.direction().is_some_and(Direction::is_absolute)
    }

    /// The direction of links, unless every link becomes absolute or a function decides.
    #[must_use]
    #[doc(hidden)]
    pub fn direction(&self) -> Option<&Direction> {
        match self {
            Self::Directed(direction) => Some(direction),
            Self::Absolute | Self::Custom(_) => None,
        }
    }

    /// Whether links become absolute URLs, or paths from the root of the host.
    pub(super) fn makes_urls(&self) -> bool {
        matches!(self, Self::Absolute) || self.direction().is_some_and(Direction::makes_urls)
    }

    /// Replaces each link with the result of a function; `None` leaves the link as it is.
    ///
    /// ```
    /// use absolve::{Policy, Rewriter};
    ///
    /// let secure = |url: &str| Some(format!("https:{}", url.strip_prefix("http:")?));
    /// let policy = Policy::custom(move |link| secure(link.url()?));
    /// let rewriter = Rewriter::new().base_url("http://h/")?.policy(policy);
    /// assert_eq!(rewriter.rewrite(b"<a href=x>")?.bytes(), b"<a href=https://h/x>");
    /// # Ok::<(), absolve::Error>(())
    /// ```
    #[must_use]
    pub fn custom(decide: impl Fn(&Link<'_>) -> Option<String> + Send + Sync + 'static) -> Self {
        Self::Custom(Arc::new(decide))
    }
}

impl fmt::Debug for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absolute => f.write_str("Absolute"),
            Self::Directed(direction) => direction.fmt(f),
            Self::Custom(_) => f.write_str("Custom"),
        }
    }
}

impl From<Direction> for Policy {
    fn from(direction: Direction) -> Self {
        Self::Directed(Arc::new(direction))
    }
}

/// The form in which links are written.
///
/// ```
/// use absolve::{Form, Policy, Rewriter};
///
/// let page = b"<a href=http://h/a/b>b</a><a href=../c>c</a><a href=//i/d>d</a>";
/// let rewriter = Rewriter::new().base_url("http://h/a/page.html")?;
/// let written = |form| {
///     let result = rewriter.clone().policy(Policy::form(form)).rewrite(page)?;
///     Ok::<_, absolve::Error>(String::from_utf8_lossy(result.bytes()).into_owned())
/// };
/// let page = written(Form::Relative)?;
/// assert_eq!(page, "<a href=b>b</a><a href=../c>c</a><a href=http://i/d>d</a>");
/// let page = written(Form::RootRelative)?;
/// assert_eq!(page, "<a href=/a/b>b</a><a href=/c>c</a><a href=http://i/d>d</a>");
/// # Ok::<(), absolve::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Form {
    /// The form that each link has in the source. The default.
    #[default]
    AsWritten,
    /// Absolute URLs.
    Absolute,
    /// Relative to the document, where the link leads into the site; else absolute URLs.
    Relative,
    /// The path from the root of the host, where the link leads to the host of the document; else
    /// absolute URLs.
    RootRelative,
}

/// The changes of links: their form, the rules that move URLs, and the extent of the site.
///
/// ```
/// use absolve::url::Maps;
/// use absolve::{Direction, Form, Rewriter};
///
/// let mut maps = Maps::new();
/// maps.add("http://staging.example.org/", "https://example.org/")?;
/// let direction = Direction::new(Form::AsWritten).maps(maps);
/// let rewriter = Rewriter::new().policy(direction.into());
/// let page = rewriter.rewrite(b"<a href=http://staging.example.org/a><a href=b>")?;
/// assert_eq!(page.bytes(), b"<a href=https://example.org/a><a href=b>");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct Direction {
    form: Form,
    maps: Option<Arc<Maps>>,
    targets: Option<Arc<dyn Targets>>,
}

/// The bases that references resolve against in the written document, after its `base` elements are
/// removed and URLs are moved.
#[derive(Debug, Clone, Default)]
pub(crate) struct WrittenBases {
    /// For most references.
    pub(crate) base: Option<Base>,
    /// For the `href` of `base` elements, and references that mean the document's own URL.
    pub(crate) below: Option<Base>,
}

impl Direction {
    /// Creates a direction for links in this form.
    #[must_use]
    pub fn new(form: Form) -> Self {
        Self { form, ..Self::default() }
    }

    /// Sets the rules that move URLs; none by default. A document whose URL is beneath a rule moves
    /// too: its relative links lead to the new URLs of their targets.
    #[must_use]
    pub fn maps(self, maps: Maps) -> Self {
        Self { maps: Some(Arc::new(maps)).filter(|maps| !maps.is_empty()), ..self }
    }

    /// Returns the URL that a URL moves to, if a rule moves it.
    #[must_use]
    #[doc(hidden)]
    pub fn moved(&self, url: &str) -> Option<String> {
        self.maps.as_ref()?.map(url)
    }

    /// Sets the extent of the site, for [`Form::Relative`]; by default, the whole host of the
    /// document.
    #[must_use]
    pub fn targets(self, targets: Arc<dyn Targets>) -> Self {
        Self { targets: Some(targets), ..self }
    }

    /// Sets the form of links.
    #[must_use]
    pub fn form(self, form: Form) -> Self {
        Self { form, ..self }
    }

    /// Whether every link becomes absolute and none moves.
    pub(super) fn is_absolute(&self) -> bool {
        self.form == Form::Absolute && self.maps.is_none()
    }

    /// Whether links become absolute URLs, or paths from the root of the host.
    pub(super) fn makes_urls(&self) -> bool {
        matches!(self.form, Form::Absolute | Form::RootRelative)
    }

    /// Whether there are rules that move URLs.
    #[must_use]
    #[doc(hidden)]
    pub fn moves_urls(&self) -> bool {
        self.maps.is_some()
    }

    /// Whether pages are opened from the disk.
    #[must_use]
    #[doc(hidden)]
    pub fn is_on_disk(&self) -> bool {
        self.form == Form::Relative && self.targets.as_ref().is_some_and(|site| site.is_on_disk())
    }

    /// Whether a URL, or the URL that it moves to, leads to a file of pages that are opened from
    /// the disk.
    pub(crate) fn leads_to_disk(&self, url: &str) -> bool {
        let is_in_site = |url: &str| {
            let targets = self.targets.as_ref();
            targets.is_some_and(|targets| matches!(targets.find(url), Placement::InSite(_)))
        };
        let is_moved_there = || {
            let moved = self.maps.as_ref().and_then(|maps| maps.map(url));
            moved.is_some_and(|moved| is_in_site(&moved))
        };
        self.is_on_disk() && (is_in_site(url) || is_moved_there())
    }

    /// Adapts the site to files whose bytes have another URL than their page; `document` and `raw`
    /// are the two URLs of a single file.
    pub(super) fn for_raw_files(&self, document: Option<&Base>, raw: &Base) -> Self {
        let targets = self.targets.as_ref().map(|targets| -> Arc<dyn Targets> {
            Arc::new(RawTargets::new(Arc::clone(targets), document, raw))
        });
        Self { targets, ..self.clone() }
    }

    /// Whether `base` elements would change the meaning of the written references.
    pub(super) fn excludes_bases(&self) -> bool {
        matches!(self.form, Form::Relative | Form::RootRelative)
    }

    /// Returns the base that references are written against. They are resolved against `base`,
    /// which a `base` element or the URL of the document gives.
    pub(super) fn written_base(&self, base: &Base, source: BaseSource) -> Base {
        if self.form == Form::Relative
            && source != BaseSource::BaseElement
            && let Some(document) = self.targets.as_ref().and_then(|targets| targets.document(base))
        {
            return document.with_query_encoding(base.query_encoding());
        }
        // Relative links lead from the file, whose name differs from a URL with a query or an
        // encoded character.
        if self.form == Form::Relative
            && source != BaseSource::BaseElement
            && base.as_str().contains(['?', '%'])
            && let Some(targets) = &self.targets
            && let Placement::InSite(url) = targets.find(base.as_str())
            && !url.contains('?')
            && let Ok(file) = Base::new(&url)
        {
            return file.with_query_encoding(base.query_encoding());
        }
        // Relative links lead from file to file, wherever the files are served.
        let is_moved = matches!(self.form, Form::AsWritten | Form::RootRelative);
        let maps = self.maps.as_ref().filter(|_| is_moved);
        let new = maps.and_then(|maps| Base::new(&maps.map(base.as_str())?).ok());
        new.map_or_else(|| base.clone(), |new| new.with_query_encoding(base.query_encoding()))
    }

    /// Returns the new text of a link, for a document whose references resolve against `base` once
    /// it is written; `None` leaves the link. A link that has to be absolute does not become
    /// relative.
    pub(super) fn replacement(
        &self,
        link: &Link<'_>,
        (standard, required): (Standard, RequiredForm),
        base: Option<&Base>,
    ) -> Option<String> {
        let form = match required {
            RequiredForm::Absolute if self.excludes_bases() => Form::Absolute,
            _ => self.form,
        };
        let reference = clean(link.reference());
        let (url, is_absolute) = match link.outcome() {
            LinkOutcome::Absolute(url) => (&**url, true),
            LinkOutcome::Resolved(url) => (&**url, false),
            _ => return None,
        };
        let browser_url = match (is_absolute, form, link.base()) {
            (true, Form::AsWritten | Form::Relative | Form::RootRelative, Some(old_base)) => {
                read_by_browsers(old_base, base, &reference)
            }
            _ => None,
        };
        let (url, is_absolute) =
            browser_url.as_deref().map_or((url, is_absolute), |url| (url, false));
        let own_page = match link.grammar() {
            Grammar::Url => OwnPage::Fragment,
            _ => OwnPage::Name,
        };
        let moved = self.maps.as_ref().and_then(|maps| maps.map(url));
        let (reference, moved) = (&*reference, moved.as_deref());
        if browser_url.is_some() && form == Form::AsWritten {
            // Browsers may read the reference as another URL once the page has moved.
            let target = moved.unwrap_or(url);
            let stays = base.and_then(|base| read_by_browsers(base, None, reference));
            return (stays.as_deref() != Some(target)).then(|| target.to_owned());
        }
        let link = DirectedLink { reference, url, moved, standard, base, is_absolute, own_page };
        let new = match form {
            Form::AsWritten => link.to_written_form(),
            Form::Absolute => link.to_absolute(),
            Form::Relative => self.to_relative(&link),
            Form::RootRelative => link.to_root_relative(),
        };
        new.filter(|new| new != reference).map(Cow::into_owned)
    }

    /// Makes a link relative if its URL or its moved URL is in the site; else absolute.
    fn to_relative<'l>(&self, link: &DirectedLink<'l>) -> Option<Cow<'l, str>> {
        let Some(base) = link.base else { return link.to_absolute() };
        if link.names_document() && link.leads_to(link.url) {
            return None;
        }
        let leads_from_root =
            self.targets.as_ref().is_some_and(|targets| targets.is_sent_anywhere(base));
        let find_placement = |url| match &self.targets {
            Some(targets) => targets.find(url),
            None => place_on_host(base, url),
        };
        for url in [Some(link.url), link.moved].into_iter().flatten() {
            match find_placement(url) {
                Placement::InSite(to) if link.names_document() && link.leads_to(&to) => {
                    return None;
                }
                Placement::InSite(to) => {
                    let reference = if leads_from_root {
                        make_root_relative(link.standard, base, &to)
                    } else {
                        link.relative_to(base, &to)
                    };
                    if let Some(reference) = reference {
                        return Some(reference.into());
                    }
                }
                Placement::Kept => return None,
                Placement::Outside => {}
            }
        }
        link.to_absolute()
    }
}

impl fmt::Debug for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Direction")
            .field("form", &self.form)
            .field("maps", &self.maps.as_ref().map_or(0, |maps| maps.len()))
            .field("has_targets", &self.targets.is_some())
            .finish()
    }
}

/// A link and the URLs that decide on its new form.
struct DirectedLink<'l> {
    /// Without white space around it.
    reference: &'l str,
    url: &'l str,
    /// The URL that a rule moves `url` to.
    moved: Option<&'l str>,
    standard: Standard,
    /// The URL that the written reference is resolved against.
    base: Option<&'l Base>,
    is_absolute: bool,
    own_page: OwnPage,
}

impl<'l> DirectedLink<'l> {
    /// Returns the URL that the link leads to after it has moved.
    fn target(&self) -> &'l str {
        self.moved.unwrap_or(self.url)
    }

    /// Makes the relative reference to a URL.
    fn relative_to(&self, base: &Base, to: &str) -> Option<String> {
        make_relative(self.standard, base, to, self.own_page)
    }

    /// Whether the reference is empty or a fragment, and so names the document itself.
    fn names_document(&self) -> bool {
        self.reference.is_empty() || self.reference.starts_with('#')
    }

    /// Whether the reference leads to a URL if it stays as written.
    fn leads_to(&self, url: &str) -> bool {
        match self.standard.resolve(self.base, self.reference) {
            Ok(Resolution::Resolved(resolved)) => resolved == url,
            Ok(Resolution::Absolute(absolute)) => absolute == url,
            _ => false,
        }
    }

    fn to_absolute(&self) -> Option<Cow<'l, str>> {
        // A URL stays as written, as with `Policy::Absolute`.
        if self.moved.is_none() && self.is_absolute { None } else { Some(self.target().into()) }
    }

    /// Makes the path of the target from the root, if base and target have one host; else absolute.
    fn to_root_relative(&self) -> Option<Cow<'l, str>> {
        let Some(base) = self.base else { return self.to_absolute() };
        if self.names_document() && self.leads_to(self.target()) {
            return None;
        }
        match make_root_relative(self.standard, base, self.target()) {
            Some(reference) => Some(reference.into()),
            None => self.to_absolute(),
        }
    }

    /// Writes the target in the form of the original reference.
    fn to_written_form(&self) -> Option<Cow<'l, str>> {
        let target = self.target();
        if self.is_absolute {
            return self.moved.map(Cow::Borrowed);
        }
        let base = self.base?;
        let after = self.reference.strip_prefix("//");
        // By RFC 1808, an empty host means the host of the page.
        let has_host =
            after.is_some_and(|host| !host.is_empty() && !host.starts_with(['/', '\\', '?', '#']));
        // A link with a host but no scheme follows the scheme of the page, unless a rule moves it.
        if has_host && self.moved.is_none() || self.leads_to(target) {
            return None;
        }
        if self.names_document() && self.leads_to(self.url) {
            return None;
        }
        let reference = if has_host {
            strip_scheme(base, target).map(str::to_owned)
        } else if self.reference.starts_with('/') {
            make_root_relative(self.standard, base, target)
        } else {
            self.relative_to(base, target)
        };
        Some(reference.map_or(Cow::Borrowed(target), Cow::Owned))
    }
}

/// Strips the scheme of a URL, if the base has the same scheme.
fn strip_scheme<'u>(base: &Base, url: &'u str) -> Option<&'u str> {
    let colon = rfc1808::scheme_end(base.as_str())?;
    let (scheme, rest) = url.split_at_checked(colon + 1)?;
    let is_same = scheme.eq_ignore_ascii_case(&base.as_str()[..=colon]);
    (is_same && rest.starts_with("//")).then_some(rest)
}

/// Decides which URLs lead into a site, for [`Form::Relative`].
pub trait Targets: Send + Sync {
    /// Finds whether an absolute URL leads into the site.
    fn find<'u>(&self, url: &'u str) -> Placement<'u>;

    /// Whether pages are opened from the disk. There, browsers load no file of an element with
    /// `integrity` or `crossorigin`, so these attributes are removed.
    fn is_on_disk(&self) -> bool {
        false
    }

    /// Whether a server answers URLs in any folder with the document at this URL, such as an error
    /// page. The links of such a document have to lead from the root.
    fn is_sent_anywhere(&self, _url: &Base) -> bool {
        false
    }

    /// Returns the URL that the document at this URL has in the site, if it is another URL.
    fn document(&self, _url: &Base) -> Option<Base> {
        None
    }
}

/// Whether a URL leads into a site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Placement<'u> {
    /// The URL leads into the site. A reference has to lead to the URL in this variant, which may
    /// name the file that a server answers with.
    InSite(Cow<'u, str>),
    /// The URL leads elsewhere, or to nothing in the site.
    Outside,
    /// The URL leads elsewhere, and its reference stays as written.
    Kept,
}

/// Places a URL in a site that spans the whole host of the document.
fn place_on_host<'u>(base: &Base, url: &'u str) -> Placement<'u> {
    match (Parts::of(base.as_str()), Parts::of(url)) {
        (Some(page), Some(target)) if is_same_origin(page, target) => {
            // Dot segments that remain lead above the root.
            if has_dots(target) { Placement::Outside } else { Placement::InSite(url.into()) }
        }
        _ => Placement::Outside,
    }
}

/// A site whose files have two URLs, of the page that shows a file and of its bytes. Links lead to
/// the bytes.
struct RawTargets {
    pages: Arc<dyn Targets>,
    /// The beginnings of the URLs of pages, and of the URLs of bytes.
    roots: Option<[String; 2]>,
}

impl RawTargets {
    /// Derives the site from the two URLs that a single file has.
    fn new(pages: Arc<dyn Targets>, page: Option<&Base>, file: &Base) -> Self {
        Self { pages, roots: page.and_then(|page| find_roots([page.as_str(), file.as_str()])) }
    }
}

impl Targets for RawTargets {
    fn find<'u>(&self, url: &'u str) -> Placement<'u> {
        let Some([page, file]) = &self.roots else { return Placement::Outside };
        let Some(rest) = url.strip_prefix(&**file) else { return Placement::Outside };
        match self.pages.find(&format!("{page}{rest}")) {
            Placement::InSite(page_url) => match page_url.strip_prefix(&**page) {
                Some(rest) => Placement::InSite(format!("{file}{rest}").into()),
                None => Placement::Outside,
            },
            _ => Placement::Outside,
        }
    }
}

/// Strips the last segments that two URLs share, up to a slash.
fn find_roots(urls: [&str; 2]) -> Option<[String; 2]> {
    let [page, file] = urls.map(|url| Some(Parts::of(url)?.path));
    let (page, file) = (page?, file?);
    let segments = page.rsplit('/').zip(file.rsplit('/')).take_while(|(page, file)| page == file);
    let same: usize = segments.map(|(segment, _)| segment.len() + 1).sum();
    let same = same.min(page.len()).min(file.len());
    let ends_with_path = urls.iter().all(|url| url.ends_with(&page[page.len() - same..]));
    (same > 0 && ends_with_path).then(|| urls.map(|url| url[..=url.len() - same].to_owned()))
}
