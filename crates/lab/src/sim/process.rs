//! Child processes, none of which outlives this process, and private folders, which it removes.
//!
//! - A [`Guard`] ends its child and a [`PrivateDir`] removes its folder when it is dropped.
//! - INT, TERM and HUP end all children and remove all folders (`signals`).
//! - After KILL, Linux kills the children (`PR_SET_PDEATHSIG`). The folders stay.
//!
//! `setpriv` of util-linux sets `PR_SET_PDEATHSIG`. To set it in the child without `setpriv` would need
//! `pre_exec`, which is `unsafe`. Two cases need care. Linux kills the child when the *thread* that
//! started it ends, so one thread, which never ends, starts all children. And this process may die before
//! `setpriv` runs, so a shell checks its parent before it becomes the program.

use super::signals::before_end;
use crate::LabError;
use rustix::process::{Pid, Signal, getpgid, kill_process_group};
use std::collections::BTreeMap;
use std::env;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{self, Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Sender};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const POLL: Duration = Duration::from_millis(5);
/// Folders of OpenSM and its tools, which may be missing in a user's PATH.
const SBIN: &str = "/usr/local/sbin:/usr/sbin:/sbin";
/// The script of that shell; `$0` is the id of this process, its proper parent.
const IF_PARENT_LIVES: &str = r#"[ "$PPID" = "$0" ] && exec "$@""#;

/// All children and folders of this process.
struct Owned {
    next: u64,
    children: BTreeMap<u64, Child>,
    dirs: BTreeMap<u64, TempDir>,
}

impl Owned {
    /// A new key.
    fn key(&mut self) -> u64 {
        self.next += 1;
        self.next
    }
}

static OWNED: Mutex<Owned> = Mutex::new(Owned {
    next: 0,
    children: BTreeMap::new(),
    dirs: BTreeMap::new(),
});

/// The lock, to add a child or folder. The first call installs the signal handlers that clean up.
fn owned_for_more() -> Result<MutexGuard<'static, Owned>, LabError> {
    before_end(end_all)?;
    Ok(owned())
}

fn owned() -> MutexGuard<'static, Owned> {
    OWNED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends all children and removes all folders. While the caller keeps the lock, other threads wait: they
/// start nothing new, and report no child as failed.
fn end_all() -> MutexGuard<'static, Owned> {
    let mut owned = owned();
    for mut child in std::mem::take(&mut owned.children).into_values() {
        end(&mut child);
    }
    for dir in std::mem::take(&mut owned.dirs).into_values() {
        let path = dir.path().to_owned();
        drop(dir);
        // Another thread may have written a file there meanwhile.
        let gone = || (!path.exists() || fs::remove_dir_all(&path).is_ok()).then_some(());
        poll(Duration::from_secs(1), gone);
    }
    owned
}

/// Ends a child, and its process group if it has made one.
fn end(child: &mut Child) {
    let id = Pid::from_child(child);
    if getpgid(Some(id)) == Ok(id) {
        let _ = kill_process_group(id, Signal::KILL);
    }
    // Either fails only if the process has ended already.
    let _ = child.kill();
    let _ = child.wait();
}

/// Calls `look` every 5 ms until it returns a value or `limit` is over.
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
pub struct Guard {
    key: u64,
    id: u32,
}

impl Guard {
    /// Starts a command of [`Program::command`] without input, and with both of its outputs in one file.
    pub fn start(command: Command, output: &Path) -> Result<Guard, LabError> {
        Ok(Guard::start_with(command, Stdio::null(), output, output)?.0)
    }

