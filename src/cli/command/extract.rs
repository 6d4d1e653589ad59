//! `absolve extract`: one document of a message or a web archive, or the files of a crawl.

pub mod crawl;
mod document;

use crate::cli::args::ExtractArgs;
use crate::cli::session::failure::Failure;
use crate::cli::session::output::Output;
use crate::cli::session::status::Status;

pub fn run(args: &ExtractArgs, output: Output) -> Result<Status, Failure> {
    if let [path] = &args.paths[..]
        && let Some(result) = document::run(args, path)
    {
        return result;
    }
    crawl::run(args, output)
}
