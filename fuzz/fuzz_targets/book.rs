//! Books of any bytes: no panic, and the new book is one whose second rewriting changes nothing.
#![no_main]

mod common;

use std::io::Cursor;
use std::ops::ControlFlow;

use absolve::container::epub::Book;
use absolve::url::Maps;
use absolve::{Direction, Form, Limits, Rewriter};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| common::holds(|| properties(data)));

fn properties(data: &[u8]) -> Result<(), String> {
    let mut maps = Maps::new();
    maps.add("http://old.example/", "https://new.example/").map_err(|error| error.to_string())?;
    let policy = Direction::new(Form::AsWritten).maps(maps);
    let rewriter = Rewriter::new().policy(policy.into());
    let Some(new) = rewrite(data, &rewriter).ok().flatten() else { return Ok(()) };
    match rewrite(&new, &rewriter) {
        Ok(None) => Ok(()),
        Ok(Some(_)) => Err("a second run makes an edit".to_owned()),
        Err(error) => Err(format!("the new book cannot be read: {error}")),
    }
}

/// The new book, if the book changes.
fn rewrite(data: &[u8], rewriter: &Rewriter) -> Result<Option<Vec<u8>>, String> {
    let mut limits = Limits::default();
    limits.input = 1 << 20;
    let mut book = Book::open(Cursor::new(data), limits).map_err(|error| error.to_string())?;
    let mut new = Vec::new();
    let totals = book.rewrite(&mut new, rewriter, |_| ControlFlow::Continue(()));
    let totals = totals.map_err(|error| error.to_string())?;
    Ok((totals.rewritten > 0).then_some(new))
}
