//! The rows of all rules.

use crate::audit::rules::{Row, Rule, advice, broken, fragile, metadata};

/// The rows, in files by subject.
const FILES: [&[Row]; 4] = [broken::ROWS, fragile::ROWS, metadata::ROWS, advice::ROWS];

const COUNT: usize = FILES[0].len() + FILES[1].len() + FILES[2].len() + FILES[3].len();

/// The rows in the order of [`Rule`].
const TABLE: [&Row; COUNT] = {
    let mut table = [&FILES[0][0]; COUNT];
    let mut file = 0;
    while file < FILES.len() {
        let mut at = 0;
        while at < FILES[file].len() {
            let row = &FILES[file][at];
            table[row.rule as usize] = row;
            at += 1;
        }
        file += 1;
    }
    table
};

impl Rule {
    /// Every rule.
    pub const ALL: &'static [Self] = &{
        let mut all = [Self::BrokenLink; COUNT];
        let mut at = 0;
        while at < COUNT {
            all[at] = TABLE[at].rule;
            at += 1;
        }
        all
    };

    pub(super) fn row(self) -> &'static Row {
        TABLE[self as usize]
    }
}
