//! Chromium without a window, driven by the [DevTools protocol][devtools] over a pipe:
//! messages in JSON, each with a NUL after it.
//!
//! [devtools]: https://chromedevtools.github.io/devtools-protocol/

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::trial::no_program;

/// How the program is called here and there.
const NAMES: &[&str] = &[
    "chromium",
    "chromium-browser",
    "chromium-headless-shell",
    "google-chrome",
    "google-chrome-stable",
    "chrome-headless-shell",
    "headless_shell",
];
/// Time for an answer, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Why there is no Chromium.
pub(crate) fn no_chromium() -> Option<String> {
    program().is_none().then(|| "Chromium is not installed".to_owned())
}

fn program() -> Option<&'static str> {
    NAMES.iter().copied().find(|name| no_program(name).is_none())
}

pub(crate) struct Browser {
    child: Child,
    requests: ChildStdin,
    messages: Receiver<Value>,
    /// Events that came while something else was waited for.
    events: Vec<Value>,
    session: Value,
    last: u64,
    _profile: TempDir,
}

/// Content of a document in the browser.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Dom {
    pub(crate) text: String,
    /// Targets of `a` and `area` elements.
    pub(crate) links: Vec<String>,
    /// The images that were loaded.
    pub(crate) images: Vec<String>,
    /// The style sheets that were loaded, and the pictures after paragraphs.
    pub(crate) styles: Vec<String>,
}

const LOOK: &str = "({
    text: document.title + document.body.textContent.trim(),
    links: [...document.links].map(link => link.href),
    images: [...document.images].filter(image => image.naturalWidth > 0).map(image => image.src),
    styles: [...document.styleSheets].map(sheet => sheet.href).concat(
        [...document.querySelectorAll('p[style]')].map(p => getComputedStyle(p).backgroundImage)),
})";

impl Browser {
    pub(crate) fn start() -> Self {
        let profile = tempfile::tempdir().unwrap();
        let mut command = Command::new("sh");
        // The program reads from descriptor 3 and writes to 4.
        command.args(["-c", "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null", "sh"]);
        // The pages are of this test, and a sandbox is not to be had everywhere.
        command.args([program().unwrap(), "--headless", "--no-sandbox", "--disable-gpu"]);
        command.args(["--remote-debugging-pipe", "--disable-dev-shm-usage"]);
        command.arg(format!("--user-data-dir={}", profile.path().display()));
        command.env("TMPDIR", profile.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let requests = child.stdin.take().unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap());
        let (sender, messages) = mpsc::channel();
        thread::spawn(move || {
            for message in answers.split(0).map_while(Result::ok) {
                let _ = sender.send(serde_json::from_slice(&message).unwrap());
            }
        });
        let (events, session) = (Vec::new(), Value::Null);
        let mut browser =
            Self { child, requests, messages, events, session, last: 0, _profile: profile };
        let target = browser.call("Target.createTarget", &json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let session = browser.call("Target.attachToTarget", &attach)["sessionId"].take();
        browser.session = session;
        browser.call("Page.enable", &json!({}));
        browser.call("Page.setLifecycleEventsEnabled", &json!({ "enabled": true }));
        browser
    }

    /// Opens a page, and waits until it is loaded.
    pub(crate) fn open(&mut self, url: &str) {
        self.events.clear();
        let answer = self.call("Page.navigate", &json!({ "url": url }));
        assert_eq!(answer["errorText"], Value::Null, "{url}");
        let is_loaded = |event: &Value| {
            let params = &event["params"];
            params["loaderId"] == answer["loaderId"] && params["name"] == "load"
        };
        while !self.events.iter().any(is_loaded) {
            let event = self.receive();
            self.events.push(event);
        }
    }

    pub(crate) fn open_file(&mut self, path: &Path) {
        self.open(&format!("file://{}", path.display()));
    }

    /// Notes what pages request from now on.
    pub(crate) fn watch_requests(&mut self) {
        self.call("Network.enable", &json!({}));
    }

    /// Returns the URLs that the open page requested.
    pub(crate) fn requests(&self) -> Vec<String> {
        let sent =
            self.events.iter().filter(|event| event["method"] == "Network.requestWillBeSent");
        sent.map(|event| event["params"]["request"]["url"].as_str().unwrap().to_owned()).collect()
    }

    /// The open page as MHTML.
    pub(crate) fn save(&mut self) -> String {
        let answer = self.call("Page.captureSnapshot", &json!({ "format": "mhtml" }));
        answer["data"].as_str().unwrap().to_owned()
    }

    /// The value of an expression of JavaScript in the open page.
    pub(crate) fn evaluate(&mut self, expression: &str) -> Value {
        let expression = json!({ "expression": expression, "returnByValue": true });
        let mut answer = self.call("Runtime.evaluate", &expression);
        assert_eq!(answer["exceptionDetails"], Value::Null);
        answer["result"]["value"].take()
    }

    /// The open page and its frames.
    pub(crate) fn look(&mut self) -> Vec<Dom> {
        let mut trees = vec![self.call("Page.getFrameTree", &json!({}))["frameTree"].take()];
        let mut found = Vec::new();
        while let Some(tree) = trees.pop() {
            let frame = json!({ "frameId": tree["frame"]["id"] });
            // A world of its own, as no script may run in a page of MHTML.
            let world = self.call("Page.createIsolatedWorld", &frame);
            let look = json!({
                "expression": LOOK,
                "contextId": world["executionContextId"],
                "returnByValue": true,
            });
            found.push(Dom::new(&self.call("Runtime.evaluate", &look)["result"]["value"]));
            trees.extend(tree["childFrames"].as_array().into_iter().flatten().cloned());
        }
        found
    }

    fn call(&mut self, method: &str, params: &Value) -> Value {
        self.last += 1;
        let mut request = json!({ "id": self.last, "method": method, "params": params });
        if !self.session.is_null() {
            request["sessionId"] = self.session.clone();
        }
        write!(self.requests, "{request}\0").unwrap();
        loop {
            let mut message = self.receive();
            if message["id"] == self.last {
                assert_eq!(message["error"], Value::Null, "{method}");
                return message["result"].take();
            }
            self.events.push(message);
        }
    }

    fn receive(&mut self) -> Value {
        self.messages.recv_timeout(PATIENCE).unwrap()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // When it is asked to, it takes its other processes along; the pipe ends with it.
        let close = write!(self.requests, "{{\"id\":0,\"method\":\"Browser.close\"}}\0");
        while close.is_ok() && self.messages.recv_timeout(PATIENCE).is_ok() {}
        let _ = self.child.kill().and_then(|()| self.child.wait());
    }
}

impl Dom {
    fn new(value: &Value) -> Self {
        let list = |key: &str| {
            let items = value[key].as_array().unwrap().iter();
            items.map(|item| item.as_str().unwrap_or_default().to_owned()).collect()
        };
        Self {
            text: value["text"].as_str().unwrap().to_owned(),
            links: list("links"),
            images: list("images"),
            styles: list("styles"),
        }
    }
}
