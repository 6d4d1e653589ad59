//! Resolves per second: RFC 1808 against the crates of the other two standards,
//! on the same pairs of base and reference, each result asserted.
//!
//! The pairs are the 39 examples of RFC 1808 section 5, and references as they
//! are in pages. Bases are parsed beforehand, as in a document, where one base
//! serves many references.

#![expect(clippy::print_stdout, reason = "it prints its figures")]
#![expect(clippy::unwrap_used, reason = "a benchmark fails by panicking")]

mod measure;

use std::hint::black_box;
use std::time::Instant;

use absolve::url::{Base, Resolution, Standard};
use fluent_uri::{Iri, IriRef};
use measure::{Round, medians, rounds};
use url::Url;

const EXAMPLES: &str = include_str!("../tests/data/resolve.tsv");

/// In the columns of [`EXAMPLES`]: `=` is RFC 1808's result.
const PAGE_REFERENCES: &str = "\
https://docs.example.org/en/3.11/library/os.path.html	../index.html	https://docs.example.org/en/3.11/index.html	=	=
https://docs.example.org/en/3.11/library/os.path.html	../a/b.html#c	https://docs.example.org/en/3.11/a/b.html#c	=	=
https://docs.example.org/en/3.11/library/os.path.html	../../es/index.html	https://docs.example.org/en/es/index.html	=	=
https://docs.example.org/en/3.11/library/os.path.html	img/x.png	https://docs.example.org/en/3.11/library/img/x.png	=	=
https://docs.example.org/en/3.11/library/os.path.html	functions.html#open	https://docs.example.org/en/3.11/library/functions.html#open	=	=
https://docs.example.org/en/3.11/library/os.path.html	./functions.html	https://docs.example.org/en/3.11/library/functions.html	=	=
https://docs.example.org/en/3.11/library/os.path.html	/static/s.css?v=3	https://docs.example.org/static/s.css?v=3	=	=
https://docs.example.org/en/3.11/library/os.path.html	../_static/pygments.css?digest=b37c26da2f7529d09fe70b41c4b2133fe4931a90	https://docs.example.org/en/3.11/_static/pygments.css?digest=b37c26da2f7529d09fe70b41c4b2133fe4931a90	=	=
https://docs.example.org/en/3.11/library/os.path.html	#id	https://docs.example.org/en/3.11/library/os.path.html#id	=	=
https://docs.example.org/en/3.11/library/os.path.html	#os.path.commonprefix	https://docs.example.org/en/3.11/library/os.path.html#os.path.commonprefix	=	=
https://docs.example.org/en/3.11/library/os.path.html	?page=2	https://docs.example.org/en/3.11/library/os.path.html?page=2	=	=
https://docs.example.org/en/3.11/library/os.path.html	search.html?q=path&area=default	https://docs.example.org/en/3.11/library/search.html?q=path&area=default	=	=
https://docs.example.org/en/3.11/library/os.path.html	//cdn.example.net/lib/app.min.js	https://cdn.example.net/lib/app.min.js	=	=
https://docs.example.org/en/3.11/library/os.path.html	http://www.example.com/	http://www.example.com/	=	=
https://docs.example.org/en/3.11/library/os.path.html	https://github.example.com/org/project/tree/3.11/Lib/posixpath.py	https://github.example.com/org/project/tree/3.11/Lib/posixpath.py	=	=
https://docs.example.org/en/3.11/library/os.path.html	mailto:docs@example.org	mailto:docs@example.org	=	=
https://docs.example.org/	.	https://docs.example.org/	=	=
https://docs.example.org/	bugs.html	https://docs.example.org/bugs.html	=	=
https://docs.example.org/	whatsnew/3.11.html#whatsnew311-asyncio	https://docs.example.org/whatsnew/3.11.html#whatsnew311-asyncio	=	=
http://shop.example/item/view.php?id=7&lang=en	view.php?id=8&lang=en	http://shop.example/item/view.php?id=8&lang=en	=	=
http://shop.example/item/view.php?id=7&lang=en	/img/p/8/thumb.jpg	http://shop.example/img/p/8/thumb.jpg	=	=
";

/// How often a round goes over the pairs: for about a millisecond, so that most rounds
/// are not interrupted.
const REPEAT: usize = 100;

