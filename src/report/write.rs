//! Chooses the writer of a format.

use std::io::{self, Write};

use super::context::Context;
use super::format::Format;
use super::writers::{concise, github, gitlab, html, json, junit, markdown, sarif, text};
use crate::audit::Finding;

/// Writes findings as a report.
///
/// The findings must be in the order of [`Finding::order`].
///
/// # Errors
///
/// If writing to `out` fails.
pub fn write(
    format: Format,
    findings: &[Finding],
    context: &Context<'_>,
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        Format::Text => text::write(findings, context, out),
        Format::Concise => concise::write(findings, out),
        Format::Jsonl => json::write_lines(findings, out),
        Format::Json => json::write(findings, context, out),
        Format::Sarif => sarif::write(findings, context, out),
        Format::Junit => junit::write(findings, context, out),
        Format::Github => github::write(findings, context, out),
        Format::Gitlab => gitlab::write(findings, context, out),
        Format::Markdown => markdown::write(findings, context, out),
        Format::Html => html::write(findings, context, out),
    }
}
