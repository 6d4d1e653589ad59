//! The functions that read their keyword arguments as the command does, and the options that each
//! leaves out.

use crate::arguments::Function;

/// Options that are parameters, or about the terminal.
#[rustfmt::skip]
const NOT_OPTIONS: &[&str] = &[
    "base-url", "output", "write", "check", "diff", "list-different", "stats", "strict", "config",
    "no-config", "print-config", "files-from",
];

/// Options of folders alone.
const FOLDER_OPTIONS: &[&str] = &["copy-assets", "force", "include", "exclude", "allow-empty"];

/// The options about the records of a web archive.
const ARCHIVE_OPTIONS: &[&str] = &["record-type", "cdxj", "status", "mime", "url"];

pub(crate) const TREE: Function = Function {
    name: "rewrite_tree",
    command: "rewrite",
    parameters: &["destination", "base_url", "in_place", "progress"],
    without: &[NOT_OPTIONS, ARCHIVE_OPTIONS],
};

pub(crate) const FILE: Function = Function {
    name: "rewrite_file",
    command: "rewrite",
    parameters: &["destination", "base_url", "in_place"],
    without: &[NOT_OPTIONS, FOLDER_OPTIONS, ARCHIVE_OPTIONS, &["jobs"]],
};

pub(crate) const WARC: Function = Function {
    name: "rewrite_warc",
    command: "rewrite",
    parameters: &["base_url", "progress"],
    without: &[
        NOT_OPTIONS,
        FOLDER_OPTIONS,
        &["backup", "break-hardlinks", "sync", "as", "root-dir"],
        &["follow-symlinks", "layout", "base-map", "raw-base"],
        &["to", "server"],
    ],
};

pub(crate) const EPUB: Function = Function {
    name: "rewrite_epub",
    parameters: &["base_url", "progress"],
    without: &[
        NOT_OPTIONS,
        FOLDER_OPTIONS,
        ARCHIVE_OPTIONS,
        &["backup", "break-hardlinks", "sync", "as", "root-dir", "jobs"],
        &["follow-symlinks", "layout", "base-map", "raw-base"],
        &["max-parts", "max-part-depth", "max-header", "max-record-header", "max-record"],
        &["max-ratio"],
        &["to", "server"],
    ],
    ..WARC
};

pub(crate) const AUDIT: Function = Function {
    name: "audit",
    command: "audit",
    parameters: &["base_url", "progress"],
    without: &[
        &["base-url", "explain", "format", "write-baseline", "history", "source-url"],
        &["revision", "fix", "diff", "unsafe-fixes", "backup"],
        &["config", "no-config", "print-config"],
    ],
};

pub(crate) const EXTRACT: Function = Function {
    name: "extract",
    command: "extract",
    parameters: &["destination", "progress"],
    without: &[&["output"]],
};

pub(crate) const READER: Function = Function {
    name: "WarcReader",
    command: "links",
    parameters: &["source", "base_url"],
    without: &[
        &["base-url", "layout", "base-map", "raw-base", "root-dir", "as"],
        &["files-from", "include", "exclude", "follow-symlinks", "allow-empty"],
        &["jobs", "format", "unique", "external", "config"],
    ],
};
