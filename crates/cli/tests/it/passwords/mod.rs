//! No message and no report shows the user and password of a URL, wherever it is from, or changes
//! other text. `resolve` prints what it is given, and documents are what they are.

mod userinfo;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

/// A user and a password that nothing else holds.
const SECRET: &str = "zuser:zpass";

/// Runs the command in a folder; `@@` in an argument is the secret and its `@`.
fn run(folder: &Path, args: &str) -> Output {
    let args = args.split(' ').map(|arg| arg.replace("@@", &format!("{SECRET}@")));
    Command::new(env!("CARGO_BIN_EXE_absolve")).args(args).current_dir(folder).output().unwrap()
}

#[track_caller]
fn output(folder: &Path, args: &str) -> String {
    let output = run(folder, args);
    [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat()
}

/// The output has no part of the secret.
#[track_caller]
fn hides(folder: &Path, args: &str) -> String {
    let text = output(folder, args);
    assert!(!text.contains("zpass") && !text.contains("zuser"), "{args}\n{text}");
    text
}

/// Checks that the output hides the secret, and names the URL that has it.
#[track_caller]
fn masks(folder: &Path, args: &str) {
    let text = hides(folder, args);
    assert!(text.contains("***"), "the output names no URL: {args}\n{text}");
}

/// A folder with secrets in whatever a command reads.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text.replace("@@", &format!("{SECRET}@"))).unwrap();
    };
    write("link.html", "<a href=x>");
    write(
        "site/index.html",
        "<base href=http://@@h/><a href=http://@@h/none><a href='http://@@h/a b%'>\
         <a href='//@@h/x'><img src='//@@h/none.png' srcset='http://@@h/n.png 1x, /m.png 2x'>\
         <a href=\"http://zuser:zpass&#64;h/entity\"><a href='ht\ntp://@@h/line'>\
         <a href=moved><a href=http://@@[/bad><a href='ftp://@@h/scheme'>\
         <style>@import 'http://@@h/n.css';</style>",
    );
    write("site/relative.html", "<base href='news://@@h/'><a href=x>");
    write(
        "site/_redirects",
        "/moved http://@@h/none 301\n/other //@@h/none 404x\n/y http://@@h/n#f 301\n",
    );
    write("site/sitemap.xml", "<urlset><url><loc>http://@@h/none</loc></url></urlset>");
    let page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href='http://h/a b%'>";
    write(
        "page.warc",
        &format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://@@e.org/p\r\n\
             Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n\
             {page}\r\n\r\n",
            page.len()
        ),
    );
    write("alias.toml", "[audit]\nbase-url = \"http://h/\"\nalias = [\"http://@@h\"]\n");
    write("saved.html", "<!-- saved from url=(0014)ftp://@@h/ --><a href=x>");
    write("own.html", "<base href='news://@@h/'><a href=x>");
    write("unusable.html", "<base href='http://@@[/'><a href=x>");
    write("map.tsv", "link.html\thttp://@@[/\n");
    write("base.toml", "[audit]\nbase-url = \"http://@@[/\"\n");
    write("good.toml", "[audit]\nbase-url = \"http://@@h/\"\nignore-link = [\"http://@@i/*\"]\n");
    write(
        "page.mhtml",
        "MIME-Version: 1.0\r\nContent-Type: text/html\r\nContent-Location: http://@@h/p\r\n\r\n\
         <a href=cid:x><a href=http://@@h/q><a href='http://@@h/%'>",
    );
    folder
}

#[test]
fn messages_mask_passwords() {
    let folder = folder();
    let masks = |args| masks(folder.path(), args);
    masks("rewrite -b http://@@[/ link.html");
    masks("rewrite --base-url=http://@@[/ link.html");
    masks("rewrite -b http:@@h link.html");
    masks("rewrite -b //@@h/ link.html");
    masks("rewrite link.html --only http://@@h/");
    masks("rewrite link.html --encoding http://@@h");
    masks("audit -b http://@@[/ site");
    masks("links -b http://@@[/ link.html");
    masks("resolve http://@@[/ x");
    masks("rewrite link.html --standard http://@@h/");
    masks("rewrite link.html --http://@@h/");
    masks("http://@@h/");
    masks("rewrite http://@@h/x.html");
    masks("rewrite --base-map map.tsv link.html");
    hides(folder.path(), "rewrite -v -b http://@@h/ link.html");
    masks("rewrite -v saved.html --check");
    masks("rewrite unusable.html --check");
    masks("rewrite -v . -n -b http://@@h/");
    hides(folder.path(), "rewrite -v page.mhtml --check");
    masks("rewrite own.html --check");
    masks("audit -b http://h/ --alias http://@@h site");
    masks("audit --config alias.toml site");
    hides(folder.path(), "links -v -b http:/@@h/ link.html");
    masks("audit --config base.toml site");
    masks("audit --config good.toml --print-config");
    masks("audit --no-config --print-config -b http://@@h/ site");
}

/// No parser of URLs sees a user in these arguments.
#[test]
fn messages_quote_what_is_no_url_with_a_user() {
    let folder = folder();
    for args in [
        "rewrite -b @@h/ link.html",
        "rewrite -b mailto:http://@@h/ link.html",
        "rewrite -b data:@@h link.html",
        "rewrite -b http://h:zuser:zpass/@h/ link.html",
        "rewrite link.html --only @@h/",
        "rewrite link.html --encoding @@h",
        "rewrite link.html --standard @@h",
        "audit site -b http://h/ --alias @@h",
        "audit --no-config --print-config -b htp:/@@h/ site",
        "resolve @@h x",
        "rewrite @@h/x.html",
    ] {
        let text = output(folder.path(), args);
        assert!(text.contains(SECRET) && !text.contains("***"), "{args}\n{text}");
    }
}

