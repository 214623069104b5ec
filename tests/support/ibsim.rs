//! The library's ibsim with what tests need beside: the console, which makes faults, and hosts by name.

use super::process;
use dmodc::netlist::{Kind, Netlist};
use dmodc::sim;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Time for ibsim to answer a command.
const LIMIT: Duration = Duration::from_secs(30);

/// A running ibsim, killed when dropped. Its folder holds all that belongs to this fabric.
pub struct Ibsim {
    sim: sim::Ibsim,
    hosts: Vec<String>,
}

impl Ibsim {
    /// Starts ibsim on a netlist and waits until it takes clients.
    pub fn start(file: &Path) -> Ibsim {
        let netlist = Netlist::read(file).expect("a good netlist");
        let sim = sim::Ibsim::open(file, &netlist).unwrap_or_else(|e| panic!("{e}"));
        let nodes = netlist.nodes.into_iter();
        let hosts = nodes.filter(|n| n.kind == Kind::Ca).map(|n| n.id).collect();
        Ibsim { sim, hosts }
    }

    /// The folder of this fabric.
    pub fn dir(&self) -> &Path {
        self.sim.dir()
    }

    /// Node names of the CAs, in file order.
    pub fn hosts(&self) -> &[String] {
        &self.hosts
    }

    /// Takes a link away: `Unlink "node"[port]`.
    pub fn unlink(&mut self, node: &str, port: u8) {
        self.command(&format!("Unlink \"{node}\"[{port}]"));
    }

    /// Brings a link back that was taken away from this very port.
    pub fn relink(&mut self, node: &str, port: u8) {
        self.command(&format!("ReLink \"{node}\"[{port}]"));
    }

    /// Runs a console command and waits for the next prompt.
    fn command(&mut self, line: &str) {
        let before = self.sim.printed();
        let prompts = |text: &str| text.matches("sim> ").count();
        let awaited = prompts(&before) + 1;
        writeln!(self.sim.console(), "{line}").expect("ibsim reads its console");
        let answered = process::poll(LIMIT, || {
            (prompts(&self.sim.printed()) >= awaited).then_some(())
        });
        let answer = self.sim.printed()[before.len()..].to_owned();
        assert!(
            answered.is_some(),
            "ibsim did not answer {line:?}: {answer}"
        );
        assert!(!answer.contains('#'), "ibsim refused {line:?}: {answer}");
    }

    /// A command that takes this fabric for the machine's InfiniBand, attached at `host`.
    pub fn client(&self, program: &'static str, host: &str, dir: &Path) -> Command {
        self.sim.client_at(&process::program(program), host, dir)
    }
}
