//! The limits on the cost of hostile documents, each declared once.

/// A limit that users may set: every host reads its name, range and help here.
#[derive(Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct LimitRow {
    /// The name, such as `part-depth`.
    pub name: &'static str,
    /// The name in messages, such as `the limit for nested parts`.
    pub noun: &'static str,
    /// The help of the command, without the default.
    pub help: &'static str,
    /// The largest value.
    pub max: u64,
    /// The commands that use the limit, `document` for functions of a single document, and `npm`.
    pub users: &'static [&'static str],
}

/// A limit, and access to its value.
pub type LimitAccess<L> = (LimitRow, fn(&mut L) -> &mut usize);

/// The `max` of a limit that may have any value.
const NO_MAX: u64 = u64::MAX;

/// The users that read documents.
const ALL: &[&str] = &["document", "npm", "rewrite", "links", "audit", "extract"];

/// The users that may use the DOM engine.
const ENGINES: &[&str] = &["document", "rewrite", "links"];

/// The commands that read messages.
const MESSAGES: &[&str] = &["rewrite", "links", "extract"];

impl LimitRow {
    #[must_use]
    #[doc(hidden)]
    pub const fn new(
        name: &'static str,
        noun: &'static str,
        help: &'static str,
        users: &'static [&'static str],
    ) -> Self {
        Self { name, noun, help, max: NO_MAX, users }
    }

    /// Checks that a value is in the range of the limit.
    ///
    /// # Errors
    ///
    /// If the value is larger than [`LimitRow::max`], which `format` formats.
    pub fn check(&self, value: usize, format: impl Fn(u64) -> String) -> Result<(), String> {
        if value as u64 <= self.max {
            return Ok(());
        }
        Err(format!("expected a number from 0 to {}", format(self.max)))
    }

    const fn with_max(self, max: u64) -> Self {
        Self { max, ..self }
    }

    /// Returns the note on the range in advice: `0 = no limit`, or the largest value if the limit
    /// has one.
    #[must_use]
    pub fn describe_max(&self) -> String {
        match self.max {
            max if max > Limit::MAX_INPUT as u64 => "0 = no limit".to_owned(),
            max => format!("{max} at most"),
        }
    }
}

