//! What the tree construction rules say about each element name, as tables.
//!
//! The sets of <https://html.spec.whatwg.org/multipage/parsing.html#the-stack-of-open-elements>
//! and the start tag lists of its "in body" insertion mode.

use super::names::{
    A, ADDRESS, APPLET, AREA, ARTICLE, ASIDE, B, BASE, BASEFONT, BGSOUND, BIG, BLOCKQUOTE, BODY,
    BR, BUTTON, CAPTION, CENTER, CODE, COL, COLGROUP, DD, DETAILS, DIALOG, DIR, DIV, DL, DT, EM,
    EMBED, FIELDSET, FIGCAPTION, FIGURE, FONT, FOOTER, FORM, FRAME, FRAMESET, H1, H2, H3, H4, H5,
    H6, HEAD, HEADER, HGROUP, HR, HTML, I, IFRAME, IMAGE, IMG, INPUT, Id, KEYGEN, KNOWN, LI, LINK,
    LISTING, MAIN, MARQUEE, MATH, MENU, META, NAV, NOBR, NOEMBED, NOFRAMES, NOSCRIPT, OBJECT, OL,
    OPTGROUP, OPTION, P, PARAM, PLAINTEXT, PRE, RB, RP, RT, RTC, RUBY, S, SCRIPT, SEARCH, SECTION,
    SELECT, SMALL, SOURCE, SPAN, STRIKE, STRONG, STYLE, SUB, SUMMARY, SUP, SVG, TABLE, TBODY, TD,
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

/// The rule of the "in body" insertion mode for a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// No rule of its own.
    Other,
    Html,
    Body,
    Frameset,
    /// By the rules of "in head".
    Head,
    /// Closes a `p`; its end tag needs a start tag in scope.
    Block,
    Heading,
    Pre,
    Form,
    Item,
    P,
    Plaintext,
    Button,
    A,
    Formatting,
    Nobr,
    /// Puts a marker on the list of active formatting elements.
    Object,
    Table,
    /// Void, and content.
    Void,
    Input,
    /// Void, and no content.
    Param,
    Hr,
    Br,
    Textarea,
    Xmp,
    Iframe,
    Noembed,
    Select,
    Option,
    Optgroup,
    RubyBase,
    RubyText,
    Math,
    Svg,
    /// Known elsewhere only: ignored.
    Misplaced,
}

const RULES: &[(Rule, &[Id])] = &[
    (Rule::Html, &[HTML]),
    (Rule::Body, &[BODY]),
    (Rule::Frameset, &[FRAMESET]),
    (Rule::Head, &[BASE, BASEFONT, BGSOUND, LINK, META, NOFRAMES, SCRIPT, STYLE, TEMPLATE, TITLE]),
    (
        Rule::Block,
        &[
            ADDRESS, ARTICLE, ASIDE, BLOCKQUOTE, CENTER, DETAILS, DIALOG, DIR, DIV, DL, FIELDSET,
            FIGCAPTION, FIGURE, FOOTER, HEADER, HGROUP, MAIN, MENU, NAV, OL, SEARCH, SECTION,
            SUMMARY, UL,
        ],
    ),
    (Rule::Heading, &[H1, H2, H3, H4, H5, H6]),
    (Rule::Pre, &[PRE, LISTING]),
    (Rule::Form, &[FORM]),
    (Rule::Item, &[LI, DD, DT]),
    (Rule::P, &[P]),
    (Rule::Plaintext, &[PLAINTEXT]),
    (Rule::Button, &[BUTTON]),
    (Rule::A, &[A]),
    (Rule::Formatting, &[B, BIG, CODE, EM, FONT, I, S, SMALL, STRIKE, STRONG, TT, U]),
    (Rule::Nobr, &[NOBR]),
    (Rule::Object, &[APPLET, MARQUEE, OBJECT]),
    (Rule::Table, &[TABLE]),
    (Rule::Void, &[AREA, EMBED, IMAGE, IMG, KEYGEN, WBR]),
    (Rule::Input, &[INPUT]),
    (Rule::Param, &[PARAM, SOURCE, TRACK]),
    (Rule::Hr, &[HR]),
    (Rule::Br, &[BR]),
    (Rule::Textarea, &[TEXTAREA]),
    (Rule::Xmp, &[XMP]),
    (Rule::Iframe, &[IFRAME]),
    (Rule::Noembed, &[NOEMBED]),
    (Rule::Select, &[SELECT]),
    (Rule::Option, &[OPTION]),
    (Rule::Optgroup, &[OPTGROUP]),
    (Rule::RubyBase, &[RB, RTC]),
    (Rule::RubyText, &[RP, RT]),
    (Rule::Math, &[MATH]),
    (Rule::Svg, &[SVG]),
    (Rule::Misplaced, &[CAPTION, COL, COLGROUP, FRAME, HEAD, TBODY, TD, TFOOT, TH, THEAD, TR]),
];

const RULE: [Rule; KNOWN] = {
    let mut rules = [Rule::Other; KNOWN];
    let mut row = 0;
    while row < RULES.len() {
        let mut name = 0;
        while name < RULES[row].1.len() {
            rules[RULES[row].1[name].index()] = RULES[row].0;
            name += 1;
        }
        row += 1;
    }
    rules
};

/// The rule of the "in body" insertion mode for tags of this name.
#[inline]
pub(super) fn rule(name: Id) -> Rule {
    RULE.get(name.index()).copied().unwrap_or(Rule::Other)
}
