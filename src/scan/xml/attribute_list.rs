//! Reads [declarations of attributes](https://www.w3.org/TR/xml/#attdecls).

use std::ops::Range;

use memchr::memchr;

use super::cursor::Cursor;
use super::declarations::Declarations;
use super::fault::Fault;
use super::replacement::Place;
use super::tag;

/// The [types](https://www.w3.org/TR/xml/#NT-AttType) without a list.
const TYPES: [&[u8]; 8] =
    [b"CDATA", b"ID", b"IDREF", b"IDREFS", b"ENTITY", b"ENTITIES", b"NMTOKEN", b"NMTOKENS"];

/// Reads the attributes of an element, after the keyword.
pub(super) fn read<'s>(
    cursor: &mut Cursor<'s>,
    declared: &mut Declarations<'s>,
) -> Result<(), Fault> {
    cursor.needs_space()?;
    let element = cursor.name()?;
    loop {
        let is_apart = cursor.skip_space();
        if cursor.rest().starts_with(b">") {
            return Ok(());
        }
        if !is_apart {
            return Err(cursor.unexpected());
        }
        let name = cursor.name()?;
        cursor.needs_space()?;
        skip_type(cursor)?;
        cursor.needs_space()?;
        if let Some(value) = default(cursor, declared)? {
            declared.add_default(element, name, value)?;
        }
    }
}

fn skip_type(cursor: &mut Cursor<'_>) -> Result<(), Fault> {
    if cursor.rest().starts_with(b"(") {
        return cursor.alternatives(Cursor::name_token);
    }
    if cursor.skip_keyword(b"NOTATION") {
        cursor.needs_space()?;
        return cursor.alternatives(Cursor::plain_name);
    }
    let start = cursor.at;
    if TYPES.contains(&cursor.token()) {
        return Ok(());
    }
    cursor.at = start;
    Err(cursor.unexpected())
}

/// The [default](https://www.w3.org/TR/xml/#NT-DefaultDecl): its value if there is one. Entities in
/// it are to be [declared before](https://www.w3.org/TR/xml/#wf-entdeclared) it.
fn default(
    cursor: &mut Cursor<'_>,
    declared: &Declarations<'_>,
) -> Result<Option<Range<usize>>, Fault> {
    if cursor.skip_if(b"#") {
        if cursor.skip_keyword(b"REQUIRED") || cursor.skip_keyword(b"IMPLIED") {
            return Ok(None);
        }
        if !cursor.skip_keyword(b"FIXED") {
            cursor.at -= 1;
            return Err(cursor.unexpected());
        }
        cursor.needs_space()?;
    }
    let value = cursor.literal()?;
    if let Some(at) = memchr(b'<', &cursor.bytes[value.clone()]) {
        return Err(Fault::new(value.start + at, "'<' in an attribute value"));
    }
    let check = &mut |name: &[u8]| declared.check_reference(name, Place::Attribute);
    tag::content(cursor.bytes, value.clone(), check)?;
    Ok(Some(value))
}

#[cfg(test)]
mod tests {
    use super::super::declarations::Standalone;
    use super::super::doctype;

    #[track_caller]
    fn list(text: &str, expected: Result<(), &str>) {
        let source = format!("<!DOCTYPE a [<!ENTITY e 'x'><!ATTLIST {text}>]>");
        let read = doctype::read(source.as_bytes(), 0, Standalone::No);
        assert_eq!(read.map(drop).map_err(|fault| fault.why), expected.map_err(str::to_owned));
    }

    #[test]
    fn an_attribute_has_a_name_a_type_and_a_default() {
        for text in [
            "a",
            "a ",
            "a b CDATA 'c'",
            "a b (c|1) 'c' d NOTATION ( e | f ) #REQUIRED",
            "a b ID #IMPLIED\n c NMTOKENS #FIXED '&e;&amp;'\n",
        ] {
            list(text, Ok(()));
        }
    }

    #[test]
    fn another_attribute_is_an_error() {
        let what = |text, what| {
            list(text, Err(&format!("{what} in the document type declaration")));
        };
        what("a b FOO 'c'", "'FOO'");
        what("a b cdata 'c'", "'cdata'");
        what("a b CDATA", "'>'");
        what("a b CDATA'c'", "'\\'c\\''");
        what("a b CDATA 'c'd CDATA 'e'", "'d'");
        what("a b(c) 'c'", "'(c)'");
        what("a b (c)'c'", "'\\'c\\''");
        what("a b () 'c'", "')'");
        what("a b (c,d) 'c'", "',d)'");
        what("a b NOTATION(c) 'c'", "'(c)'");
        what("a b NOTATION (1) 'c'", "'1)'");
        what("a b CDATA #FIXED'c'", "'\\'c\\''");
        what("a b CDATA #REQUIRED 'c'", "'\\'c\\''");
        what("a b CDATA #DEFAULT 'c'", "'#DEFAULT'");
        what("a b CDATA c", "'c'");
        what("a %b;", "'%b;'");
        list("a b CDATA '<'", Err("'<' in an attribute value"));
        list("a b CDATA '&f;'", Err("the entity '&f;' is not declared"));
        list("a b CDATA '&'", Err("'&' begins no reference; write it as &amp;"));
    }
}