/// Declares a struct of limits: for each limit the field, its default, and its row.
#[doc(hidden)]
#[macro_export]
macro_rules! limits {
    (
        $(#[$about:meta])*
        $type:ident;
        $($(#[$doc:meta])* $field:ident = $default:expr, $row:expr;)*
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct $type {
            $($(#[$doc])* pub $field: usize,)*
        }

        impl Default for $type {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        impl $type {
            /// Each limit, in the order of the help.
            #[doc(hidden)]
            pub const ROWS: &'static [$crate::LimitAccess<Self>] =
                &[$(($row, |limits| &mut limits.$field),)*];
        }
    };
}

limits! {
    /// Limits on the cost of hostile documents.
    ///
    /// A document that exceeds a limit is an error and stays unchanged; nothing is truncated. 0
    /// means no limit.
    ///
    /// ```
    /// use absolve::{Limit, Limits, Rewriter};
    ///
    /// let mut limits = Limits::default();
    /// limits.links = 1;
    /// let rewriter = Rewriter::new().base_url("http://h/")?.limits(limits);
    /// let error = rewriter.rewrite(b"<a href=a><a href=b>").unwrap_err();
    /// assert_eq!(error.limit_reached(), Some(Limit::Links));
    /// # Ok::<(), absolve::Error>(())
    /// ```
    Limits;

    /// Bytes of a document; 64 MiB, and never more than 4 GiB, as offsets have 32 bits.
    input = 64 << 20, LimitRow::new("input", "the limit for documents", "Size of a document, in bytes, at most 4G", ALL).with_max(Limit::MAX_INPUT as u64 + 1);
    /// Bytes of a rewritten document; [`Limits::OUTPUT_BY_INPUT`] unless set: 16 times the input
    /// and 1 MiB more, at most 256 MiB.
    output = Self::OUTPUT_BY_INPUT, LimitRow::new("output", "the limit for rewritten documents", "Size of a document after rewriting [default: 16 times the input + 1M, at most 256M]", &["document", "npm", "rewrite", "extract"]);
    /// Bytes of a base URL; 8 KiB.
    base_url = 8 << 10, LimitRow::new("base-url", "the limit for base URLs", "Length of a base URL", ALL);
    /// Bytes of a relative reference; 64 KiB. Absolute references, such as `data:` URLs, have no
    /// limit.
    reference = 64 << 10, LimitRow::new("reference", "the limit for references", "Length of a relative reference", ALL);
    /// Links in a document; 1,000,000.
    links = 1_000_000, LimitRow::new("links", "the limit for links", "Links in a document", ALL);
    /// Nesting depth of documents (`iframe srcdoc`); 3, and never more than [`Limits::MAX_SRCDOC`].
    srcdoc = 3, LimitRow::new("srcdoc", "the limit for nested documents", "Depth of nested documents (srcdoc), at most 16", ALL).with_max(Self::MAX_SRCDOC as u64);
    /// Depth of the tree that the DOM engine builds, and of the blocks of Markdown; 512.
    depth = 512, LimitRow::new("depth", "the limit for trees", "Depth of the tree of the DOM engine, and of blocks of Markdown", ENGINES);
    /// Attributes of a tag, for the DOM engine; 4,096.
    attributes = 4_096, LimitRow::new("attributes", "the limit for attributes", "Attributes of a tag, for the DOM engine", ENGINES);
    /// Parts of a message; 10,000.
    parts = 10_000, LimitRow::new("parts", "the limit for parts", "Parts of a message", MESSAGES);
    /// Nesting depth of parts of a message; 100.
    part_depth = 100, LimitRow::new("part-depth", "the limit for nested parts", "Nesting depth of parts of a message", MESSAGES);
    /// Bytes of the header of a message, or of a part of it; 1 MiB.
    header = 1 << 20, LimitRow::new("header", "the limit for headers of parts", "Header of a part of a message", MESSAGES);
}

impl Limits {
    /// The value of [`Limits::output`] for a limit that depends on the size of the input.
    pub const OUTPUT_BY_INPUT: usize = usize::MAX;

    /// The deepest `srcdoc` nesting, even without a limit: each level is a nested call.
    pub const MAX_SRCDOC: usize = 16;
}

/// Declares [`Limit`]: for each variant its subject in messages, its unit, and the name of the
/// limit to raise, which is empty for a fixed limit.
macro_rules! exceeded {
    ($($(#[$doc:meta])* $name:ident = $subject:literal, $unit:literal, $limit:literal;)*) => {
        /// The limit that a document exceeded.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Limit {
            $($(#[$doc])* $name,)*
        }

        impl Limit {
            /// Returns the subject in messages, the unit, and the name of the limit to raise.
            pub(super) fn describe(self) -> (&'static str, &'static str, &'static str) {
                match self {
                    $(Self::$name => ($subject, $unit, $limit),)*
                }
            }
        }
    };
}

exceeded! {
    /// Bytes of the document.
    Input = "the document", "bytes", "input";
    /// Bytes of a Markdown document: 16 MiB, which no option changes.
    Markdown = "the Markdown document", "bytes", "";
    /// Marks of a Markdown document, such as brackets and line ends: 4,000,000, which no option
    /// changes.
    Marks = "the Markdown document", "marks", "";
    /// Bytes of the rewritten document.
    Output = "the document as it would be written", "bytes", "output";
    /// Bytes of a base URL.
    BaseUrl = "the base URL", "bytes", "base-url";
    /// Total bytes of the base URLs of nested elements in XML.
    BaseUrls = "the length of nested base URLs", "bytes", "base-url";
    /// Bytes of a relative reference.
    Reference = "a relative reference", "bytes", "reference";
    /// Links in a document.
    Links = "the document", "links", "links";
    /// Nesting depth of documents (`iframe srcdoc`).
    Srcdoc = "srcdoc nesting", "levels", "srcdoc";
    /// Depth of the tree that the DOM engine builds.
    Depth = "the tree", "levels", "depth";
    /// Nesting depth of quotes, list items and footnotes in Markdown.
    BlockDepth = "the nesting of quotes and lists", "levels", "depth";
    /// Attributes of a tag, for the DOM engine.
    Attributes = "a tag", "attributes", "attributes";
    /// Parts of a message.
    Parts = "the message", "parts", "parts";
    /// Nesting depth of parts of a message.
    PartDepth = "the nesting of parts", "levels", "part-depth";
    /// Bytes of the header of a message, or of a part of it.
    Header = "the header of a message or part", "bytes", "header";
}

impl Limit {
    /// The largest document in bytes: offsets have 32 bits, in both engines.
    pub(crate) const MAX_INPUT: usize = u32::MAX as usize;

    /// The name of the limit in messages, which do not say how a program sets it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match (self, self.row()) {
            (Self::BlockDepth, _) => "the limit for nested blocks",
            (_, Some(row)) => row.noun,
            (_, None) => "the most that is read; split it, or leave it out",
        }
    }

    /// The limit that users may raise; `None` if the limit is fixed.
    #[must_use]
    #[doc(hidden)]
    pub fn row(self) -> Option<&'static LimitRow> {
        let (.., name) = self.describe();
        Limits::ROWS.iter().map(|(row, _)| row).find(|row| row.name == name)
    }
}
