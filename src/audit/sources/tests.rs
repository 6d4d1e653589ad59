//! Hostile Markdown.

use super::*;

/// The processor time of this thread, in nanoseconds; 0 where the system does not say. Other work on
/// the machine does not count in it.
fn processor_time() -> u64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    stat.split(' ').next().and_then(|time| time.parse().ok()).unwrap_or(0)
}

/// Twice the input takes about twice the processor time, whatever is repeated. The bound is five
/// times; what is quadratic takes minutes.
#[test]
fn hostile_markdown_takes_linear_time() {
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
    let time = |text: &str, bytes: usize| {
        let source = text.repeat(bytes / text.len());
        let start = processor_time();
        let entries = markdown::entries(&source, &hashes).unwrap();
        assert!(entries.len() <= bytes);
        processor_time() - start
    };
    for text in repeated {
        let (half, whole) = (time(text, MAX_FILE / 2), time(text, MAX_FILE));
        let is_linear = whole < 500_000_000 || whole < half * 5;
        assert!(is_linear, "{text:?}: {half} ns, {whole} ns");
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
