//! A simulated fabric: one ibsim process with its own socket name and console.
//!
//! ibsim binds datagram sockets named after `IBSIM_SOCKNAME` in Linux's abstract name space and
//! takes commands on its standard input. Its limits are fixed at the start, so we compute them from the netlist.
//! It gives CA ports the GUID node GUID + port number, and ignores the netlist's port GUIDs.

use super::process::{Guard, PrivateDir, Program, poll, text_of};
use crate::LabError;
use dmodc_fabric::PortNumber;
use dmodc_formats::netlist::{Kind, Netlist, Node, Port};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};
use std::time::Duration;

const IBSIM: Program = Program {
    name: "ibsim",
    package: "ibsim-utils",
};
/// Time for ibsim to read a netlist on a busy machine.
const LIMIT: Duration = Duration::from_secs(300);
/// Entries of a forwarding table: every unicast LID.
const LINEAR_CAP: usize = 49_152;

/// A running ibsim, which ends when this value is dropped. Its folder has all files of the fabric.
pub struct Ibsim {
    // Fields are dropped in this order: the process ends before its folder goes.
    process: Guard,
    console: ChildStdin,
    output: PathBuf,
    socket: String,
    host: String,
    library: PathBuf,
    dir: PrivateDir,
}

impl Ibsim {
    /// Starts ibsim on a fabric and waits until it takes clients.
    pub fn start(netlist: &Netlist) -> Result<Ibsim, LabError> {
        let dir = PrivateDir::new()?;
        let net = dir.path().join("fabric.netlist");
        fs::write(&net, netlist.to_text()).map_err(LabError::file(&net))?;
        Ibsim::load(dir, &net, netlist)
    }

    /// Starts ibsim on an existing file; `netlist` is its content.
    pub fn open(file: &Path, netlist: &Netlist) -> Result<Ibsim, LabError> {
        let file = fs::canonicalize(file).map_err(LabError::file(file))?;
        Ibsim::load(PrivateDir::new()?, &file, netlist)
    }

    fn load(dir: PrivateDir, net: &Path, netlist: &Netlist) -> Result<Ibsim, LabError> {
        let none = |what: &str| LabError::Other(what.into());
        let library = client_library().ok_or_else(|| {
            none("no libumad2sim.so in /usr/lib; is package ibsim-utils installed?")
        })?;
        let host = host(netlist).ok_or_else(|| {
            none("the fabric has no CA port linked to a switch, where OpenSM could sit")
        })?;
        let output = dir.path().join("ibsim.out");
        // The name of the temporary folder is unique, so the socket's name is, too.
        let name = dir.path().file_name().unwrap_or_default();
        let socket = name.to_string_lossy().into_owned();
        let mut command = IBSIM.command(dir.path())?;
        let ports = netlist.nodes.iter().map(|n| usize::from(n.port_count) + 1);
        let limits = [
            ("-N", netlist.nodes.len()),
            ("-S", netlist.switches().count()),
            ("-P", ports.sum()),
            ("-L", LINEAR_CAP),
        ];
        // -s: start at once.
        command.env("IBSIM_SOCKNAME", &socket).arg("-s");
        for (option, limit) in limits {
            command.arg(option).arg(limit.to_string());
        }
        command.arg(net);
        let (mut ibsim, console) = Guard::start_with(command, Stdio::piped(), &output, &output)?;
        let console = console.expect("standard input is a pipe");
        let control = format!("@{socket}:ctl");
        let ready = poll(LIMIT, || {
            let sockets = fs::read_to_string("/proc/net/unix").unwrap_or_default();
            // `contains`: ibsim binds the name with padding after it.
            let bound = sockets.contains(&control);
            (bound || ibsim.ended().is_some()).then_some(bound)
        });
        if ready != Some(true) {
            let printed = text_of(&output);
            return Err(none(&format!(
                "ibsim did not load the fabric within 300s:\n{printed}"
            )));
        }
        Ok(Ibsim {
            process: ibsim,
            console,
            output,
            socket,
            host,
            library,
            dir,
        })
    }

    pub fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// ibsim's console, which takes commands line by line (`Unlink "S-1"[3]`).
    pub fn console(&mut self) -> &mut impl Write {
        &mut self.console
    }

    pub fn id(&self) -> u32 {
        self.process.id()
    }

    pub fn output(&self) -> &Path {
        &self.output
    }

    pub fn printed(&self) -> String {
        text_of(&self.output)
    }

    /// A command that runs in `dir` and has the fabric as the machine's InfiniBand, attached at the host
    /// with this node name, or at the first host.
    pub fn client(
        &self,
        program: &Program,
        host: Option<&str>,
        dir: &Path,
    ) -> Result<Command, LabError> {
        let mut command = program.command(dir)?;
        command
            .env("LD_PRELOAD", &self.library)
            .env("IBSIM_SOCKNAME", &self.socket)
            .env("SIM_HOST", host.unwrap_or(&self.host));
        Ok(command)
    }
}

/// The node name of the first CA that is no aggregation node and whose port 1, where ibsim
/// attaches its clients, is linked to a switch.
fn host(netlist: &Netlist) -> Option<String> {
    let attached = |port: &Port| {
        let peer = &netlist.nodes[port.peer as usize];
        port.number == PortNumber(1) && peer.kind == Kind::Switch
    };
    let is_host =
        |n: &&Node| n.kind == Kind::Ca && !n.is_aggregation() && n.ports.iter().any(attached);
    netlist.nodes.iter().find(is_host).map(|n| n.id.clone())
}

/// ibsim's client library, which replaces the kernel's umad devices.
fn client_library() -> Option<PathBuf> {
    let multiarch = fs::read_dir("/usr/lib").into_iter().flatten().flatten();
    let others = ["/usr/lib", "/usr/lib64", "/usr/local/lib"].map(PathBuf::from);
    let mut dirs = multiarch.map(|entry| entry.path()).chain(others);
    dirs.find_map(|dir| Some(dir.join("umad2sim/libumad2sim.so")).filter(|file| file.exists()))
}
