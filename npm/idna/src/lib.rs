//! Replaces the crate `idna`, as far as the crate `url` uses it: the host parses domain names. The
//! tables of `idna` would take 70 kB of the module, and every host has them.

use std::borrow::Cow;

#[expect(unsafe_code, reason = "an import")]
#[link(wasm_import_module = "host")]
unsafe extern "C" {
    /// Replaces the domain at `address` by its ASCII form, in memory of `capacity` bytes. Returns
    /// the length of the form, or more than the capacity if the domain is not valid.
    safe fn domain_to_ascii(address: usize, length: usize, capacity: usize) -> usize;
}

/// The domain is not valid.
#[derive(Debug)]
pub struct Errors {}

/// The characters that no domain has.
#[derive(Debug, Clone, Copy)]
pub struct AsciiDenyList(&'static [u8]);

impl AsciiDenyList {
    /// The [forbidden domain code points](https://url.spec.whatwg.org/#forbidden-domain-code-point),
    /// beside white space and control characters.
    pub const URL: Self = Self(b"%#/:<>?@[\\]^|");
}

/// [Domain to ASCII](https://url.spec.whatwg.org/#concept-domain-to-ascii), not strict.
///
/// # Errors
///
/// If the domain is not valid.
pub fn domain_to_ascii_from_cow(
    domain: Cow<'_, [u8]>,
    AsciiDenyList(denied): AsciiDenyList,
) -> Result<Cow<'_, str>, Errors> {
    if domain.iter().any(|byte| matches!(byte, 0..=b' ' | 0x7f) || denied.contains(byte)) {
        return Err(Errors {});
    }
    let mut domain = String::from_utf8(domain.into_owned()).map_err(|_| Errors {})?;
    domain.make_ascii_lowercase();
    if domain.is_ascii() && !domain.split('.').any(|label| label.starts_with("xn--")) {
        return Ok(domain.into());
    }
    let (length, mut bytes) = (domain.len(), domain.into_bytes());
    // Punycode takes some five letters for a character, and each label has a prefix of four.
    bytes.resize(8 * length + 64, 0);
    let written = domain_to_ascii(bytes.as_mut_ptr().expose_provenance(), length, bytes.len());
    if written > bytes.len() {
        return Err(Errors {});
    }
    bytes.truncate(written);
    String::from_utf8(bytes).map(Cow::Owned).map_err(|_| Errors {})
}

/// Returns the domain unchanged: its Unicode form is needed only for origins, which are not used.
pub fn domain_to_unicode(domain: &str) -> (String, Result<(), Errors>) {
    (domain.to_owned(), Ok(()))
}
