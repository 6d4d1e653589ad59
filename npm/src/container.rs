//! Containers, for the page to try it. The host puts one into the memory, and asks for works on it.

use std::collections::HashMap;
use std::io::Cursor;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Mutex;

use absolve::container::warc::{RecordType, Rewriting, WarcInfo};
use absolve::container::{
    Container, ContainerDocument, Content, DocumentOutcome, EntryId, Format, Message, OnDocument,
    Only, Outcome, Output, PartKind, ReadOptions, Reading, Source, Work, WriteOptions,
};
use absolve::jobs::Workers;
use absolve::{Buffers, Rewriter};

use crate::failure::{Code, Failure};
use crate::links;
use crate::state::{State, Status};
use crate::utf16::narrow;

#[expect(unsafe_code, reason = "an import")]
#[link(wasm_import_module = "host")]
unsafe extern "C" {
    /// Notes that the container is read up to this byte.
    safe fn progress(byte: usize);
}

/// The URL of the root of a book, as in the command.
const BOOK: &str = "http://book.invalid/";

type Result<T> = std::result::Result<T, Failure>;

/// Gets the place of a document, and the document or why it cannot be read.
type Visit<'v> = dyn FnMut(&str, std::result::Result<&Content<'_>, &str>) + Send + 'v;

/// Does something with a container and an argument, such as the place of a document.
type Job = fn(&Opened<'_>, &str, &mut Reply) -> Result<()>;

/// All jobs, by number.
const JOBS: &[Job] = &[
    |container, record_type, reply| container.list(record_type, reply),
    |container, record_type, reply| container.rewrite(record_type, reply),
    |container, place, reply| container.document(place, |document| reply.put(document.source)),
    |container, place, reply| {
        container.document(place, |document| changes(document.source, document.rewriter, reply))
    },
    |container, place, reply| {
        container.document(place, |document| {
            let listed = links::list(document.source, false, document.rewriter, &mut reply.records);
            reply.put(listed.map_err(|error| Failure::library(&error, None))?.as_bytes())
        })
    },
];

/// The answer of a job.
#[derive(Default)]
pub(crate) struct Reply {
    output: Vec<u8>,
    records: Vec<u32>,
}

impl Reply {
    #[expect(clippy::unnecessary_wraps, reason = "the end of works that can fail")]
    fn put(&mut self, output: &[u8]) -> Result<()> {
        output.clone_into(&mut self.output);
        Ok(())
    }

    pub(crate) fn into_state(self, state: &mut State) -> Status {
        let is_empty = self.output.is_empty();
        state.records = self.records;
        state.set_output(self.output);
        if is_empty { Status::Unchanged } else { Status::Done }
    }
}

/// Does one of [`JOBS`]. Arguments: options, the name of the container, and the place of a document;
/// for jobs on the whole a type of records and the date.
pub(crate) fn run(state: &mut State, lengths: [usize; 3], job: u32) -> Result<Status> {
    let [options, name, place] = state.arguments(lengths)?;
    let rewriter = state.rewriter(&options, &None, false)?;
    let format = Format::of_name(Path::new(state.text(&name)?));
    let job = JOBS.get(job as usize);
    let job = job.ok_or_else(|| Failure::option("", "there is no such job"))?;
    let mut reply = Reply::default();
    let opened = Opened { file: &state.container, format, rewriter };
    job(&opened, state.text(&place)?, &mut reply)?;
    Ok(reply.into_state(state))
}

/// Rewrites a document. The output is the result, and `records` has the start and the end of each edit
/// in the document, and the length of what replaces it.
pub(crate) fn changes(source: &[u8], rewriter: &Rewriter, reply: &mut Reply) -> Result<()> {
    let Reply { output, records } = reply;
    let mut end = 0;
    let result = rewriter.edits(source, &mut Buffers::new(), None, |span, text| {
        output.extend_from_slice(source.get(end..span.start).unwrap_or_default());
        output.extend_from_slice(text);
        records.extend([span.start, span.end, text.len()].map(narrow));
        end = span.end;
    });
    result.map_err(|error| Failure::library(&error, None))?;
    output.extend_from_slice(source.get(end..).unwrap_or_default());
    Ok(())
}

/// A container in the memory.
struct Opened<'s> {
    file: &'s [u8],
    format: Format,
    rewriter: Rewriter,
}