/// Texts that a `user:password` may have, and no URL in a sentence.
const ODD: &[&str] = &[
    "zuser: zpass",
    "zus er:zpass",
    "zuser:\"zpass",
    "zuser:'zpass",
    "zuser:<zpass",
    "zuser:>zpass",
    "zuser:z\tzpass",
    "zuser:z\nzpass",
];

/// The output has no part of a secret, in a folder with `site/index.html`.
#[track_caller]
fn hides_odd(page: &str, args: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("site")).unwrap();
    fs::write(folder.path().join("site/index.html"), page).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_absolve"));
    let output = command.args(args).current_dir(folder.path()).output().unwrap();
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    let text = text.concat();
    assert!(!text.contains("zpass"), "{args:?} {page:?}\n{text}");
    text
}

#[test]
fn values_that_are_refused() {
    for odd in ODD {
        let value = format!("http://{odd}@h/");
        for option in ["--alias", "--only", "--encoding", "--standard"] {
            hides_odd("", &["audit", "site", "-b", "http://h/", option, &value]);
            hides_odd("", &["rewrite", "site", "-n", "-b", "http://h/", option, &value]);
        }
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("c.toml");
        for key in ["alias", "only", "encoding", "base-url"] {
            fs::write(&config, format!("[audit]\n{key} = {value:?}\n")).unwrap();
            hides_odd("", &["audit", "site", "--config", config.to_str().unwrap()]);
        }
    }
}

#[test]
fn other_urls_of_the_line() {
    for odd in ODD {
        let quote = if odd.contains('"') { '\'' } else { '"' };
        let secret = format!("<a href={quote}http://{odd}@h/{quote}>a</a>");
        for page in [
            format!("<a href=none>b</a>{secret}"),
            format!("{secret}<a href=none>b</a>"),
            format!("<p>\n{secret}<img src='none.png'>{secret}\n<p>"),
        ] {
            let all = ["audit", "site", "--rule", "all=error", "--color", "never"];
            let text = hides_odd(&page, &all);
            assert!(text.contains("none"), "{page}\n{text}");
        }
    }
}

#[test]
fn other_text_of_the_line() {
    let text = "<p title='User:Foo@bar'>//u:p@h/ @<a href=http://zuser:zpass&#64;h/none>";
    let report = hides_odd(text, &["audit", "site", "-b", "http://h/", "--color", "never"]);
    let line = "\n1 | <p title='User:Foo@bar'>//u:p@h/ @<a href=http://***@h/none>\n";
    assert!(report.contains(line), "{report}");
}

#[test]
fn lists_of_links_mask_passwords() {
    let folder = folder();
    for format in ["text", "jsonl", "tsv"] {
        for input in ["site/index.html", "site", "page.mhtml", "unusable.html", "saved.html"] {
            masks(folder.path(), &format!("links -v --format {format} {input}"));
        }
        let args = format!("links --format {format} -b http://@@h/ link.html");
        assert!(!output(folder.path(), &args).contains("zpass"), "{args}");
        let args = format!("links --keep-credentials --format {format} site/index.html");
        assert!(output(folder.path(), &args).contains(SECRET), "{args}");
    }
}

#[test]
fn reports_mask_passwords() {
    let folder = folder();
    let all = "--server netlify --standard rfc1808 --rule insecure-link=error --rule empty-reference=error \
               --rule standards-differ=error --rule own-host-absolute=error --rule orphan-page=error";
    for format in [
        "text", "jsonl", "json", "sarif", "junit", "github", "gitlab", "concise", "markdown",
        "html",
    ] {
        let audit = format!("audit --no-config --format {format} {all}");
        for input in ["-b http://@@h/ site", "-b http://h/ site --sitemap site/sitemap.xml"] {
            masks(folder.path(), &format!("{audit} {input}"));
        }
    }
    masks(folder.path(), &format!("audit --color always --no-config {all} -b http://h/ site"));
}

#[test]
fn baselines_mask_passwords() {
    let folder = folder();
    let args = "audit --no-config -b http://h/ site --baseline b.jsonl";
    assert_eq!(run(folder.path(), &format!("{args} --write-baseline")).status.code(), Some(0));
    let baseline = fs::read_to_string(folder.path().join("b.jsonl")).unwrap();
    assert!(baseline.contains("***@") && !baseline.contains("zpass"), "{baseline}");
    // Baselines of older versions have passwords, and still count.
    fs::write(folder.path().join("b.jsonl"), baseline.replace("***", SECRET)).unwrap();
    assert_eq!(run(folder.path(), args).status.code(), Some(0));
    // Fixed findings are listed with the password masked.
    fs::write(folder.path().join("site/index.html"), "").unwrap();
    masks(folder.path(), args);
    masks(folder.path(), &format!("{args} --format json"));
}

#[test]
fn what_is_not_masked() {
    let folder = folder();
    for args in
        ["resolve http://@@h/ x", "resolve --explain http://@@h/ x", "resolve http://h/ //@@i"]
    {
        assert!(output(folder.path(), args).contains(SECRET), "{args}");
    }
    let kept = output(folder.path(), "rewrite --keep-credentials -b http://@@h/ link.html");
    assert_eq!(kept, format!("<a href=http://{SECRET}@h/x>"));
    assert_eq!(output(folder.path(), "rewrite -b http://@@h/ link.html"), "<a href=http://h/x>");
}
