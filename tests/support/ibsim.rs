//! The ibsim of `dmodc_lab::sim`, with a console, which makes faults, and the names of hosts.

use super::process;
use dmodc_fabric::PortNumber;
use dmodc_formats::netlist::{Kind, Netlist, Node};
use dmodc_lab::sim;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::ops::Deref;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(30);
/// ibsim prints this at the end of each reply.
const PROMPT: &str = "sim> ";

/// A running ibsim, killed when dropped. Its folder holds all files of this fabric.
pub struct Ibsim {
    sim: sim::Ibsim,
    hosts: Vec<String>,
    /// Bytes of the output that belong to earlier replies.
    answered: u64,
}

impl Deref for Ibsim {
    type Target = sim::Ibsim;

    fn deref(&self) -> &sim::Ibsim {
        &self.sim
    }
}

impl Ibsim {
    /// Starts ibsim on a netlist and waits until it takes clients.
    pub fn start(file: &Path) -> Ibsim {
        let netlist = Netlist::read(file).expect("a good netlist");
        let sim = sim::Ibsim::open(file, &netlist).unwrap_or_else(|e| panic!("{e}"));
        let nodes = netlist.nodes.into_iter();
        let hosts = nodes.filter(|n| n.kind == Kind::Ca).map(|n| n.id).collect();
        let answered = sim.printed().len() as u64;
        Ibsim {
            sim,
            hosts,
            answered,
        }
    }

    /// Node names of the CAs, in file order.
    pub fn hosts(&self) -> &[String] {
        &self.hosts
    }

    /// Removes a link: `Unlink "node"[port]`.
    pub fn unlink(&mut self, node: &str, port: PortNumber) {
        self.command(&format!("Unlink \"{node}\"[{port}]"));
    }

    /// Restores a link that was removed at this port.
    pub fn relink(&mut self, node: &str, port: PortNumber) {
        self.command(&format!("ReLink \"{node}\"[{port}]"));
    }

    /// Removes all links of a node, one after the other.
    pub fn unlink_all(&mut self, node: &Node) {
        for port in &node.ports {
            self.unlink(&node.id, port.number);
        }
    }

    /// Restores the links that were removed at a node.
    pub fn relink_all(&mut self, node: &Node) {
        for port in &node.ports {
            self.relink(&node.id, port.number);
        }
    }

    /// Makes ibsim drop this percentage of a node's MADs of one attribute.
    pub fn errors_at(&mut self, node: &str, percent: u32, attribute: &str) {
        self.command(&format!("Error \"{node}\" {percent} {attribute}"));
    }

    /// Runs console commands. ibsim serves no client before the last one has run.
    pub fn batch(&mut self, lines: &[String]) {
        let file = self.dir().join("batch");
        fs::write(&file, lines.join("\n") + "\n").expect("the commands can be written");
        self.command(&format!("!{}", file.display()));
    }

    /// The present state of every node: its links, LIDs and tables.
    pub fn dump(&mut self) -> Vec<u8> {
        let text = self.ask("Dump");
        // Frees the disk space. ibsim writes on at its old offset, behind a hole.
        let output = File::options().write(true).open(self.sim.output());
        let cut = output.and_then(|file| file.set_len(0));
        cut.expect("the output can be cut");
        text
    }

    /// Runs a console command that must not fail: ibsim marks an error by `#`.
    fn command(&mut self, line: &str) {
        let answer = String::from_utf8_lossy(&self.ask(line)).into_owned();
        assert!(!answer.contains('#'), "ibsim refused {line:?}: {answer}");
    }

    /// Runs a console command and returns ibsim's output up to the next prompt.
    fn ask(&mut self, line: &str) -> Vec<u8> {
        let mut output = File::open(self.sim.output()).expect("the output is there");
        let start = SeekFrom::Start(self.answered);
        output.seek(start).expect("a place in a file");
        writeln!(self.sim.console(), "{line}").expect("ibsim reads its console");
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

    /// A command that runs at `host` and finds this fabric as the InfiniBand of the machine.
    pub fn client(&self, program: &'static str, host: &str, dir: &Path) -> Command {
        let command = self.sim.client(&process::program(program), Some(host), dir);
        command.unwrap_or_else(|e| panic!("{e}; `make programs` installs it"))
    }
}
