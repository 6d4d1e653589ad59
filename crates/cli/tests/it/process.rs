//! The command where data files cannot say it: pipes, devices, and what is on the
//! disk afterwards.

use std::fs::{self, File, Permissions};
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A page larger than any pipe's buffer.
fn large_page() -> String {
    "<a href=x>link</a>".repeat(5_000)
}

fn absolve(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_absolve"));
    command.args(args).current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    command
}

/// The command as it ran with `stdin` piped in.
#[track_caller]
fn run(mut command: Command, stdin: &str) -> Output {
    let command = command.stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A command that fails before it has read everything closes the pipe.
    let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    child.wait_with_output().unwrap()
}

#[track_caller]
fn ends(output: &Output, code: i32, message: &str) {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), &*stderr), (Some(code), message));
}

/// A folder with a document in it, and what a run leaves there.
struct Site {
    folder: TempDir,
}

impl Site {
    fn new() -> Self {
        let site = Self { folder: tempfile::tempdir().unwrap() };
        fs::write(site.path("in.html"), "<p><a href=x>1</a>").unwrap();
        site
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Rewrites `in.html` with `-o`.
    #[track_caller]
    fn rewrites_into(&self, output: &Path) -> Output {
        let mut command = absolve(&["rewrite", "-b", "http://h/a/b"]);
        command.arg(self.path("in.html")).arg("--force").arg("-o").arg(output);
        run(command, "")
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[track_caller]
    fn holds_the_result(&self, name: &str) {
        let text = fs::read_to_string(self.path(name)).unwrap();
        let expected = "<p><a href=http://h/a/x>1</a>";
        assert_eq!(text, expected);
    }
}

#[test]
fn a_closed_pipe_is_quiet() {
    for command in ["rewrite", "links"] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = absolve(&[command, "-b", "http://h/"]);
        command.stdout(writer);
        ends(&run(command, &large_page()), 0, "");
    }
}

#[test]
fn a_pipe_that_closes_while_it_runs_is_quiet() {
    let mut command = absolve(&["resolve", "http://h/"]);
    let (reader, writer) = std::io::pipe().unwrap();
    let child = command.stdin(Stdio::piped()).stdout(writer).stderr(Stdio::piped());
    let mut child = child.spawn().unwrap();
    drop((command, reader));
    let mut stdin = child.stdin.take().unwrap();
    // Its end is seen by a write at some time, and never fails the test.
    let _ = stdin.write_all("reference\n".repeat(100_000).as_bytes());
    drop(stdin);
    ends(&child.wait_with_output().unwrap(), 0, "");
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_device_is_an_error() {
    let full = || File::options().write(true).open("/dev/full").unwrap();
    let message = "absolve: stdout: cannot write: no space left on device\n";
    for args in [
        &["rewrite", "-b", "http://h/"][..],
        &["links", "-b", "http://h/"],
        &["links", "-b", "http://h/", "--format", "tsv"],
        &["resolve", "http://h/"],
        &["resolve", "http://h/", "--compare"],
        &["completions", "bash"],
        &["man"],
    ] {
        let mut command = absolve(args);
        command.stdout(full());
        ends(&run(command, "<a href=x>\n"), 2, message);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn messages_that_cannot_be_written_are_lost() {
    let mut command = absolve(&["rewrite", "no-such-file.html"]);
    command.stdin(Stdio::null()).stderr(File::options().write(true).open("/dev/full").unwrap());
    assert_eq!(command.status().unwrap().code(), Some(2));
}

#[test]
fn an_output_file_is_made_and_nothing_else() {
    let site = Site::new();
    ends(&site.rewrites_into(&site.path("out.html")), 0, "");
    site.holds_the_result("out.html");
    assert_eq!(site.names(), ["in.html", "out.html"]);
}

#[test]
fn an_output_file_that_is_there_keeps_its_mode() {
    let site = Site::new();
    let path = site.path("out.html");
    fs::write(&path, "old").unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o604)).unwrap();
    ends(&site.rewrites_into(&path), 0, "");
    site.holds_the_result("out.html");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o604);
    assert_eq!(site.names(), ["in.html", "out.html"]);
}

#[test]
fn a_symbolic_link_stays_one() {
    let site = Site::new();
    fs::create_dir(site.path("real")).unwrap();
    fs::write(site.path("real/out.html"), "old").unwrap();
    symlink("real/out.html", site.path("link.html")).unwrap();
    ends(&site.rewrites_into(&site.path("link.html")), 0, "");
    site.holds_the_result("real/out.html");
    assert!(fs::symlink_metadata(site.path("link.html")).unwrap().is_symlink());
    assert_eq!(site.names(), ["in.html", "link.html", "real"]);
}

/// A link to nowhere names the file that is to be made.
#[test]
fn a_symbolic_link_to_nowhere_stays_one() {
    let site = Site::new();
    symlink("out.html", site.path("link.html")).unwrap();
    ends(&site.rewrites_into(&site.path("link.html")), 0, "");
    assert!(fs::symlink_metadata(site.path("link.html")).unwrap().is_symlink());
    site.holds_the_result("out.html");
}

/// A symbolic link that leads out of a site is present, and its target is not searched.
#[test]
fn nothing_is_found_in_a_folder_outside_a_site() {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("site");
    fs::create_dir(&site).unwrap();
    fs::create_dir(folder.path().join("out")).unwrap();
    symlink("../out", site.join("out")).unwrap();
    let page = "<a href=out>1</a><a href=out/>2</a><a href=out/a/b.html>3</a>";
    fs::write(site.join("index.html"), page).unwrap();
    let site = site.to_str().unwrap();
    let output = absolve(&["audit", "--no-config", "--format=jsonl", site]).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout.clone()).unwrap(), "");
    ends(&output, 0, "absolve: no findings; checked 1 page with 3 links (3 internal)\n");
}

