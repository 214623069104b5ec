//! The cables of a simulated fabric: which are plugged, and the console commands that change them.
//!
//! ibsim sends traps while it changes links, and waits after each until OpenSM's side has taken it.
//! That side waits until ibsim takes its replies, and holds a lock that it needs to take a trap.
//! With more than a few changes at once the two wait for each other for ever. So OpenSM's own link
//! is unplugged while many others change: no trap reaches it, and it sees all of them at once.

use dmodc_fabric::PortNumber;
use dmodc_formats::netlist::{Kind, Netlist};

/// Node index and port number.
pub type End = (u32, PortNumber);

/// The most links that may change with OpenSM's own link up: each sends two traps.
const FEW: usize = 3;

/// Commands for ibsim, all at once.
pub struct Batch {
    pub commands: Vec<String>,
    /// The number of links that go or come, and of LIDs that change.
    pub changes: usize,
    /// Whether OpenSM's own link is down meanwhile.
    pub unseen: bool,
}

/// All cables of the whole fabric. The cable of the first CA, where OpenSM runs, counts as
/// unplugged here: it is unplugged only while others change.
pub struct Cables<'n> {
    netlist: &'n Netlist,
    ends: Vec<[End; 2]>,
    original: Vec<[End; 2]>,
    plugged: Vec<bool>,
    /// Commands that ibsim has not got yet.
    commands: Vec<String>,
    /// Links that went or came since [`Cables::take`].
    changes: usize,
    /// Where OpenSM's CA was plugged in when the commands were last taken.
    home_end: End,
}

impl<'n> Cables<'n> {
    /// All plugged, as ibsim reads the netlist.
    pub fn new(netlist: &'n Netlist) -> Self {
        let mut ends = Vec::new();
        for (index, node) in (0..).zip(&netlist.nodes) {
            for port in node.ports.iter().filter(|p| index < p.peer) {
                ends.push([(index, port.number), (port.peer, port.peer_port)]);
            }
        }
        let mut cables = Cables {
            netlist,
            plugged: vec![true; ends.len()],
            original: ends.clone(),
            ends,
            commands: Vec::new(),
            changes: 0,
            home_end: (0, PortNumber::ZERO),
        };
        let home = cables.home_cable();
        cables.plugged[home] = false;
        cables.home_end = cables.plug_of_home();
        cables
    }

    /// The CA that OpenSM runs at: the first of the netlist.
    pub fn home(&self) -> u32 {
        let home = self.netlist.nodes.iter().position(|n| n.kind == Kind::Ca);
        home.expect("a fabric has a CA") as u32
    }

    /// The switch that OpenSM's CA is plugged into.
    pub fn home_switch(&self) -> u32 {
        self.plug_of_home().0
    }

    /// The switch port that OpenSM's CA is plugged into.
    fn plug_of_home(&self) -> End {
        let ends = self.ends[self.home_cable()];
        let other = ends.into_iter().find(|end| end.0 != self.home());
        other.expect("a cable has two ends")
    }

