use super::*;

#[track_caller]
fn check(source: &str, attribute: &str, text: &str) {
    assert_eq!(decode(source, Context::Attribute), attribute, "attribute");
    assert_eq!(decode(source, Context::Text), text, "text");
    for context in [Context::Attribute, Context::Text, Context::RawText] {
        assert_eq!(Decoded::new(source, context).text(), decode(source, context));
    }
}

#[track_caller]
fn same(source: &str, expected: &str) {
    check(source, expected, expected);
}

#[test]
fn nothing_to_decode_borrows() {
    for source in ["", "a", "&", "&&", "a & b", "&;", "&#", "&#;", "&#x", "&#xg;", "&a", "\n"] {
        assert!(matches!(decode(source, Context::Attribute), Cow::Borrowed(s) if s == source));
        assert!(matches!(decode(source, Context::Text), Cow::Borrowed(s) if s == source));
    }
}

#[test]
fn names() {
    same("&amp;&lt;&gt;&quot;&apos;", "&<>\"'");
    same("&NotEqualTilde;", "\u{2242}\u{338}");
    same("&CounterClockwiseContourIntegral;", "\u{2233}");
    same("&CounterClockwiseContourIntegralX;", "&CounterClockwiseContourIntegralX;");
    same("&nosuchname;&AMP;&Amp;", "&nosuchname;&&Amp;");
    same("&amp;amp;", "&amp;");
    same("&&amp;&", "&&&");
}

#[test]
fn names_without_a_semicolon() {
    same("&amp", "&");
    same("&amp&lt-&yacute", "&<-\u{fd}");
    same("&apos", "&apos");
    check("&copy=", "&copy=", "\u{a9}=");
    check("&copyx", "&copyx", "\u{a9}x");
    check("&copy1", "&copy1", "\u{a9}1");
    check("&noti;", "&noti;", "\u{ac}i;");
    same("&notin;", "\u{2209}");
    check("&notin", "&notin", "\u{ac}in");
    same("&copy\u{e9}", "\u{a9}\u{e9}");
    check("&yacutee", "&yacutee", "\u{fd}e");
    same("&copy;=", "\u{a9}=");
}

#[test]
fn numbers() {
    same("&#65;&#65&#x41;&#X41&#x4a", "AAAAJ");
    same("&#65g&#x41g&#0065;", "AgAgA");
    same("&#0;&#x110000;&#xD800;&#xDFFF;", "\u{fffd}\u{fffd}\u{fffd}\u{fffd}");
    same("&#99999999999999999999;&#xffffffffffff;", "\u{fffd}\u{fffd}");
    same("&#128;&#x99;&#129;&#x9f;&#xa0;", "\u{20ac}\u{2122}\u{81}\u{178}\u{a0}");
    same("&#13;&#10;&#xFFFE;&#1;", "\r\n\u{fffe}\u{1}");
    same("&#x10FFFF;", "\u{10ffff}");
}

#[test]
fn line_ends_and_nul() {
    same("a\r\nb\rc\nd\r\r\n", "a\nb\nc\nd\n\n");
    same("\0", "\u{fffd}");
    assert_eq!(decode("&amp;\r\n\0", Context::RawText), "&amp;\n\u{fffd}");
}

#[test]
fn ranges_lead_back_to_the_source() {
    let decoded = Decoded::new("a&amp;b\r\n&nGt;c", Context::Attribute);
    assert_eq!(decoded.text(), "a&b\n\u{226b}\u{20d2}c");
    let rows = [
        (0..0, 0..0),
        (0..1, 0..1),
        (1..1, 1..1),
        (1..2, 1..6),
        (2..2, 6..6),
        (2..3, 6..7),
        (3..4, 7..9),
        (4..4, 9..9),
        (4..7, 9..14),
        (7..10, 9..14),
        (5..5, 9..14),
        (10..11, 14..15),
        (0..11, 0..15),
        (11..11, 15..15),
        (11..99, 15..15),
    ];
    for (range, source) in rows {
        assert_eq!(decoded.source_range(range.clone()), source, "{range:?}");
    }
}

#[test]
fn every_place_is_found_among_many_and_long_changes() {
    let long = format!("&#{}65;", "0".repeat(3 * REACH));
    for part in ["&amp;", "x&lt;y", "\0", "&nGt;", &long, &"x".repeat(2 * REACH)] {
        let source = format!("{}{long}{}", part.repeat(50), format!("&gt{part}-").repeat(50));
        let decoded = Decoded::new(&source, Context::Attribute);
        let whole = Changes {
            source: &source,
            context: Context::Attribute,
            place: Mark::default(),
            until: source.len(),
        };
        let mut done = Mark::default();
        for Change { start, end, .. } in whole {
            for position in done.decoded..=start.decoded {
                let place = done.source + position - done.decoded;
                assert_eq!(decoded.source_range(position..position), place..place);
                assert_eq!(decoded.uncut(position..position), position..position);
            }
            for position in start.decoded + 1..end.decoded {
                let place = start.source..end.source;
                assert_eq!(decoded.source_range(position..position), place);
                assert_eq!(decoded.uncut(position..position), start.decoded..end.decoded);
            }
            let is_open = !source[..end.source].ends_with([';', '\0']);
            assert_eq!(decoded.goes_on(end.source, b';'), is_open, "{part}: {end:?}");
            done = end;
        }
    }
}

#[test]
fn without_changes_ranges_stay() {
    let decoded = Decoded::new("abc", Context::Attribute);
    assert_eq!(decoded.source_range(1..2), 1..2);
    assert!(matches!(decoded.into_text(), Cow::Borrowed("abc")));
}
