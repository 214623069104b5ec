//! A simulated fabric: one ibsim process with a socket name and a console of its own.
//!
//! ibsim binds datagram sockets named after `IBSIM_SOCKNAME` in Linux's abstract name space and
//! takes commands on its standard input; its limits are static, so they are fitted to the netlist.

use super::process::{self, Guard};
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tempfile::TempDir;

/// Time for ibsim to read a netlist and to answer a command.
const LIMIT: Duration = Duration::from_secs(30);
/// Every unicast LID.
const LINEAR_CAP: usize = 49_152;
/// What ibsim prints when it has answered.
const PROMPT: &str = "sim> ";

/// A running ibsim, killed when dropped. Its folder holds all that belongs to this fabric.
pub struct Ibsim {
    // Fields are dropped in this order: the process ends before its folder goes.
    process: Guard,
    console: ChildStdin,
    output: PathBuf,
    /// How much of the output has been taken for an answer.
    answered: u64,
    socket: String,
    hosts: Vec<String>,
    dir: TempDir,
}

impl Ibsim {
    /// Starts ibsim on a netlist and waits until it takes clients.
    pub fn start(netlist: &Path) -> Ibsim {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let socket = format!("dmodc-{}-{count}", std::process::id());
        let dir = tempfile::Builder::new()
            .prefix("dmodc-")
            .tempdir()
            .expect("a temporary folder");
        let text = fs::read(netlist).expect("the netlist can be read");
        let size = Size::of(&String::from_utf8_lossy(&text));
        let output = dir.path().join("ibsim.out");
        let mut command = process::system_command("ibsim", dir.path());
        command
            .env("IBSIM_SOCKNAME", &socket)
            .stdin(Stdio::piped())
            .arg("-s");
        command.args([
            "-N",
            &size.nodes.to_string(),
            "-S",
            &size.switches.to_string(),
        ]);
        command.args(["-P", &size.ports.to_string(), "-L", &LINEAR_CAP.to_string()]);
        command.arg(fs::canonicalize(netlist).expect("the netlist has a path"));
        let mut process = process::start(&mut command, &output);
        let console = process.0.stdin.take().expect("standard input is a pipe");
        let mut sim = Ibsim {
            process,
            console,
            output,
            answered: 0,
            socket,
            hosts: size.hosts,
            dir,
        };
        sim.wait_until_ready();
        sim
    }

    fn wait_until_ready(&mut self) {
        let name = format!("@{}:ctl", self.socket);
        let bound = process::poll(LIMIT, || {
            let sockets = fs::read_to_string("/proc/net/unix").expect("Linux lists its sockets");
            // The name is followed by the padding that ibsim binds along with it.
            sockets.contains(&name).then_some(())
        });
        assert!(bound.is_some(), "ibsim is not ready:\n{}", self.log());
        self.answered = self.log().len() as u64;
    }

    /// The folder of this fabric.
    pub fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// Node names of the CAs, in file order.
    pub fn hosts(&self) -> &[String] {
        &self.hosts
    }

    /// What ibsim has printed.
    pub fn log(&self) -> String {
        let bytes = fs::read(&self.output).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Takes a link away: `Unlink "node"[port]`.
    pub fn unlink(&mut self, node: &str, port: u8) {
        self.command(&format!("Unlink \"{node}\"[{port}]"));
    }

    /// Brings a link back that was taken away from this very port.
    pub fn relink(&mut self, node: &str, port: u8) {
        self.command(&format!("ReLink \"{node}\"[{port}]"));
    }

    /// Runs console commands, all of them before ibsim answers any client again.
    pub fn batch(&mut self, lines: &[String]) {
        let file = self.dir.path().join("batch");
        fs::write(&file, lines.join("\n") + "\n").expect("the commands can be written");
        self.command(&format!("!{}", file.display()));
    }

    /// What every node now is: its links, LIDs and tables.
    pub fn dump(&mut self) -> Vec<u8> {
        let text = self.ask("Dump");
        // It would pile up. ibsim writes on where it was, behind a hole that takes no room.
        let output = File::options().write(true).open(&self.output);
        let cut = output.and_then(|file| file.set_len(0));
        cut.expect("the output can be cut");
        text
    }

    /// ibsim's process id.
    pub fn pid(&self) -> u32 {
        self.process.0.id()
    }

    /// Runs a console command that has no answer but the next prompt.
    fn command(&mut self, line: &str) {
        let answer = String::from_utf8_lossy(&self.ask(line)).into_owned();
        assert!(!answer.contains('#'), "ibsim refused {line:?}: {answer}");
    }

    /// Runs a console command and returns what ibsim prints up to the next prompt.
    fn ask(&mut self, line: &str) -> Vec<u8> {
        let mut output = File::open(&self.output).expect("the output is there");
        let start = SeekFrom::Start(self.answered);
        output.seek(start).expect("a place in a file");
        writeln!(self.console, "{line}").expect("ibsim reads its console");
        let mut answer = Vec::new();
        let answered = process::poll(LIMIT, || {
            let from = answer.len().saturating_sub(PROMPT.len());
            output.read_to_end(&mut answer).expect("a file can be read");
            let mut places = answer[from..].windows(PROMPT.len());
            places.any(|w| w == PROMPT.as_bytes()).then_some(())
        });
        let text = String::from_utf8_lossy(&answer);
        assert!(answered.is_some(), "ibsim did not answer {line:?}: {text}");
        self.answered += answer.len() as u64;
        answer
    }

    /// A command that takes this fabric for the machine's InfiniBand, attached at `host`.
    pub fn client(&self, program: &str, host: &str, dir: &Path) -> Command {
        let mut command = process::system_command(program, dir);
        command
            .env("LD_PRELOAD", process::umad2sim())
            .env("IBSIM_SOCKNAME", &self.socket)
            .env("SIM_HOST", host);
        command
    }
}

/// What ibsim must make room for.
#[derive(Default)]
struct Size {
    nodes: usize,
    switches: usize,
    ports: usize,
    hosts: Vec<String>,
}

impl Size {
    /// Counts the lines that open a node: `Switch 36 "S-.."`, `Ca 1 "H-.."`.
    fn of(netlist: &str) -> Size {
        let mut size = Size::default();
        for line in netlist.lines() {
            let mut words = line.split_whitespace();
            let (Some(kind), Some(ports)) = (words.next(), words.next()) else {
                continue;
            };
            let Ok(ports) = ports.parse::<usize>() else {
                continue;
            };
            match kind {
                "Switch" => size.switches += 1,
                "Ca" | "Hca" => size.hosts.extend(line.split('"').nth(1).map(str::to_owned)),
                "Rt" | "Router" => {}
                _ => continue,
            }
            size.nodes += 1;
            size.ports += ports + 1;
        }
        assert!(
            !size.hosts.is_empty(),
            "the netlist has a CA for OpenSM to sit at"
        );
        size
    }
}
