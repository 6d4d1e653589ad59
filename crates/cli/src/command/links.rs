//! `absolve links`: every link of documents, for people or for programs.

mod console;
mod external;
mod listing;
mod record;

use absolve_files::Monitor;
use console::Console;
use listing::Listing;

use crate::args::LinksArgs;
use crate::run::links::LinksJob;
use crate::session::failure::Failure;
use crate::session::output::Output;
use crate::session::signals::{SecondSignal, Signals};
use crate::session::status::Status;

pub fn run(args: LinksArgs, output: Output) -> Result<Status, Failure> {
    args.document.options.check().map_err(Failure::message)?;
    let listing = Listing::new(args, output.messages)?;
    let job = LinksJob::new(&listing.args, listing.globs())?;
    let signals = job.is_monitored().then(|| Signals::watch(SecondSignal::Ends));
    let monitor = signals.as_ref().map_or(&() as &dyn Monitor, |signals| signals);
    let mut console = Console::new(&listing.args, output.messages);
    job.run(&listing, monitor, &mut console)?;
    let status = console.finish(signals.and_then(|signals| signals.received()));
    listing.report(output.messages);
    Ok(status)
}
