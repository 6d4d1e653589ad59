//! `absolve.toml`: the options of `absolve audit` and `absolve rewrite`, kept in a file.
//!
//! Without `--config`, the current folder and those above it are searched, but never a folder
//! that the command works on, whose files may be anybody's. Each command has a table, whose
//! keys are its long options, and `path` for its PATH. The keys become arguments, which the
//! parser of the typed ones reads, so that a key takes what its option takes. A typed option
//! overrides the key of the same name; a list replaces a list.
//!
//! A configuration that was found may be a stranger's: [`OwnFolder`] says what it may do.

mod configured;
mod confinement;
mod file_names;
mod keys;
mod own_folder;
mod print;
mod search;
mod settings;
mod toml;

pub(crate) use confinement::Confinement;
pub(crate) use file_names::is_document_name;
pub(crate) use own_folder::OwnFolder;
pub(crate) use settings::Settings;
pub(crate) use toml::NO_PATHS;