#[test]
fn the_input_is_never_the_output() {
    let site = Site::new();
    symlink("in.html", site.path("link.html")).unwrap();
    for name in ["in.html", "link.html"] {
        let path = site.path(name);
        let message = format!(
            "absolve: {}: is the input itself; rewrite it in place with --write, or give another file\n",
            path.display()
        );
        ends(&site.rewrites_into(&path), 2, &message);
    }
    assert_eq!(fs::read(site.path("in.html")).unwrap(), b"<p><a href=x>1</a>");
}

#[test]
fn a_failed_run_leaves_the_old_output() {
    let site = Site::new();
    let path = site.path("out.html");
    fs::write(&path, "old").unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o444)).unwrap();
    let message = format!(
        "absolve: {}: cannot write: it is read-only, make it writable, or write to another file; \
         nothing was written\n",
        path.display()
    );
    ends(&site.rewrites_into(&path), 2, &message);
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(site.names(), ["in.html", "out.html"]);
}

#[test]
fn completions_and_manual_name_every_subcommand() {
    let printed = |args: &[&str]| {
        let output = absolve(args).output().unwrap();
        ends(&output, 0, "");
        String::from_utf8(output.stdout).unwrap()
    };
    let mut pages = vec![printed(&["man"])];
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        pages.push(printed(&["completions", shell]));
    }
    for page in pages {
        for subcommand in ["rewrite", "links", "resolve", "completions", "man"] {
            assert!(page.contains(subcommand), "no {subcommand} in {page}");
        }
    }
}

#[test]
fn no_cell_of_a_list_is_a_formula_or_moves_the_cursor() {
    let page = "<a href='=1+1'><a href='-1'><a href='@x'><a href='&#9;+1'><a href='\u{1b}[2J'>";
    let mut command = absolve(&["links", "--format", "tsv", "-"]);
    command.stdout(Stdio::piped());
    let output = run(command, page);
    let text = String::from_utf8(output.stdout).unwrap();
    let references: Vec<_> = text.lines().map(|row| row.split('\t').nth(7).unwrap()).collect();
    assert_eq!(references, ["reference", "\\=1+1", "\\-1", "\\@x", "\\t+1", "\\u{1b}[2J"]);
}

