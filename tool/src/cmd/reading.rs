//! Reads files with oddities: an oddity is a warning on standard error; under `--strict` the file is refused.

use crate::failure::Failure;
use crate::input;
use crate::input::shown;
use crate::output::complain;
use dmodc::dmodc::Drained;
use dmodc::drain;
use dmodc::fabric::{Fabric, Guid};
use dmodc::input::{Fault, Lenient};
use dmodc::lft::{Dump, Tables, parse_order_leniently};
use dmodc::netlist::{NameMap, Names, Netlist, parse_guids_leniently, parse_names_leniently};
use dmodc::reference::Reference;
use std::error::Error;
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
        let read = input::read(path, Netlist::parse_leniently)?;
        self.take(path, read)
    }

    /// Parses the text of a netlist; messages have this name.
    pub fn netlist_text(self, name: &Path, text: &[u8]) -> Result<Netlist, Failure> {
        let read = Netlist::parse_leniently(text).map_err(|fault| fault.in_file(name))?;
        self.take(name, read)
    }

    /// Reads a fabric and its names from a netlist; `lmc` replaces the file's LMCs.
    pub fn fabric(self, path: &Path, lmc: Option<u8>) -> Result<(Fabric, Names), Failure> {
        (self.netlist(path)?.to_fabric(lmc)).map_err(Failure::lids(path))
    }

    pub fn places(self, path: &Path) -> Result<Reference, Failure> {
        let read = input::read(path, Reference::parse_leniently)?;
        self.take(path, read)
    }

    /// Reads a reference of a fabric and its places, if one is given. Warns of a reference of another fabric and
    /// ignores it.
    pub fn known(self, path: Option<&Path>, fabric: &Fabric) -> Result<Option<Known>, Failure> {
        let Some(path) = path else { return Ok(None) };
        let places = self.places(path)?;
        let reference = places.fabric().map_err(Failure::lids(path))?;
        if reference.is_of_another_fabric(fabric) {
            complain(&format!(
                "dmodc: {}: of another fabric: most switches are not in it; going on without it\n",
                shown(path).display()
            ));
            return Ok(None);
        }
        Ok(Some((places, Arc::new(reference))))
    }

    /// Reads a dump of tables. Warns if switches choose ports themselves (adaptive routing).
    pub fn dump(self, path: &Path) -> Result<Dump, Failure> {
        let read = input::read(path, Dump::parse_leniently)?;
        let dump = self.take(path, read)?;
        if dump.adaptive > 0 {
            complain(&format!(
                "dmodc: warning: {}: adaptive routing: for {} of {} entries the switch may choose another \
                 port: packets may leave by other ports than these tables have\n",
                shown(path).display(),
                dump.adaptive,
                dump.entries(),
            ));
        }
        Ok(dump)
    }

    /// Reads the tables of a fabric from a dump.
    pub fn tables(self, path: &Path, fabric: &Fabric) -> Result<Tables, Failure> {
        let tables = self.dump(path)?.tables_leniently(fabric);
        self.take(path, tables.map_err(|fault| fault.in_file(shown(path)))?)
    }

    pub fn order(self, path: &Path, fabric: &Fabric) -> Result<Vec<u32>, Failure> {
        let read = input::read(path, |bytes| parse_order_leniently(fabric, bytes))?;
        self.take(path, read)
    }

    /// Reads a GUID file, if one is given.
    pub fn guids(self, path: Option<&Path>) -> Result<Vec<Guid>, Failure> {
        self.given(path, parse_guids_leniently)
    }

    /// Reads the file of drained links, if one is given.
    pub fn drain(
        self,
        path: Option<&Path>,
        fabric: &Fabric,
        names: &Names,
    ) -> Result<Vec<Drained>, Failure> {
        let parse = |text: &[u8]| drain::parse_leniently(fabric, &names.switches, text);
        self.given(path, parse)
    }

    /// Reads a map from GUIDs to names, if one is given.
    pub fn names(self, path: Option<&Path>) -> Result<NameMap, Failure> {
        self.given(path, parse_names_leniently)
    }

    fn given<T: Default, R: Error + Send + Sync + 'static>(
        self,
        path: Option<&Path>,
        parse: impl FnOnce(&[u8]) -> Result<Lenient<T, R>, Fault<R>>,
    ) -> Result<T, Failure> {
        match path {
            Some(path) => self.take(path, input::read(path, parse)?),
            None => Ok(T::default()),
        }
    }

    /// Prints the warnings and returns the value.
    fn take<T, R: Error + Send + Sync + 'static>(
        self,
        path: &Path,
        read: Lenient<T, R>,
    ) -> Result<T, Failure> {
        let Lenient { value, warnings } = read;
        let count = warnings.count();
        if count == 0 {
            return Ok(value);
        }
        let path = shown(path);
        let first = warnings.first();
        let named = first.len() as u64;
        for fault in first {
            complain(&format!("dmodc: warning: {}\n", fault.in_file(path)));
        }
        let file = path.display();
        if self.strict {
            let text = format!("{file}: {count} warnings, and --strict refuses them");
            return Err(Failure::Other(text.into()));
        }
        if count > named {
            complain(&format!(
                "dmodc: warning: {file}: {count} such places in all\n"
            ));
        }
        Ok(value)
    }
}
