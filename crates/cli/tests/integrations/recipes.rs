//! The recipes of `docs/ci.md`.

use std::fs;
use std::path::Path;
use std::process::Command;

use libtest_mimic::Trial;

use super::project_path;
use super::trial::{no_program, run, trial};

/// The recipes in YAML: what each begins with, and its schema.
const RECIPES: &[(&str, &[&str])] = &[
    ("name: links\n", &["--builtin-schema", "vendor.github-workflows"]),
    ("name: external links\n", &["--builtin-schema", "vendor.github-workflows"]),
    ("links:\n", &["--builtin-schema", "vendor.gitlab-ci", "--data-transform", "gitlab-ci"]),
];

pub(crate) fn trials() -> Vec<Trial> {
    let schema = [no_program("check-jsonschema")];
    let config = [no_program("pre-commit")];
    vec![
        trial("recipes follow their schemas", &schema, are_valid),
        trial("the configuration of pre-commit", &config, configures_pre_commit),
        trial("recipes run commands that exist", &[], have_options),
    ]
}

/// The code blocks in a language.
fn blocks(language: &str) -> Vec<String> {
    let text = fs::read_to_string(project_path("docs/ci.md")).unwrap();
    let fence = format!("```{language}\n");
    let blocks = text.split(&fence).skip(1).map(|rest| rest.split("```").next().unwrap());
    blocks.map(str::to_owned).collect()
}

fn are_valid(folder: &Path) {
    for (start, schema) in RECIPES {
        let recipe = blocks("yaml").into_iter().find(|block| block.starts_with(start)).unwrap();
        fs::write(folder.join("recipe.yml"), recipe).unwrap();
        run(folder, "check-jsonschema", &[schema, &["recipe.yml"][..]].concat());
    }
}

fn configures_pre_commit(folder: &Path) {
    let recipe = blocks("yaml").into_iter().find(|block| block.starts_with("repos:\n")).unwrap();
    fs::write(folder.join("config.yaml"), recipe).unwrap();
    run(folder, "pre-commit", &["validate-config", "config.yaml"]);
}

/// The settings of each audit are printed, which takes options that exist.
fn have_options(folder: &Path) {
    let code = blocks("yaml").concat();
    let mut commands = code.lines().filter_map(|line| line.split_once("absolve audit "));
    let count = commands.by_ref().map(|(_, args)| has_options(folder, args)).count();
    assert_eq!(count, 2);
}

fn has_options(folder: &Path, args: &str) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_absolve"));
    command.args(["audit", "--print-config", "--no-config"]).current_dir(folder);
    let output = command.args(args.split(' ')).output().unwrap();
    assert!(output.status.success(), "{args}: {}", String::from_utf8_lossy(&output.stderr));
}
