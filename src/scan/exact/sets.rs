//! What the tree construction rules say about each element name, as tables.
//!
//! The sets of <https://html.spec.whatwg.org/multipage/parsing.html#the-stack-of-open-elements>
//! and the start tag lists of its "in body" insertion mode.

use super::names::{
    A, ADDRESS, APPLET, AREA, ARTICLE, ASIDE, B, BASE, BASEFONT, BGSOUND, BIG, BLOCKQUOTE, BODY,
    BR, BUTTON, CAPTION, CENTER, CODE, COL, COLGROUP, DD, DETAILS, DIALOG, DIR, DIV, DL, DT, EM,
    EMBED, FIELDSET, FIGCAPTION, FIGURE, FONT, FOOTER, FORM, FRAME, FRAMESET, H1, H2, H3, H4, H5,
    H6, HEAD, HEADER, HGROUP, HR, HTML, I, IFRAME, IMG, INPUT, Id, KEYGEN, KNOWN, LI, LINK,
    LISTING, MAIN, MARQUEE, MENU, META, NAV, NOBR, NOEMBED, NOFRAMES, NOSCRIPT, OBJECT, OL,
    OPTGROUP, OPTION, P, PARAM, PLAINTEXT, PRE, RB, RP, RT, RTC, RUBY, S, SCRIPT, SEARCH, SECTION,
    SELECT, SMALL, SOURCE, SPAN, STRIKE, STRONG, STYLE, SUB, SUMMARY, SUP, TABLE, TBODY, TD,
    TEMPLATE, TEXTAREA, TFOOT, TH, THEAD, TITLE, TR, TRACK, TT, U, UL, VAR, WBR, XMP,
};

/// Properties of an HTML element name; a set of bits.
pub(super) type Traits = u16;

/// <https://html.spec.whatwg.org/multipage/parsing.html#special>
pub(super) const SPECIAL: Traits = 1;
/// Special, and no `address`, `div` or `p`: where the search of `li`, `dd`, `dt` ends.
pub(super) const HARD: Traits = 1 << 1;
/// <https://html.spec.whatwg.org/multipage/parsing.html#has-an-element-in-scope>
pub(super) const DEFAULT_SCOPE: Traits = 1 << 2;
/// The boundaries of list item scope besides those of [`DEFAULT_SCOPE`].
pub(super) const LIST_SCOPE: Traits = 1 << 3;
/// The boundaries of button scope besides those of [`DEFAULT_SCOPE`].
pub(super) const BUTTON_SCOPE: Traits = 1 << 4;
/// <https://html.spec.whatwg.org/multipage/parsing.html#has-an-element-in-table-scope>
pub(super) const TABLE_SCOPE: Traits = 1 << 5;
/// Decides where "reset the insertion mode appropriately" leads.
pub(super) const ANCHOR: Traits = 1 << 6;
/// The properties up to here are those of which the stack knows the nearest entry.
pub(super) const NEAREST: usize = 7;
/// <https://html.spec.whatwg.org/multipage/parsing.html#generate-implied-end-tags>
pub(super) const IMPLIED: Traits = 1 << 7;
/// The start tags that end foreign content; `font` is inspected separately.
pub(super) const BREAKOUT: Traits = 1 << 8;
/// Processed by the rules of "in head", wherever the insertion mode knows them.
pub(super) const HEAD_CONTENT: Traits = 1 << 9;
/// `table`, `tbody`, `tfoot`, `thead`, `tr`: where text waits for the next tag.
pub(super) const TABLE_TEXT: Traits = 1 << 10;
/// `h1` to `h6`.
pub(super) const HEADING: Traits = 1 << 11;
/// <https://html.spec.whatwg.org/multipage/parsing.html#formatting>
pub(super) const FORMATTING: Traits = 1 << 12;
/// Closes a `p` and has no other rule in the body; its end tag needs a start tag in scope.
pub(super) const BLOCK: Traits = 1 << 13;

const SETS: &[(Traits, &[Id])] = &[
    (
        SPECIAL | HARD,
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
        ANCHOR,
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

const TRAITS: [Traits; KNOWN] = {
    let mut traits = [0; KNOWN];
    let mut set = 0;
    while set < SETS.len() {
        let mut name = 0;
        while name < SETS[set].1.len() {
            traits[SETS[set].1[name].index()] |= SETS[set].0;
            name += 1;
        }
        set += 1;
    }
    traits
};

/// The properties of an HTML element of this name.
#[inline]
pub(super) fn traits(name: Id) -> Traits {
    TRAITS.get(name.index()).copied().unwrap_or(0)
}

/// The places of the properties of which the stack knows the nearest entry.
#[inline]
pub(super) fn nearest(mut traits: Traits) -> impl Iterator<Item = usize> {
    traits &= (1 << NEAREST) - 1;
    std::iter::from_fn(move || {
        let place = traits.trailing_zeros() as usize;
        traits &= traits.wrapping_sub(1);
        (place < NEAREST).then_some(place)
    })
}

/// Whether an HTML element of this name has one of the properties.
#[inline]
pub(super) fn is(name: Id, wanted: Traits) -> bool {
    traits(name) & wanted != 0
}