/// A sitemap beyond the limit is refused by its size, in less memory than it has bytes.
#[test]
#[cfg(target_os = "linux")]
fn a_large_sitemap_is_refused_unread() {
    const LIMIT: u64 = 64 << 20;
    let site = Site::new();
    fs::write(site.path("in.html"), "").unwrap();
    let audit = |size: u64, options: &str| {
        File::create(site.path("sitemap.xml")).unwrap().set_len(size).unwrap();
        let script = format!(
            "ulimit -v 1000000 && exec \"$0\" audit . --no-config -j 1 -b http://h/ \
             --sitemap sitemap.xml --format jsonl {options}"
        );
        let mut command = Command::new("sh");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_absolve")]);
        let output = command.current_dir(site.folder.path()).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        (output.status.code(), text)
    };
    // The audit reads the file whole, and finds that it is not XML.
    let (status, findings) = audit(LIMIT, "");
    assert!(status == Some(1) && findings.contains("it is not XML"), "{status:?}: {findings}");
    for (size, options, message) in [
        (
            LIMIT + 1,
            "",
            "the document exceeds 64 MiB, the limit for documents; raise --limit input=N",
        ),
        (5 << 30, "", "the document exceeds 4294967295 bytes, and positions in"),
        (5 << 30, "--limit input=0", "the document exceeds 4294967295 bytes, and positions in"),
    ] {
        let (code, text) = audit(size, options);
        assert_eq!(code, Some(1), "{text}");
        assert!(text.contains("unreadable") && text.contains("sitemap.xml"), "{text}");
        assert!(text.contains(message), "{text}");
    }
}

/// A history is read from its end, in less memory than it has bytes.
#[test]
#[cfg(target_os = "linux")]
fn a_long_history_is_read_from_its_end() {
    let site = Site::new();
    let history = site.path("h.jsonl");
    let audit = || {
        let script = "ulimit -v 100000 && exec \"$0\" audit . --no-config -j 1 --history h.jsonl";
        let mut command = Command::new("sh");
        command.args(["-c", script, env!("CARGO_BIN_EXE_absolve")]);
        command.current_dir(site.folder.path()).output().unwrap()
    };
    audit();
    let line = fs::read(&history).unwrap();
    // A hole of 128 MiB, which is no line.
    let file = File::options().write(true).open(&history).unwrap();
    file.set_len(128 << 20).unwrap();
    let mut end = vec![b'\n'];
    end.extend(line.repeat((2 << 20) / line.len()));
    File::options().append(true).open(&history).unwrap().write_all(&end).unwrap();
    let before = fs::metadata(&history).unwrap().len();
    let output = audit();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(fs::metadata(&history).unwrap().len(), before + line.len() as u64);
    File::options().append(true).open(&history).unwrap().write_all(b"{}\n").unwrap();
    let stderr = String::from_utf8(audit().stderr).unwrap();
    let message = " is not the totals of a run (in its last MiB); give --history ";
    assert!(stderr.starts_with("absolve: h.jsonl: line ") && stderr.contains(message), "{stderr}");
}

/// If the system refuses new threads, the first one does all the work.
#[test]
#[cfg(target_os = "linux")]
fn refused_threads_leave_their_work_to_the_others() {
    let site = Site::new();
    let record = "WARC/1.1\r\nWARC-Type: resource\r\nContent-Length: 0\r\n\r\n\r\n\r\n";
    fs::write(site.path("in.warc"), record).unwrap();
    let run = |args: &str| {
        let mut command = absolve(&args.split(' ').collect::<Vec<_>>());
        // No thread gets a stack of 64 TiB.
        command.env("RUST_MIN_STACK", (1_u64 << 46).to_string());
        command.current_dir(site.folder.path()).output().unwrap()
    };
    for command in ["audit . --no-config", "links .", "links in.warc", "rewrite -b http://h/ . -n"]
    {
        let [refused, alone] = [2, 1].map(|threads| run(&format!("{command} -j {threads}")));
        assert_eq!(refused.status.code(), alone.status.code(), "{command}");
        assert_eq!(refused.stdout, alone.stdout, "{command}");
    }
}

/// A site whose list of files is longer than what a pipe holds, so that a run that lists them
/// waits for its reader before it ends.
#[cfg(target_os = "linux")]
fn large_site() -> Site {
    let site = Site { folder: tempfile::tempdir().unwrap() };
    fs::create_dir(site.path("site")).unwrap();
    for number in 0..1_200 {
        let name = format!("site/{number:0200}.html");
        fs::write(site.path(&name), "<a href=x>1</a>").unwrap();
    }
    site
}

