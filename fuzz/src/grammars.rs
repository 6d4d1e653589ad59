//! References that a grammar reports lie in the value, ascend, and can be replaced one at a time.

use absolve::grammar::Grammar;
use absolve::value::references;

use crate::common::arbitrary;

fn read(grammar: Grammar, text: &str) -> Vec<(std::ops::Range<usize>, String, String)> {
    let mut seen = Vec::new();
    references(grammar, text, &mut |found| {
        let new = found.container.escape("http://h/a(b),'c'\" d").into_owned();
        seen.push((found.span, found.reference.into_owned(), new));
    });
    seen
}

pub(crate) fn run(data: &[u8]) {
    let Some(data) = arbitrary::<(u8, &str)>(data) else { return };
    let grammar = Grammar::ALL[usize::from(data.0) % Grammar::ALL.len()];
    let before = read(grammar, data.1);
    assert!(before.windows(2).all(|pair| pair[0].0.end <= pair[1].0.start));
    for (index, (span, _, new)) in before.iter().enumerate().take(8) {
        let mut text = data.1.to_owned();
        text.replace_range(span.clone(), new);
        let after = read(grammar, &text);
        assert_eq!(after.len(), before.len(), "{text:?}");
        for (number, (old, new)) in before.iter().zip(&after).enumerate() {
            assert!(number == index || old.1 == new.1, "{text:?}");
        }
        assert!(after[index].1.starts_with("http://h/a(b)"), "{text:?}");
    }
}
