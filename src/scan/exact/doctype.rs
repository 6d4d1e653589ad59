//! Whether a doctype asks for quirks mode, in which a `table` does not close a `p`.
//!
//! <https://html.spec.whatwg.org/multipage/parsing.html#the-initial-insertion-mode>; limited-quirks
//! mode makes no difference to a parser and counts as none.

/// The public identifiers that ask for quirks mode, lower-cased.
const QUIRKY: &[&str] =
    &["-//w3o//dtd w3 html strict 3.0//en//", "-/w3c/dtd html 4.0 transitional/en", "html"];

/// The system identifier that asks for quirks mode, lower-cased.
const QUIRKY_SYSTEM: &str = "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd";

/// How public identifiers begin that ask for quirks mode, lower-cased.
const QUIRKY_PREFIXES: &[&str] = &[
    "-//advasoft ltd//dtd html 3.0 aswedit + extensions//",
    "-//as//dtd html 3.0 aswedit + extensions//",
    "-//ietf//dtd html 2.0 level 1//",
    "-//ietf//dtd html 2.0 level 2//",
    "-//ietf//dtd html 2.0 strict level 1//",
    "-//ietf//dtd html 2.0 strict level 2//",
    "-//ietf//dtd html 2.0 strict//",
    "-//ietf//dtd html 2.0//",
    "-//ietf//dtd html 2.1e//",
    "-//ietf//dtd html 3.0//",
    "-//ietf//dtd html 3.2 final//",
    "-//ietf//dtd html 3.2//",
    "-//ietf//dtd html 3//",
    "-//ietf//dtd html level 0//",
    "-//ietf//dtd html level 1//",
    "-//ietf//dtd html level 2//",
    "-//ietf//dtd html level 3//",
    "-//ietf//dtd html strict level 0//",
    "-//ietf//dtd html strict level 1//",
    "-//ietf//dtd html strict level 2//",
    "-//ietf//dtd html strict level 3//",
    "-//ietf//dtd html strict//",
    "-//ietf//dtd html//",
    "-//metrius//dtd metrius presentational//",
    "-//microsoft//dtd internet explorer 2.0 html strict//",
    "-//microsoft//dtd internet explorer 2.0 html//",
    "-//microsoft//dtd internet explorer 2.0 tables//",
    "-//microsoft//dtd internet explorer 3.0 html strict//",
    "-//microsoft//dtd internet explorer 3.0 html//",
    "-//microsoft//dtd internet explorer 3.0 tables//",
    "-//netscape comm. corp.//dtd html//",
    "-//netscape comm. corp.//dtd strict html//",
    "-//o'reilly and associates//dtd html 2.0//",
    "-//o'reilly and associates//dtd html extended 1.0//",
    "-//o'reilly and associates//dtd html extended relaxed 1.0//",
    "-//softquad software//dtd hotmetal pro 6.0::19990601::extensions to html 4.0//",
    "-//softquad//dtd hotmetal pro 4.0::19971010::extensions to html 4.0//",
    "-//spyglass//dtd html 2.0 extended//",
    "-//sq//dtd html 2.0 hotmetal + extensions//",
    "-//sun microsystems corp.//dtd hotjava html//",
    "-//sun microsystems corp.//dtd hotjava strict html//",
    "-//w3c//dtd html 3 1995-03-24//",
    "-//w3c//dtd html 3.2 draft//",
    "-//w3c//dtd html 3.2 final//",
    "-//w3c//dtd html 3.2//",
    "-//w3c//dtd html 3.2s draft//",
    "-//w3c//dtd html 4.0 frameset//",
    "-//w3c//dtd html 4.0 transitional//",
    "-//w3c//dtd html experimental 19960712//",
    "-//w3c//dtd html experimental 970421//",
    "-//w3c//dtd w3 html//",
    "-//w3o//dtd w3 html 3.0//",
    "-//webtechs//dtd mozilla html 2.0//",
    "-//webtechs//dtd mozilla html//",
    "-//w3c//dtd xhtml 1.0 frameset//",
    "-//w3c//dtd xhtml 1.0 transitional//",
];

