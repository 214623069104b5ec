//! Commands with a time limit, and daemons that detach themselves. Guards and polling are the
//! library's.

pub use dmodc::sim::{Guard, poll};

use dmodc::sim::Program;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::time::Duration;

/// A daemon that detached itself: known by its process id only, killed when dropped.
pub struct Detached(pub u32);

impl Detached {
    /// Whether the process runs: it is listed, and not as a zombie that nobody has reaped yet.
    pub fn is_alive(&self) -> bool {
        let status = fs::read_to_string(format!("/proc/{}/status", self.0));
        status.is_ok_and(|s| !s.contains("\nState:\tZ"))
    }
}

impl Drop for Detached {
    fn drop(&mut self) {
        if self.is_alive() {
            signal(self.0, "KILL");
        }
    }
}

/// Sends a signal by name. The shell's own `kill` spares an unsafe call and a dependency.
pub fn signal(pid: u32, name: &str) {
    let status = Command::new("sh")
        .args([
            "-c",
            "kill -s \"$0\" \"$1\" 2>/dev/null",
            name,
            &pid.to_string(),
        ])
        .status()
        .expect("sh runs");
    // A failure means that the process is gone.
    let _ = status;
}

/// What a bounded command left.
#[derive(Debug)]
pub struct Finished {
    /// Its exit status; `None` if it ran out of time and was killed.
    pub status: Option<ExitStatus>,
    /// Standard output and standard error together, in the order in which they were written.
    pub output: String,
}

impl Finished {
    /// Whether it ended by itself with exit code 0.
    pub fn success(&self) -> bool {
        self.status.is_some_and(|s| s.success())
    }
}

/// Runs a command with its output in a file and a limit on its time.
pub fn run(command: Command, output: &Path, limit: Duration) -> Finished {
    let mut child = start(command, output);
    let status = child.wait(limit);
    drop(child);
    let text = fs::read(output).expect("the output file is there");
    Finished {
        status,
        output: String::from_utf8_lossy(&text).into_owned(),
    }
}

/// Starts a command with both of its outputs in one file.
pub fn start(command: Command, output: &Path) -> Guard {
    let started = program("a tool").start(command, output);
    started.unwrap_or_else(|e| panic!("{e}; `make setup` installs it"))
}

/// A program of the system's.
pub fn program(name: &'static str) -> Program {
    Program {
        name,
        package: "infiniband-diags, ibutils, opensm or ibsim-utils",
    }
}
