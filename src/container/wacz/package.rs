//! `datapackage.json`, and `datapackage-digest.json`.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::error::WaczError;
use super::hashing::{HashType, MemberDigest};
use super::json::Edits;

/// The list of the members.
pub(super) const PACKAGE: &str = "datapackage.json";

/// The hash of that list, which may be signed.
pub(super) const DIGEST: &str = "datapackage-digest.json";

#[derive(Deserialize)]
struct Parsed<'t> {
    #[serde(borrow, default)]
    resources: Vec<Resource<'t>>,
}

#[derive(Deserialize)]
struct Resource<'t> {
    path: Option<String>,
    #[serde(borrow)]
    hash: Option<&'t RawValue>,
    #[serde(borrow)]
    bytes: Option<&'t RawValue>,
}

impl Resource<'_> {
    fn hash_type(&self) -> HashType {
        self.hash.map_or(HashType::Sha256, |hash| HashType::of(hash.get().trim_matches('"')))
    }
}

/// The text of `datapackage.json`.
pub(super) struct Package {
    text: String,
    hash_types: HashMap<String, HashType>,
}

impl Package {
    pub(super) fn parse(bytes: Vec<u8>) -> Result<Self, WaczError> {
        let text = String::from_utf8(bytes).map_err(|_| WaczError::of(PACKAGE, "not UTF-8"))?;
        let resources = parse(&text)?.resources;
        let hash_types = resources
            .into_iter()
            .filter_map(|resource| Some((resource.hash_type(), resource.path?)))
            .map(|(hash_type, path)| (path, hash_type))
            .collect();
        Ok(Self { text, hash_types })
    }

    /// The type of the hash of a member.
    pub(super) fn hash_type(&self, member: &str) -> HashType {
        self.hash_types.get(member).copied().unwrap_or(HashType::Sha256)
    }

    /// The text with the new sizes and hashes of members.
    pub(super) fn update(&self, new: &HashMap<String, MemberDigest>) -> Result<String, WaczError> {
        let mut edits = Edits::new(&self.text);
        for resource in parse(&self.text)?.resources {
            let digest = resource.path.as_ref().and_then(|path| new.get(path));
            if let Some(digest) = digest {
                edits.string(resource.hash, &digest.hash(resource.hash_type()));
                edits.number(resource.bytes, digest.bytes);
            }
        }
        Ok(edits.finish())
    }
}

fn parse(text: &str) -> Result<Parsed<'_>, WaczError> {
    serde_json::from_str(text).map_err(|error| WaczError::of(PACKAGE, error))
}

/// A new `datapackage-digest.json`.
pub(super) struct PackageDigest {
    pub(super) text: String,
    /// It had a signature, which is void.
    pub(super) was_signed: bool,
}

impl PackageDigest {
    /// The old one with the new hash of `datapackage.json`, and without its signature.
    pub(super) fn update(old: &[u8], package: &MemberDigest) -> Result<Self, WaczError> {
        let mut value: Value =
            serde_json::from_slice(old).map_err(|error| WaczError::of(DIGEST, error))?;
        let Some(object) = value.as_object_mut() else {
            return Err(WaczError::of(DIGEST, "not a JSON object"));
        };
        let was_signed = object.shift_remove("signedData").is_some();
        let hash_type = object.get("hash").and_then(Value::as_str).map(HashType::of);
        let hash = package.hash(hash_type.unwrap_or(HashType::Sha256));
        object.insert("hash".to_owned(), hash.into());
        Ok(Self { text: format!("{value:#}"), was_signed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sizes_and_hashes_change() {
        let old = r#"{"resources":[ {"path": "a", "bytes":1, "hash" : "md5:00", "x": "\u00e9"},
            {"hash": "sha256:1", "path": "b", "bytes": "2"}, {"path": "c", "bytes": 3}], "y": 1.0}"#;
        let package = Package::parse(old.into()).unwrap();
        let new = ["a", "b"].map(|path| (path.to_owned(), MemberDigest::of(b"12345")));
        let expected = old
            .replace("md5:00", "md5:827ccb0eea8a706c4c34a16891f84e7b")
            .replace(
                "sha256:1",
                "sha256:5994471abb01112afcc18159f6cc74b4f511b99806da59b3caf5a9c173cacfc5",
            )
            .replace(":1,", ":5,")
            .replace("\"2\"", "\"5\"");
        assert_eq!(package.update(&new.into()).unwrap(), expected);
        assert_eq!(package.hash_type("a"), HashType::Md5);
    }
}
