//! `dmodc export`: the fabric in the formats of other programs, OpenSM's GUID files among them.

mod chosen;
mod graphviz;
mod guids;
mod slurm;
mod tree;

use super::args::GuidFiles;
use super::reading::Reading;
use super::tables::node_name;
use crate::failure::{Failure, Outcome};
use crate::input::input;
use crate::output::{complain, write_text};
use chosen::Chosen;
use clap::ValueEnum;
use dmodc_core::{Engine, Options, roots};
use dmodc_fabric::{Fabric, Guid, NodeId, NodeKind, PortNumber, SwitchId};
use dmodc_formats::export::Labels;
use dmodc_formats::netlist::{Names, parse_names_leniently, write_plan};
use graphviz::graphviz;
use guids::{by_role, guid_file, rank_file};
use serde_json::{Value, json};
use slurm::{slurm_conf, slurm_yaml};
use std::path::PathBuf;
use tree::groups;

/// The number of hosts without a host name to print.
const NAMED: usize = 3;

/// Write a fabric for Slurm, for Graphviz, as JSON, as a list of hosts, or as GUID files of OpenSM
#[derive(clap::Args)]
#[command(after_help = "Examples:
  dmodc export fabric.net slurm > topology.conf
  dmodc export fabric.net slurm-yaml > topology.yaml
  dmodc export fabric.net hosts > hostfile
  dmodc export fabric.net slurm --names node-name-map --skip-unnamed > topology.conf
  dmodc export fabric.net slurm --ports 'mlx5_[0-3]' > topology.conf
  dmodc export fabric.net json | jq '.switches[] | select(.level == 2)'
  dmodc export fabric.net dot | dot -Tsvg > fabric.svg
  dmodc export fabric.net plan > cables.csv
  dmodc export fabric.net roots > /etc/opensm/root_guid.conf

The name of a host is the first word of its description, that of a switch its description; if it is
not unique, the GUID is added. In hosts, a host with several ports is at the position of its first one;
slurm and slurm-yaml have it at each switch where it has one. --ports and --rail choose ports: those
named so (mlx5_1), or those at the switches where most ports have the first, second, … such name.

