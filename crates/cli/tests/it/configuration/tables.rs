//! The tables `[audit]` and `[rewrite]`: where they are found, and what they say to do.

use crate::trees::site::{PAGE, Site, done};

const BOTH: &str = "\
[audit]
path = 'site'
fail-on = 'never'

[rewrite]
path = ['site', 'more']
base-url = 'http://h/'
root-dir = '.'
";

fn laid_out(config: &str) -> Site {
    let site =
        Site::new(&[("work/site/a.html", PAGE), ("work/more/b.html", PAGE), ("work/deep/er/", "")]);
    site.write("work/absolve.toml", config);
    site
}

/// Runs the command in a folder.
#[track_caller]
fn run(site: &Site, folder: &str, args: &str) -> (Option<i32>, String, String) {
    let mut command = site.command();
    command.env_remove("GITHUB_ACTIONS").current_dir(site.path(folder));
    let output = command.args(args.split_whitespace()).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn both_commands_run_without_a_path() {
    for config in [BOTH.to_owned(), BOTH.replace('\n', "\r\n")] {
        let site = laid_out(&config);
        let (code, stdout, stderr) = run(&site, "work", "audit");
        assert_eq!(code, Some(0), "{stderr}");
        assert!(stdout.contains("In site/a.html"), "{stdout}");
        let (code, _, stderr) = run(&site, "work", "rewrite -o out");
        assert_eq!(code, Some(0), "{stderr}");
        site.has("work/out/site/a.html", &done("site/"));
        site.has("work/out/more/b.html", &done("more/"));
        // A second run does not write over the first.
        let (code, _, stderr) = run(&site, "work", "rewrite -o out");
        assert!(code == Some(2) && stderr.contains("out"), "{stderr}");
    }
}

#[test]
fn it_is_found_from_below_and_its_paths_count_from_its_folder() {
    let site = laid_out(BOTH);
    for args in ["audit", "audit -v"] {
        let (code, stdout, stderr) = run(&site, "work/deep/er", args);
        assert_eq!(code, Some(0), "{stderr}");
        assert!(stdout.contains("In ../../site/a.html"), "{stdout}");
        assert_eq!(stderr.matches("settings from ../../absolve.toml").count(), 1, "{stderr}");
    }
    for (folder, args) in [
        ("work/deep/er", "audit -q"),
        ("work/deep/er", "audit --config ../../absolve.toml"),
        ("work", "audit"),
    ] {
        let (code, _, stderr) = run(&site, folder, args);
        assert!(code == Some(0) && !stderr.contains("settings from"), "{stderr}");
    }
    // Not from within what is worked on.
    let (_, _, stderr) = run(&site, "work", "audit . -v");
    assert!(!stderr.contains("settings from"), "{stderr}");
    let (_, _, stderr) = run(&site, "work", "rewrite . -n -v");
    assert!(!stderr.contains("settings from"), "{stderr}");
}

#[test]
fn the_search_ends_at_the_folder_of_a_repository() {
    let site = laid_out(BOTH);
    site.write("work/deep/.git", "gitdir: elsewhere\n");
    let (code, _, stderr) = run(&site, "work/deep/er", "audit");
    assert!(code == Some(2) && stderr.contains("no folder is given"), "{stderr}");
    site.write("work/deep/absolve.toml", "[audit]\npath = 'er'\nallow-empty = true\n");
    let (code, _, stderr) = run(&site, "work/deep/er", "audit");
    assert!(code == Some(0) && stderr.contains("settings from ../absolve.toml"), "{stderr}");
}

#[test]
fn the_command_line_overrides_it() {
    let site = laid_out(BOTH);
    let (code, _, stderr) = run(&site, "work", "audit --fail-on error");
    assert_eq!(code, Some(1), "{stderr}");
    let (code, _, stderr) = run(&site, "work", "rewrite more -b http://i/ -w");
    assert_eq!(code, Some(0), "{stderr}");
    site.has("work/more/b.html", "<a href=http://i/more/x>1</a>\n");
    site.has("work/site/a.html", PAGE);
    let (code, _, stderr) = run(&site, "work", "rewrite --check");
    assert!(code == Some(1) && stderr.contains("would rewrite 1 file"), "{stderr}");
    let (code, _, stderr) = run(&site, "work", "audit --no-config");
    assert!(code == Some(2) && stderr.contains("no folder is given"), "{stderr}");
}

#[test]
fn what_is_printed_is_read_back() {
    let site = laid_out(BOTH);
    for command in ["audit", "rewrite"] {
        let (code, printed, stderr) = run(&site, "work", &format!("{command} --print-config"));
        assert_eq!(code, Some(0), "{stderr}");
        assert!(printed.contains(&format!("\n[{command}]\npath = ")), "{printed}");
        site.write("work/again.toml", &printed);
        let again = format!("{command} --print-config --config again.toml");
        let (_, read, stderr) = run(&site, "work", &again);
        let settings = |text: &str| text.split_once('\n').unwrap().1.to_owned();
        assert_eq!(settings(&read), settings(&printed), "{stderr}");
    }
}

#[test]
fn a_password_that_is_masked_is_not_read_back() {
    let site = laid_out("");
    for (command, option) in [
        ("audit", "--base-url http://user:secret@h/"),
        ("rewrite", "--base-url http://user:secret@h/"),
        ("audit", "--ignore-link http://user:secret@h/*"),
    ] {
        let args = format!("{command} --print-config {option}");
        let (code, printed, stderr) = run(&site, "work", &args);
        assert_eq!(code, Some(0), "{stderr}");
        assert!(!printed.contains("secret"), "{printed}");
        let key = option.split(' ').next().unwrap().trim_start_matches("--");
        let comment = format!("\n# {key} = ");
        assert_eq!(printed.matches(&comment).count(), 1, "{printed}");
        assert!(printed.contains(&format!("hides user and password, give --{key}\n")), "{printed}");
        site.write("work/again.toml", &printed);
        let again = format!("{command} --print-config --config again.toml");
        let (code, read, stderr) = run(&site, "work", &again);
        assert!(code == Some(0) && !read.contains("***"), "{read}\n{stderr}");
    }
}

#[test]
fn keys_of_no_table_name_the_table_to_move_them_to() {
    let site = laid_out("base-url = 'http://h/'\nfail-on = 'never'\n");
    for args in ["audit site", "rewrite site -n"] {
        let (code, _, stderr) = run(&site, "work", args);
        assert_eq!(code, Some(2), "{args}");
        let expected = "absolve: absolve.toml:1:1: 'base-url' is not in a table; move it below [audit] or [rewrite]\n";
        assert_eq!(stderr, expected, "{args}");
    }
    // Other commands have no table, and read none.
    let (code, _, stderr) = run(&site, "work", "links site");
    assert_eq!(code, Some(0), "{stderr}");
}

#[test]
fn a_typed_form_of_links_overrides_keys_of_another_form() {
    let config = "[rewrite]\npath = 'site'\nbase-url = 'http://h/'\nto = 'offline'\n\
        server = 'plain'\n";
    let site = Site::new(&[("site/a.html", "<a href=http://h/d/>1</a><a href=//i/x>2</a>\n")]);
    site.write("site/d/index.html", "");
    site.write("absolve.toml", config);
    for (args, expected) in [
        ("rewrite -o a", "<a href=d/index.html>1</a><a href=http://i/x>2</a>\n"),
        ("rewrite -o b --to absolute", "<a href=http://h/d/>1</a><a href=http://i/x>2</a>\n"),
        ("rewrite -o c --to root-relative", "<a href=/d/>1</a><a href=http://i/x>2</a>\n"),
        ("rewrite -o d --to relative", "<a href=d/>1</a><a href=http://i/x>2</a>\n"),
    ] {
        let (code, _, stderr) = run(&site, ".", args);
        assert_eq!(code, Some(0), "{args}: {stderr}");
        site.has(&format!("{}/a.html", &args[11..12]), expected);
    }
    // Typed together, they are a mistake.
    let (code, _, stderr) = run(&site, ".", "rewrite -o e --to absolute --server plain");
    assert!(code == Some(2) && stderr.contains("--server needs --to relative"), "{stderr}");
}

#[test]
fn style_sheets_are_the_documents_of_a_folder_of_css() {
    let css = "a { b: url(x.png) }\n";
    let site = Site::new(&[("site/a.html", PAGE), ("site/d/a.css", css)]);
    let (code, _, stderr) =
        run(&site, ".", "rewrite --as css -b http://h/ -o out site --copy-assets");
    assert_eq!(code, Some(0), "{stderr}");
    site.has("out/a.html", PAGE);
    site.has("out/d/a.css", "a { b: url(http://h/d/x.png) }\n");
    let (code, stdout, _) = run(&site, ".", "links --as css -b http://h/ site --format tsv");
    assert_eq!(code, Some(0));
    assert!(stdout.contains("http://h/d/x.png") && !stdout.contains("a.html"), "{stdout}");
}
