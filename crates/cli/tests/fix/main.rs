//! `absolve audit --fix`, as a whole command: what it writes, what it leaves, and what it says.
//!
//! `planted` plants faults in a tree by a generator, and compares every file with the original
//! after `--fix`. `ABSOLVE_SITES` names a folder of built sites that it is tried on too, and
//! `ABSOLVE_SEED` where its generator begins.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod certain;
mod likely;
mod limits;
#[cfg(unix)]
mod other_names;
mod planted;
#[path = "../../../../tests/random/mod.rs"]
mod random;
mod tree;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;

fn main() {
    let arguments = Arguments::from_args();
    let all = [TRIALS, certain::TRIALS, likely::TRIALS, limits::TRIALS];
    #[cfg(unix)]
    let all = all.into_iter().chain([other_names::TRIALS]);
    let mut trials: Vec<Trial> = all
        .into_iter()
        .flatten()
        .map(|&(name, trial)| {
            Trial::test(name, move || {
                trial();
                Ok::<(), Failed>(())
            })
        })
        .collect();
    trials.push(Trial::test("planted/made", || Ok(planted::made()?)));
    if let Some(folder) = std::env::var_os("ABSOLVE_SITES") {
        trials.extend(sites(Path::new(&folder)));
    } else {
        let why = "planted/sites (set ABSOLVE_SITES to a folder of built sites)";
        trials.push(Trial::test(why, || Ok(())).with_ignored_flag(true));
    }
    libtest_mimic::run(&arguments, trials).exit();
}

fn sites(folder: &Path) -> Vec<Trial> {
    let sites = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut sites: Vec<PathBuf> = sites.filter(|path| path.is_dir()).collect();
    sites.sort();
    let trial = |site: PathBuf| {
        let name = format!("planted/{}", site.file_name().unwrap().to_string_lossy());
        Trial::test(name, move || Ok(planted::site(&site)?))
    };
    sites.into_iter().map(trial).collect()
}

const TRIALS: &[(&str, fn())] = &[
    ("fixes_every_attribute", fixes_every_attribute),
    ("keeps_the_encoding", keeps_the_encoding),
    ("a_diff_writes_nothing", a_diff_writes_nothing),
    ("a_diff_alone_is_exit_code_1", a_diff_alone_is_exit_code_1),
    ("similar_names_are_unsafe", similar_names_are_unsafe),
    ("what_is_not_certain_stays", what_is_not_certain_stays),
    ("a_style_sheet_keeps_its_byte_order_mark", a_style_sheet_keeps_its_byte_order_mark),
    ("redirects_are_followed_to_their_end", redirects_are_followed_to_their_end),
    ("the_exit_code_is_by_what_remains", the_exit_code_is_by_what_remains),
    ("a_backup_has_the_original", a_backup_has_the_original),
    ("what_a_killed_run_left_is_removed", what_a_killed_run_left_is_removed),
    ("reports_have_the_fixes", reports_have_the_fixes),
    (
        "text_that_is_not_valid_is_not_a_part_of_a_fix",
        text_that_is_not_valid_is_not_a_part_of_a_fix,
    ),
    ("options_that_do_not_count_are_refused", options_that_do_not_count_are_refused),
];

/// A site in a folder of its own.
struct Site(tempfile::TempDir);

