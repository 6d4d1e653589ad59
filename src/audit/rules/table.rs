//! The rows of all rules.

use crate::audit::rules::{Row, Rule, advice, broken, external, fragile, metadata};

/// The rows, in files by subject.
const FILES: [&[Row]; 5] =
    [broken::ROWS, fragile::ROWS, metadata::ROWS, advice::ROWS, external::ROWS];

/// The rows in the order of [`Rule`].
const TABLE: [&Row; Rule::ALL.len()] = {
    let mut table = [&FILES[0][0]; Rule::ALL.len()];
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
    pub(super) fn row(self) -> &'static Row {
        TABLE[self as usize]
    }
}
