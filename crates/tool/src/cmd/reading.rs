//! Reads files with oddities: an oddity is a warning on standard error; under `--strict` the file is refused.

use crate::failure::{Failure, refused};
use crate::input;
use crate::input::shown;
use crate::output::complain;
use dmodc_fabric::{Drained, Fabric, Lid, NodeId, Tables};
use dmodc_formats::drain;
use dmodc_formats::input::{Fault, Lenient};
use dmodc_formats::lft::Dump;
use dmodc_formats::netlist::{Names, Netlist, Plan, VirtualPorts};
use dmodc_formats::reference::Reference;
use std::error::Error;
use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;

/// A reference, and its fabric.
pub type Known = (Reference, Arc<Fabric>);

/// How to treat oddities in a file.
#[derive(Clone, Copy, clap::Args)]
pub struct Reading {
    /// Refuse a file with oddities, instead of warning
    #[arg(long)]
    strict: bool,
}

impl Reading {
    pub fn netlist(self, path: &Path) -> Result<Netlist, Failure> {
        let netlist = self.without_lids(path)?;
        if netlist.has_several_fabrics() {
            let text = "several fabrics that no link joins, with LIDs in common: taken as one here, with other LIDs; \
                        route, check and analyze treat each alone";
            warn(path, text);
        }
        Ok(netlist)
    }

    /// Reads a netlist whose LIDs do not count.
    pub fn without_lids(self, path: &Path) -> Result<Netlist, Failure> {
        self.read(path, Netlist::parse_leniently)
    }

    /// Reads the fabrics of a file: one, or subnets of their own that have LIDs in common.
    pub fn fabrics(self, path: &Path) -> Result<Vec<Netlist>, Failure> {
        let fabrics = self.without_lids(path)?.fabrics();
        if fabrics.len() > 1 {
            let alone = "fabrics that no link joins, with LIDs in common: each is treated alone";
            remark(path, format!("{} {alone}", fabrics.len()));
        }
        Ok(fabrics)
    }

    /// Parses the text of a netlist; messages have this name.
    pub fn netlist_text(self, name: &Path, text: &[u8]) -> Result<Netlist, Failure> {
        let read = Netlist::parse_leniently(text).map_err(|fault| fault.in_file(name))?;
        self.take(name, read)
    }

    pub fn places(self, path: &Path) -> Result<Reference, Failure> {
        self.read(path, Reference::parse_leniently)
    }

    /// Reads a reference of a fabric and its places, if one is given; also a cabling plan, by the names of the netlist.
    /// Warns of a reference of another fabric and ignores it.
    pub fn known(
        self,
        path: Option<&Path>,
        fabric: &Fabric,
        now: &Netlist,
    ) -> Result<Option<Known>, Failure> {
        let Some(path) = path else { return Ok(None) };
        let read = input::read(path, |bytes| match Reference::parse_leniently(bytes) {
            Ok(reference) => Ok((Some(reference), None)),
            Err(fault) => match Plan::parse_leniently(bytes, None) {
                Ok(plan) => Ok((None, Some(plan))),
                Err(_) => Err(fault),
            },
        })?;
        let places = match read {
            (Some(reference), _) => self.take(path, reference)?,
            (_, Some(plan)) => {
                let plan = self.take(path, plan)?;
                let mut places: Reference = self.take(path, plan.reference(now))?.into();
                places.is_plan = true;
                places
            }
            _ => return Ok(None),
        };
        let reference = places.fabric().map_err(Failure::lids(path))?;
        // A plan has all switches of the fabric, those that it does not name without links.
        let known = places.netlist.switches();
        let known = known.filter(|node| !node.ports.is_empty());
        let known = known.filter(|node| fabric.switch_by_guid(node.guid).is_some());
        let is_other_plan = 2 * known.count() < fabric.switches().len() && places.is_plan;
        if is_other_plan || reference.is_of_another_fabric(fabric) {
            let text = "of another fabric: most switches are not in it; going on without it";
            remark(path, text);
            return Ok(None);
        }
        Ok(Some((places, Arc::new(reference))))
    }

