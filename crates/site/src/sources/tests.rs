//! Hostile Markdown.

use super::*;

/// However often something is repeated, the paragraphs are within the input, and the parser does
/// not recurse. `cargo bench --bench hostile` measures the time.
#[test]
fn hostile_markdown_is_read_whole() {
    let repeated: &[&str] = &[
        "[",
        "](",
        "![",
        "[a](",
        "[a][",
        "[](a)",
        "`",
        "*a_ ",
        "**a *",
        "<",
        "<a ",
        "<!--",
        "<p>",
        "&",
        "> ",
        "- ",
        "1) ",
        "\t",
        "|",
        "a|b\n-|-\n",
        "[^a]: ",
        "[a]: b\n",
        "[a]: b\n\n[a] ",
        ": a\n",
        "~",
        "{#",
        "\\",
        "---\n",
        "+++\n",
        "\r",
        "\0",
        "<a href=x>\n",
        "\u{2028}",
        "- a\n\n  ",
        "* ",
        "a\n=\n",
        "[x](<",
        "[x](y \"",
        "`a``",
        "``` \n",
        "<![CDATA[",
        "<?",
    ];
    let hashes = Hashes::default();
    for text in repeated {
        let source = text.repeat(MAX_FILE / text.len());
        let entries = markdown::entries(&source, &hashes).unwrap();
        assert!(entries.len() <= source.len(), "{text:?}");
    }
}

proptest::proptest! {
    #[test]
    fn any_text_has_paragraphs_on_its_lines(text in "([\\[\\]()<>!a\\n `*_#|~:\\\\-]|\\PC|\\[a\\]\\(b\\)|<p>|</a>){0,200}") {
        let lines = 1 + text.matches('\n').count();
        for entry in markdown::entries(&text, &Hashes::default()).unwrap() {
            proptest::prop_assert!(entry.line > 0 && entry.line as usize <= lines);
        }
    }
}
