//! A headless Chromium that opens a page, clicks and types as a reader does, and returns the text that the page shows.
//! Commands and replies go through two pipes in the DevTools protocol: JSON objects, each ended by a zero byte.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The names of the program, the smallest program first.
const PROGRAMS: [&str; 3] = ["chromium-headless-shell", "chromium", "google-chrome"];
const PATIENCE: Duration = Duration::from_secs(60);

/// A browser with one page. It ends when this value is dropped, or when the process of the tests ends.
pub struct Browser {
    child: Child,
    input: ChildStdin,
    output: Receiver<Value>,
    asked: u64,
    session: Value,
    /// The URLs that the page has requested.
    pub requests: Vec<String>,
    /// The errors of the page: a test fails at its end if there are any.
    errors: Vec<String>,
    _folder: TempDir,
}

impl Browser {
    /// Starts a browser; where none is installed, reports that the test is skipped and returns `None`.
    pub fn start() -> Option<Browser> {
        let is_there = |program: &&&str| {
            let mut version = Command::new(program);
            let version = version.arg("--version").stdout(Stdio::null());
            version.stderr(Stdio::null()).status().is_ok()
        };
        let Some(program) = PROGRAMS.iter().find(is_there) else {
            crate::skip::skipped(
                "no browser; `make check` installs Debian's chromium-headless-shell",
            );
            return None;
        };
        let folder = tempfile::tempdir().expect("a folder");
        // The shell connects standard input and output to descriptors 3 and 4, which the browser uses.
        let mut child = Command::new("setpriv")
            .args(["--pdeathsig", "KILL", "sh", "-c"])
            .arg(r#"exec "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1"#)
            .args(["sh", program])
            .args(
                "--headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run"
                    .split(' '),
            )
            .args(["--window-size=1400,1000", "--remote-debugging-pipe"])
            .arg(format!("--user-data-dir={}", folder.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("setpriv, of util-linux");
        let input = child.stdin.take().expect("a pipe");
        let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || {
            let mut message = Vec::new();
            while output
                .read_until(0, &mut message)
                .is_ok_and(|read| read > 0)
            {
                message.pop();
                let value = serde_json::from_slice(&message).expect("JSON");
                if sender.send(value).is_err() {
                    return;
                }
                message.clear();
            }
        });
        let mut browser = Browser {
            child,
            input,
            output: receiver,
            asked: 0,
            session: Value::Null,
            requests: Vec::new(),
            errors: Vec::new(),
            _folder: folder,
        };
        let target = browser.ask("Target.createTarget", json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        browser.session = browser.ask("Target.attachToTarget", attach)["sessionId"].clone();
        for domain in ["Page", "Network", "Runtime", "Log"] {
            browser.ask(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    /// Calls a method of the browser and waits for the reply. Keeps requests and errors of the page that come first.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        let mut message = json!({ "id": self.asked, "method": method, "params": params });
        if self.session.is_string() {
            message["sessionId"] = self.session.clone();
        }
        let text = format!("{message}\0");
        self.input.write_all(text.as_bytes()).expect("it listens");
        loop {
            let answer = self.output.recv_timeout(PATIENCE).expect(method);
            if answer["id"] == self.asked {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].clone();
            }
            let text = || answer["params"].to_string();
            match answer["method"].as_str() {
                Some("Network.requestWillBeSent") => {
                    let url = &answer["params"]["request"]["url"];
                    self.requests.push(url.as_str().expect("a URL").into());
                }
                Some("Runtime.exceptionThrown" | "Log.entryAdded") => self.errors.push(text()),
                _ => {}
            }
        }
    }

    /// Opens a page made by `dmodc draw`, and waits until its script is ready to show routes.
    pub fn open(&mut self, page: &Path) {
        let url = format!("file://{}", page.display());
        self.ask("Page.navigate", json!({ "url": url }));
        self.until("Boolean(document.documentElement?.dataset.ready)");
    }

    pub fn until(&mut self, expression: &str) {
        let start = Instant::now();
        while self.eval(expression) != true {
            assert!(
                start.elapsed() < PATIENCE,
                "{expression}: {:?}",
                self.errors
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    pub fn eval(&mut self, expression: &str) -> Value {
        let params = json!({
            "expression": expression, "awaitPromise": true, "returnByValue": true,
        });
        let answer = self.ask("Runtime.evaluate", params);
        let failed = &answer["exceptionDetails"];
        assert!(failed.is_null(), "{expression}: {failed}");
        answer["result"]["value"].clone()
    }

    pub fn text(&mut self, selector: &str) -> String {
        let text = self.eval(&format!("document.querySelector({selector:?}).innerText"));
        text.as_str().expect("a text").into()
    }

    /// The texts of all elements that the selector matches.
    pub fn texts(&mut self, selector: &str) -> Vec<String> {
        let all =
            format!("[...document.querySelectorAll({selector:?})].map((one) => one.innerText)");
        serde_json::from_value(self.eval(&all)).expect("texts")
    }

    /// Moves the mouse to a point of an element, counted from its lower right corner, and clicks there if `press`.
    pub fn mouse(&mut self, selector: &str, [x, y]: [f64; 2], press: bool) {
        let corner = self.eval(&format!(
            "(() => {{ const one = document.querySelector({selector:?}); one.scrollIntoView({{ block: 'nearest' }}); \
             const box = one.getBoundingClientRect(); return [box.right, box.bottom]; }})()"
        ));
        let at = |n: usize, by: f64| corner[n].as_f64().expect("a number") - by;
        let (x, y) = (at(0, x), at(1, y));
        let events = [
            ("mouseMoved", "none"),
            ("mousePressed", "left"),
            ("mouseReleased", "left"),
        ];
        for (kind, button) in &events[..if press { 3 } else { 1 }] {
            let event = json!({ "type": kind, "x": x, "y": y, "button": button, "clickCount": u8::from(press) });
            self.ask("Input.dispatchMouseEvent", event);
        }
    }

    pub fn click(&mut self, selector: &str) {
        self.mouse(selector, [5.0, 5.0], true);
    }

    pub fn key(&mut self, key: &str) {
        // The browser's own keys have numbers.
        let (text, number) = match key {
            "Tab" => ("", 9),
            "Enter" => ("\r", 13),
            key if key.chars().count() == 1 => (key, 0),
            _ => ("", 0),
        };
        for kind in ["keyDown", "keyUp"] {
            let event =
                json!({ "type": kind, "key": key, "text": text, "windowsVirtualKeyCode": number });
            self.ask("Input.dispatchKeyEvent", event);
        }
    }

    /// Types a name into the search of the page and selects the first hit.
    pub fn find(&mut self, name: &str) {
        self.key("/");
        self.ask("Input.insertText", json!({ "text": name }));
        self.key("Enter");
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let fine = self.errors.is_empty() || std::thread::panicking();
        assert!(fine, "{:?}", self.errors);
    }
}
