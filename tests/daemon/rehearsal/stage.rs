//! The fabric of the rehearsal with a spare box, and its OpenSMs.

use crate::reference::at_port;
use crate::support::*;
use dmodc_fabric::Guid;
use dmodc_formats::netlist::{Netlist, Node, Port};
use dmodc_lab::sim::Plugin;
use std::fs;
use std::path::{Path, PathBuf};

/// The fabric; beside it a box that can take the place of a switch, with links of one lane, in a depot of its own.
pub fn with_depot(shape: &str, spine: &str) -> Netlist {
    let mut netlist = Net::pgft(shape).netlist;
    let place = ::fabrics::node_at(&netlist, spine);
    for (index, node) in (0..).zip(&mut netlist.nodes) {
        for port in &mut node.ports {
            // Its links have one lane or four.
            let is_of_place = index == place || port.peer == place;
            port.link = if is_of_place { "w=3" } else { "" }.into();
        }
    }
    let first = netlist.nodes.len() as u32;
    for (name, guid, peer) in [("new", 0xaa, first + 1), ("depot", 0xbb, first)] {
        let old = &netlist.nodes[place as usize];
        let ports = old.ports.iter().map(|port| Port {
            peer,
            peer_port: port.number,
            link: "w=1".into(),
            ..port.clone()
        });
        let node = Node {
            ports: ports.collect(),
            guid: Guid(guid),
            id: format!("S-{name}"),
            description: format!("{spine} {name}"),
            ..old.clone()
        };
        netlist.nodes.push(node);
    }
    netlist
}

/// An OpenSM with Dmodc at a host.
#[derive(Clone)]
pub struct Manager {
    pub metrics: PathBuf,
    pub places: PathBuf,
    config: Config,
}

impl Manager {
    pub fn new(net: &Net, sim: &Ibsim, host: usize, plugin: &Path) -> Manager {
        let at = |name: String| sim.dir().join(name);
        let (metrics, folder) = (at(format!("{host}.prom")), at(host.to_string()));
        fs::create_dir_all(&folder).expect("a folder");
        let (file, drain) = (metrics.display(), at("drain".into()));
        let options = format!("dmodc.metrics={file} dmodc.drain={}", drain.display());
        let plugin = Plugin::in_dir(plugin).unwrap_or_else(|e| panic!("{e}"));
        let config = Config::engines("dmodc").with_plugin(&plugin);
        let config = config
            .options(&options)
            .cache_dir(&folder)
            .log_flags("0x03");
        Manager {
            places: folder.join(at_port(net, host)),
            config: config.run_at(&sim.hosts()[host]),
            metrics,
        }
    }

    pub fn config(&self, priority: u8, polls: u32) -> Config {
        // One poll: one on its way when the master dies gets no reply here, and no timeout.
        let config = self.config.clone().line(format!("sm_priority {priority}"));
        let config = config.line(format!("sminfo_polling_timeout {polls}"));
        config.line("polling_retry_number 1")
    }

    /// Starts it beside a master.
    pub fn stand_by(&self, sim: &Ibsim, priority: u8, polls: u32) -> OpenSm {
        let sm = OpenSm::launch(sim, &self.config(priority, polls));
        sm.files.wait_for(0, "Entering STANDBY state");
        sm
    }
}