/// A run over the large site that gets a signal after it listed its first file.
#[cfg(target_os = "linux")]
fn interrupted(site: &Site, args: &[&str]) -> Output {
    use std::io::Read;
    let mut command = absolve(&["rewrite", "-b", "http://h/", "-j", "1", "-l", "site"]);
    command.args(args).current_dir(site.folder.path());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut [0]).unwrap();
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    std::io::copy(&mut stdout, &mut std::io::sink()).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn an_interrupted_run_in_place_says_how_far_it_came() {
    // The interruption is an error, which --quiet does not hide.
    for options in [&["-w"][..], &["-w", "-q"]] {
        let site = large_site();
        let output = interrupted(&site, options);
        let files = fs::read_dir(site.path("site")).unwrap().map(|entry| entry.unwrap().path());
        let done = files.filter(|file| fs::read_to_string(file).unwrap().contains("http:")).count();
        assert!(done < 1_200, "{done}");
        let what = format!("{done} of 1,200 files rewritten; the rest is unchanged");
        ends(&output, 128 + 15, &format!("absolve: interrupted: {what}\n"));
    }
}

/// The first one waits for the pipe, which nobody reads.
#[test]
#[cfg(target_os = "linux")]
fn a_second_signal_ends_a_run_that_only_prints() {
    use std::io::Read;
    use std::time::{Duration, Instant};
    let site = large_site();
    for args in [
        &["links", "site", "-j", "1"][..],
        &["links", "site", "--format", "jsonl"],
        &["rewrite", "-b", "http://h/", "site", "--diff"],
        &["rewrite", "-b", "http://h/", "site", "-l", "-n", "-j", "1"],
        &["audit", "site", "--format", "jsonl"],
    ] {
        let mut command = absolve(args);
        command.current_dir(site.folder.path());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut [0]).unwrap();
        let pid = rustix::process::Pid::from_child(&child);
        let start = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if start.elapsed() > Duration::from_secs(30) {
                child.kill().unwrap();
                child.wait().unwrap();
                panic!("{args:?} goes on");
            }
            rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
            std::thread::sleep(Duration::from_millis(20));
        };
        assert_eq!(status.code(), Some(128 + 15), "{args:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn an_interrupted_run_removes_the_folders_that_it_made() {
    let site = large_site();
    ends(
        &interrupted(&site, &["-o", "new/out"]),
        128 + 15,
        "absolve: interrupted: nothing was written\n",
    );
    assert_eq!(site.names(), ["site"]);
    fs::create_dir(site.path("own")).unwrap();
    let output = interrupted(&site, &["-o", "own", "--stats", "text"]);
    ends(&output, 128 + 15, "absolve: interrupted: nothing was written\n");
    assert_eq!(site.names(), ["own", "site"]);
    assert_eq!(fs::read_dir(site.path("own")).unwrap().count(), 0);
}

#[test]
#[cfg(target_os = "linux")]
fn an_interrupted_trial_says_that_nothing_was_written() {
    let output = interrupted(&large_site(), &["-n"]);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(128 + 15));
    assert!(stderr.starts_with("absolve: interrupted: "), "{stderr}");
    assert!(stderr.ends_with(" of 1,200 files read; nothing was written\n"), "{stderr}");
}

/// Checks the end of stderr for a document with this base element and a relative link.
#[track_caller]
fn stays_relative(args: &[&str], message: &str) {
    let site = Site::new();
    fs::write(site.path("in.html"), "<base href=blob:x><a href=y>1</a>").unwrap();
    let mut command = absolve(&["rewrite", "-b", "http://h/a/", "--strict"]);
    command.args(args).arg(site.folder.path());
    if args.is_empty() {
        command = absolve(&["rewrite", "-b", "http://h/a/b", "--strict"]);
        command.stdout(Stdio::null()).arg(site.path("in.html"));
    }
    let output = run(command, "");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains(message), "{stderr}");
    assert!(stderr.contains("no reference resolves against blob: URLs"), "{stderr}");
    assert!(!stderr.contains("give it with"), "{stderr}");
}