    /// Reads a dump of tables. Warns if switches choose ports themselves (adaptive routing).
    pub fn dump(self, path: &Path) -> Result<Dump, Failure> {
        let dump = self.read(path, Dump::parse_leniently)?;
        if dump.adaptive > 0 {
            let (adaptive, all) = (dump.adaptive, dump.entries());
            let text = format!(
                "adaptive routing: for {adaptive} of {all} entries the switch may choose another port: packets may \
                 leave by other ports than these tables have"
            );
            warn(path, text);
        }
        Ok(dump)
    }

    pub fn tables(self, path: &Path, dump: &Dump, fabric: &Fabric) -> Result<Tables, Failure> {
        let tables = dump.tables_leniently(fabric);
        self.take(path, tables.map_err(|fault| fault.in_file(shown(path)))?)
    }

    /// Reads the file of drained links, if one is given.
    pub fn drain(
        self,
        path: Option<&Path>,
        fabric: &Fabric,
        names: &Names,
    ) -> Result<Vec<Drained>, Failure> {
        let drained = self.commented(path, fabric, names)?;
        Ok(drained.into_iter().map(|(drained, _)| drained).collect())
    }

    /// Reads a file as that of drained links, if one is given; each link has the comment of its line.
    pub fn commented(
        self,
        path: Option<&Path>,
        fabric: &Fabric,
        names: &Names,
    ) -> Result<Vec<(Drained, String)>, Failure> {
        self.given(path, |text| {
            drain::parse_leniently(fabric, &names.switches, &names.labels, text)
        })
    }

    /// The LIDs of virtual ports that are not their port's, each with its end node, if a file is given. Without one,
    /// warns where there can be some.
    pub fn virtual_lids(
        self,
        path: Option<&Path>,
        (net, netlist): (&Path, &Netlist),
        fabric: &Fabric,
    ) -> Result<Vec<(Lid, NodeId)>, Failure> {
        let Some(path) = path else {
            let ports = netlist.shareable_ports();
            if ports > 0 {
                let text = format!(
                    "{ports} ports of hosts may have virtual ports with LIDs of their own: --vports takes them from \
                     ibdiagnet2.vports or .db_csv"
                );
                warn(net, text);
            }
            return Ok(Vec::new());
        };
        let ports = self.read(path, VirtualPorts::parse_leniently)?;
        self.take(path, ports.lids(fabric))
    }

    /// Reads a file, if one is given; else the value is the default.
    pub fn given<T: Default, R: Error + Send + Sync + 'static>(
        self,
        path: Option<&Path>,
        parse: impl FnOnce(&[u8]) -> Result<Lenient<T, R>, Fault<R>>,
    ) -> Result<T, Failure> {
        match path {
            Some(path) => self.read(path, parse),
            None => Ok(T::default()),
        }
    }

    /// Reads a file, prints its warnings and returns the value.
    pub fn read<T, R: Error + Send + Sync + 'static, E: Error + Send + Sync + 'static>(
        self,
        path: &Path,
        parse: impl FnOnce(&[u8]) -> Result<Lenient<T, R>, Fault<E>>,
    ) -> Result<T, Failure> {
        self.take(path, input::read(path, parse)?)
    }

    /// Prints the warnings and returns the value.
    pub fn take<T, R: Error + Send + Sync + 'static>(
        self,
        path: &Path,
        read: Lenient<T, R>,
    ) -> Result<T, Failure> {
        let (value, mut warnings) = (read.value, read.warnings);
        let (remarks, remark_count) = warnings.remarks();
        let count = warnings.count();
        let tell = |first: Vec<Fault<R>>, count: u64| {
            let named = first.len() as u64;
            for fault in first {
                complain(&format!("dmodc: warning: {}\n", fault.in_file(shown(path))));
            }
            if count > named && !self.strict {
                warn(path, format!("{count} such places in all"));
            }
        };
        tell(remarks, remark_count);
        if count == 0 {
            return Ok(value);
        }
        tell(warnings.first(), count);
        if self.strict {
            let file = shown(path).display();
            let text = format!("{file}: {count} warnings, and --strict refuses them");
            return refused(text);
        }
        Ok(value)
    }
}

/// Says something about a file on standard error.
pub fn remark(path: &Path, text: impl Display) {
    complain(&format!("dmodc: {}: {text}\n", shown(path).display()));
}

/// Warns of something in a file.
pub fn warn(path: &Path, text: impl Display) {
    let file = shown(path).display();
    complain(&format!("dmodc: warning: {file}: {text}\n"));
}
