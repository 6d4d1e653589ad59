//! Element names as small numbers.
//!
//! Names that a rule of <https://html.spec.whatwg.org/multipage/parsing.html> mentions, and some
//! common ones, have constants; the others are interned as they come, because an end tag has to
//! find its start tag.

use std::collections::HashMap;

/// An element name, lower-cased.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Id(u32);

impl Id {
    /// The place of the name in tables by name.
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
        pub(super) const KNOWN: usize = Order::COUNT as usize;
        /// In the order of their bytes.
        const TEXTS: [&str; KNOWN] = [$($text),*];
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

/// The names met so far that have no constant.
#[derive(Default)]
pub(super) struct Interner {
    others: HashMap<Vec<u8>, Id>,
    lower: Vec<u8>,
}

impl Interner {
    /// The number of names that an [`Id`] can represent by now.
    pub(super) fn count(&self) -> usize {
        KNOWN + self.others.len()
    }

    /// The number of a name as written.
    ///
    /// NOTE: NUL becomes U+FFFD as in a parser; written out in UTF-8 whatever the encoding is.
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
        // A name takes a byte of source at least; sources are far below 4 Gi names.
        let id = Id(u32::try_from(self.count()).unwrap_or(u32::MAX));
        self.others.insert(self.lower.clone(), id);
        id
    }
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
        assert_eq!(names.count(), KNOWN);
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
