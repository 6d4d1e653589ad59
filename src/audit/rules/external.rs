//! Rules about the answers of other servers, as a link checker got them.

use crate::audit::rules::{Grouping, Level, Row, Rule};

pub(crate) const ROWS: &[Row] = &[
    Row {
        rule: Rule::BrokenExternal,
        level: Level::Error,
        grouping: Grouping::Target,
        group: None,
        summary: "a link checker found that an external URL does not work",
        reason: "The server answers with an error, or not at all. absolve fetches nothing: \
                 --external-status names the file with the answers.",
        example: "<a href=\"https://example.org/gone\">, where example.org answers 404",
        fix: "Correct the URL, remove the link, or ignore it if the server only refuses the link \
              checker.",
    },
    Row {
        rule: Rule::MovedExternal,
        level: Level::Note,
        grouping: Grouping::Target,
        group: None,
        summary: "a link checker found that an external URL moved permanently",
        reason: "The link works, but costs an additional request, and only as long as the old \
                 server redirects.",
        example: "<a href=\"http://example.org/\">, which answers 301 with https://example.org/",
        fix: "Link to the target of the redirect; --fix --unsafe-fixes writes it.",
    },
    Row {
        rule: Rule::UncheckedExternal,
        level: Level::Off,
        grouping: Grouping::Target,
        group: None,
        summary: "the file of --external-status does not have an external URL",
        reason: "Nobody knows whether the link works: it is new, or the link checker left it out.",
        example: "<a href=\"https://example.org/new\">, written after the last check",
        fix: "Check the links again: absolve links --external --unique --format url lists them.",
    },
];
