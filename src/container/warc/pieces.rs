//! An archive as a row of pieces that make it up, byte for byte.

mod inside;
mod plain;
mod rest;

use std::collections::VecDeque;
use std::io::{self, Read, Seek, SeekFrom};

use super::bounds::Bounds;
use super::capture::{Capture, Captures};
use super::frame::Holds;
use super::look::Look;
use super::member::{MAGIC, Member};
use super::outcome::{Problem, Skip};
use super::record::Place;
use inside::Inside;
use rest::{Large, Rest};

/// What an archive is made of. Written one after the other, the bytes of the pieces are
/// the archive's.
#[derive(Debug)]
pub(super) enum Piece {
    /// Records with a document among them, to be worked on.
    Unit(Unit),
    /// Bytes that stay as they are.
    Bytes(Vec<u8>),
    /// A record that was in such bytes, or would have been.
    Told(Place, Told),
    /// What a record in any of these has for a URL.
    Capture(Box<Capture>),
}

/// Bytes that what is told of a record takes, about.
const TOLD: usize = 512;

impl Piece {
    /// Bytes that it holds.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Told(..) | Self::Capture(_) => TOLD,
            Self::Unit(unit) => {
                let member = if let Form::Gzip(member) = &unit.form { member.len() } else { 0 };
                member + unit.text.len() + unit.parts.len() * TOLD
            }
        }
    }
}

/// What is told of a record that is not worked on.
#[derive(Debug, Clone)]
pub(super) enum Told {
    Copied,
    Skipped(Skip),
    Failed(Problem),
}

/// Records that are held.
#[derive(Debug)]
pub(super) struct Unit {
    pub(super) form: Form,
    /// Not compressed.
    pub(super) text: Vec<u8>,
    pub(super) parts: Vec<Part>,
}

/// How records stand in the file.
#[derive(Debug)]
pub(super) enum Form {
    /// As they are.
    Plain,
    /// In a gzip member of these bytes.
    Gzip(Vec<u8>),
    /// In a gzip member that is too large to be held: each becomes a member of its own.
    Split,
}

/// A record of a unit, or what stands where there should be one.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) place: Place,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) holds: Holds,
}

/// How many bytes there are from here on, up to a number; and those that follow it.
type Probe<R> = fn(&mut R, u64) -> io::Result<Option<[u8; 4]>>;

/// Reads an archive piece by piece.
#[derive(Debug)]
pub(super) struct Pieces<R> {
    state: State<R>,
    pub(super) bounds: Bounds,
    pub(super) captures: Captures,
    probe: Option<Probe<R>>,
    ready: VecDeque<Piece>,
    /// Memory for the content of the next gzip member.
    memory: Vec<u8>,
    /// How far a gzip member was read that turned out to be damaged.
    damaged_to: u64,
}

/// Where the reading is.
#[derive(Debug)]
enum State<R> {
    /// At a record that is not compressed, a gzip member, or the end.
    Between(Look<R>),
    /// In a large record that is not compressed, so many bytes from the end of its block.
    Plain(Look<R>, Rest),
    /// Behind damage, looking for a record from so many bytes ahead.
    Lost(Look<R>, usize),
    /// In a gzip member.
    Inside(Box<Inside<R>>),
    /// In a large record of a gzip member.
    Large(Box<Large<R>>),
    Done,
}

impl<R: Read> Pieces<R> {
    pub(super) fn new(source: R, bounds: Bounds) -> Self {
        Self {
            state: State::Between(Look::new(source, Vec::new())),
            bounds,
            captures: Captures::default(),
            probe: None,
            ready: VecDeque::new(),
            memory: Vec::new(),
            damaged_to: 0,
        }
    }

    /// The next piece.
    pub(super) fn next(&mut self) -> Option<io::Result<Piece>> {
        while self.ready.is_empty() {
            let next = match std::mem::replace(&mut self.state, State::Done) {
                State::Between(raw) => self.between(raw),
                State::Plain(raw, rest) => self.plain_rest(raw, rest),
                State::Lost(raw, from) => self.lost(raw, from),
                State::Inside(inside) => self.inside(*inside),
                State::Large(large) => self.large(*large),
                State::Done => return None,
            };
            match next {
                Ok(state) => self.state = state,
                Err(error) => return Some(Err(error)),
            }
        }
        self.ready.pop_front().map(Ok)
    }

    fn between(&mut self, mut raw: Look<R>) -> io::Result<State<R>> {
        if raw.ensure(MAGIC.len())? == 0 {
            return Ok(State::Done);
        }
        if raw.ahead().starts_with(MAGIC) {
            let member = Member::new(raw, self.bounds);
            let memory = std::mem::take(&mut self.memory);
            return Ok(State::Inside(Box::new(Inside::new(member, memory))));
        }
        self.plain(raw)
    }

    fn tell(&mut self, place: Place, told: Told) {
        self.ready.push_back(Piece::Told(place, told));
    }

    /// Tells what a record has for a URL.
    fn tell_capture(&mut self, place: Place, capture: Option<Box<Capture>>, is_page: bool) {
        if let Some(mut capture) = capture {
            (capture.place, capture.is_page) = (place, is_page);
            self.ready.push_back(Piece::Capture(capture));
        }
    }

    fn bytes(&mut self, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.ready.push_back(Piece::Bytes(bytes.to_owned()));
        }
    }
}

impl<R: Read + Seek> Pieces<R> {
    /// The same of a source that can be read from any byte.
    pub(super) fn seekable(source: R, bounds: Bounds) -> Self {
        Self { probe: Some(probe), ..Self::new(source, bounds) }
    }
}

/// What stands `ahead` bytes from where a file is read; none behind its end.
fn probe<R: Read + Seek>(source: &mut R, ahead: u64) -> io::Result<Option<[u8; 4]>> {
    let here = source.stream_position()?;
    let end = source.seek(SeekFrom::End(0))?;
    let found = match here.checked_add(ahead) {
        Some(there) if there <= end => {
            source.seek(SeekFrom::Start(there))?;
            let mut bytes = Vec::new();
            source.by_ref().take(4).read_to_end(&mut bytes)?;
            let mut found = *b"\r\n\r\n";
            found[..bytes.len()].copy_from_slice(&bytes);
            Some(found)
        }
        _ => None,
    };
    source.seek(SeekFrom::Start(here))?;
    Ok(found)
}
