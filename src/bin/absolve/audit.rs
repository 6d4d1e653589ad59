//! `absolve audit`: whether the links of a site tree lead somewhere.

#![allow(dead_code, reason = "the command that writes them comes with its arguments")]

mod baseline;
mod excerpt;
mod format;
mod github;
mod groups;
mod json;
mod junit;
mod markdown;
mod report;
#[cfg(test)]
mod sample;
mod sarif;
mod text;
mod tsv;
