//! Fingerprints, which identify a finding in later audits.

use std::collections::HashMap;
use std::path::Path;

use absolve::url::Standard;
use absolve_files::with_slashes;
use serde_json::{Map, Value, json};

use crate::report::value::file_name;
use crate::report::{printable, view};
use crate::{Finding, bytes_of, path_of};

/// Identifies a finding even if lines move and messages are reworded.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fingerprint {
    /// The bytes of the name of the file, which need not be Unicode.
    pub(super) file: Vec<u8>,
    /// The id of the rule, which may be from another version.
    rule: String,
    element: Option<String>,
    attribute: Option<String>,
    reference: Option<String>,
}

/// Fingerprints as text: hashes, equal ones numbered in their order.
pub(super) fn numbered(hashes: impl Iterator<Item = u64>) -> impl Iterator<Item = String> {
    let mut numbers: HashMap<u64, u64> = HashMap::new();
    hashes.map(move |hash| {
        let number = numbers.entry(hash).or_default();
        *number += 1;
        format!("{hash:016x}:{number}")
    })
}

/// A number that is the same in every version and on every machine: 64 bits of
/// [FNV-1a](https://www.ietf.org/archive/id/draft-eastlake-fnv-21.html).
pub(super) fn hash<'p>(parts: impl Iterator<Item = Option<&'p [u8]>>) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for part in parts {
        // Bytes that no text contains: one ends a text, the other replaces a missing one.
        let end = if part.is_some() { 0xff } else { 0xfe };
        for &byte in part.unwrap_or_default().iter().chain(&[end]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    hash
}

impl Fingerprint {
    /// The fingerprint of a finding.
    #[must_use]
    pub fn of(finding: &Finding) -> Self {
        Self {
            file: finding.file.as_os_str().as_encoded_bytes().to_vec(),
            rule: finding.rule.id().to_owned(),
            element: finding.element.clone(),
            attribute: finding.attribute.clone(),
            reference: finding.reference.clone(),
        }
    }

    /// The fingerprint with its file relative to the root, if it is below.
    pub(super) fn below(mut self, root: &Path) -> Self {
        if let Ok(below) = path_of(&self.file).strip_prefix(root) {
            self.file = bytes_of(below);
        }
        self
    }

    /// The fingerprint with its file as reported.
    pub(super) fn reported(mut self, root: &Path) -> Self {
        let file = with_slashes(root.join(path_of(&self.file)));
        self.file = file.into_os_string().into_encoded_bytes();
        self
    }

    pub(super) fn from_json(entry: &Map<String, Value>) -> Result<Self, String> {
        let text = |key: &str| match entry.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(format!("'{key}' is not a string")),
        };
        let needed = |key: &str| text(key)?.ok_or_else(|| format!("'{key}' is missing"));
        let file = match entry.get("file_bytes") {
            None | Some(Value::Null) => needed("file")?.into_bytes(),
            Some(bytes) => numbers_of(bytes).ok_or("'file_bytes' is not a list of bytes")?,
        };
        // Baselines of older versions may have passwords.
        let masked = |url: String| Standard::Rfc1808.masked(None, &url).into_owned();
        Ok(Self {
            file,
            rule: needed("rule")?,
            element: text("element")?,
            attribute: text("attribute")?,
            reference: text("reference")?.map(masked),
        })
    }

    /// The line of a baseline for this fingerprint.
    pub(super) fn entry(&self, count: u64) -> Value {
        let Self { rule, element, attribute, reference, .. } = self;
        let (file, bytes) = file_name(&self.file);
        let mut entry = json!({
            "rule": rule, "file": file, "file_bytes": bytes, "element": element,
            "attribute": attribute, "reference": reference, "count": count,
        });
        if let (Value::Object(keys), None) = (&mut entry, bytes) {
            keys.shift_remove("file_bytes");
        }
        entry
    }

    /// A number that is the same in every version and on every machine.
    #[must_use]
    pub fn hash(&self) -> u64 {
        let texts = [&self.element, &self.attribute, &self.reference];
        let texts = texts.into_iter().map(|text| text.as_ref().map(String::as_bytes));
        let parts = [Some(self.rule.as_bytes()), Some(self.file.as_slice())];
        hash(parts.into_iter().chain(texts))
    }

    /// The id of the rule, which another version may not know.
    pub(super) fn rule(&self) -> &str {
        &self.rule
    }

    /// The reference as an HTML parser yields it.
    pub(super) fn reference(&self) -> Option<&str> {
        self.reference.as_deref()
    }

    /// The file, printable.
    pub(super) fn place(&self) -> String {
        view::shown(Path::new(&*String::from_utf8_lossy(&self.file)))
    }

    /// Describes the finding in a line for people: rule, file and reference.
    pub(super) fn describe(&self, count: u64) -> String {
        let mut line = format!("{} in {}", printable(&self.rule), self.place());
        if let Some(reference) = &self.reference {
            line = format!("{line}: {}", printable(reference));
        }
        if count > 1 { format!("{line} ({count} times)") } else { line }
    }
}

fn numbers_of(list: &Value) -> Option<Vec<u8>> {
    list.as_array()?.iter().map(|byte| u8::try_from(byte.as_u64()?).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::broken;

    #[test]
    fn the_hash_is_the_same_for_ever() {
        let print = Fingerprint::of(&broken("a", "x"));
        assert_eq!(format!("{:016x}", print.hash()), "6a7b7c5f9697e8db");
        let none = Fingerprint { reference: None, ..print.clone() };
        let empty = Fingerprint { reference: Some(String::new()), ..print };
        assert_ne!(none.hash(), empty.hash());
    }
}
