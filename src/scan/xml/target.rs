//! The targets of processing instructions.

use super::fault::{Fault, shown};
use super::tag::is_space;
use crate::reference::is_name;

/// Reads the [target](https://www.w3.org/TR/xml/#NT-PITarget) of the instruction whose text begins
/// at a place of the source; returns its length.
pub(super) fn read(text: &[u8], at: usize) -> Result<usize, Fault> {
    let length = text.iter().take_while(|byte| !is_space(**byte)).count();
    let target = &text[..length];
    if !is_name(target) || target.contains(&b':') || target.eq_ignore_ascii_case(b"xml") {
        let why = format!("{} is not the target of an instruction", shown(target));
        return Err(Fault::new(at, why));
    }
    Ok(length)
}
