//! Child processes as guards, private folders, and polling.

use super::SimError;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
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
pub struct Guard(Child);

impl Guard {
    /// Its exit status, if it has ended.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.0.try_wait().ok().flatten()
    }

    /// Waits for its end, at most this long.
    pub fn wait(&mut self, limit: Duration) -> Option<ExitStatus> {
        poll(limit, || self.ended())
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.0.id()
    }

    /// Its standard input, the first time that this is asked.
    pub(super) fn take_stdin(&mut self) -> Option<ChildStdin> {
        self.0.stdin.take()
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // Either fails only if the process has ended already, which is what is wanted.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A program of a Debian package.
pub struct Program {
    /// Its name.
    pub name: &'static str,
    /// The package.
    pub package: &'static str,
}

impl Program {
    /// The command that runs it in a folder. OpenSM and its tools lie in `sbin`, where a user's
    /// PATH may not look.
    pub fn command(&self, dir: &Path) -> Command {
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new(self.name);
        command
            .env("PATH", format!("{path}:/usr/local/sbin:/usr/sbin:/sbin"))
            .current_dir(dir);
        command
    }

    /// Starts a command of this program with nothing to read and both of its outputs in one file.
    pub fn start(&self, command: Command, output: &Path) -> Result<Guard, SimError> {
        self.start_reading(command, Stdio::null(), output)
    }

    /// Starts a command of this program with both of its outputs in one file.
    pub(super) fn start_reading(
        &self,
        mut command: Command,
        input: Stdio,
        output: &Path,
    ) -> Result<Guard, SimError> {
        let file = File::create(output).map_err(SimError::file(output))?;
        let same = file.try_clone().map_err(SimError::file(output))?;
        command.stdin(input).stdout(file).stderr(same);
        let child = command.spawn().map_err(|reason| SimError::Start {
            program: self.name,
            package: self.package,
            reason,
        })?;
        Ok(Guard(child))
    }
}

/// A new folder, removed with all that is in it when dropped.
pub struct PrivateDir(PathBuf);

impl PrivateDir {
    /// Makes one in the system's folder for such things.
    pub fn new() -> Result<PrivateDir, SimError> {
        let path = std::env::temp_dir().join(unique());
        fs::create_dir(&path).map_err(SimError::file(&path))?;
        Ok(PrivateDir(path))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for PrivateDir {
    fn drop(&mut self) {
        if let Err(reason) = fs::remove_dir_all(&self.0) {
            log::warn!("{}: {reason}", self.0.display());
        }
    }
}

/// A name that no other run has, on this machine and at this time.
pub fn unique() -> String {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("dmodc-{}-{count}", std::process::id())
}
