//! Checks [declarations of elements](https://www.w3.org/TR/xml/#elemdecls).

use super::cursor::Cursor;
use super::fault::Fault;

/// Reads the declaration of an element, after its keyword.
pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<(), Fault> {
    cursor.needs_space()?;
    cursor.name()?;
    cursor.needs_space()?;
    if cursor.skip_keyword(b"EMPTY") || cursor.skip_keyword(b"ANY") {
        return Ok(());
    }
    let start = cursor.at;
    if cursor.skip_if(b"(") {
        cursor.skip_space();
        if cursor.skip_if(b"#PCDATA") {
            return mixed(cursor);
        }
    }
    cursor.at = start;
    children(cursor)
}

/// [Mixed content](https://www.w3.org/TR/xml/#NT-Mixed), after its first item.
fn mixed(cursor: &mut Cursor<'_>) -> Result<(), Fault> {
    let mut has_names = false;
    loop {
        cursor.skip_space();
        if !cursor.skip_if(b"|") {
            break;
        }
        cursor.skip_space();
        cursor.name()?;
        has_names = true;
    }
    cursor.needs(b")")?;
    if cursor.skip_if(b"*") || !has_names { Ok(()) } else { Err(cursor.unexpected()) }
}

/// [Element content](https://www.w3.org/TR/xml/#NT-children): groups in parentheses, each with one
/// kind of separator.
fn children(cursor: &mut Cursor<'_>) -> Result<(), Fault> {
    // The separators of the groups that are open.
    let mut open: Vec<Option<u8>> = Vec::new();
    loop {
        // An item, or the start of a group.
        cursor.skip_space();
        if cursor.skip_if(b"(") {
            open.push(None);
            continue;
        }
        if open.is_empty() {
            return Err(cursor.unexpected());
        }
        cursor.name()?;
        skip_occurrence(cursor);
        // The end of groups, or a separator.
        loop {
            cursor.skip_space();
            if cursor.skip_if(b")") {
                open.pop();
                skip_occurrence(cursor);
                if open.is_empty() {
                    return Ok(());
                }
                continue;
            }
            let found = cursor.rest().first().copied().filter(|byte| matches!(byte, b',' | b'|'));
            match (open.last_mut(), found) {
                (Some(own), Some(found)) if own.is_none_or(|own| own == found) => {
                    *own = Some(found);
                    cursor.at += 1;
                    break;
                }
                _ => return Err(cursor.unexpected()),
            }
        }
    }
}

fn skip_occurrence(cursor: &mut Cursor<'_>) {
    if let [b'?' | b'*' | b'+', ..] = cursor.rest() {
        cursor.at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::super::declarations::Standalone;
    use super::super::doctype;

    #[track_caller]
    fn model(text: &str, expected: Result<(), &str>) {
        let source = format!("<!DOCTYPE a [<!ELEMENT {text}>]>");
        let read = doctype::read(source.as_bytes(), 0, Standalone::No);
        let expected = expected.map_err(|what| format!("{what} in the document type declaration"));
        assert_eq!(read.map(drop).map_err(|fault| fault.why), expected, "{text}");
    }

    #[test]
    fn a_content_model_has_one_separator_a_group() {
        for text in [
            "a EMPTY",
            "a ANY ",
            "a (#PCDATA)",
            "a ( #PCDATA )* ",
            "a (#PCDATA|b | c)*",
            "a (b)",
            "a ( b? , c* )+",
            "a ((b|c)?,((d),e)*)",
        ] {
            model(text, Ok(()));
        }
        model(&format!("a {}b{}", "(".repeat(100_000), ")".repeat(100_000)), Ok(()));
    }

    #[test]
    fn another_content_model_is_an_error() {
        for (text, what) in [
            ("a", "'>'"),
            ("a ", "'>'"),
            ("a(b)", "'(b)'"),
            ("a EMPTYX", "'EMPTYX'"),
            ("a empty", "'empty'"),
            ("a b", "'b'"),
            ("a ()", "')'"),
            ("a (b", "'>'"),
            ("a (b ?)", "'?)'"),
            ("a (b,c|d)", "'|d)'"),
            ("a (b,)", "')'"),
            ("a (b&c)", "'&c)'"),
            ("a (b c)", "'c)'"),
            ("a (#PCDATA|b)", "'>'"),
            ("a (#PCDATA)+", "'+'"),
            ("a (#PCDATA,b)*", "',b)*'"),
            ("a (#PCDATA|(b))*", "'(b))*'"),
            ("a (#pcdata)", "'#pcdata)'"),
            ("a (b|#PCDATA)", "'#PCDATA)'"),
            ("a (b) EMPTY", "'EMPTY'"),
            ("a (b))", "')'"),
            ("a - - (b)", "'-'"),
            ("(a|b) ANY", "'(a|b)'"),
            ("a %b;", "'%b;'"),
            ("a ANY -- b --", "'--'"),
        ] {
            model(text, Err(what));
        }
    }
}
