//! Child processes as guards, commands with a time limit, and polling.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How long to wait between two looks.
const POLL: Duration = Duration::from_millis(5);

/// Looks until `look` finds something or the time is over.
pub fn poll<T>(limit: Duration, mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let deadline = Instant::now() + limit;
    loop {
        if let Some(found) = look() {
            return Some(found);
        }
        if Instant::now() >= deadline {
            return None;
        }
        thread::sleep(POLL);
    }
}

/// A child process that does not outlive this value.
pub struct Guard(pub Child);

impl Guard {
    /// Waits for the end, at most this long.
    pub fn wait(&mut self, limit: Duration) -> Option<ExitStatus> {
        poll(limit, || {
            self.0.try_wait().expect("a child can be waited for")
        })
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // Either fails only when the process has ended already, which is what is wanted.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

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
pub fn run(mut command: Command, output: &Path, limit: Duration) -> Finished {
    let mut child = start(&mut command, output);
    let status = child.wait(limit);
    drop(child);
    let text = fs::read(output).expect("the output file is there");
    Finished {
        status,
        output: String::from_utf8_lossy(&text).into_owned(),
    }
}

/// Starts a command with both of its outputs in one file.
pub fn start(command: &mut Command, output: &Path) -> Guard {
    let file = File::create(output).expect("the output file can be made");
    let same = file.try_clone().expect("a file can be cloned");
    command.stdout(file).stderr(same);
    if command.get_program() != "ibsim" {
        command.stdin(Stdio::null());
    }
    match command.spawn() {
        Ok(child) => Guard(child),
        Err(e) => panic!(
            "cannot run {:?} ({e}); `make setup` installs it",
            command.get_program()
        ),
    }
}

/// A command of the system's: OpenSM and its tools lie in `sbin`, where a user's PATH may not look.
pub fn system_command(program: &str, dir: &Path) -> Command {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new(program);
    command
        .env("PATH", format!("{path}:/usr/local/sbin:/usr/sbin:/sbin"))
        .current_dir(dir);
    command
}

/// ibsim's client library, which takes the place of the kernel's umad devices.
pub fn umad2sim() -> PathBuf {
    let multiarch = fs::read_dir("/usr/lib")
        .into_iter()
        .flatten()
        .flatten()
        .map(|e| e.path());
    multiarch
        .chain(["/usr/lib", "/usr/lib64", "/usr/local/lib"].map(PathBuf::from))
        .map(|dir| dir.join("umad2sim/libumad2sim.so"))
        .find(|file| file.exists())
        .expect("libumad2sim.so is installed (package ibsim-utils; `make setup` installs it)")
}
