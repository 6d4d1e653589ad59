//! Files that are not written, or that have several names.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use crate::{Site, text};

pub(crate) const TRIALS: &[(&str, fn())] = &[
    ("a_file_is_fixed_once_by_its_first_name", a_file_is_fixed_once_by_its_first_name),
    ("names_that_need_different_fixes_stay", names_that_need_different_fixes_stay),
    ("a_link_that_is_right_by_another_name_stays", a_link_that_is_right_by_another_name_stays),
    ("a_history_with_another_name_is_refused", a_history_with_another_name_is_refused),
    ("refusals_propose_what_audit_has", refusals_propose_what_audit_has),
];

fn a_file_is_fixed_once_by_its_first_name() {
    let page = b"<a href=A.html><a href=missing>";
    let site = Site::new(&[("b/a.html", page), ("s.css", b"")]);
    symlink("b", site.path("also")).unwrap();
    symlink("a.html", site.path("b/a2.html")).unwrap();
    let diff = site.audit(&["--fix", "--diff", "--follow-symlinks"]);
    assert_eq!(text(&diff.stdout).matches("+++ ").count(), 1, "{}", text(&diff.stdout));
    assert!(text(&diff.stdout).contains("+++ b/site/b/a.html"), "{}", text(&diff.stdout));
    let output = site.audit(&["--fix", "--follow-symlinks"]);
    assert_eq!(site.read("b/a.html"), b"<a href=a.html><a href=missing>");
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert_eq!((output.status.code(), &*stderr), (Some(1), ""), "{stdout}");
    for name in ["also/a.html", "also/a2.html", "b/a.html", "b/a2.html"] {
        let fixed = format!("fixed: broken-link at site/{name}:1:9: 'A.html' is now 'a.html'\n");
        assert!(stdout.contains(&fixed), "{stdout}");
    }
    assert!(stdout.contains("4 findings fixed\n"), "{stdout}");
    assert!(site.path("also").is_symlink() && site.path("b/a2.html").is_symlink());
    let again = site.audit(&["--fix", "--follow-symlinks"]);
    assert!(text(&again.stdout).contains("0 findings fixed"), "{}", text(&again.stdout));
}

/// A link like this leads to other files from another folder.
fn names_that_need_different_fixes_stay() {
    let page = b"<a href=Guide.html>";
    let site = Site::new(&[("a/a.html", page), ("a/Guide.html", b""), ("b/guide.html", b"")]);
    symlink("../a/a.html", site.path("b/b.html")).unwrap();
    let output = site.audit(&["--fix", "--follow-symlinks"]);
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert_eq!((site.read("a/a.html"), &*stderr), (page.to_vec(), ""));
    assert_eq!(output.status.code(), Some(1), "{stdout}");
    assert!(stdout.contains("(--fix leaves it: the file is also site/a/a.html)"), "{stdout}");
}

fn a_link_that_is_right_by_another_name_stays() {
    let page = b"<a href=../Guide.html>";
    let stays = |file: &str, link: (&str, &str), other: &str| {
        let site =
            Site::new(&[("guide.html", b""), ("x/Guide.html", b""), (file, page), ("x/z/q", b"")]);
        symlink(link.0, site.path(link.1)).unwrap();
        let output = site.audit(&["--fix", "--follow-symlinks"]);
        let stdout = text(&output.stdout);
        assert_eq!((site.read(file), output.status.code()), (page.to_vec(), Some(1)), "{stdout}");
        let why = format!("(--fix leaves it: the file is also site/{other})");
        assert!(stdout.contains(&why), "{stdout}");
    };
    stays("docs/p.html", ("../../docs/p.html", "x/z/p.html"), "x/z/p.html");
    stays("docs/p.html", ("../docs", "x/docs"), "x/docs/p.html");
    // Broken by its other name alone.
    let site = Site::new(&[("guide.html", b""), ("x/Guide.html", b""), ("x/z/p.html", page)]);
    fs::create_dir(site.path("docs")).unwrap();
    symlink("../x/z/p.html", site.path("docs/p.html")).unwrap();
    site.audit(&["--fix", "--follow-symlinks"]);
    assert_eq!(site.read("x/z/p.html"), page);
}

fn a_history_with_another_name_is_refused() {
    let site = Site::new(&[("a.html", b"")]);
    let [history, other] = ["history.jsonl", "other"].map(|name| site.0.path().join(name));
    assert_eq!(site.audit(&["--history=history.jsonl"]).status.code(), Some(0));
    fs::hard_link(&history, &other).unwrap();
    let output = site.audit(&["--history=history.jsonl"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        text(&output.stderr),
        "absolve: history.jsonl: file has 2 hard links, and only this one would change; give \
         another file, or copy this one\n"
    );
    assert_eq!(fs::read(&history).unwrap(), fs::read(&other).unwrap());
}

fn refusals_propose_what_audit_has() {
    let refusal = |prepare: &dyn Fn(&Site)| {
        let page = b"<a href=A.html>";
        let site = Site::new(&[("a.html", page)]);
        prepare(&site);
        let output = site.audit(&["--fix"]);
        assert_eq!((output.status.code(), site.read("a.html")), (Some(2), page.to_vec()));
        text(&output.stderr)
    };
    let linked = refusal(&|site| {
        fs::hard_link(site.path("a.html"), site.0.path().join("other")).unwrap();
    });
    assert_eq!(
        linked,
        "absolve: site/a.html: not fixed: file has 2 hard links, and only this one would change\n"
    );
    let read_only = refusal(&|site| {
        fs::set_permissions(site.path("a.html"), fs::Permissions::from_mode(0o444)).unwrap();
    });
    assert_eq!(
        read_only,
        "absolve: site/a.html: not fixed: cannot write: it is read-only; make it writable\n"
    );
}