/// How public identifiers begin that ask for quirks mode where no system identifier follows.
const QUIRKY_ALONE: &[&str] =
    &["-//w3c//dtd html 4.01 frameset//", "-//w3c//dtd html 4.01 transitional//"];

/// Whether a document has quirks mode whose doctype is `<!doctype` + `text` + `>`.
pub(super) fn is_quirky(text: &[u8]) -> bool {
    let (name, rest) = split(trim(text), |byte| byte.is_ascii_whitespace());
    if !name.eq_ignore_ascii_case(b"html") {
        return true;
    }
    let rest = trim(rest);
    let keyword = rest.get(..6).unwrap_or(b"");
    let identifiers = rest.get(6..).unwrap_or(b"");
    if rest.is_empty() {
        false
    } else if keyword.eq_ignore_ascii_case(b"public") {
        let Some((public, rest)) = quoted(trim(identifiers)) else { return true };
        match quoted(trim(rest)) {
            Some((system, _)) => is_quirky_pair(public, Some(system)),
            None => !trim(rest).is_empty() || is_quirky_pair(public, None),
        }
    } else if keyword.eq_ignore_ascii_case(b"system") {
        match quoted(trim(identifiers)) {
            Some((system, _)) => system.eq_ignore_ascii_case(QUIRKY_SYSTEM.as_bytes()),
            None => true,
        }
    } else {
        true
    }
}

fn is_quirky_pair(public: &[u8], system: Option<&[u8]>) -> bool {
    let begins = |prefix: &&str| {
        public
            .get(..prefix.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(prefix.as_bytes()))
    };
    QUIRKY.iter().any(|whole| public.eq_ignore_ascii_case(whole.as_bytes()))
        || system.is_some_and(|system| system.eq_ignore_ascii_case(QUIRKY_SYSTEM.as_bytes()))
        || QUIRKY_PREFIXES.iter().any(begins)
        || (system.is_none() && QUIRKY_ALONE.iter().any(begins))
}

fn trim(text: &[u8]) -> &[u8] {
    text.trim_ascii_start()
}

fn split(text: &[u8], is_end: impl Fn(u8) -> bool) -> (&[u8], &[u8]) {
    let end = text.iter().position(|&byte| is_end(byte)).unwrap_or(text.len());
    text.split_at(end)
}

/// A quoted identifier and what follows it. One without an end is as bad as none.
fn quoted(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let (&quote, rest) = text.split_first()?;
    if quote != b'"' && quote != b'\'' {
        return None;
    }
    let end = rest.iter().position(|&byte| byte == quote)?;
    Some((&rest[..end], &rest[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn quirky(text: &str, expected: bool) {
        assert_eq!(is_quirky(text.as_bytes()), expected, "<!doctype{text}>");
    }

    #[test]
    fn quirks() {
        quirky(" html", false);
        quirky("HTML ", false);
        quirky("", true);
        quirky(" htm", true);
        quirky(" html x", true);
        quirky(" html public", true);
        quirky(" html system 'about:legacy-compat'", false);
        quirky(" html system 'about:legacy-compat' x", false);
        quirky(" html system 'about:legacy-compat", true);
        quirky(r#" html public "-//W3C//DTD HTML 4.01//EN""#, false);
        quirky(r#" html public "-//W3C//DTD HTML 4.01//EN" x"#, true);
        quirky(r#" html public "-//W3C//DTD HTML 4.01 Transitional//EN""#, true);
        quirky(r#" html public "-//W3C//DTD HTML 4.01 Transitional//EN""http://x""#, false);
        quirky(r#" html public "-//IETF//DTD HTML//EN//2.0""#, true);
        quirky(
            r#" html public "" "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd""#,
            true,
        );
    }
}
