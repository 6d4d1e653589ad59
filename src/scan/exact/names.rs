//! Numbers for element names, and the sets of names to which rules of tree construction refer.
//!
//! The names that a rule of <https://html.spec.whatwg.org/multipage/parsing.html> mentions have
//! constants, and so have some common names. Other names are interned on first use, because an end
//! tag must find its start tag. The sets are those of the stack of open elements and of the start
//! tags in the "in body" insertion mode.

use std::collections::HashMap;

/// The number of an element name in lower case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Id(u32);

impl Id {
    /// Returns the index of the name in tables by name.
    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }
}

macro_rules! names {
    ($($id:ident $text:literal)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, dead_code, reason = "a counter")]
        enum Order { $($id,)* COUNT }
        $(#[allow(dead_code, reason = "common names that no rule mentions")]
        pub(super) const $id: Id = Id(Order::$id as u32);)*
        /// The number of names with a constant.
        pub(super) const KNOWN_COUNT: usize = Order::COUNT as usize;
        /// The names with a constant, sorted by their bytes for binary search.
        const TEXTS: [&str; KNOWN_COUNT] = [$($text),*];
    };
}

names! {
    A "a" ABBR "abbr" ADDRESS "address" ANNOTATION_XML "annotation-xml" APPLET "applet"
    AREA "area" ARTICLE "article" ASIDE "aside" B "b" BASE "base" BASEFONT "basefont"
    BGSOUND "bgsound" BIG "big" BLOCKQUOTE "blockquote" BODY "body" BR "br" BUTTON "button"
    CAPTION "caption" CENTER "center" CITE "cite" CODE "code" COL "col" COLGROUP "colgroup"
    DD "dd" DESC "desc" DETAILS "details" DFN "dfn" DIALOG "dialog" DIR "dir" DIV "div" DL "dl"
    DT "dt" EM "em" EMBED "embed" FIELDSET "fieldset" FIGCAPTION "figcaption" FIGURE "figure"
    FONT "font" FOOTER "footer" FOREIGN_OBJECT "foreignobject" FORM "form" FRAME "frame"
    FRAMESET "frameset" G "g" H1 "h1" H2 "h2" H3 "h3" H4 "h4" H5 "h5" H6 "h6" HEAD "head"
    HEADER "header" HGROUP "hgroup" HR "hr" HTML "html" I "i" IFRAME "iframe" IMAGE "image"
    IMG "img" INPUT "input" INS "ins" ISINDEX "isindex" KBD "kbd" KEYGEN "keygen" LABEL "label"
    LI "li" LINK "link" LISTING "listing" MAIN "main" MALIGNMARK "malignmark" MARQUEE "marquee"
    MATH "math" MENU "menu" META "meta" MGLYPH "mglyph" MI "mi" MN "mn" MO "mo" MS "ms"
    MTEXT "mtext" NAV "nav" NOBR "nobr" NOEMBED "noembed" NOFRAMES "noframes"
    NOSCRIPT "noscript" OBJECT "object" OL "ol" OPTGROUP "optgroup" OPTION "option" P "p"
    PARAM "param" PATH "path" PLAINTEXT "plaintext" PRE "pre" RB "rb" RP "rp" RT "rt" RTC "rtc"
    RUBY "ruby" S "s" SAMP "samp" SCRIPT "script" SEARCH "search" SECTION "section"
    SELECT "select" SMALL "small" SOURCE "source" SPAN "span" STRIKE "strike" STRONG "strong"
    STYLE "style" SUB "sub" SUMMARY "summary" SUP "sup" SVG "svg" TABLE "table" TBODY "tbody"
    TD "td" TEMPLATE "template" TEXTAREA "textarea" TFOOT "tfoot" TH "th" THEAD "thead"
    TIME "time" TITLE "title" TR "tr" TRACK "track" TT "tt" U "u" UL "ul" VAR "var" WBR "wbr"
    XMP "xmp"
}

/// Assigns numbers to names.
#[derive(Default)]
pub(super) struct Interner {
    /// The names without a constant that have occurred so far.
    others: HashMap<Vec<u8>, Id>,
    lower: Vec<u8>,
}

impl Interner {
    /// Returns the number of names that have an [`Id`] so far.
    pub(super) fn count(&self) -> usize {
        KNOWN_COUNT + self.others.len()
    }

