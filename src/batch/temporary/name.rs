//! The names of temporary files and folders, and what they say.
//!
//! There are two forms; the fields are numbers, and except the second hexadecimal ones:
//!
//! - `.absolve-tmp-PROCESS-COUNT`: what it names contains only what a run wrote.
//! - `.absolve-tmp-PROCESS-COUNT-OWN-OLD-SIZE-TIME`: it names the new version of a file until
//!   that is exchanged with the old one, and the old one afterwards. `OWN` is the inode of the
//!   new version; `OLD`, `SIZE` and `TIME` are the inode, the size and the time (in nanoseconds
//!   since 1970, and 0 before) of the version that was read.
//!
//! A later run removes what a killed one left only where the name shows that nobody else's
//! bytes are lost: see `exchange`.

use std::collections::hash_map::RandomState;
use std::ffi::OsStr;
use std::hash::{BuildHasher, Hasher};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::super::identity::Identity;

/// How often a new name or lock is tried. One try almost always succeeds; an error that stays
/// comes from the disk.
pub(super) const TRIES: usize = 16;

/// What the names of temporary files begin with.
pub(crate) const TEMPORARY: &str = ".absolve-tmp-";

/// Digits of the number of a process.
const DIGITS: usize = 16;

/// What a temporary file contains, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Contents<'n> {
    /// What a run wrote.
    Own,
    /// The new version of a file or the old one, by their fields in the name.
    Exchanged { own: &'n str, old: &'n str },
}

impl Contents<'_> {
    /// Whether this version of a file may be removed under the name.
    pub(super) fn is_removable(self, now: &Identity) -> bool {
        match self {
            Self::Own => true,
            Self::Exchanged { own, old } => own == own_field(now) || old == old_fields(now),
        }
    }
}

/// A name that no other run uses: random for the process, numbered in it.
pub(super) fn new_name() -> String {
    static PROCESS: OnceLock<u64> = OnceLock::new();
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let process = PROCESS.get_or_init(|| RandomState::new().build_hasher().finish());
    format!("{TEMPORARY}{process:016x}-{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

/// The name of a file that is exchanged with the old version.
pub(super) fn exchanged_name(new_name: &str, own: &Identity, old: &Identity) -> String {
    format!("{new_name}-{}-{}", own_field(own), old_fields(old))
}

fn own_field(identity: &Identity) -> String {
    format!("{:x}", identity.file.1)
}

fn old_fields(identity: &Identity) -> String {
    format!("{:x}-{:x}-{:x}", identity.file.1, identity.size, identity.modified_nanos())
}

/// What a name says, if it has one of the two forms exactly.
pub(super) fn contents(name: &OsStr) -> Option<Contents<'_>> {
    let mut fields = name.to_str()?.strip_prefix(TEMPORARY)?.splitn(4, '-');
    let process = fields.next()?;
    let is_digit = |digit: u8| matches!(digit, b'0'..=b'9' | b'a'..=b'f');
    let is_process = process.len() == DIGITS && process.bytes().all(is_digit);
    // As a run writes it: no sign, no leading zero.
    let count = fields.next()?;
    let is_count = count.parse().is_ok_and(|number: u64| number.to_string() == count);
    if !is_process || !is_count {
        return None;
    }
    let Some(own) = fields.next() else { return Some(Contents::Own) };
    let old = fields.next()?;
    let is_number = |field: &str| {
        u64::from_str_radix(field, 16).is_ok_and(|number| format!("{number:x}") == field)
    };
    let is_exact = is_number(own) && old.split('-').count() == 3 && old.split('-').all(is_number);
    is_exact.then_some(Contents::Exchanged { own, old })
}

/// Whether a name is that of a temporary file or folder.
pub(in super::super) fn is_temporary(name: &OsStr) -> bool {
    contents(name).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_exact_names_are_temporary_files() {
        let is_own = |name: &str| contents(OsStr::new(name)).is_some();
        assert!(is_own(&new_name()));
        for own in [
            ".absolve-tmp-0123456789abcdef-0",
            ".absolve-tmp-0123456789abcdef-18446744073709551615",
            ".absolve-tmp-0123456789abcdef-1-2-3-0-5",
        ] {
            assert!(is_own(own), "{own}");
        }
        for other in [
            ".absolve-tmp-",
            ".absolve-tmp-notes",
            ".absolve-tmp-0123456789abcdef",
            ".absolve-tmp-0123456789abcdef-",
            ".absolve-tmp-0123456789abcdef-1.html",
            ".absolve-tmp-0123456789ABCDEF-1",
            ".absolve-tmp-0123456789abcde-1",
            ".absolve-tmp-0123456789abcdef0-1",
            ".absolve-tmp-+123456789abcdef-1",
            ".absolve-tmp-0123456789abcdef-01234567890123456789012345",
            ".absolve-tmp-0123456789abcdef-01",
            ".absolve-tmp-0123456789abcdef-00",
            ".absolve-tmp-0123456789abcdef-+1",
            ".absolve-tmp-0123456789abcdef-18446744073709551616",
            ".absolve-tmp-0123456789abcdef-1-02-3-4-5",
            ".absolve-tmp-0123456789abcdef-1-2-3-4-A",
            ".absolve-tmp-0123456789abcdef-1-2-3-10000000000000000-5",
            ".absolve-tmp-0123456789abcdef-1-2",
            ".absolve-tmp-0123456789abcdef-1-2-3-4-",
            ".absolve-tmp-0123456789abcdef-1-2-3-4-5-6",
            "absolve-tmp-0123456789abcdef-1",
        ] {
            assert!(!is_own(other), "{other}");
        }
    }

    #[test]
    fn a_name_says_which_version_was_read() {
        let at = tempfile::tempdir().unwrap();
        let path = at.path().join("a");
        for seconds in [-5_000_000_000_i64, 0, 1_000_000_000] {
            std::fs::write(&path, "old").unwrap();
            let span = std::time::Duration::from_secs(seconds.unsigned_abs());
            let epoch = std::time::SystemTime::UNIX_EPOCH;
            let time = if seconds < 0 { epoch - span } else { epoch + span };
            let file = std::fs::File::options().write(true).open(&path).unwrap();
            file.set_modified(time).unwrap();
            let identity = Identity::from(&file.metadata().unwrap());
            let name = exchanged_name(&new_name(), &identity, &identity);
            let contents = contents(OsStr::new(&name)).unwrap();
            assert!(contents != Contents::Own && contents.is_removable(&identity), "{name}");
        }
    }
}
