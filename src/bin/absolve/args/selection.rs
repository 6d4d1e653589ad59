//! Which attributes count as links, as it is typed.

use absolve::attributes::{Extra, TABLE};
use absolve::{ConditionalComments, Rewriter};
use clap::error::ErrorKind;
use clap::{ArgMatches, Args, Command, FromArgMatches};

use crate::output::nearest;

/// The options, once every attribute of `--only` is known to exist.
#[derive(Debug)]
pub(super) struct SelectionArgs {
    options: SelectionOptions,
}

/// Which attributes count.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Links")]
struct SelectionOptions {
    /// Count only these attributes as links, such as href,src; (text) is the text of style elements
    #[arg(long, value_name = "ATTRIBUTE,...", value_delimiter = ',')]
    only: Vec<String>,
    /// Also count this attribute, such as 'img:data-zoom=url'; * is any element
    #[arg(long, value_name = "ELEMENT:ATTRIBUTE=GRAMMAR")]
    attr: Vec<Extra>,
    /// Also count URLs in meta elements: Open Graph, Twitter cards and similar
    #[arg(long)]
    meta: bool,
    /// Also count the data- attributes that scripts load images from
    #[arg(long)]
    lazy: bool,
    /// Also count links in conditional comments
    #[arg(long)]
    conditional_comments: bool,
}

impl SelectionArgs {
    pub(super) fn apply(&self, mut rewriter: Rewriter) -> Rewriter {
        let options = &self.options;
        for attribute in &options.only {
            rewriter = rewriter.only(attribute);
        }
        for extra in &options.attr {
            rewriter = rewriter.attribute(extra.clone());
        }
        if options.meta {
            rewriter = rewriter.meta();
        }
        if options.lazy {
            rewriter = rewriter.lazy();
        }
        if options.conditional_comments {
            rewriter = rewriter.conditional_comments(ConditionalComments::Open);
        }
        rewriter
    }
}

impl SelectionOptions {
    /// Refuses an attribute that no row of the table and no `--attr` has: it would select
    /// nothing, in silence.
    fn check(&self) -> Result<(), clap::Error> {
        let rows = TABLE.iter().filter(|row| row.grammar.is_some());
        let names = || {
            rows.clone()
                .flat_map(|row| row.attributes)
                .copied()
                .chain(self.attr.iter().map(Extra::name))
        };
        let unknown = |only: &&String| !names().any(|name| name.eq_ignore_ascii_case(only));
        let Some(only) = self.only.iter().find(unknown) else { return Ok(()) };
        let near = match nearest(&only.to_ascii_lowercase(), names()) {
            Some(near) => format!("did you mean {near}?"),
            None => "such as href or src;".to_owned(),
        };
        let what = format!(
            "--only '{}': no such attribute, {near} --attr adds those that are not built in\n",
            only.escape_debug()
        );
        Err(clap::Error::raw(ErrorKind::ValueValidation, what))
    }
}

impl Args for SelectionArgs {
    fn augment_args(command: Command) -> Command {
        SelectionOptions::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        SelectionOptions::augment_args_for_update(command)
    }
}

impl FromArgMatches for SelectionArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let options = SelectionOptions::from_arg_matches(matches)?;
        options.check()?;
        Ok(Self { options })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(typed: &[&str]) -> Result<(), String> {
        let command = SelectionArgs::augment_args(Command::new("rewrite").no_binary_name(true));
        let matches = command.try_get_matches_from(typed).unwrap();
        let args = SelectionArgs::from_arg_matches(&matches);
        args.map(|_| ()).map_err(|error| error.to_string().lines().next().unwrap().to_owned())
    }

    #[test]
    fn an_attribute_that_no_row_has_is_refused() {
        assert_eq!(check(&["--only", "href,SRC,(text),srcset"]), Ok(()));
        assert_eq!(check(&["--only", "data-zoom", "--attr", "img:Data-Zoom=url"]), Ok(()));
        assert_eq!(
            check(&["--only", "href,hrf"]).unwrap_err(),
            "error: --only 'hrf': no such attribute, did you mean href? --attr adds those that \
             are not built in"
        );
        assert_eq!(
            check(&["--only", "xyzzy"]).unwrap_err(),
            "error: --only 'xyzzy': no such attribute, such as href or src; --attr adds those \
             that are not built in"
        );
    }
}