    /// As [`Guard::start`], with an input and two outputs; also returns the standard input if it is a pipe.
    pub fn start_with(
        mut command: Command,
        input: Stdio,
        output: &Path,
        errors: &Path,
    ) -> Result<(Guard, Option<ChildStdin>), LabError> {
        let file = File::create(output).map_err(LabError::file(output))?;
        let other = match errors == output {
            true => file.try_clone(),
            false => File::create(errors),
        };
        let other = other.map_err(LabError::file(errors))?;
        command.stdin(input).stdout(file).stderr(other);
        let mut owned = owned_for_more()?;
        let mut child = spawn(command).map_err(|reason| LabError::Start {
            program: "setpriv",
            package: "util-linux",
            reason,
        })?;
        let stdin = child.stdin.take();
        let (key, id) = (owned.key(), child.id());
        owned.children.insert(key, child);
        Ok((Guard { key, id }, stdin))
    }

    pub fn ended(&mut self) -> Option<ExitStatus> {
        let mut owned = owned();
        let child = owned.children.get_mut(&self.key);
        child.and_then(|child| child.try_wait().ok().flatten())
    }

    /// Waits for the child's end, at most `limit`.
    pub fn wait(&mut self, limit: Duration) -> Option<ExitStatus> {
        poll(limit, || self.ended())
    }

    pub fn id(&self) -> u32 {
        self.id
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let mut owned = owned();
        if let Some(mut child) = owned.children.remove(&self.key) {
            end(&mut child);
        }
    }
}

/// The text of a file; empty if it cannot be read.
pub fn text_of(file: &Path) -> String {
    let bytes = fs::read(file).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The last line of an output that says anything.
pub fn last_line(printed: &str) -> Option<&str> {
    let mut lines = printed.lines().map(str::trim);
    lines.rfind(|line| !line.is_empty())
}

/// Starts a command in the thread that starts all children.
fn spawn(command: Command) -> io::Result<Child> {
    type Job = (Command, Sender<io::Result<Child>>);
    static STARTER: LazyLock<Sender<Job>> = LazyLock::new(|| {
        let (sender, jobs) = mpsc::channel::<Job>();
        thread::spawn(move || {
            for (mut command, answer) in jobs {
                // Never fails: the caller waits for the result.
                let _ = answer.send(command.spawn());
            }
        });
        sender
    });
    let gone = |_| io::Error::other("the thread that starts programs is gone");
    let (sender, answer) = mpsc::channel();
    STARTER.send((command, sender)).map_err(|_| gone(()))?;
    answer.recv().map_err(|_| gone(()))?
}

/// A program of a Debian package.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    pub name: &'static str,
    pub package: &'static str,
}

impl Program {
    /// The command that runs the program in `dir`; Linux kills the child when this process dies.
    pub fn command(&self, dir: &Path) -> Result<Command, LabError> {
        let path = format!("{}:{SBIN}", env::var("PATH").unwrap_or_default());
        if !env::split_paths(&path).any(|folder| folder.join(self.name).exists()) {
            return Err(LabError::Start {
                program: self.name,
                package: self.package,
                reason: io::ErrorKind::NotFound.into(),
            });
        }
        let mut command = Command::new("setpriv");
        command
            .args(["--pdeathsig", "KILL", "sh", "-c", IF_PARENT_LIVES])
            .arg(process::id().to_string())
            .arg(self.name)
            .env("PATH", path)
            .current_dir(dir);
        Ok(command)
    }
}

/// A new temporary folder, removed with its content when dropped.
pub struct PrivateDir {
    key: u64,
    path: PathBuf,
}

impl PrivateDir {
    pub fn new() -> Result<PrivateDir, LabError> {
        let mut owned = owned_for_more()?;
        let dir = tempfile::Builder::new().prefix("dmodc-").tempdir();
        let dir = dir.map_err(LabError::file(&env::temp_dir()))?;
        let (key, path) = (owned.key(), dir.path().to_owned());
        owned.dirs.insert(key, dir);
        Ok(PrivateDir { key, path })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for PrivateDir {
    fn drop(&mut self) {
        if let Some(Err(reason)) = owned().dirs.remove(&self.key).map(TempDir::close) {
            log::warn!("{}: {reason}", self.path.display());
        }
    }
}