impl Site {
    fn new(files: &[(&str, &[u8])]) -> Self {
        let site = Self(tempfile::tempdir().unwrap());
        for (name, content) in files {
            let path = site.path(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        site
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join("site").join(name)
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    fn audit(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_absolve"));
        command.env_remove("GITHUB_ACTIONS").current_dir(self.0.path());
        command.args(["audit", "--color=never", "site"]).args(args).output().unwrap()
    }

    /// Fixes the page `a.html`, and compares it.
    #[track_caller]
    fn fixes(&self, args: &[&str], expected: &[u8]) {
        let args = [&["--fix", "--no-config"], args].concat();
        let output = self.audit(&args);
        let page = self.read("a.html");
        let shown = String::from_utf8_lossy(&page);
        assert_eq!(page, expected, "{shown}\n{}{}", text(&output.stdout), text(&output.stderr));
        let again = self.audit(&args);
        assert!(
            text(&again.stdout).contains("\n0 findings fixed\n")
                || again.stdout.starts_with(b"0 findings fixed")
        );
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A page with one link.
fn fix(link: &str, args: &[&str], expected: &str) {
    let files: &[(&str, &[u8])] = &[
        ("a.html", link.as_bytes()),
        ("b c&d.html", b"<p id=Part><p id='a b'><p id=one><p id=ONE>"),
        ("docs/index.html", b""),
        ("img.png", b""),
        ("guide.html", b""),
    ];
    Site::new(files).fixes(args, expected.as_bytes());
}

fn fixes_every_attribute() {
    for (link, expected) in [
        ("<a href=IMG.png>", "<a href=img.png>"),
        ("<a href='docs?q#f'>", "<a href='docs/?q#f'>"),
        ("<a href=\"B%20c&amp;d.html\">", "<a href=\"b%20c&amp;d.html\">"),
        ("<a href=B%20c&amp;d.html>", "<a href=b%20c&amp;d.html>"),
        ("<a href=&#73;mg.png>", "<a href=img.png>"),
        ("<a href=docs\\index.html>", "<a href=docs/index.html>"),
        ("<a href=me@example.org>", "<a href=mailto:me@example.org>"),
        ("<a href='b c&amp;d.html#part'>", "<a href='b c&amp;d.html#Part'>"),
        ("<a href='b c&amp;d.html#a%2520b'>", "<a href='b c&amp;d.html#a%20b'>"),
        ("<img srcset='IMG.png 1x, img.png 2x'>", "<img srcset='img.png 1x, img.png 2x'>"),
        (
            "<meta http-equiv=refresh content='99;url=Docs/'>",
            "<meta http-equiv=refresh content='99;url=docs/'>",
        ),
        ("<p style=\"background:url('IMG.png')\">", "<p style=\"background:url('img.png')\">"),
        ("<style>p{background:url(IMG.png)}</style>", "<style>p{background:url(img.png)}</style>"),
        ("<base href=docs/><a href=../IMG.png>", "<base href=docs/><a href=../img.png>"),
        ("<a href=/Docs/index.html>", "<a href=/docs/index.html>"),
    ] {
        fix(link, &[], expected);
    }
    let style = Site::new(&[("a.html", b"<p>"), ("s.css", b"p{background:url(A.HTML)}")]);
    style.audit(&["--fix"]);
    assert_eq!(style.read("s.css"), b"p{background:url(a.html)}");
}

fn keeps_the_encoding() {
    let utf_16 = |text: &str| {
        let units = text.encode_utf16().flat_map(u16::to_le_bytes);
        [b"\xff\xfe".to_vec(), units.collect()].concat()
    };
    let target: (&str, &[u8]) = ("\u{e4}.html", b"");
    let site = Site::new(&[("a.html", &utf_16("\u{fc}<a href=\u{c4}.html>")), target]);
    site.fixes(&[], &utf_16("\u{fc}<a href=\u{e4}.html>"));
    let head: &[u8] = b"<meta charset=windows-1252>\xfc";
    let site = Site::new(&[("a.html", &[head, b"<a href=\xc4.html>"].concat()), target]);
    site.fixes(&[], &[head, b"<a href=\xe4.html>"].concat());
}

fn text_that_is_not_valid_is_not_a_part_of_a_fix() {
    let utf_8: &[u8] = b"<meta charset=utf-8>\n";
    let page = |link: &[u8]| [utf_8, link].concat();
    let link = b"<a href=docs\\a.html?q=\xff>";
    let site = Site::new(&[("a.html", &page(link)), ("docs/a.html", b"")]);
    let args = ["--no-config", "--rule=backslash=warn"];
    let report = |format: &str| -> Value {
        let format = format!("--format={format}");
        serde_json::from_slice(&site.audit(&[&args[..], &[&format]].concat()).stdout).unwrap()
    };
    let json = &report("json")["findings"][0];
    assert_eq!(json["fix"]["span"], serde_json::json!([29, 34]));
    assert_eq!(json["fix"]["replacement"], "docs/");
    let fixes = &report("sarif")["runs"][0]["results"][0]["fixes"][0];
    let region = &fixes["artifactChanges"][0]["replacements"][0]["deletedRegion"];
    let place = ["startLine", "startColumn", "endLine", "endColumn", "byteOffset", "byteLength"];
    assert_eq!(place.map(|key| region[key].as_u64()), [2, 9, 2, 14, 29, 5].map(Some));
    site.fixes(&[], &page(b"<a href=docs/a.html?q=\xff>"));

    // The text between two changes is not valid.
    let link = page(b"<a href=A\xff\\..\\a.html>");
    let site = Site::new(&[("a.html", &link)]);
    let json: Value =
        serde_json::from_slice(&site.audit(&[&args[..], &["--format=json"]].concat()).stdout)
            .unwrap();
    assert_eq!(
        (&json["findings"][0]["rule"], &json["findings"][0]["fix"]),
        (&"backslash".into(), &Value::Null)
    );
    site.fixes(&[], &link);
}

fn a_diff_writes_nothing() {
    let page = b"<p>\n<a href=A.HTML>\n";
    let site = Site::new(&[("a.html", page)]);
    let output = site.audit(&["--fix", "--diff"]);
    assert_eq!(
        text(&output.stdout),
        "--- a/site/a.html\n+++ b/site/a.html\n@@ -1,2 +1,2 @@\n <p>\n-<a href=A.HTML>\n+<a href=a.html>\n"
    );
    assert_eq!(text(&output.stderr), "absolve: would fix 1 finding in 1 file\n");
    assert_eq!((output.status.code(), site.read("a.html")), (Some(1), page.to_vec()));
}

fn a_diff_alone_is_exit_code_1() {
    let site = Site::new(&[("a.html", b"<a href=missing>")]);
    let output = site.audit(&["--fix", "--diff"]);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(0), String::new()));
    assert_eq!(text(&output.stderr), "absolve: would fix 0 findings in 0 files\n");
}

fn similar_names_are_unsafe() {
    fix("<a href=giude.html>", &[], "<a href=giude.html>");
    fix("<a href=giude.html>", &["--unsafe-fixes"], "<a href=guide.html>");
    fix("<a href='b c&amp;d.html#Parts'>", &["--unsafe-fixes"], "<a href='b c&amp;d.html#Part'>");
    fix("<a href=doc/>", &["--unsafe-fixes"], "<a href=docs/>");
    fix("<a href=dosc?q>", &["--unsafe-fixes"], "<a href=docs/?q>");
    fix("<a href=dosc/index.html>", &["--unsafe-fixes"], "<a href=docs/index.html>");
    let two: &[(&str, &[u8])] =
        &[("a.html", b"<a href=guidd.html>"), ("guida.html", b""), ("guidb.html", b"")];
    Site::new(two).fixes(&["--unsafe-fixes"], b"<a href=guidd.html>");
}

fn what_is_not_certain_stays() {
    for link in [
        "<a href='b c&amp;d.html#One'>",
        "<a href=www.example.org>",
        "<a href=docs.html>",
        "<a href=guide>",
        "<iframe srcdoc='<a href=IMG.png>'></iframe>",
        "<!-- <a href=IMG.png> -->",
        "<a href=http://u:p@example.org/docs>",
        "<a href=missing\\x.html>",
        "<object codebase=docs data=x></object>",
        "<a href=left-pad@1.3.tgz>",
        "<a href=left-pad@1.3.0>",
    ] {
        fix(link, &[], link);
    }
    let names: &[(&str, &[u8])] = &[("a.html", b"<a href=x.png>"), ("X.png", b""), ("x.PNG", b"")];
    Site::new(names).fixes(&[], b"<a href=x.png>");
}

fn a_style_sheet_keeps_its_byte_order_mark() {
    let text = "\u{feff}a { background: url(IMG.png) }";
    let fixed = text.replace("IMG", "img");
    let utf_16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
    for (old, new) in [(text.into(), fixed.clone().into()), (utf_16(text), utf_16(&fixed))] {
        let (old, new): (Vec<u8>, Vec<u8>) = (old, new);
        let site = Site::new(&[("a.html", b""), ("img.png", b""), ("s.css", &old)]);
        site.fixes(&[], b"");
        assert_eq!(site.read("s.css"), new);
    }
}

fn redirects_are_followed_to_their_end() {
    let rules: &[u8] = b"/old /older 301\n/older /docs 308\n/out https://example.org/x#y 301\n\
        /temporary /docs/ 302\n/circle /circle 301\n/gone /missing 301\n/de /docs/ 301 Country=de\n";
    for (link, expected) in [
        ("<a href=old>", "<a href=docs/>"),
        ("<a href=/old?q#f>", "<a href=/docs/?q#f>"),
        ("<a href=out>", "<a href=https://example.org/x#y>"),
        ("<a href=temporary>", "<a href=temporary>"),
        ("<a href=circle>", "<a href=circle>"),
        ("<a href=gone>", "<a href=gone>"),
        ("<a href=de>", "<a href=de>"),
        ("<a href=moved.html>", "<a href=moved.html>"),
        ("<a href=moved.html#x>", "<a href=moved.html#x>"),
    ] {
        let site = Site::new(&[
            ("a.html", link.as_bytes()),
            ("docs/index.html", b""),
            ("moved.html", b"<meta http-equiv=refresh content='0;url=moved2.html'>"),
            ("moved2.html", b"<meta http-equiv=refresh content='0;url=docs/'>"),
            ("_redirects", rules),
        ]);
        site.fixes(&["--redirects=site/_redirects"], expected.as_bytes());
    }
}

fn the_exit_code_is_by_what_remains() {
    let code = |page: &[u8]| {
        let output = Site::new(&[("a.html", page)]).audit(&["--fix"]);
        (output.status.code(), text(&output.stdout))
    };
    let (status, report) = code(b"<a href=A.html>");
    assert_eq!(status, Some(0));
    assert_eq!(
        report,
        "fixed: broken-link at site/a.html:1:9: 'A.html' is now 'a.html'\n1 finding fixed\n\
         no findings; checked 1 page with 1 link (1 internal)\n"
    );
    assert_eq!(code(b"<a href=A.html><a href=missing>").0, Some(1));
    // A round may uncover another fault.
    let (status, report) = code(b"<p id=x><a href=A.html#X>");
    assert_eq!(status, Some(0), "{report}");
    assert!(report.contains("2 findings fixed"), "{report}");
}

fn what_a_killed_run_left_is_removed() {
    let left = ["docs/.absolve-tmp-0123456789abcdef-1", ".absolve-tmp-0123456789abcdef-0"];
    let other = ".absolve-tmp-0123456789abcdef-1.html";
    let files: &[(&str, &[u8])] =
        &[("a.html", b""), ("docs/index.html", b""), (left[0], b"x"), (left[1], b""), (other, b"")];
    let site = Site::new(files);
    site.audit(&["--fix", "--diff"]);
    assert!(left.iter().all(|name| site.path(name).exists()));
    site.audit(&["--fix"]);
    assert!(!left.iter().any(|name| site.path(name).exists()));
    assert!(site.path(other).exists());
}

fn a_backup_has_the_original() {
    let page = b"<p id=x><a href=A.html#X>";
    let site = Site::new(&[("a.html", page)]);
    assert_eq!(site.audit(&["--fix", "--backup"]).status.code(), Some(0));
    assert_eq!(site.read("a.html"), b"<p id=x><a href=a.html#x>");
    assert_eq!(site.read("a.html.orig"), page);
}

fn reports_have_the_fixes() {
    let site = Site::new(&[("a.html", b"<a href='&#65;.html'>\n<a href=aa.html>")]);
    let output = site.audit(&["--format=json", "--format=sarif=site.sarif", "--format=text=text"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let fix = |number: usize| report["findings"][number]["fix"].to_string();
    assert_eq!(fix(0), r#"{"span":[9,19],"replacement":"a.html","safety":"safe"}"#);
    assert_eq!(report["summary"]["fixable"], 1);
    let sarif = fs::read(site.0.path().join("site.sarif")).unwrap();
    let sarif: Value = serde_json::from_slice(&sarif).unwrap();
    let fix = &sarif["runs"][0]["results"][0]["fixes"][0];
    assert_eq!(fix["description"]["text"], "Write 'a.html' (safe)");
    let replacement = &fix["artifactChanges"][0]["replacements"][0];
    assert_eq!(
        replacement.to_string(),
        "{\"deletedRegion\":{\"startLine\":1,\"startColumn\":10,\"endLine\":1,\"endColumn\":20,\
         \"byteOffset\":9,\"byteLength\":10},\"insertedContent\":{\"text\":\"a.html\"}}"
    );
    let text = fs::read_to_string(site.0.path().join("text")).unwrap();
    assert!(text.contains("1 finding fixable with --fix"), "{text}");
}

fn options_that_do_not_count_are_refused() {
    let site = Site::new(&[("a.html", b"<a href=A.html>")]);
    assert_eq!(site.audit(&["--diff"]).status.code(), Some(2));
    assert_eq!(site.audit(&["--unsafe-fixes"]).status.code(), Some(2));
    fs::write(site.0.path().join("absolve.toml"), "[audit]\nfix = true\n").unwrap();
    let output = site.audit(&[]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert_eq!(site.read("a.html"), b"<a href=A.html>");
    assert_eq!(site.audit(&["--config=absolve.toml"]).status.code(), Some(0));
    assert_eq!(site.read("a.html"), b"<a href=a.html>");
}
