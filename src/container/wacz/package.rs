//! `datapackage.json`, and `datapackage-digest.json`.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::hashing::{HashType, MemberDigest};
use super::json::{Edits, number};
use crate::container::ContainerError;

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
    listed: HashMap<String, Listed>,
}

/// The size and the hash that the list has for a member.
struct Listed {
    hash: Option<String>,
    bytes: Option<u64>,
}

impl Package {
    pub(super) fn parse(bytes: Vec<u8>) -> Result<Self, ContainerError> {
        let text =
            String::from_utf8(bytes).map_err(|_| ContainerError::of(PACKAGE, "not UTF-8"))?;
        let resources = parse(&text)?.resources.into_iter();
        let listed = resources.filter_map(|resource| {
            let hash = resource.hash.map(|hash| hash.get().trim_matches('"').to_owned());
            Some((resource.path?, Listed { hash, bytes: resource.bytes.and_then(number) }))
        });
        let listed = listed.collect();
        Ok(Self { text, listed })
    }

    /// The type of the hash of a member.
    pub(super) fn hash_type(&self, member: &str) -> HashType {
        let hash = self.listed.get(member).and_then(|listed| listed.hash.as_deref());
        hash.map_or(HashType::Sha256, HashType::of)
    }

    /// Which value of the list is not that of a member. A hash of an unknown type is none.
    pub(super) fn mismatch(&self, member: &str, found: &MemberDigest) -> Option<&'static str> {
        let Listed { hash, bytes } = self.listed.get(member)?;
        if bytes.is_some_and(|bytes| bytes != found.bytes) {
            return Some("size");
        }
        let (listed, found) = (hash.as_ref()?, found.hash(self.hash_type(member)));
        let name = |hash: &str| hash.split_once(':').map(|(name, _)| name.to_ascii_lowercase());
        let is_wrong = name(listed) == name(&found) && !listed.eq_ignore_ascii_case(&found);
        is_wrong.then_some("hash")
    }

    /// The text with the new sizes and hashes of members.
    pub(super) fn update(
        &self,
        new: &HashMap<String, MemberDigest>,
    ) -> Result<String, ContainerError> {
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

fn parse(text: &str) -> Result<Parsed<'_>, ContainerError> {
    serde_json::from_str(text).map_err(|error| ContainerError::of(PACKAGE, error))
}

/// A new `datapackage-digest.json`.
pub(super) struct PackageDigest {
    pub(super) text: String,
    /// It had a signature, which is void.
    pub(super) was_signed: bool,
}

impl PackageDigest {
    /// The old one with the new hash of `datapackage.json`, and without its signature.
    pub(super) fn update(old: &[u8], package: &MemberDigest) -> Result<Self, ContainerError> {
        let mut value: Value =
            serde_json::from_slice(old).map_err(|error| ContainerError::of(DIGEST, error))?;
        let Some(object) = value.as_object_mut() else {
            return Err(ContainerError::of(DIGEST, "not a JSON object"));
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

    #[test]
    fn a_member_has_the_size_and_the_hash_of_the_list() {
        let found = MemberDigest::of(b"12345");
        for (values, expected) in [
            (r#""x": 1"#, None),
            (r#""bytes": 5, "hash": "MD5:827CCB0EEA8A706C4C34A16891F84E7B""#, None),
            (r#""bytes": "5", "hash": "827ccb0eea8a706c4c34a16891f84e7b""#, None),
            (r#""bytes": null, "hash": "sha512:0""#, None),
            (r#""bytes": 4"#, Some("size")),
            (r#""hash": "md5:0""#, Some("hash")),
            (r#""hash": "sha256:0""#, Some("hash")),
        ] {
            let list = format!(r#"{{"resources": [{{"path": "a", {values}}}]}}"#);
            let package = Package::parse(list.into()).unwrap();
            assert_eq!(package.mismatch("a", &found), expected, "{values}");
            assert_eq!(package.mismatch("b", &found), None);
        }
    }
}
