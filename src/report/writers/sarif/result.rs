//! The results of a SARIF report: one for each finding.

use std::borrow::Cow;

use serde::Serialize;

use super::property::{Text, level_name};
use crate::audit::{Finding, Fix, SourceLine};
use crate::base::BaseSource;
use crate::report::context::Context;
use crate::report::display::printable;
use crate::report::view;

/// A finding.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RunResult<'a> {
    rule_id: &'static str,
    rule_index: usize,
    level: &'static str,
    message: Text<String>,
    locations: [Location; 1],
    /// The place in the page, if the location is that of its source.
    #[serde(skip_serializing_if = "Option::is_none")]
    related_locations: Option<[Location; 1]>,
    partial_fingerprints: Fingerprints<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline_state: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fixes: Option<[SarifFix<'a>; 1]>,
    properties: Properties<'a>,
}

/// A [fix object][spec]; the region has lines and columns for code hosts, and bytes.
///
/// [spec]: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html#_Toc34317881
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifFix<'a> {
    description: Text<String>,
    artifact_changes: [ArtifactChange<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ArtifactChange<'a> {
    artifact_location: Artifact,
    replacements: [SarifReplacement<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifReplacement<'a> {
    deleted_region: Region,
    inserted_content: InsertedContent<'a>,
}

#[derive(Serialize)]
struct InsertedContent<'a> {
    text: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: PhysicalLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    logical_locations: Option<[LogicalLocation; 1]>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: Artifact,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Serialize)]
struct Artifact {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LogicalLocation {
    fully_qualified_name: String,
}

/// The bytes of the reference, and its line and column.
#[derive(Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Region {
    #[serde(skip_serializing_if = "Option::is_none")]
    start_line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_column: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) end_column: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    byte_offset: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    byte_length: Option<usize>,
}

/// GitHub's upload action computes the fingerprint that GitHub reads from the line itself, and
/// warns of any other value under that name.
#[derive(Serialize)]
struct Fingerprints<'a> {
    #[serde(rename = "absolve/finding/v1")]
    finding: &'a str,
}

/// The fields that SARIF has no name for.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Properties<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    element: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    attribute: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reference: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    base: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    base_source: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<Cow<'a, str>>,
}

impl<'a> RunResult<'a> {
    pub(super) fn new(finding: &'a Finding, fingerprint: &'a str, context: &Context<'_>) -> Self {
        let mut text = message(&finding.message);
        if let Some(hint) = &finding.hint {
            text = format!("{text}; {}", message(hint));
        }
        let name = || [LogicalLocation { fully_qualified_name: view::page(finding) }];
        let location = Location {
            physical_location: PhysicalLocation {
                artifact_location: Artifact {
                    uri: view::uri(&context.repository_path(&finding.file)),
                },
                region: Some(region(finding)).filter(|region| *region != Region::default()),
            },
            logical_locations: finding.inside.map(|_| name()),
        };
        // A fix goes into the source; the page is built from it.
        let (location, related) = match &finding.source {
            Some(source) => (source_location(source), Some([location])),
            None => (location, None),
        };
        Self {
            rule_id: finding.rule.id(),
            rule_index: finding.rule as usize,
            level: level_name(finding.level),
            message: Text { text },
            locations: [location],
            related_locations: related,
            partial_fingerprints: Fingerprints { finding: fingerprint },
            // A report leaves out the findings that the baseline has.
            baseline_state: context.diff.map(|_| "new"),
            fixes: finding.fix.as_ref().map(|fix| [sarif_fix(finding, fix, context)]),
            properties: properties(finding),
        }
    }
}

fn source_location(source: &SourceLine) -> Location {
    let region = Region { start_line: Some(source.line), ..Region::default() };
    Location {
        physical_location: PhysicalLocation {
            artifact_location: Artifact { uri: view::uri(&source.file) },
            region: Some(region),
        },
        logical_locations: None,
    }
}

fn sarif_fix<'a>(finding: &Finding, fix: &'a Fix, context: &Context<'_>) -> SarifFix<'a> {
    let deleted_region = Region {
        start_line: Some(fix.start.0),
        start_column: Some(fix.start.1),
        end_line: Some(fix.end.0),
        end_column: Some(fix.end.1),
        byte_offset: Some(fix.span.start),
        byte_length: Some(fix.span.len()),
    };
    let inserted_content = InsertedContent { text: &fix.replacement };
    let change = ArtifactChange {
        artifact_location: Artifact { uri: view::uri(&context.repository_path(&finding.file)) },
        replacements: [SarifReplacement { deleted_region, inserted_content }],
    };
    let text = format!("Write '{}' ({})", message(&fix.reference), fix.safety.name());
    SarifFix { description: Text { text }, artifact_changes: [change] }
}

pub(super) fn region(finding: &Finding) -> Region {
    let mut region = Region::default();
    if !view::is_in_file(finding) {
        return region;
    }
    if let Some(line) = finding.line {
        (region.start_line, region.start_column) = (Some(line), finding.column);
        if let Some((column, width)) = finding.column.zip(written_width(finding)) {
            (region.end_line, region.end_column) = (Some(line), Some(column + width));
        }
    }
    if let Some(span) = &finding.span {
        (region.byte_offset, region.byte_length) = (Some(span.start), Some(span.len()));
    }
    region
}

/// The characters that the reference has in the source; known if it has the same bytes there, in
/// one line.
fn written_width(finding: &Finding) -> Option<u64> {
    let reference = finding.reference.as_deref()?;
    let is_as_written = finding.span.as_ref()?.len() == reference.len();
    let is_line = !reference.contains(['\n', '\r']);
    (is_as_written && is_line).then(|| reference.chars().count() as u64)
}

fn properties(finding: &Finding) -> Properties<'_> {
    let in_document = |number: Option<u64>| number.filter(|_| !view::is_in_file(finding));
    Properties {
        page: finding.page.as_deref(),
        line: in_document(finding.line),
        column: in_document(finding.column),
        element: finding.element.as_deref(),
        attribute: finding.attribute.as_deref(),
        reference: finding.reference.as_deref(),
        url: finding.url.as_deref(),
        base: finding.base.as_deref(),
        base_source: finding.base_source.map(BaseSource::name),
        target: finding.target.as_ref().map(|path| path.to_string_lossy()),
    }
}

/// Text of a message, in which braces are [placeholders][braces] and `[text](url)` is a
/// [link][links].
///
/// [braces]: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html#_Toc34317459
/// [links]: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html#_Toc34317460
fn message(text: &str) -> String {
    // NOTE: SARIF escapes with backslashes, but readers take `\[x\](y)` for a link.
    printable(text).replace('{', "{{").replace('}', "}}").replace("](", "] (")
}
