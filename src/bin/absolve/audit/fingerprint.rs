//! What a finding is known by when it is found again.

use std::path::Path;

use absolve::audit::{Finding, bytes_of, path_of};
use serde_json::{Map, Value, json};

use super::json::file_of;
use super::report;

/// What stays of a finding when lines move and messages are worded anew.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Fingerprint {
    /// The name of the file; of one that is not Unicode, its bytes.
    pub(super) file: Vec<u8>,
    /// The id of the rule, which another version may not know.
    rule: String,
    element: Option<String>,
    attribute: Option<String>,
    reference: Option<String>,
}

impl Fingerprint {
    pub(super) fn of(finding: &Finding) -> Self {
        Self {
            file: finding.file.as_os_str().as_encoded_bytes().to_vec(),
            rule: finding.rule.id().to_owned(),
            element: finding.element.clone(),
            attribute: finding.attribute.clone(),
            reference: report::reference(finding),
        }
    }

    /// The same with its file named from the root, if it is below.
    pub(super) fn below(mut self, root: &Path) -> Self {
        if let Ok(below) = path_of(&self.file).strip_prefix(root) {
            self.file = bytes_of(below);
        }
        self
    }

    /// The same with its file named as it is reported.
    pub(super) fn reported(mut self, root: &Path) -> Self {
        self.file = root.join(path_of(&self.file)).into_os_string().into_encoded_bytes();
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
        Ok(Self {
            file,
            rule: needed("rule")?,
            element: text("element")?,
            attribute: text("attribute")?,
            reference: text("reference")?,
        })
    }

    pub(super) fn to_json(&self) -> Map<String, Value> {
        let mut entry = Map::new();
        entry.insert("rule".to_owned(), json!(self.rule));
        entry.extend(file_of(&self.file));
        for (key, text) in [
            ("element", &self.element),
            ("attribute", &self.attribute),
            ("reference", &self.reference),
        ] {
            entry.insert(key.to_owned(), json!(text));
        }
        entry
    }

    /// A number that is the same in every version and on every machine: 64 bits of
    /// [FNV-1a](https://www.ietf.org/archive/id/draft-eastlake-fnv-21.html).
    pub(super) fn hash(&self) -> u64 {
        let texts = [&self.element, &self.attribute, &self.reference];
        let texts = texts.into_iter().map(|text| text.as_ref().map(String::as_bytes));
        let parts = [Some(self.rule.as_bytes()), Some(self.file.as_slice())];
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for part in parts.into_iter().chain(texts) {
            // A byte that is in no text, and another one where there is none.
            let end = if part.is_some() { 0xff } else { 0xfe };
            for &byte in part.unwrap_or_default().iter().chain(&[end]) {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
        hash
    }
}

fn numbers_of(list: &Value) -> Option<Vec<u8>> {
    list.as_array()?.iter().map(|byte| u8::try_from(byte.as_u64()?).ok()).collect()
}

/// One line for people: the rule, the file and the reference of what is fixed.
pub(super) fn told(fingerprint: &Fingerprint, count: u64) -> String {
    let file = report::shown(Path::new(&*String::from_utf8_lossy(&fingerprint.file)));
    let rule = crate::output::printable(&fingerprint.rule);
    let mut line = format!("{rule} in {file}");
    if let Some(reference) = &fingerprint.reference {
        line = format!("{line}: {}", crate::output::printable(reference));
    }
    if count > 1 { format!("{line} ({count} times)") } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::sample::broken;

    #[test]
    fn the_hash_is_the_same_for_ever() {
        let print = Fingerprint::of(&broken("a", "x"));
        assert_eq!(format!("{:016x}", print.hash()), "6a7b7c5f9697e8db");
        let none = Fingerprint { reference: None, ..print.clone() };
        let empty = Fingerprint { reference: Some(String::new()), ..print };
        assert_ne!(none.hash(), empty.hash());
    }
}
