//! The text of an `a` element, from its parts.

use super::visit::Detail;

/// Elements whose content is no text for readers.
pub(crate) const HIDDEN: [&str; 6] =
    ["script", "style", "iframe", "noembed", "noframes", "noscript"];

/// The text so far, with each sequence of white space as a space, and without any at both ends.
#[derive(Debug, Default)]
pub(crate) struct AnchorText {
    text: String,
    /// Whether a space is before the next word.
    has_space: bool,
}

impl AnchorText {
    /// Adds text.
    pub(crate) fn push(&mut self, text: &str) {
        for (number, word) in text.split(char::is_whitespace).enumerate() {
            if self.is_full() {
                return;
            }
            self.has_space |= number > 0 && !self.text.is_empty();
            if !word.is_empty() {
                if std::mem::take(&mut self.has_space) {
                    self.text.push(' ');
                }
                self.text.push_str(word);
            }
        }
    }

    /// Adds text, set apart from the words around it.
    pub(crate) fn push_word(&mut self, text: &str) {
        for part in [" ", text, " "] {
            self.push(part);
        }
    }

    /// Whether the text has reached [`Detail::MAX_LENGTH`].
    pub(crate) fn is_full(&self) -> bool {
        self.text.len() >= Detail::MAX_LENGTH
    }

    /// Cuts the text to [`Detail::MAX_LENGTH`] and trims its end.
    pub(crate) fn finish(self) -> String {
        let mut text = self.text;
        Detail::cut(&mut text);
        text.truncate(text.trim_end().len());
        text
    }
}
