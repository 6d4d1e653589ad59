//! `absolve links`: every link of documents, for people or for programs.

mod console;
mod external;
mod listing;
mod record;

use crate::batch::Monitor;
use crate::cli::args::LinksArgs;
use crate::cli::run::links::LinksJob;
use crate::cli::session::failure::Failure;
use crate::cli::session::output::Output;
use crate::cli::session::signals::{SecondSignal, Signals};
use crate::cli::session::status::Status;
use console::Console;
use listing::Listing;

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
