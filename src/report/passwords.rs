//! Masks passwords, which no report and no baseline shows.

use std::borrow::Cow;

use crate::audit::Finding;
use crate::url::{MASK, masked, masked_base, masked_with_names};

/// Masks user and password in every text of a finding.
///
/// Mask each finding before you compare it with a baseline, store it in one, or report it.
pub fn mask_passwords(finding: &mut Finding) {
    let is_base = finding.element.as_deref() == Some("base");
    let Finding { reference, url, base, page, target, message, hint, .. } = finding;
    if let (true, Some(href)) = (is_base, &mut *reference) {
        *href = masked_base(href).into_owned();
    }
    let has_password = reference
        .as_deref()
        .is_some_and(|one| matches!(masked(one), Cow::Owned(own) if own != one));
    let mask: fn(&str) -> Cow<'_, str> = if has_password { masked_with_names } else { masked };
    let texts = [reference, url, base, page, hint].into_iter().flatten().chain([message]);
    for text in texts {
        if let Cow::Owned(masked) = mask(text) {
            *text = masked;
        }
    }
    if let Some(path) = target
        && let Some(Cow::Owned(masked)) = path.to_str().map(mask)
    {
        *path = masked.into();
    }
}

/// The reference, if its source may show a password that is masked in the reference.
pub(super) fn masked_reference(finding: &Finding) -> Option<&str> {
    finding.reference.as_deref().filter(|reference| reference.contains(MASK))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::broken;

    #[test]
    fn a_mask_is_on_every_text() {
        let secret = || Some("http://u:p@h/".to_owned());
        let mut finding = Finding {
            reference: secret(),
            url: secret(),
            base: secret(),
            page: secret(),
            hint: secret(),
            message: "it redirects to 'http://u:p@h/'".to_owned(),
            ..broken("a", "x")
        };
        mask_passwords(&mut finding);
        let debug = format!("{finding:?}");
        assert!(!debug.contains("u:p"), "{debug}");
        assert_eq!(debug.matches("http://***@h/").count(), 6, "{debug}");
    }
}