#[test]
fn a_base_element_that_nothing_resolves_against_is_named_as_the_cause() {
    stays_relative(
        &[],
        "1 link stays relative, nothing resolves against the URL of its base element; \
         --base-url does not help",
    );
    stays_relative(
        &["--check"],
        "relative links stay as they are in 1 document with a base element whose URL nothing \
         resolves against; --base-url does not help",
    );
}

/// Commands of a workflow runner, in a page and in a file name.
#[test]
#[cfg(unix)]
fn text_for_people_has_no_workflow_commands() {
    let folder = tempfile::tempdir().unwrap();
    let page = "<a## [x]=y href='##[add-path]/x'>\n::error::x <a href='\n::set-env name=A::b'>\n\
                ##[group]<a href='[x]##[warning]y'>##[error]</a>";
    for name in ["::error::a.html", "##[error]b.html"] {
        fs::write(folder.path().join(name), page).unwrap();
    }
    for args in [
        &["audit", ".", "--format", "text"][..],
        &["links", "##[error]b.html"],
        &["links", "::error::a.html", "##[error]b.html"],
        &["rewrite", "-b", "http://h/", ".", "--check", "-v"],
        &["rewrite", "##[x]::error::y"],
        &["rewrite", "--learn", "##[x]"],
        &["audit", "--rule", "\n::error::x"],
    ] {
        for workflow in ["true", "false"] {
            let mut command = absolve(args);
            command.current_dir(folder.path()).env("GITHUB_ACTIONS", workflow);
            let output = command.output().unwrap();
            for text in [output.stdout, output.stderr] {
                let text = String::from_utf8(text).unwrap();
                assert!(!text.contains("##["), "{args:?}\n{text}");
                // Annotations of the audit's own are on stdout there.
                let is_own = |line: &&str| line.contains(",title=") && workflow == "true";
                let mut commands = text.lines().filter(|line| line.trim_start().starts_with("::"));
                assert!(commands.all(|line| is_own(&line)), "{args:?}\n{text}");
            }
        }
    }
}

#[test]
fn the_totals_of_an_audit_are_printed_once() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.html"), "<a href=B.html>1</a>").unwrap();
    fs::write(folder.path().join("b.html"), "").unwrap();
    let totals = "1 finding fixable with --fix\n1 error on 1 page; checked 2 pages with 1 \
                  link (1 internal)\n";
    let on_stderr = format!("absolve: {}\n", totals.trim_end().replace('\n', "\nabsolve: "));
    for (format, workflow, is_text) in [
        (&[][..], "false", true),
        (&["--format=text", "--format=json=/dev/null"], "false", true),
        (&["--format=jsonl"], "false", false),
        (&["--format=json=/dev/null"], "false", false),
        // The log shows the text of annotations too.
        (&[], "true", false),
    ] {
        let mut command = absolve(&[&["audit", "--no-config", "."], format].concat());
        command.current_dir(folder.path()).env("GITHUB_ACTIONS", workflow);
        let output = command.output().unwrap();
        let (stdout, stderr) = (output.stdout, output.stderr);
        let [stdout, stderr] = [stdout, stderr].map(|text| String::from_utf8(text).unwrap());
        assert_eq!(stdout.ends_with(totals), is_text, "{format:?} {stdout}");
        assert_eq!(stderr, if is_text { "" } else { &on_stderr }, "{format:?}");
        let is_annotation = |line: &str| line.starts_with("::error file=a.html");
        assert_eq!(stdout.lines().all(is_annotation) && !stdout.is_empty(), workflow == "true");
    }
}

#[test]
fn code_hosts_get_paths_from_the_root_of_the_repository() {
    let repository = tempfile::tempdir().unwrap();
    let site = repository.path().join("build/site");
    fs::create_dir_all(&site).unwrap();
    fs::create_dir(repository.path().join(".git")).unwrap();
    fs::write(site.join("two.html"), "<a href=missing.html>1</a>").unwrap();
    let absolute = site.to_str().unwrap().to_owned();
    for (folder, dir) in [("build/site", "."), ("build", "./site/."), (".git", &*absolute)] {
        let report = |format: &str| {
            let mut command = absolve(&["audit", "--no-config", "--format", format, dir]);
            let output = command.current_dir(repository.path().join(folder)).output().unwrap();
            String::from_utf8(output.stdout).unwrap()
        };
        let github = report("github");
        assert!(github.starts_with("::error file=build/site/two.html,line=1,"), "{dir}: {github}");
        let sarif = report("sarif");
        assert!(sarif.contains("\"uri\":\"build/site/two.html\""), "{dir}: {sarif}");
    }
}

