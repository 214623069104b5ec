//! A simulated fabric: one ibsim process with a socket name of its own.
//!
//! ibsim binds datagram sockets named after `IBSIM_SOCKNAME` in Linux's abstract name space; its
//! limits are static, so they are fitted to the netlist. It gives CA ports the GUID node GUID +
//! port number, whatever the netlist says.

use super::CompareError;
use super::process::{self, Guard, PrivateDir, Program};
use crate::netlist::{Kind, Netlist};
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const IBSIM: Program = Program {
    name: "ibsim",
    package: "ibsim-utils",
};
/// Time for ibsim to read a netlist.
const LIMIT: Duration = Duration::from_secs(60);
/// Entries of a forwarding table: every unicast LID.
const LINEAR_CAP: usize = 49_152;

/// A running ibsim, ended when dropped. Its folder holds all that belongs to this run.
pub struct Ibsim {
    // Fields are dropped in this order: the process ends before its folder goes.
    _process: Guard,
    socket: String,
    host: String,
    library: PathBuf,
    dir: PrivateDir,
}

impl Ibsim {
    /// Starts ibsim on a fabric and waits until it takes clients.
    pub fn start(netlist: &Netlist) -> Result<Ibsim, CompareError> {
        let library = client_library().ok_or(CompareError::NoClientLibrary)?;
        let host = host(netlist).ok_or(CompareError::NoHost)?;
        let dir = PrivateDir::new()?;
        let net = dir.path().join("fabric.netlist");
        let output = dir.path().join("ibsim.out");
        write(netlist, &net).map_err(CompareError::file(&net))?;
        let socket = process::unique();
        let mut command = IBSIM.command(dir.path());
        let ports: usize = netlist
            .nodes
            .iter()
            .map(|n| usize::from(n.port_count) + 1)
            .sum();
        let limits = [
            ("-N", netlist.nodes.len()),
            ("-S", netlist.switches().count()),
            ("-P", ports),
            ("-L", LINEAR_CAP),
        ];
        // -s: start at once; -n: no console.
        command.env("IBSIM_SOCKNAME", &socket).args(["-s", "-n"]);
        for (option, limit) in limits {
            command.arg(option).arg(limit.to_string());
        }
        command.arg(&net);
        let mut ibsim = IBSIM.start(command, &output)?;
        let control = format!("@{socket}:ctl");
        let ready = process::poll(LIMIT, || {
            let sockets = fs::read_to_string("/proc/net/unix").unwrap_or_default();
            // The name is followed by the padding that ibsim binds along with it.
            let bound = sockets.contains(&control);
            (bound || ibsim.ended().is_some()).then_some(bound)
        });
        if ready != Some(true) {
            let output = fs::read(&output).unwrap_or_default();
            let output = String::from_utf8_lossy(&output).into_owned();
            return Err(CompareError::IbsimNotReady {
                limit: LIMIT,
                output,
            });
        }
        Ok(Ibsim {
            _process: ibsim,
            socket,
            host,
            library,
            dir,
        })
    }

    /// The folder of this run.
    pub fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// A command that takes this fabric for the machine's InfiniBand, attached at its first host.
    pub fn client(&self, program: &Program) -> Command {
        let mut command = program.command(self.dir());
        command
            .env("LD_PRELOAD", &self.library)
            .env("IBSIM_SOCKNAME", &self.socket)
            .env("SIM_HOST", &self.host);
        command
    }
}

fn write(netlist: &Netlist, path: &Path) -> std::io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    netlist.write(&mut out)?;
    out.flush()
}

/// The node name of the first CA that is no aggregation node and whose port 1, where ibsim
/// attaches its clients, is linked to a switch.
fn host(netlist: &Netlist) -> Option<String> {
    let attached = |port: &crate::netlist::Port| {
        port.number == 1 && netlist.nodes[port.peer as usize].kind == Kind::Switch
    };
    let mut hosts = netlist
        .nodes
        .iter()
        .filter(|n| n.kind == Kind::Ca && !n.is_aggregation());
    hosts
        .find(|n| n.ports.iter().any(attached))
        .map(|n| n.id.clone())
}

/// ibsim's client library, which takes the place of the kernel's umad devices.
fn client_library() -> Option<PathBuf> {
    let multiarch = fs::read_dir("/usr/lib")
        .into_iter()
        .flatten()
        .flatten()
        .map(|e| e.path());
    multiarch
        .chain(["/usr/lib", "/usr/lib64", "/usr/local/lib"].map(PathBuf::from))
        .map(|dir| dir.join("umad2sim/libumad2sim.so"))
        .find(|file| file.exists())
}
