//! The rows of all rules.

use crate::audit::rules::{Row, Rule, errors, notes, warnings};

/// The rows of a level together, in the order of [`Rule`].
const TABLE: &[&[Row]] = &[errors::ROWS, warnings::ROWS, notes::ROWS];

impl Rule {
    /// Every rule, in the order of the table: errors first.
    pub const ALL: &'static [Self] = &all();

    pub(super) fn row(self) -> &'static Row {
        let mut at = self as usize;
        let mut rows = TABLE[0];
        for next in &TABLE[1..] {
            if at < rows.len() {
                break;
            }
            at -= rows.len();
            rows = next;
        }
        &rows[at]
    }
}

const fn all() -> [Rule; errors::ROWS.len() + warnings::ROWS.len() + notes::ROWS.len()] {
    let mut all = [Rule::BrokenLink; errors::ROWS.len() + warnings::ROWS.len() + notes::ROWS.len()];
    let (mut part, mut filled) = (0, 0);
    while part < TABLE.len() {
        let mut at = 0;
        while at < TABLE[part].len() {
            all[filled] = TABLE[part][at].rule;
            at += 1;
            filled += 1;
        }
        part += 1;
    }
    all
}
