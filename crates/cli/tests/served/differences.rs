//! The list of known differences between the audit and the server.
//!
//! A line that begins with `#` gives the reason for the lines below it, up to an empty line; each
//! of those is the name of a deployment, a tab, and a difference as a comparison prints it.

use std::collections::{BTreeMap, BTreeSet};

use crate::case::Checked;

const LIST: &str = include_str!("differences");

/// The differences by deployment.
pub(crate) type Differences = BTreeMap<&'static str, BTreeSet<String>>;

/// Reads the list.
///
/// # Errors
///
/// If an entry has no reason, or is there twice.
pub(crate) fn known() -> Checked<Differences> {
    let mut all = Differences::new();
    let mut has_reason = false;
    for line in LIST.lines() {
        if line.is_empty() {
            has_reason = false;
        } else if line.starts_with("# ") {
            has_reason = true;
        } else {
            let (deployment, difference) = line.split_once('\t').ok_or(line)?;
            let is_new = all.entry(deployment).or_default().insert(difference.to_owned());
            if !has_reason || !is_new {
                return Err(format!("no reason, or twice: {line}"));
            }
        }
    }
    Ok(all)
}
