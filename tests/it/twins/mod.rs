//! Readers written for likeness to their specification, not for speed.

use cssparser::{ParseError, Parser, Token};

/// <https://html.spec.whatwg.org/multipage/images.html#parsing-a-srcset-attribute>, state by state.
#[allow(clippy::too_many_lines, reason = "one algorithm of the standard, in its own order")]
pub(crate) fn srcset(text: &str) -> Vec<String> {
    enum State {
        InDescriptor,
        InParens,
        AfterDescriptor,
    }
    let input: Vec<char> = text.chars().collect();
    let mut position = 0;
    let mut urls = Vec::new();
    'splitting: loop {
        while position < input.len()
            && (input[position].is_ascii_whitespace() || input[position] == ',')
        {
            position += 1;
        }
        if position >= input.len() {
            return urls;
        }
        let mut url = String::new();
        while position < input.len() && !input[position].is_ascii_whitespace() {
            url.push(input[position]);
            position += 1;
        }
        if url.ends_with(',') {
            while url.ends_with(',') {
                url.pop();
            }
            urls.push(url);
            continue;
        }
        urls.push(url);
        while position < input.len() && input[position].is_ascii_whitespace() {
            position += 1;
        }
        let mut current = String::new();
        let mut state = State::InDescriptor;
        loop {
            let c = input.get(position).copied();
            match (&state, c) {
                (_, None) => continue 'splitting,
                (State::InDescriptor, Some(c)) if c.is_ascii_whitespace() => {
                    if !current.is_empty() {
                        current.clear();
                        state = State::AfterDescriptor;
                    }
                }
                (State::InDescriptor, Some(',')) => {
                    position += 1;
                    continue 'splitting;
                }
                (State::InDescriptor, Some('(')) => {
                    current.push('(');
                    state = State::InParens;
                }
                (State::InDescriptor, Some(c)) => current.push(c),
                (State::InParens, Some(c)) => {
                    current.push(c);
                    if c == ')' {
                        state = State::InDescriptor;
                    }
                }
                (State::AfterDescriptor, Some(c)) if c.is_ascii_whitespace() => {}
                (State::AfterDescriptor, Some(_)) => {
                    state = State::InDescriptor;
                    position -= 1;
                }
            }
            position += 1;
        }
    }
}

/// References in declarations without at-rules, by cssparser's own nesting.
pub(crate) fn css(text: &str) -> Vec<String> {
    let mut urls = Vec::new();
    let mut parser = Parser::new(text);
    // An unmatched closing token ends nothing here.
    block(&mut parser, Kind::Other, &mut urls);
    let urls = urls.iter().map(|url| url.trim_ascii().to_owned());
    urls.filter(|url| !url.is_empty() && !url.starts_with('#')).collect()
}

#[derive(Clone, Copy)]
enum Kind {
    Url,
    ImageSet,
    Other,
}

#[allow(clippy::expect_used, reason = "a test")]
fn block(parser: &mut Parser<'_>, kind: Kind, urls: &mut Vec<String>) {
    let mut first = true;
    while let Ok(token) = parser.next().cloned() {
        let inner = match &token {
            Token::QuotedString(value) => {
                match kind {
                    Kind::Url if first => urls.push(value.to_string()),
                    Kind::ImageSet => urls.push(value.to_string()),
                    _ => {}
                }
                None
            }
            Token::UnquotedUrl(value) => {
                urls.push((**value).to_owned());
                None
            }
            Token::Function(name) if name.eq_ignore_ascii_case("url") => Some(Kind::Url),
            Token::Function(name) if name.eq_ignore_ascii_case("src") => Some(Kind::Url),
            Token::Function(name) if name.eq_ignore_ascii_case("image-set") => Some(Kind::ImageSet),
            Token::Function(name) if name.eq_ignore_ascii_case("-webkit-image-set") => {
                Some(Kind::ImageSet)
            }
            Token::Function(_)
            | Token::ParenthesisBlock
            | Token::SquareBracketBlock
            | Token::CurlyBracketBlock => Some(Kind::Other),
            _ => None,
        };
        first = false;
        if let Some(kind) = inner {
            let read = parser.parse_nested_block(|inner| -> Result<(), ParseError<()>> {
                block(inner, kind, urls);
                Ok(())
            });
            read.expect("fewer than 75 levels");
        }
    }
}
