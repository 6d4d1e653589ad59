//! Which attributes count as links, as it is typed.

use std::fmt;

use crate::Rewriter;
use crate::attributes::{DefaultState, Extra, InvalidExtra, Row, TABLE};
use crate::grammar::Grammar;
use crate::url::masked;

use crate::cli::args::nearest::nearest;

/// Which attributes count.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Links")]
pub struct SelectionArgs {
    /// Count only these attributes as links, such as href,src
    ///
    /// (text) is the text of style elements, of style sheets, and of elements of XML such as loc.
    #[arg(long, value_name = "ATTRIBUTE,...", value_delimiter = ',')]
    only: Vec<String>,
    /// Also count this attribute, such as 'img:data-zoom=url'; * is any element
    #[arg(long, value_name = "ELEMENT:ATTRIBUTE=GRAMMAR", value_parser = extra)]
    attr: Vec<Extra>,
    /// Also count URLs in meta elements: Open Graph, Twitter cards and similar
    #[arg(long)]
    meta: bool,
    /// Also count the data- attributes that scripts load images from
    #[arg(long)]
    lazy: bool,
}

impl SelectionArgs {
    pub(super) fn apply(&self, mut rewriter: Rewriter) -> Rewriter {
        for attribute in &self.only {
            rewriter = rewriter.only(attribute);
        }
        for extra in &self.attr {
            rewriter = rewriter.attribute(extra.clone());
        }
        if self.meta {
            rewriter = rewriter.meta();
        }
        if self.lazy {
            rewriter = rewriter.lazy();
        }
        rewriter
    }

    /// Refuses an attribute of `--only` that no option makes count: it would select nothing, in
    /// silence.
    pub fn check(&self) -> Result<(), UnusedAttribute<'_>> {
        let rewriter = self.apply(Rewriter::new());
        let Some((unused, row)) = rewriter.unused_only() else { return Ok(()) };
        let name = self.only.iter().find(|name| name.eq_ignore_ascii_case(unused));
        let name = name.map_or("", String::as_str);
        let why = match row {
            Some(row) => format!("counts only with {0}; add {0}", option(row, name)),
            None => self.unknown(name),
        };
        Err(UnusedAttribute { name, why })
    }

    /// Why a name is refused that no row of the table has.
    fn unknown(&self, name: &str) -> String {
        let rows = TABLE.iter().filter(|row| row.grammar.is_some());
        let names = rows.flat_map(|row| row.attributes).copied();
        let names = names.chain(self.attr.iter().map(Extra::name));
        let near = match nearest(&name.to_ascii_lowercase(), names) {
            Some(near) => format!(", did you mean {near}?"),
            None => " (href, src, ...);".to_owned(),
        };
        format!("not an attribute with links{near} --attr adds those that are not built in")
    }
}

/// Parses an attribute of `--attr`, and proposes the grammar that may have been meant.
fn extra(text: &str) -> Result<Extra, String> {
    text.parse().map_err(|error: InvalidExtra| {
        let name = text.rsplit_once('=').map_or("", |(_, name)| name);
        let names = Grammar::ALL.iter().map(|grammar| grammar.name());
        match (error, nearest(name, names)) {
            (InvalidExtra::Grammar(_), Some(near)) => {
                format!("no such grammar, did you mean {near}?")
            }
            (error, _) => error.to_string(),
        }
    })
}

/// The option by which the attributes of a row count.
fn option(row: &Row, name: &str) -> String {
    match (row.counts, row.grammar) {
        (DefaultState::WithLazy, _) => "--lazy".to_owned(),
        (DefaultState::WithMeta, _) => "--meta".to_owned(),
        (_, grammar) => {
            let grammar = grammar.map_or("url", Grammar::name);
            format!("--attr '*:{}={grammar}'", name.escape_debug())
        }
    }
}

/// An attribute of `--only` that does not count, and why.
#[derive(Debug)]
pub struct UnusedAttribute<'a> {
    pub name: &'a str,
    pub why: String,
}

impl fmt::Display for UnusedAttribute<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "--only '{}': {}", masked(self.name).escape_debug(), self.why)
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args, Command, FromArgMatches};

    use super::*;

    fn check(typed: &[&str]) -> Result<(), String> {
        let command = SelectionArgs::augment_args(Command::new("rewrite").no_binary_name(true));
        let matches = command.try_get_matches_from(typed).unwrap();
        let args = SelectionArgs::from_arg_matches(&matches).unwrap();
        args.check().map_err(|unused| unused.to_string())
    }

    #[track_caller]
    fn refused(typed: &[&str], why: &str) {
        assert_eq!(check(typed).unwrap_err(), why);
    }

    #[test]
    fn an_attribute_that_no_row_has_is_refused() {
        assert_eq!(check(&["--only", "href,SRC,(text),srcset"]), Ok(()));
        assert_eq!(check(&["--only", "data-zoom", "--attr", "img:Data-Zoom=url"]), Ok(()));
        refused(
            &["--only", "href,hrf"],
            "--only 'hrf': not an attribute with links, did you mean href? --attr adds those \
             that are not built in",
        );
        refused(
            &["--only", "href,scr"],
            "--only 'scr': not an attribute with links, did you mean src? --attr adds those \
             that are not built in",
        );
        refused(
            &["--only", "xyzzy"],
            "--only 'xyzzy': not an attribute with links (href, src, ...); --attr adds those \
             that are not built in",
        );
    }

    #[test]
    fn an_attribute_that_does_not_count_is_refused() {
        let lazy = "--only 'Data-Src': counts only with --lazy; add --lazy";
        refused(&["--only", "href,Data-Src"], lazy);
        refused(&["--only", "Data-Src", "--meta"], lazy);
        assert_eq!(check(&["--only", "Data-Src", "--lazy"]), Ok(()));
        assert_eq!(check(&["--only", "data-src", "--attr", "img:data-src=url"]), Ok(()));
        // The one of a refresh counts without --meta.
        assert_eq!(check(&["--only", "content"]), Ok(()));
        for row in TABLE.iter().filter(|row| row.counts == DefaultState::WithAttr) {
            for name in row.attributes {
                let mut others = TABLE.iter().filter(|row| row.counts == DefaultState::Always);
                if !others.any(|other| other.attributes.contains(name)) {
                    let option = format!("--attr '*:{name}=url'");
                    let why = format!("--only '{name}': counts only with {option}; add {option}");
                    refused(&["--only", name], &why);
                }
            }
        }
    }
}