    /// Returns the number of a name as written.
    ///
    /// NOTE: NUL becomes U+FFFD as in a parser, but in UTF-8 whatever the document's encoding is.
    pub(super) fn intern(&mut self, name: &[u8]) -> Id {
        self.lower.clear();
        for byte in name {
            match byte {
                0 => self.lower.extend_from_slice("\u{FFFD}".as_bytes()),
                _ => self.lower.push(byte.to_ascii_lowercase()),
            }
        }
        let known = TEXTS.binary_search_by(|text| text.as_bytes().cmp(&self.lower));
        if let Some(known) = known.ok().and_then(|known| u32::try_from(known).ok()) {
            return Id(known);
        }
        if let Some(&id) = self.others.get(&self.lower) {
            return id;
        }
        // A name takes at least one byte of source; sources are far shorter than 4 Gi names.
        let id = Id(u32::try_from(self.count()).unwrap_or(u32::MAX));
        self.others.insert(self.lower.clone(), id);
        id
    }
}

/// The properties of an HTML element name, as bits.
pub(super) type Traits = u16;

/// <https://html.spec.whatwg.org/multipage/parsing.html#special>
pub(super) const SPECIAL: Traits = 1;
/// Special, but not `address`, `div` or `p`: ends the search for the item that a new item closes.
pub(super) const ENDS_ITEM_SEARCH: Traits = 1 << 1;
/// <https://html.spec.whatwg.org/multipage/parsing.html#has-an-element-in-scope>
pub(super) const DEFAULT_SCOPE: Traits = 1 << 2;
/// The boundaries of list item scope besides those of [`DEFAULT_SCOPE`].
pub(super) const LIST_SCOPE: Traits = 1 << 3;
/// The boundaries of button scope besides those of [`DEFAULT_SCOPE`].
pub(super) const BUTTON_SCOPE: Traits = 1 << 4;
/// <https://html.spec.whatwg.org/multipage/parsing.html#has-an-element-in-table-scope>
pub(super) const TABLE_SCOPE: Traits = 1 << 5;
/// Decides the insertion mode:
/// <https://html.spec.whatwg.org/multipage/parsing.html#reset-the-insertion-mode-appropriately>.
pub(super) const DECIDES_MODE: Traits = 1 << 6;
/// The number of properties above: the stack can find the nearest entry that has one of them.
pub(super) const INDEXED_COUNT: usize = 7;
/// <https://html.spec.whatwg.org/multipage/parsing.html#generate-implied-end-tags>
pub(super) const IMPLIED: Traits = 1 << 7;
/// The start tag ends foreign content. A `font` is not in this set, as its attributes decide.
pub(super) const BREAKOUT: Traits = 1 << 8;
/// The "in head" insertion mode has a rule for the start tag, which other modes refer to.
pub(super) const HEAD_CONTENT: Traits = 1 << 9;
/// `table`, `tbody`, `tfoot`, `thead`, `tr`: text directly inside waits for the next tag.
pub(super) const TABLE_TEXT: Traits = 1 << 10;
/// `h1` to `h6`.
pub(super) const HEADING: Traits = 1 << 11;
/// <https://html.spec.whatwg.org/multipage/parsing.html#formatting>
pub(super) const FORMATTING: Traits = 1 << 12;
/// The start tag closes a `p` and has no other rule in the body; the end tag needs an open element
/// in scope.
pub(super) const BLOCK: Traits = 1 << 13;

