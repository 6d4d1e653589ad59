//! The rows of all rules.

use crate::audit::rules::{Level, Row, Rule, errors, metadata, notes, warnings};

/// The rows of each default level, in the order of [`Rule`].
const TABLE: [(Level, &[Row]); 5] = [
    (Level::Error, errors::ROWS),
    (Level::Warn, warnings::ROWS),
    (Level::Warn, metadata::ROWS),
    (Level::Note, notes::NOTES),
    (Level::Off, notes::OFF),
];

const COUNT: usize = errors::ROWS.len()
    + warnings::ROWS.len()
    + metadata::ROWS.len()
    + notes::NOTES.len()
    + notes::OFF.len();

impl Rule {
    /// Every rule, in the order of the table: errors first.
    pub const ALL: &'static [Self] = &all();

    pub(super) fn row(self) -> (Level, &'static Row) {
        let [mut at, mut part] = [self as usize, 0];
        while at >= TABLE[part].1.len() {
            at -= TABLE[part].1.len();
            part += 1;
        }
        (TABLE[part].0, &TABLE[part].1[at])
    }
}

const fn all() -> [Rule; COUNT] {
    let mut all = [Rule::BrokenLink; COUNT];
    let (mut part, mut filled) = (0, 0);
    while part < TABLE.len() {
        let mut at = 0;
        while at < TABLE[part].1.len() {
            all[filled] = TABLE[part].1[at].rule;
            at += 1;
            filled += 1;
        }
        part += 1;
    }
    all
}