    fn home_cable(&self) -> usize {
        let home = self.home();
        let at = (self.ends.iter()).position(|ends| touches(ends, |n| n == home));
        at.expect("OpenSM's CA has a cable")
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The plugged cables that have an end at one of these nodes, OpenSM's own excepted.
    pub fn cables_of(&self, node: impl Fn(u32) -> bool) -> Vec<usize> {
        (0..self.ends.len())
            .filter(|&c| self.plugged[c] && touches(&self.ends[c], &node))
            .collect()
    }

    /// The plugged cables of CAs, OpenSM's own excepted.
    pub fn of_hosts(&self) -> Vec<usize> {
        self.cables_of(|n| self.is_ca(n))
    }

    /// All cables of a node but OpenSM's own, each with the index of this node's end.
    pub fn all_of(&self, node: u32) -> Vec<(usize, usize)> {
        let home = self.home_cable();
        let others = (0..self.ends.len()).filter(|&c| c != home);
        let end = |c: usize| self.ends[c].iter().position(|end| end.0 == node);
        others.filter_map(|c| Some((c, end(c)?))).collect()
    }

    pub fn ca_of(&self, cable: usize) -> u32 {
        self.ends[cable][self.ca_end(cable)].0
    }

    /// The index of a CA's end of its cable.
    fn ca_end(&self, cable: usize) -> usize {
        let at = self.ends[cable].iter().position(|end| self.is_ca(end.0));
        at.expect("a cable of a CA")
    }

    fn is_ca(&self, node: u32) -> bool {
        self.netlist.nodes[node as usize].kind == Kind::Ca
    }

    /// Whether a cable is plugged in at both ends.
    pub fn is_plugged(&self, cable: usize) -> bool {
        self.plugged[cable]
    }

    pub fn unplug(&mut self, cables: &[usize]) {
        for &cable in cables {
            assert!(std::mem::replace(&mut self.plugged[cable], false));
            let end = self.name(self.ends[cable][0]);
            self.commands.push(format!("Unlink {end}"));
        }
        self.changes += cables.len();
    }

    pub fn plug(&mut self, cables: &[usize]) {
        for &cable in cables {
            assert!(!std::mem::replace(&mut self.plugged[cable], true));
            let [a, b] = self.ends[cable].map(|end| self.name(end));
            self.commands.push(format!("Link {a} {b}"));
        }
        self.changes += cables.len();
    }

    /// Plugs cables of a node, which are out, into another one, at the same ports; what that had is pulled.
    pub fn take_place(&mut self, cables: &[usize], [old, new]: [u32; 2]) {
        let pulled = self.cables_of(|n| n == new);
        self.unplug(&pulled);
        for &cable in cables {
            let ends = self.ends[cable].iter_mut();
            ends.filter(|end| end.0 == old).for_each(|end| end.0 = new);
        }
        self.plug(cables);
    }

    /// Exchanges two CAs, both plugged in.
    pub fn exchange(&mut self, a: usize, b: usize) {
        self.unplug(&[a, b]);
        self.swap_hosts(a, b);
        self.plug(&[a, b]);
    }

    /// Moves a CA that is plugged in to the place of one that is not.
    pub fn move_host(&mut self, from: usize, to: usize) {
        self.unplug(&[from]);
        self.swap_hosts(from, to);
        self.plug(&[to]);
    }

    /// Plugs two cables between switches in crosswise: each gets the far end of the other.
    pub fn cross(&mut self, a: usize, b: usize) {
        let (far_of_a, far_of_b) = (self.ends[a][1], self.ends[b][1]);
        (self.ends[a][1], self.ends[b][1]) = (far_of_b, far_of_a);
        self.plug(&[a, b]);
    }

    /// Exchanges OpenSM's CA with another one, which is plugged in.
    pub fn move_home(&mut self, cable: usize) {
        let home = self.home_cable();
        self.unplug(&[cable]);
        self.swap_hosts(home, cable);
        self.plug(&[home]);
    }

    /// Moves every CA back to its own place. All must be plugged in.
    pub fn put_back(&mut self) {
        let all = 0..self.ends.len();
        let moved: Vec<usize> = all.filter(|&c| self.ends[c] != self.original[c]).collect();
        let but = |home: usize| -> Vec<usize> {
            let others = moved.iter().copied();
            others.filter(|&cable| cable != home).collect()
        };
        self.unplug(&but(self.home_cable()));
        moved.iter().for_each(|&c| self.ends[c] = self.original[c]);
        self.plug(&but(self.home_cable()));
    }

    fn swap_hosts(&mut self, a: usize, b: usize) {
        let [i, j] = [a, b].map(|cable| self.ca_end(cable));
        let (at_a, at_b) = (self.ends[a][i], self.ends[b][j]);
        (self.ends[a][i], self.ends[b][j]) = (at_b, at_a);
    }

    /// Makes nodes whose cables are unplugged forget everything, as when they are switched off.
    pub fn forget(&mut self, nodes: &[u32]) {
        for &n in nodes {
            let id = &self.netlist.nodes[n as usize].id;
            self.commands.push(format!("Clear \"{id}\""));
        }
    }

    /// Restarts nodes: their ports forget everything, and their cables are plugged as before.
    pub fn reboot(&mut self, nodes: &[u32]) {
        let cables = self.cables_of(|n| nodes.contains(&n));
        self.forget(nodes);
        cables.iter().for_each(|&c| self.plugged[c] = false);
        self.plug(&cables);
        // All go, and all come.
        self.changes += cables.len();
    }

    /// Writes a LID into a node's port without OpenSM.
    pub fn overwrite_lid(&mut self, node: u32, lid: u16) {
        let port = match self.netlist.nodes[node as usize].kind {
            Kind::Switch => PortNumber::ZERO,
            _ => PortNumber(1),
        };
        let end = self.name((node, port));
        self.commands.push(format!("Baselid {end} {lid}"));
        self.changes += 1;
    }

    /// Makes a node lose this share of the MADs that come to it, in percent.
    pub fn lose(&mut self, node: u32, percent: u8) {
        let id = &self.netlist.nodes[node as usize].id;
        self.commands.push(format!("Error \"{id}\" {percent}"));
    }

    /// The commands since the last call.
    pub fn take(&mut self) -> Batch {
        let mut commands = std::mem::take(&mut self.commands);
        let changes = std::mem::take(&mut self.changes);
        let plug = self.plug_of_home();
        let moved = std::mem::replace(&mut self.home_end, plug) != plug;
        let unseen = moved || changes > FEW;
        if unseen {
            let home = self.name((self.home(), PortNumber(1)));
            commands.insert(0, format!("Unlink {home}"));
            commands.push(format!("Link {home} {}", self.name(plug)));
        }
        Batch {
            commands,
            changes: changes + 2 * usize::from(moved),
            unseen,
        }
    }

    fn name(&self, (node, port): End) -> String {
        format!("\"{}\"[{port}]", self.netlist.nodes[node as usize].id)
    }
}

fn touches(ends: &[End; 2], node: impl Fn(u32) -> bool) -> bool {
    ends.iter().any(|&(n, _)| node(n))
}