Descriptions that are no host names (the maker's, localhost, one on several adapters) are warnings on
standard error. --names gives names: a line has a node or port GUID and a name, as the node name maps
of infiniband-diags have; adapters with one name there are one host.

slurm and slurm-yaml have a switch for each switch with hosts, one for each larger subtree (levelL-N),
and a root for each connected part, a fabric of its own. hosts is in
the order of topological NIDs: ranks placed in this order shift along the links that Dmodc balances
best.

roots, ranks, cn and io are files for OpenSM's other engines, with the names as comments. roots
(root_guid_file) has the switches with none above them. ranks (ids_guid_file) numbers all switches
from the top down: updn orders switches equally far from the roots by it. cn (cn_guid_file) has the
hosts that are as far from the roots as most are, io (io_guid_file) the others: ftree refuses a fabric
with compute nodes at several levels, and takes aggregation nodes for some. OpenSM refuses an empty
file.

Exit code 1 if the fabric is no tree; a plan needs none.")]
pub struct Args {
    /// The fabric
    #[arg(value_parser = input())]
    net: PathBuf,
    /// The format
    format: Format,
    /// Write it here
    #[arg(short, long, value_name = "F", default_value = "-")]
    output: PathBuf,
    /// Names of hosts and switches, by GUID
    #[arg(long, value_name = "F", value_parser = input())]
    names: Option<PathBuf>,
    /// Leave out hosts whose descriptions are no host names
    #[arg(long)]
    skip_unnamed: bool,
    #[command(flatten)]
    chosen: Chosen,
    #[command(flatten)]
    guid_files: GuidFiles,
    #[command(flatten)]
    reading: Reading,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Slurm's topology.conf
    Slurm,
    /// Slurm's topology.yaml
    SlurmYaml,
    /// Host names, one a line, in topological order
    Hosts,
    /// Graphviz
    Dot,
    /// A cabling plan, in the columns of UFM's NDT, for 'dmodc wiring --plan'
    Plan,
    /// Switches, hosts and links as one JSON object
    Json,
    /// OpenSM's root_guid_file
    Roots,
    /// OpenSM's ids_guid_file, for updn
    Ranks,
    /// OpenSM's cn_guid_file, for ftree
    Cn,
    /// OpenSM's io_guid_file, for ftree
    Io,
}

pub fn run(args: Args) -> Outcome {
    let netlist = match args.format {
        Format::Json => args.reading.netlist(&args.net),
        _ => args.reading.without_lids(&args.net),
    }?;
    if args.format == Format::Plan {
        return write_text(&args.output, write_plan(&netlist));
    }
    let (fabric, names) = netlist.to_fabric(None).map_err(Failure::lids(&args.net))?;
    let given = (args.reading).given(args.names.as_deref(), parse_names_leniently)?;
    let options = (args.guid_files).options(args.reading, &fabric, Options::default())?;
    let plan = Engine::new(0)?.plan(&fabric, &options)?;
    let rank = |switch| plan.ranking().rank(switch);
    let mut labels = Labels::new(&fabric, &names, &given);
    let names_hosts = matches!(
        args.format,
        Format::Slurm | Format::SlurmYaml | Format::Hosts
    );
    if names_hosts && !labels.unnamed.is_empty() {
        complain(&unnamed(&labels, &fabric, &names, args.skip_unnamed));
    }
    if args.skip_unnamed {
        labels.leave_out_unnamed();
    }
    let order = (args.chosen).of_order(&fabric, &names, plan.order())?;
    let tree = || groups(&fabric, &labels, rank, &order);
    let called = |guid: Guid, name| (guid, given.get(&guid).map_or(name, String::as_str));
    let switch = |s: SwitchId| {
        let guid = fabric.switches()[s].guid;
        called(guid, names.switches[s].as_str())
    };
    let host_file = |hosts: Vec<NodeId>| {
        if hosts.is_empty() {
            complain("dmodc: no such hosts: leave the option out\n");
        }
        let host = |n: NodeId| {
            let guid = fabric.end_nodes()[n].guid;
            called(guid, names.end_nodes[n].as_str())
        };
        guid_file(hosts.into_iter().map(host))
    };
    let text = match args.format {
        Format::Plan => String::new(),
        Format::Slurm => slurm_conf(&tree()),
        Format::SlurmYaml => slurm_yaml(&tree()),
        Format::Json => format!("{:#}\n", graph(&fabric, &names, rank)),
        Format::Dot => graphviz(&fabric, &labels, rank),
        Format::Hosts => {
            let hosts = labels.each_once(order.iter().copied());
            hosts.iter().map(|host| format!("{host}\n")).collect()
        }
        Format::Roots => guid_file(roots(&fabric, plan.ranking()).into_iter().map(switch)),
        Format::Ranks => rank_file(&fabric, plan.ranking(), |s| switch(s).1),
        Format::Cn => host_file(by_role(&fabric, plan.ranking()).0),
        Format::Io => host_file(by_role(&fabric, plan.ranking()).1),
    };
    write_text(&args.output, text)
}

/// Switches with their levels (0 at the bottom), end nodes, and links with both ends.
fn graph(fabric: &Fabric, names: &Names, rank: impl Fn(SwitchId) -> u32) -> Value {
    let guid = |s: SwitchId| fabric.switches()[s].guid.to_string();
    let speed = |s: SwitchId, port: PortNumber| {
        let speed = fabric.link_speed(s, port);
        speed.is_known().then(|| speed.to_string())
    };
    let switches = fabric.switches().iter_enumerated().map(|(index, switch)| {
        json!({
            "guid": switch.guid.to_string(),
            "lid": switch.lid.0,
            "name": names.switches[index],
            "level": rank(index),
            "ports": switch.ports,
        })
    });
    let nodes = fabric.end_nodes().iter().zip(&names.end_nodes);
    let nodes = nodes.map(|(node, name)| {
        json!({
            "guid": node.guid.to_string(),
            "lid": node.lid.0,
            "lmc": node.lmc,
            "name": name,
            "kind": match node.kind {
                NodeKind::Ca => "host",
                NodeKind::Router => "router",
                NodeKind::Aggregation => "aggregation",
            },
            "switch": guid(node.switch),
            "port": node.port.0,
            "speed": speed(node.switch, node.port),
        })
    });
    let end = |(s, port): (SwitchId, PortNumber)| json!({ "switch": guid(s), "port": port.0 });
    let link = |[a, b]: [(SwitchId, PortNumber); 2]| json!({ "ends": [end(a), end(b)], "speed": speed(a.0, a.1) });
    json!({
        "switches": switches.collect::<Value>(),
        "nodes": nodes.collect::<Value>(),
        "links": fabric.links().map(link).collect::<Value>(),
    })
}

/// The warning about descriptions that are no host names.
fn unnamed(labels: &Labels, fabric: &Fabric, names: &Names, skipped: bool) -> String {
    let hosts = labels.each_once(labels.hosts.keys()).len();
    let unnamed = labels.each_once(labels.unnamed.iter().copied()).len();
    let first = labels.unnamed.iter().take(NAMED);
    let first = first.map(|&node| node_name(fabric, names, node));
    let more = (labels.unnamed.len() > NAMED).then(|| "…".to_owned());
    let first: Vec<String> = first.chain(more).collect();
    let what = match skipped {
        true => "left out",
        false => "here with GUIDs; --names gives names, --skip-unnamed leaves them out",
    };
    let first = first.join(", ");
    format!(
        "dmodc: the descriptions of {unnamed} of {hosts} hosts are no host names: {first}: {what}\n"
    )
}
