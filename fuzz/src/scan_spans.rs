//! The spans of the exact scanner lie in the source, ascend, and hold what they say.

use std::ops::ControlFlow;

use absolve::scan::exact::scan;
use absolve::scan::{Quote, Sink, StartTag};

struct Spans<'s>(&'s [u8], usize);

impl Sink for Spans<'_> {
    fn start_tag(&mut self, tag: &StartTag<'_>) -> ControlFlow<()> {
        assert!(self.1 <= tag.span.start && tag.span.start < tag.name.start);
        assert_eq!((self.0[tag.span.start], self.0[tag.span.end - 1]), (b'<', b'>'));
        let mut at = tag.name.end;
        for attribute in tag.attributes {
            assert!(at <= attribute.name.start && attribute.name.end <= attribute.value.start);
            at = attribute.value.end;
            match attribute.quote {
                Quote::Double => assert_eq!(self.0[at], b'"'),
                Quote::Single => assert_eq!(self.0[at], b'\''),
                Quote::Unquoted => assert!(!self.0[attribute.value.clone()].contains(&b'>')),
                Quote::Absent => assert!(attribute.value.is_empty()),
            }
        }
        assert!(at < tag.span.end && tag.attributes.len() <= tag.attribute_count);
        self.1 = tag.span.end;
        ControlFlow::Continue(())
    }
}

pub(crate) fn run(data: &[u8]) {
    let _ = scan(data, &mut Spans(data, 0));
}
