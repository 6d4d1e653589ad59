//! Any bytes as a message: read without a panic, the same where nothing is decided, and done
//! after one run.

use absolve::Rewriter;
use absolve_archive::{Message, PartKind};

pub(crate) fn run(file: &[u8]) {
    let none = Rewriter::new().only("x-none");
    let Ok(message) = Message::read(file, &none) else { return };
    let Ok(rewritten) = message.rewrite() else { return };
    assert_eq!(rewritten.is_changed(), rewritten.summary().relative_location_count() > 0);

    let rewriter = Rewriter::new().base_url("http://h/a/b").expect("it is usable");
    let Ok(message) = Message::read(file, &rewriter) else { return };
    let shown = message.links(|part, _, spans| {
        let (body, bytes) = (part.body(), spans.reference.expect("the source is scanned"));
        assert!(body.start <= bytes.start && bytes.start <= bytes.end && bytes.end <= body.end);
    });
    let Ok(rewritten) = message.rewrite() else { return };
    if !shown.failures().is_empty() || !rewritten.summary().failures().is_empty() {
        return;
    }
    let Ok(again) = Message::read(rewritten.bytes(), &rewriter) else { return };
    let kinds = |message: &Message<'_>| message.parts().map(|part| part.kind()).collect::<Vec<_>>();
    assert_eq!(kinds(&message), kinds(&again));
    for (old, new) in message.parts().zip(again.parts()) {
        if old.kind() == PartKind::Other {
            assert_eq!(file[old.body()], rewritten.bytes()[new.body()]);
        }
        let (Some(document), Some(new)) = (old.document(), new.document()) else { continue };
        if document.bytes().is_ascii() {
            let alone = old.rewriter().rewrite(document.bytes()).expect("it was rewritten");
            // A part that is declared to be ASCII stays so.
            assert!(!alone.bytes().is_ascii() || alone.bytes() == new.bytes());
        }
    }
    assert!(again.rewrite().map_or(true, |again| !again.is_changed()));
}
