//! The console examples of the README and of docs/: they name options that exist, run as written,
//! and print what the page shows after them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{files, pages, prose_and_code, read, root};

/// A command of a page, and the output that the page shows after it.
struct Example {
    page: PathBuf,
    command: String,
    output: String,
}

/// The commands of a page's console blocks: the lines after `$ `.
fn examples(page: &Path) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut in_console = false;
    for line in read(page).lines() {
        if line.starts_with("```") {
            in_console = line == "```console";
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| in_console) {
            let (page, command) = (page.to_owned(), command.to_owned());
            examples.push(Example { page, command, output: String::new() });
        } else if in_console {
            let example = examples.last_mut().unwrap_or_else(|| panic!("output first: {line}"));
            example.output.push_str(line);
            example.output.push('\n');
        }
    }
    examples
}

/// The options of each subcommand, as its help lists them.
fn options() -> BTreeMap<&'static str, BTreeSet<String>> {
    let subcommands = ["rewrite", "links", "audit", "resolve", "extract", "completions", "man"];
    let options = subcommands.map(|subcommand| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_absolve"));
        let output = command.args([subcommand, "--help"]).output().unwrap();
        let help = String::from_utf8(output.stdout).unwrap();
        let lines = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
        let words = lines.flat_map(|line| line.split([' ', ',', '=', '[']));
        (subcommand, words.filter(|word| word.starts_with('-')).map(String::from).collect())
    });
    options.into()
}

/// The subcommands of a shell command that absolve runs, each with its options.
fn uses(command: &str) -> Vec<(&str, Vec<&str>)> {
    let mut uses: Vec<(&str, Vec<&str>)> = Vec::new();
    for part in command.split(['|', '>', ';']) {
        let mut words = part.split_whitespace();
        // The name alone is that of the package.
        if let (Some("absolve"), Some(subcommand)) = (words.next(), words.next()) {
            let options = words.filter(|word| word.starts_with('-') && *word != "-");
            uses.push((subcommand, options.collect()));
        }
    }
    uses
}

#[test]
fn commands_of_the_pages_name_options_that_exist() {
    let options = options();
    for page in pages() {
        let inline = prose_and_code(&read(&page)).0;
        let inline = inline.split('`').skip(1).step_by(2).map(String::from);
        let commands = examples(&page).into_iter().map(|example| example.command);
        for command in commands.chain(inline) {
            for (subcommand, used) in uses(&command) {
                if subcommand == "COMMAND" {
                    continue;
                }
                let known = options.get(subcommand);
                let known = known.unwrap_or_else(|| panic!("{}: {command}", page.display()));
                for option in used {
                    let option = option.split('=').next().unwrap();
                    assert!(known.contains(option), "{}: {option}: {command}", page.display());
                }
            }
            let option = command.split([' ', '=']).next().unwrap();
            let exists = options.values().any(|known| known.contains(option));
            assert!(!option.starts_with("--") || exists, "{}: {option}", page.display());
        }
    }
}

/// Each page has a folder with a copy of the inputs, and its commands run there in order.
#[test]
fn commands_of_the_pages_print_what_they_show() {
    let programs = Path::new(env!("CARGO_BIN_EXE_absolve")).parent().unwrap().display();
    let path = format!("{programs}:{}", std::env::var("PATH").unwrap());
    for examples in pages().iter().map(|page| examples(page)).filter(|list| !list.is_empty()) {
        let folder = tempfile::tempdir().unwrap();
        for inputs in ["fixtures", "docs/examples"] {
            copy(&root().join(inputs), &folder.path().join(inputs));
        }
        for Example { page, command, output } in examples {
            if command.starts_with("cargo ") {
                continue;
            }
            // By its path: where `PATH` is set, a name makes a copy of this process to start it.
            let mut shell = Command::new("/bin/sh");
            shell.args(["-c", &command]).env_clear().env("PATH", &path);
            let result = shell.current_dir(folder.path()).output().unwrap();
            let (page, errors) = (page.display(), String::from_utf8_lossy(&result.stderr));
            let has_failed = !matches!(result.status.code(), Some(0 | 1));
            assert!(!has_failed && !errors.contains("error:"), "{page}: {command}\n{errors}");
            let printed = String::from_utf8_lossy(&result.stdout);
            assert!(output.is_empty() || printed == output, "{page}: {command}\n{printed}");
        }
    }
}

/// Copies the files of a folder, and of those in it.
fn copy(from: &Path, to: &Path) {
    for extension in ["html", "css", "png", "tsv", "mhtml", "gz"] {
        for file in files(from, extension) {
            let target = to.join(file.strip_prefix(from).unwrap());
            std::fs::create_dir_all(target.parent().unwrap()).unwrap();
            std::fs::copy(&file, target).unwrap();
        }
    }
}
