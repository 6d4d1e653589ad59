//! Attributes and text of a source, by html5ever's tokenizer.

use std::cell::RefCell;

use html5ever::buffer_queue::BufferQueue;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::{RawKind, State};
use html5ever::tokenizer::{Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};

#[derive(Default)]
struct Sink {
    attributes: RefCell<Vec<(String, String)>>,
    text: RefCell<String>,
}

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        match token {
            Token::TagToken(tag) => {
                let attributes =
                    tag.attrs.iter().map(|a| (a.name.local.to_string(), a.value.to_string()));
                self.attributes.borrow_mut().extend(attributes);
            }
            Token::CharacterTokens(text) => self.text.borrow_mut().push_str(&text),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

fn tokenize(source: &str, initial_state: Option<State>) -> Sink {
    let tokenizer = Tokenizer::new(
        Sink::default(),
        TokenizerOpts { initial_state, discard_bom: false, ..Default::default() },
    );
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(source));
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    tokenizer.sink
}

/// The attributes of the tags in `source`.
pub(crate) fn attributes(source: &str) -> Vec<(String, String)> {
    tokenize(source, None).attributes.into_inner()
}

/// The text of an element that holds `source` and has references.
pub(crate) fn text(source: &str) -> String {
    tokenize(source, Some(State::RawData(RawKind::Rcdata))).text.into_inner()
}

/// The text of an element that holds `source` and has no references.
pub(crate) fn raw_text(source: &str) -> String {
    tokenize(source, Some(State::RawData(RawKind::Rawtext))).text.into_inner()
}