/// A document in the list of a container.
#[derive(Default)]
struct Row {
    place: String,
    url: String,
    problem: String,
    links: usize,
    changed: usize,
}

impl Opened<'_> {
    /// Lists the documents. The output is their texts, and `records` has the ends of place, URL and
    /// problem in it, and the counts of links and of changed ones.
    fn list(&self, record_type: &str, reply: &mut Reply) -> Result<()> {
        let mut rows: Vec<Row> = Vec::new();
        self.visit(None, &mut |place, document| {
            let mut row = Row { place: place.to_owned(), ..Row::default() };
            let listed = document.map_err(str::to_owned).and_then(|document| {
                row.url = url(document.rewriter);
                let summary = document.rewriter.links(document.source, |_| ());
                summary.map_err(|error| error.to_string())
            });
            match listed {
                Ok(summary) => row.links = summary.counts().links,
                Err(problem) => row.problem = problem,
            }
            rows.push(row);
        })?;
        let numbers = rows.iter().enumerate().map(|(number, row)| (row.place.clone(), number));
        let numbers: HashMap<_, _> = numbers.collect();
        self.outcomes(record_type, None, &mut |place, outcome| {
            let Some(number) = numbers.get(&place) else { return };
            match outcome {
                Ok(count) => rows[*number].changed = count,
                Err(problem) => rows[*number].problem = problem,
            }
        })?;
        for row in rows {
            for text in [&row.place, &row.url, &row.problem] {
                reply.output.extend_from_slice(text.as_bytes());
                reply.records.push(narrow(reply.output.len()));
            }
            reply.records.extend([row.links, row.changed].map(narrow));
        }
        Ok(())
    }

    /// Rewrites the whole; the output is empty if nothing changes.
    fn rewrite(&self, record_type: &str, reply: &mut Reply) -> Result<()> {
        let mut output = Cursor::new(Vec::new());
        let length = self.outcomes(record_type, Some(&mut output), &mut |_, _| ())?;
        reply.output = output.into_inner();
        reply.output.truncate(length.unwrap_or(usize::MAX));
        Ok(())
    }

    /// Does work on the document at a place.
    fn document(
        &self,
        place: &str,
        work: impl FnOnce(&Content<'_>) -> Result<()> + Send,
    ) -> Result<()> {
        let (mut work, mut done) = (Some(work), None);
        self.visit(Some(place), &mut |found, document| {
            if found == place
                && let Some(work) = work.take()
            {
                done = Some(match document {
                    Ok(document) => work(document),
                    Err(problem) => Err(failure(problem)),
                });
            }
        })?;
        done.unwrap_or_else(|| Err(failure(&format!("there is no document at {place}"))))
    }

    /// Shows the documents, or only the one at a place and few others.
    fn visit(&self, only: Option<&str>, visit: &mut Visit<'_>) -> Result<()> {
        if self.format == Format::Message {
            return self.visit_parts(visit);
        }
        let rewriter = &self.rewriter()?;
        let container = self.open(only)?;
        let visit = Mutex::new(visit);
        let work = |document: &ContainerDocument<'_>| {
            let place = place(document.member, document.record);
            if let Ok(mut visit) = visit.lock() {
                visit(&place, document.content.as_ref().map_err(String::as_str));
            }
            Work { output: Vec::new(), result: Ok(Err(String::new())) }
        };
        let reading = Reading { workers: &Workers::new(1), rewriter, work: &work };
        let read = container.read(&reading, &mut |document, _, _| {
            note(document.record);
            ControlFlow::Continue(())
        });
        read.map_err(|error| failure(&error.to_string()))
    }

    fn visit_parts(&self, visit: &mut Visit<'_>) -> Result<()> {
        let message = self.message()?;
        for part in message.parts() {
            // Style sheets stay where links become absolute, as the command leaves them.
            let rewriter = match part.kind() {
                PartKind::Html | PartKind::Xml => part.rewriter(),
                PartKind::Css => part.rewriter().direct(|direction| direction),
                _ => continue,
            };
            let place = part.number().to_string();
            match part.decoded_body() {
                Some(body) => {
                    let source = body.bytes();
                    let document = Content { source, format: Format::Html, rewriter: &rewriter };
                    visit(&place, Ok(&document));
                }
                None => visit(&place, Err("its transfer encoding is damaged")),
            }
        }
        message.failures().iter().for_each(|error| visit("", Err(&error.to_string())));
        Ok(())
    }

    /// Rewrites the whole, and shows the count of changed links or the problem of each document. The
    /// result is the length of the new file where the output may be longer.
    fn outcomes(
        &self,
        record_type: &str,
        output: Option<&mut Cursor<Vec<u8>>>,
        visit: &mut dyn FnMut(String, std::result::Result<usize, String>),
    ) -> Result<Option<usize>> {
        if self.format == Format::Message {
            let message = self.message()?;
            let new = message.rewrite().map_err(|error| Failure::library(&error, None))?;
            for part in new.summary().summaries() {
                visit(part.part.to_string(), Ok(part.summary.counts().rewritten));
            }
            if let Some(output) = output.filter(|_| new.is_changed()) {
                *output.get_mut() = new.into_bytes().into_owned();
            }
            return Ok(None);
        }
        let rewriter = self.rewriter()?;
        let (record_type, date) = record_type.split_once(' ').unwrap_or((record_type, ""));
        let in_place = record_type == RecordType::Response.name();
        let record_type = if in_place { RecordType::Response } else { RecordType::Conversion };
        let rewriting = Rewriting::new(&rewriter).record_type(record_type);
        let rewriting = &rewriting.warcinfo(WarcInfo::new(date));
        let options = WriteOptions { rewriting, workers: &Workers::new(1), index: None };
        let mut report = |found: &DocumentOutcome<'_>| {
            note(found.record);
            let outcome = match &found.outcome {
                Outcome::Rewritten(summary) => Ok(summary.counts().rewritten),
                Outcome::Stale(problem) | Outcome::Failed(problem) => Err(problem.to_string()),
                Outcome::Unchanged(_) | Outcome::Copied => Ok(0),
            };
            visit(place(found.member, found.record), outcome);
            ControlFlow::Continue(())
        };
        let output = output.map(|output| output as &mut dyn Output);
        let totals = self.open(None)?.write(output, options, &mut report as &mut OnDocument<'_>);
        let totals = totals.map_err(|error| failure(&error.to_string()))?;
        Ok(totals.bytes.and_then(|bytes| bytes.try_into().ok()))
    }

    fn message(&self) -> Result<Message<'_>> {
        Message::read(self.file, &self.rewriter).map_err(|error| Failure::library(&error, None))
    }

    fn open(&self, only: Option<&str>) -> Result<Box<dyn Container + '_>> {
        let only = only.and_then(|place| match place.parse() {
            Ok(EntryId::Record(position)) => Some(Only::Record(position)),
            _ => Some(Only::Member(place.to_owned())).filter(|_| self.format == Format::Epub),
        });
        let options = ReadOptions { only, ..ReadOptions::default() };
        let source = Source::Seekable(Box::new(Cursor::new(self.file)));
        self.format.open(source, &options).map_err(|error| failure(&error.to_string()))
    }

    /// The rewriter for the documents: links in books only move, as absolute ones would lead out.
    fn rewriter(&self) -> Result<Rewriter> {
        let rewriter = self.rewriter.clone();
        if self.format != Format::Epub {
            return Ok(rewriter.with_fixed_documents());
        }
        let rewriter = rewriter.direct(|direction| direction).base_url(BOOK);
        rewriter.map_err(|error| Failure::library(&error, None))
    }
}

/// The URL of a document, which is the base URL of one without links; XML has a root.
fn url(rewriter: &Rewriter) -> String {
    let summaries = [&b""[..], b"<x/>"].into_iter().map(|source| rewriter.links(source, |_| ()));
    let base = summaries.flatten().find_map(|summary| Some(summary.base()?.as_str().to_owned()));
    base.unwrap_or_default()
}

/// The place of a document: a member, a record, or both.
fn place(member: Option<&str>, record: Option<EntryId>) -> String {
    let record = record.map(|record| record.to_string());
    [member, record.as_deref()].into_iter().flatten().collect::<Vec<_>>().join("!")
}

fn note(record: Option<EntryId>) {
    if let Some(EntryId::Record(position)) = record {
        progress(usize::try_from(position.offset).unwrap_or_default());
    }
}

fn failure(problem: &str) -> Failure {
    Failure::new(Code::Container, "", problem)
}
