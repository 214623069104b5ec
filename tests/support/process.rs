//! Commands with a time limit, and daemons that detach themselves. Guards and polling come from `dmodc_lab::sim`.

pub use dmodc_lab::sim::{Guard, poll};

use dmodc_lab::sim::Program;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

/// A daemon that detached itself, so it is no child of this process. A shell that waits for the end of its input kills
/// the daemon when this value is dropped or this process ends.
pub struct Detached {
    id: u32,
    killer: Child,
}

impl Detached {
    pub fn new(id: u32) -> Detached {
        let killer = Command::new("sh")
            .args([
                "-c",
                "trap '' INT TERM HUP; read line; kill -s KILL \"$0\" 2>/dev/null",
            ])
            .arg(id.to_string())
            .stdin(Stdio::piped())
            .spawn()
            .expect("sh runs");
        Detached { id, killer }
    }

    pub fn id(&self) -> u32 {
        self.id
    }

    /// Whether the process runs: it is listed, and not as a zombie.
    pub fn is_alive(&self) -> bool {
        let status = fs::read_to_string(format!("/proc/{}/status", self.id));
        status.is_ok_and(|s| !s.contains("\nState:\tZ"))
    }
}

impl Drop for Detached {
    fn drop(&mut self) {
        if !self.is_alive() {
            // Another process may have its id now: the shell must not kill it.
            let _ = self.killer.kill();
        }
        // This first closes the input of the shell.
        let _ = self.killer.wait();
    }
}

/// Sends a signal by name. The shell's own `kill` spares an unsafe call and a package. A failure is ignored: the
/// process is gone.
pub fn signal(pid: u32, name: &str) {
    let script = "kill -s \"$0\" \"$1\" 2>/dev/null";
    let args = ["-c", script, name, &pid.to_string()];
    let _ = Command::new("sh").args(args).status().expect("sh runs");
}

/// Waits until a condition holds; at the limit, fails with a message.
#[track_caller]
pub fn wait_until(limit: Duration, mut is: impl FnMut() -> bool, words: impl FnOnce() -> String) {
    let came = poll(limit, || is().then_some(()));
    assert!(came.is_some(), "{}", words());
}

/// The result of a command with a time limit.
#[derive(Debug)]
pub struct Finished {
    /// The exit status; `None` if the command was killed at the limit.
    pub status: Option<ExitStatus>,
    /// Standard output and standard error together, in the order in which they were written.
    pub output: String,
}

impl Finished {
    /// Whether the command ended by itself with exit code 0.
    pub fn success(&self) -> bool {
        self.status.is_some_and(|s| s.success())
    }
}

/// Runs a command with its output in a file and a limit on its time.
pub fn run(command: Command, output: &Path, limit: Duration) -> Finished {
    let child = Guard::start(command, output);
    let status = child.expect("setpriv runs").wait(limit);
    let text = fs::read(output).expect("the output file is there");
    Finished {
        status,
        output: String::from_utf8_lossy(&text).into_owned(),
    }
}

pub fn program(name: &'static str) -> Program {
    Program {
        name,
        package: "infiniband-diags, ibutils, opensm or ibsim-utils",
    }
}