#[test]
fn a_report_replaces_a_file_and_is_no_document_of_its_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("site")).unwrap();
    fs::write(path("site/index.html"), "<a href=missing.html>1</a>").unwrap();
    let audit = |outputs: &[&str]| {
        let args = ["audit", "--no-config", "site", "-q", "--format=concise"];
        let args = [&args[..], &["--rule", "orphan-page=warn,orphan-asset=warn"], outputs].concat();
        let output = absolve(&args).current_dir(folder.path()).output().unwrap();
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let expected = audit(&[]);
    for name in ["report.html", "report.css", "report.txt", "report.eml", "report.svg"] {
        let file = format!("site/{name}");
        fs::write(path(&file), "<a href=other.html>1</a>").unwrap();
        let (with_a_page, _) = audit(&[]);
        assert!(with_a_page.contains("orphan"), "{name}: {with_a_page}");
        for format in ["html", "json"] {
            let report = format!("--format={format}={file}");
            assert_eq!(audit(&[&report]), expected, "{report}");
            let written = fs::read_to_string(path(&file)).unwrap();
            assert!(written.contains("missing.html"), "{report}: {written}");
        }
        fs::remove_file(path(&file)).unwrap();
    }
    for option in ["--write-baseline", "--no-config"] {
        let outputs = ["--history=site/history.jsonl", "--baseline=./site/known.jsonl", option];
        let (shown, errors) = audit(&outputs);
        assert!(!shown.contains("orphan"), "{shown}{errors}");
    }
}

/// Runs a shell's script in the folder of the document; `$0` is the command.
#[track_caller]
fn shell(site: &Site, script: &str) -> String {
    let mut command = Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_absolve")]).current_dir(site.folder.path());
    command.stdout(Stdio::piped());
    let output = run(command, "");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{script}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_pipe_is_a_stream() {
    let site = Site::new();
    for script in [
        "cat in.html | \"$0\" rewrite -b http://h/a/b /dev/stdin",
        "cat in.html | \"$0\" rewrite -b http://h/a/b /dev/fd/3 3<&0",
        "mkfifo in; cat in.html > in & \"$0\" rewrite -b http://h/a/b in",
        "\"$0\" rewrite -b http://h/a/b in.html -o /dev/fd/3 3>&1 | cat",
        "mkfifo out; \"$0\" rewrite -b http://h/a/b in.html -o out & cat out",
    ] {
        assert_eq!(shell(&site, script), "<p><a href=http://h/a/x>1</a>", "{script}");
    }
}

/// A shell's commands write to a file one after another, each from the end of the last.
#[test]
fn the_name_of_stdout_is_stdout() {
    let site = Site::new();
    fs::create_dir(site.path("site")).unwrap();
    fs::write(site.path("site/a.html"), "<a href=gone>1</a>").unwrap();
    for (run, expected) in [
        ("rewrite -b http://h/a/b in.html -o /dev/stdout", "<p><a href=http://h/a/x>1</a>"),
        ("audit site -q --format concise=/dev/stdout", "site/a.html:1:9: error[broken-link]"),
    ] {
        let text = shell(&site, &format!("{{ echo old; \"$0\" {run}; echo new; }} > f; cat f"));
        assert!(text.starts_with(&format!("old\n{expected}")), "{run}: {text}");
        assert!(text.ends_with("new\n"), "{run}: {text}");
        let text = shell(&site, &format!("echo old > f; \"$0\" {run} >> f; cat f"));
        assert!(text.starts_with(&format!("old\n{expected}")), "{run}: {text}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn an_open_file_without_a_name_is_refused() {
    let site = Site::new();
    let run = "\"$0\" rewrite -b http://h/ in.html -o /dev/fd/3 2> errors";
    let text = shell(&site, &format!("exec 3> f; rm f; {run}; cat errors; ls"));
    assert!(text.contains("it changed in the meantime"), "{text}");
    assert!(text.ends_with("\nerrors\nin.html\n"), "{text}");
}