/// The properties, each with the names that have it.
const TRAIT_SETS: &[(Traits, &[Id])] = &[
    (
        SPECIAL | ENDS_ITEM_SEARCH,
        &[
            APPLET, AREA, ARTICLE, ASIDE, BASE, BASEFONT, BGSOUND, BLOCKQUOTE, BODY, BR, BUTTON,
            CAPTION, CENTER, COL, COLGROUP, DD, DETAILS, DIR, DL, DT, EMBED, FIELDSET, FIGCAPTION,
            FIGURE, FOOTER, FORM, FRAME, FRAMESET, H1, H2, H3, H4, H5, H6, HEAD, HEADER, HGROUP,
            HR, HTML, IFRAME, IMG, INPUT, KEYGEN, LI, LINK, LISTING, MAIN, MARQUEE, MENU, META,
            NAV, NOEMBED, NOFRAMES, NOSCRIPT, OBJECT, OL, PARAM, PLAINTEXT, PRE, SCRIPT, SEARCH,
            SECTION, SELECT, SOURCE, STYLE, SUMMARY, TABLE, TBODY, TD, TEMPLATE, TEXTAREA, TFOOT,
            TH, THEAD, TITLE, TR, TRACK, UL, WBR, XMP,
        ],
    ),
    (SPECIAL, &[ADDRESS, DIV, P]),
    (DEFAULT_SCOPE, &[APPLET, CAPTION, HTML, TABLE, TD, TH, MARQUEE, OBJECT, SELECT, TEMPLATE]),
    (LIST_SCOPE, &[OL, UL]),
    (BUTTON_SCOPE, &[BUTTON]),
    (TABLE_SCOPE, &[HTML, TABLE, TEMPLATE]),
    (IMPLIED, &[DD, DT, LI, OPTION, OPTGROUP, P, RB, RP, RT, RTC]),
    (
        DECIDES_MODE,
        &[
            TD, TH, TR, TBODY, THEAD, TFOOT, CAPTION, COLGROUP, TABLE, TEMPLATE, HEAD, BODY,
            FRAMESET, HTML,
        ],
    ),
    (
        BREAKOUT,
        &[
            B, BIG, BLOCKQUOTE, BODY, BR, CENTER, CODE, DD, DIV, DL, DT, EM, EMBED, H1, H2, H3, H4,
            H5, H6, HEAD, HR, I, IMG, LI, LISTING, MENU, META, NOBR, OL, P, PRE, RUBY, S, SMALL,
            SPAN, STRONG, STRIKE, SUB, SUP, TABLE, TT, U, UL, VAR,
        ],
    ),
    (
        HEAD_CONTENT,
        &[BASE, BASEFONT, BGSOUND, LINK, META, NOFRAMES, SCRIPT, STYLE, TEMPLATE, TITLE],
    ),
    (TABLE_TEXT, &[TABLE, TBODY, TFOOT, THEAD, TR]),
    (HEADING, &[H1, H2, H3, H4, H5, H6]),
    (FORMATTING, &[A, B, BIG, CODE, EM, FONT, I, NOBR, S, SMALL, STRIKE, STRONG, TT, U]),
    (
        BLOCK,
        &[
            ADDRESS, ARTICLE, ASIDE, BLOCKQUOTE, CENTER, DETAILS, DIALOG, DIR, DIV, DL, FIELDSET,
            FIGCAPTION, FIGURE, FOOTER, HEADER, HGROUP, MAIN, MENU, NAV, OL, SEARCH, SECTION,
            SUMMARY, UL,
        ],
    ),
];

/// The properties by index of a name.
const TRAITS: [Traits; KNOWN_COUNT] = {
    let mut traits = [0; KNOWN_COUNT];
    let mut set = 0;
    while set < TRAIT_SETS.len() {
        let mut name = 0;
        while name < TRAIT_SETS[set].1.len() {
            traits[TRAIT_SETS[set].1[name].index()] |= TRAIT_SETS[set].0;
            name += 1;
        }
        set += 1;
    }
    traits
};

/// Returns the properties of an HTML element of this name.
#[inline]
pub(super) fn traits(name: Id) -> Traits {
    TRAITS.get(name.index()).copied().unwrap_or(0)
}

/// Iterates over the indices of the properties for which the stack can find the nearest entry.
#[inline]
pub(super) fn iterate_indexed(mut traits: Traits) -> impl Iterator<Item = usize> {
    traits &= (1 << INDEXED_COUNT) - 1;
    std::iter::from_fn(move || {
        let index = traits.trailing_zeros() as usize;
        traits &= traits.wrapping_sub(1);
        (index < INDEXED_COUNT).then_some(index)
    })
}

/// Whether an HTML element of this name has one of the properties.
#[inline]
pub(super) fn has_trait(name: Id, wanted: Traits) -> bool {
    traits(name) & wanted != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_name_is_found() {
        let mut names = Interner::default();
        for (index, text) in TEXTS.iter().enumerate() {
            assert_eq!(names.intern(text.to_ascii_uppercase().as_bytes()).index(), index, "{text}");
        }
        assert_eq!(names.count(), KNOWN_COUNT);
    }

    #[test]
    fn other_names_are_equal_in_any_case() {
        let mut names = Interner::default();
        let first = names.intern(b"my-Element");
        assert_eq!(first, names.intern(b"MY-element"));
        assert_ne!(first, names.intern(b"my-element2"));
    }

    #[test]
    fn nul_is_the_replacement_character() {
        let mut names = Interner::default();
        assert_eq!(names.intern(b"x\0"), names.intern("X\u{FFFD}".as_bytes()));
    }
}
