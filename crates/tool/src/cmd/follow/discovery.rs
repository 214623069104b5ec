//! A follower's commands, with a time limit: one prints the fabric, one the master.

use crate::failure::Failure;
use dmodc_fabric::Guid;
use dmodc_formats::files::{MOST, at_most};
use dmodc_formats::netlist::{Netlist, Node};
use dmodc_lab::LabError;
use dmodc_lab::sim::{Guard, PrivateDir, Program, last_line};
use std::env;
use std::fs::File;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{ChildStdin, Stdio};
use std::time::{Duration, Instant};

const SHELL: Program = Program {
    name: "sh",
    package: "dash",
};
/// Runs the command `$0`, without input. A second process of its group waits for a line; at the end of the input instead,
/// at the time limit or when the follower has died, it ends the group. (`timeout` leaves the group if TERM comes just
/// after its `fork`: coreutils 9.1, 1 of 25 times on a busy machine. A command after `&` would ignore INT.)
const IN_GROUP: &str = r#"exec 3<&0
(trap "" TERM; read line <&3 || { kill -s TERM 0; sleep 1; kill -s KILL 0; }) &
exec sh -c "$0" </dev/null 3<&-"#;
const GRACE: Duration = Duration::from_secs(2);

pub struct Commands {
    /// Prints the fabric as ibnetdiscover does.
    pub discover: String,
    /// Prints the master SM, as sminfo does.
    pub sminfo: String,
    pub limit: Duration,
    /// For the output of a command.
    pub dir: PrivateDir,
}

impl Commands {
    /// Runs the discovery, at most until the deadline; returns the present fabric as text.
    pub fn discover(&self, until: Instant) -> Result<Vec<u8>, Failure> {
        let left = until.saturating_duration_since(Instant::now());
        let text = self.run(&self.discover, left).map_err(Failure::discovery)?;
        if text.is_empty() {
            let reason = format!("'{}' has printed nothing", self.discover);
            return Err(Failure::discovery(reason));
        }
        Ok(text)
    }

    /// Whether the node where a discovery began manages the subnet. An error if that is unknown.
    pub fn is_master_here(&self, text: &[u8], netlist: &Netlist) -> Result<bool, String> {
        let here = initiator(text).ok_or("the discovery does not say where it began")?;
        let answer = self.run(&self.sminfo, self.limit)?;
        let answer = String::from_utf8_lossy(&answer);
        let manager = guid_after(&answer, "sm guid 0x");
        let manager = manager.ok_or_else(|| format!("'{}' names no SM: {answer}", self.sminfo))?;
        let node = netlist.nodes.iter().find(|node| node.guid == here);
        let has = |node: &Node| node.ports.iter().any(|p| node.port_guid(p) == manager);
        Ok(manager == here || node.is_some_and(has))
    }

    pub fn notify(&self, command: &str) -> Result<(), String> {
        self.run(command, self.limit.max(NOTIFY)).map(drop)
    }

    /// Runs a shell command in this process' folder. Returns its output, or the reason of its failure.
    fn run(&self, command: &str, limit: Duration) -> Result<Vec<u8>, String> {
        let (output, errors) = (self.dir.path().join("out"), self.dir.path().join("err"));
        let start = || -> Result<(Guard, Option<ChildStdin>), LabError> {
            let mut shell = SHELL.command(self.dir.path())?;
            shell.current_dir(env::current_dir().unwrap_or_default());
            shell.args(["-c", IN_GROUP, command]).process_group(0);
            Guard::start_with(shell, Stdio::piped(), &output, &errors)
        };
        let (mut child, mut input) = start().map_err(|e| e.to_string())?;
        let status = child.wait(limit);
        if status.is_none() {
            input = None;
            child.wait(GRACE);
        }
        if let Some(mut input) = input {
            // Fails only if the command has ended its group itself.
            let _ = input.write_all(b"done\n");
        }
        let read = |file: &Path| File::open(file).and_then(|file| at_most(MOST, file));
        let fails = |how: String| {
            let printed = read(&errors).unwrap_or_default();
            let printed = String::from_utf8_lossy(&printed);
            let last = last_line(&printed).map(|line| format!(": {line}"));
            Err(format!("'{command}' {how}{}", last.unwrap_or_default()))
        };
        match status {
            Some(status) if status.success() => read(&output).map_err(|e| e.to_string()),
            Some(status) => fails(format!("has failed, {status}")),
            None => fails(format!("was not done in {:.1} s", limit.as_secs_f64())),
        }
    }
}

/// The least time limit for `--notify`: a service manager may wait for others.
const NOTIFY: Duration = Duration::from_secs(60);

/// The lines of a discovery that describe the fabric: all but comments, which have the date.
pub fn content(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = text.split(|&byte| byte == b'\n');
    lines.filter(|line| !line.starts_with(b"#"))
}

fn initiator(text: &[u8]) -> Option<Guid> {
    let comments = text.split(|&byte| byte == b'\n');
    let mut comments = comments.take_while(|line| line.is_empty() || line.starts_with(b"#"));
    comments.find_map(|line| guid_after(&String::from_utf8_lossy(line), "Initiated from node "))
}

/// The GUID after `words`, in hexadecimal.
fn guid_after(text: &str, words: &str) -> Option<Guid> {
    let (_, rest) = text.split_once(words)?;
    let end = rest.find(|c: char| !c.is_ascii_hexdigit());
    let digits = &rest[..end.unwrap_or(rest.len())];
    digits.parse().ok()
}
