//! Edits values of JSON where they are, so that everything else stays as it was written.

use serde_json::value::RawValue;

/// A text with new values in it.
pub(super) struct Edits<'t> {
    text: &'t str,
    edits: Vec<(usize, usize, String)>,
}

impl<'t> Edits<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, edits: Vec::new() }
    }

    /// Replaces a value that was parsed from the text by a string.
    pub(super) fn string(&mut self, old: Option<&'t RawValue>, new: &str) {
        self.replace(old, serde_json::Value::from(new).to_string());
    }

    /// Replaces a number, or digits in a string, in the same form.
    pub(super) fn number(&mut self, old: Option<&'t RawValue>, new: u64) {
        let is_string = old.is_some_and(|old| old.get().starts_with('"'));
        self.replace(old, if is_string { format!("\"{new}\"") } else { new.to_string() });
    }

    fn replace(&mut self, old: Option<&'t RawValue>, new: String) {
        // The value is a part of the text; the addresses say which one.
        let start =
            old.and_then(|old| old.get().as_ptr().addr().checked_sub(self.text.as_ptr().addr()));
        if let (Some(start), Some(old)) = (start, old) {
            self.edits.push((start, start + old.get().len(), new));
        }
    }

    pub(super) fn finish(mut self) -> String {
        self.edits.sort_unstable_by_key(|(start, ..)| *start);
        let (mut text, mut end) = (String::with_capacity(self.text.len() + 64), 0);
        for (start, next, new) in &self.edits {
            text.push_str(&self.text[end..*start]);
            text.push_str(new);
            end = *next;
        }
        text.push_str(&self.text[end..]);
        text
    }
}

/// The number in a value: a number, or digits in a string.
pub(super) fn number(value: &RawValue) -> Option<u64> {
    value.get().trim_matches('"').parse().ok()
}
