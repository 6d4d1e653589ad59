//! The encoding that a document declares: html5ever's tree builder names the one of each `meta`
//! element, and the first that is known counts.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use absolve::Engine;
use absolve::encoding::{Detected, detect as sniffed};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{Attribute, TokenizerResult};
use markup5ever_rcdom::{Handle, RcDom};

use super::{Settings, found, same};

/// Both engines read the document in the encoding that it declares.
pub(super) fn encodings_agree(settings: &Settings, source: &[u8]) -> Result<(), String> {
    let Some(expected) = expected(settings, source) else { return Ok(()) };
    same("the encoding", &settings.detect(source), &expected)?;
    for engine in [Engine::Splice, Engine::Dom] {
        if let Ok((_, summary)) = found(&settings.rewriter(engine), source) {
            same("the encoding of an engine", &summary.encoding(), &expected.encoding)?;
        }
    }
    Ok(())
}

/// `None` if html5ever panics.
fn expected(settings: &Settings, source: &[u8]) -> Option<Detected> {
    let start = sniffed(source, settings.label());
    if settings.encoding.is_some() || start.bom > 0 || start.is_replacement() {
        return Some(start);
    }
    let text = start.decode(source);
    let declared = catch_unwind(AssertUnwindSafe(|| first_declared(&text))).ok()?;
    let encoding = match declared {
        None => start.encoding,
        _ if start.encoding == UTF_16LE || start.encoding == UTF_16BE => start.encoding,
        Some(declared) if declared == UTF_16LE || declared == UTF_16BE => UTF_8,
        Some(declared) if declared == X_USER_DEFINED => WINDOWS_1252,
        Some(declared) => declared,
    };
    Some(Detected { encoding, ..start })
}

fn first_declared(text: &str) -> Option<&'static Encoding> {
    let options = TreeBuilderOpts { scripting_enabled: true, ..TreeBuilderOpts::default() };
    let builder = TreeBuilder::new(RcDom::default(), options);
    let options = TokenizerOpts { discard_bom: false, ..TokenizerOpts::default() };
    let tokenizer = Tokenizer::new(Metas { builder, declared: Cell::new(None) }, options);
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(text));
    while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {
        if tokenizer.sink.declared.get().is_some() {
            break;
        }
    }
    tokenizer.sink.declared.get()
}

/// The tree builder, with a look at what it says of `meta` elements.
struct Metas {
    builder: TreeBuilder<Handle, RcDom>,
    declared: Cell<Option<&'static Encoding>>,
}

impl TokenSink for Metas {
    type Handle = Handle;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Handle> {
        let meta = match &token {
            Token::TagToken(tag) if &*tag.name == "meta" => Some(tag.attrs.clone()),
            // A `charset` of other elements is as good as that of a `meta` to the tree builder.
            _ => None,
        };
        let result = self.builder.process_token(token, line);
        if let (Some(attributes), TokenSinkResult::EncodingIndicator(label)) = (meta, &result)
            && self.declared.get().is_none()
        {
            let encoding = Encoding::for_label(label.as_bytes());
            self.declared.set(encoding.or_else(|| pragma(&attributes)));
        }
        result
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// Returns the encoding that `content` declares beside an unknown `charset`, where the tree builder
/// does not look.
fn pragma(attributes: &[Attribute]) -> Option<&'static Encoding> {
    let value = |name: &str| {
        let attribute = attributes.iter().find(|attribute| &*attribute.name.local == name);
        attribute.map(|attribute| attribute.value.to_ascii_lowercase())
    };
    if value("http-equiv")? != "content-type" {
        return None;
    }
    let content = value("content")?;
    let label = content.split_once("charset=")?.1.trim_matches(['\'', '"', ';', ' ']);
    Encoding::for_label(label.as_bytes())
}
