//! Groups the lines of a redirects file, so that a lookup does not try each of them.

use std::collections::HashMap;

use super::line::{Line, Segment};

/// The parameters of a query, decoded.
pub(super) type Query = HashMap<Vec<u8>, Vec<u8>>;

/// Where lines have placeholders, and the keys of their queries.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Form {
    /// Indexes of segments, in order.
    placeholders: Vec<usize>,
    splat: Option<usize>,
    query: Vec<Key>,
}

/// The key of a parameter, and whether a literal must be its value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    name: Vec<u8>,
    has_literal: bool,
}

/// What distinguishes the lines of a form, and what a request must have to match one: the path
/// before the splat, with empty segments as placeholders, and literal values of the query.
pub(super) type Literals = (Vec<u8>, Vec<Vec<u8>>);

impl Form {
    pub(super) fn of(line: &Line) -> (Self, Literals) {
        let mut form = Self { placeholders: Vec::new(), splat: None, query: Vec::new() };
        let (mut path, mut values): (Vec<&[u8]>, _) = (Vec::new(), Vec::new());
        for (at, segment) in line.from.iter().enumerate() {
            match segment {
                Segment::Name(name) => path.push(name),
                Segment::Placeholder(_) => {
                    form.placeholders.push(at);
                    path.push(b"");
                }
                Segment::Splat => form.splat = Some(at),
            }
        }
        for parameter in &line.query {
            let literal = match &parameter.value {
                Segment::Name(value) => Some(value.clone()),
                _ => None,
            };
            let name = parameter.key.as_bytes().to_vec();
            form.query.push(Key { name, has_literal: literal.is_some() });
            values.extend(literal);
        }
        (form, (path.join(&b'/'), values))
    }

    /// The time of a lookup grows with it.
    pub(super) fn size(&self) -> usize {
        1 + self.placeholders.len() + self.query.len()
    }

    /// The literals of the lines that match a request; `None` if no line of the form does.
    pub(super) fn literals(&self, path: &[&[u8]], query: &Query) -> Option<Literals> {
        let mut path = path.get(..self.splat.unwrap_or(path.len()))?.to_vec();
        for &at in &self.placeholders {
            *path.get_mut(at)? = b"";
        }
        let mut values = Vec::new();
        for key in &self.query {
            let value = query.get(&key.name)?;
            values.extend(key.has_literal.then(|| value.clone()));
        }
        Some((path.join(&b'/'), values))
    }
}
