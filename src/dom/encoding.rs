//! Keeps an encoding declaration from the tree builder that it panics on.
//!
//! html5ever 0.39 reads past the end of a `content` in which nothing but white space follows
//! the last `charset`, as in `<meta http-equiv="Content-Type" content="text/html; charset">`.
//! Where panics abort the process, nobody can catch that one. The encoding is known before
//! the document is parsed, so that the tree builder gets such a tag with an empty `content`,
//! and the element gets its value back when it is made.

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Tag, TagKind, Token};
use html5ever::{Attribute, LocalName, local_name};

/// The token without the `content` that the tree builder would panic on; that is put into
/// `kept` with the name of the tag.
pub(super) fn without_bare_charset(
    mut token: Token,
    kept: &mut Option<(LocalName, StrTendril)>,
) -> Token {
    let Token::TagToken(Tag { kind: TagKind::StartTag, name, attrs, .. }) = &mut token else {
        return token;
    };
    let is_read = ["meta", "link", "base", "basefont", "bgsound"].contains(&&**name);
    if is_read
        && let Some(content) = attrs.iter_mut().find(is_content)
        && ends_with_charset(content.value.as_bytes())
    {
        *kept = Some((name.clone(), std::mem::take(&mut content.value)));
    }
    token
}

/// Puts a value back that [`without_bare_charset`] took.
pub(super) fn put_back(attrs: &mut [Attribute], value: StrTendril) {
    if let Some(content) = attrs.iter_mut().find(is_content) {
        content.value = value;
    }
}

fn is_content(attribute: &&mut Attribute) -> bool {
    attribute.name.local == local_name!("content")
}

/// Whether the steps to [extract an encoding][spec] meet the end of the value where they look
/// for the `=` that follows `charset`.
///
/// [spec]: https://html.spec.whatwg.org/multipage/urls-and-fetching.html#extracting-character-encodings-from-meta-elements
fn ends_with_charset(value: &[u8]) -> bool {
    const WORD: &[u8] = b"charset";
    let mut rest = value;
    while let Some(at) = rest.windows(WORD.len()).position(|one| one.eq_ignore_ascii_case(WORD)) {
        rest = rest[at + WORD.len()..].trim_ascii_start();
        match rest.first() {
            None => return true,
            Some(b'=') => return false,
            Some(_) => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_ends_with_charset_where_the_parser_would_panic() {
        for value in ["charset", "text/html; CHARSET \t\n", "charset x charset", "charsetcharset"] {
            assert!(ends_with_charset(value.as_bytes()), "{value}");
        }
        for value in ["", "charse", "charset=", "charset=x charset", "charset x", "charset = x"] {
            assert!(!ends_with_charset(value.as_bytes()), "{value}");
        }
    }
}