struct Pair {
    base: Base,
    iri: Iri<String>,
    url: Url,
    reference: &'static str,
    /// Results by the three standards.
    expected: [&'static str; 3],
}

impl Pair {
    fn parse(line: &'static str) -> Self {
        let mut cells = line.split('\t');
        let mut cell = || cells.next().unwrap();
        let (base, reference, expected) = (cell(), cell(), cell());
        let mut other = || Some(cell()).filter(|&cell| cell != "=").unwrap_or(expected);
        // RFC 3986 section 5.2.1 takes a base without its fragment.
        let iri = base.split('#').next().unwrap();
        Self {
            base: Base::new(base).unwrap(),
            iri: Iri::parse(iri).unwrap().to_owned(),
            url: Url::parse(base).unwrap(),
            reference,
            expected: [expected, other(), other()],
        }
    }
}

/// A way to resolve: its name, the column of its results, and how long a result is.
struct Way {
    name: &'static str,
    column: usize,
    resolve: fn(&Pair) -> String,
    length: fn(&Pair) -> usize,
}

const WAYS: &[Way] = &[
    Way {
        name: "absolve, Standard::Rfc1808",
        column: 0,
        resolve: |pair| standard(pair).url().unwrap().to_owned(),
        length: |pair| standard(pair).url().map_or(0, str::len),
    },
    Way {
        name: "absolve, Base::resolve_rfc1808",
        column: 0,
        resolve: |pair| pair.base.resolve_rfc1808(pair.reference, |_| {}),
        length: |pair| pair.base.resolve_rfc1808(black_box(pair.reference), |_| {}).len(),
    },
    Way {
        name: "fluent-uri, resolve_against",
        column: 1,
        resolve: |pair| iri(pair).into_string(),
        length: |pair| iri(pair).as_str().len(),
    },
    Way {
        name: "url, Url::join",
        column: 2,
        resolve: |pair| pair.url.join(pair.reference).unwrap().into(),
        length: |pair| pair.url.join(black_box(pair.reference)).unwrap().as_str().len(),
    },
];

fn standard(pair: &Pair) -> Resolution<'_> {
    Standard::Rfc1808.resolve(Some(&pair.base), black_box(pair.reference)).unwrap()
}

fn iri(pair: &Pair) -> Iri<String> {
    IriRef::parse(black_box(pair.reference)).unwrap().resolve_against(&pair.iri).unwrap()
}

fn main() {
    let examples: Vec<_> = EXAMPLES.lines().skip(1).take(39).map(Pair::parse).collect();
    assert_eq!(examples.last().unwrap().reference, "http:", "the RFC's last example");
    let page: Vec<_> = PAGE_REFERENCES.lines().map(Pair::parse).collect();
    compare("the examples of RFC 1808", &examples);
    compare("references of pages", &page);
}

fn compare(title: &str, pairs: &[Pair]) {
    for (way, pair) in WAYS.iter().flat_map(|way| pairs.iter().map(move |pair| (way, pair))) {
        let expected = pair.expected[way.column];
        assert_eq!((way.resolve)(pair), expected, "{}: {}", way.name, pair.reference);
    }
    let mut contenders: Vec<_> = WAYS
        .iter()
        .map(|way| Box::new(move || round(way, pairs)) as Box<dyn FnMut() -> Round>)
        .collect();
    let times = medians(rounds(1_001), &mut contenders);
    let slowest = times[WAYS.len() - 1].as_secs_f64();
    println!("\n{title}: {} pairs", pairs.len());
    println!("{:<32} {:>14} {:>12}", "", "M resolves/s", "x Url::join");
    for (way, time) in WAYS.iter().zip(times) {
        let seconds = time.as_secs_f64();
        let rate = millions(REPEAT * pairs.len()) / seconds;
        println!("{:<32} {rate:>14.2} {:>12.2}", way.name, slowest / seconds);
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of a few millions")]
fn millions(count: usize) -> f64 {
    count as f64 / 1e6
}

fn round(way: &Way, pairs: &[Pair]) -> Round {
    let start = Instant::now();
    let mut length = 0;
    for _ in 0..REPEAT {
        length += pairs.iter().map(|pair| (way.length)(black_box(pair))).sum::<usize>();
    }
    let time = start.elapsed();
    let expected: usize = pairs.iter().map(|pair| pair.expected[way.column].len()).sum();
    assert_eq!(length, expected * REPEAT, "{}", way.name);
    (time, length as u64)
}
