//! Several engines in one OpenSM: one discovery, and tables that come as they are in memory.
//!
//! `tools/engine_relay.rs` is an OpenSM plugin that runs the engines of its plan one after another
//! on the same subnet, each from the state in which OpenSM calls its first engine, times them, and
//! ends the process. That the tables are those of an OpenSM with that engine alone is held to by
//! `tests/daemon/relay.rs`. An engine that crashes OpenSM or takes longer than the limit counts as one
//! that refuses; the others go on in a new OpenSM.

use super::CompareError;
use super::bench::roots;
use super::contestant::Contestant;
use super::opensm::{self, OPENSM};
use super::opensm_log::last_text;
use crate::fabric::{Fabric, Guid, Lid};
use crate::lft::Tables;
use crate::netlist::Netlist;
use crate::sim::{self, Ibsim};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::str::FromStr;
use std::time::{Duration, Instant};

/// The plugin and its engine.
const RELAY: &str = "engine_relay";

/// What an engine's callbacks took.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Callbacks {
    /// `build_lid_matrices`.
    pub lid_matrices: Duration,
    /// `ucast_build_fwd_tables`.
    pub fwd_tables: Duration,
    /// By how much they raised the peak of OpenSM's memory over what it held before. Of use for the
    /// first engine of a relay alone.
    pub extra_kib: u64,
    /// The multicast tree of a group of all end nodes, if it was asked for.
    pub group: Option<Duration>,
}

/// The tables of an engine, by GUID of the switch and then by LID.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Copied {
    rows: HashMap<Guid, Vec<u8>>,
}

/// What became of an engine.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// It made tables.
    Routed(Copied, Callbacks),
    /// It did not, and why.
    Refused(String),
}

/// What a relay brings back.
pub struct Answer {
    /// OpenSM's version, as its headers have it.
    pub version: String,
    /// The base LID of each port that OpenSM found, by port GUID.
    pub lids: HashMap<Guid, Lid>,
    /// What became of each contestant, in the order asked for.
    pub outcomes: Vec<Outcome>,
    /// The node order that ftree dumped, if it did.
    pub ftree_order: Option<Vec<u8>>,
}

/// The plugins of a relay, and what its engines are told.
pub struct Relay {
    dir: PathBuf,
    relay: PathBuf,
    limit: Duration,
    io: Vec<Guid>,
    with_group: bool,
}

impl Relay {
    /// Finds `libengine_relay.so` beside `libdmodc.so`, or where cargo puts examples. The limit is for
    /// each contestant, and for the discovery.
    pub fn find(dir: &Path, limit: Duration) -> Result<Relay, CompareError> {
        let missing = |name| CompareError::NoPlugin {
            name,
            dir: dir.to_owned(),
        };
        if !dir.join("libdmodc.so").exists() {
            return Err(missing("libdmodc.so"));
        }
        let places = [
            dir.to_owned(),
            dir.join("examples"),
            dir.join("../examples"),
        ];
        let relay = places
            .into_iter()
            .find(|place| place.join("libengine_relay.so").exists());
        Ok(Relay {
            dir: dir.to_owned(),
            relay: relay.ok_or_else(|| missing("libengine_relay.so"))?,
            limit,
            io: Vec::new(),
            with_group: false,
        })
    }

    /// With these port GUIDs of I/O nodes for those contestants that are told them.
    pub fn io(mut self, guids: &[Guid]) -> Relay {
        self.io = guids.to_vec();
        self
    }

    /// Times the multicast tree of a group of all end nodes, too.
    pub fn with_group(mut self) -> Relay {
        self.with_group = true;
        self
    }

    /// Runs the contestants on a fabric, in this order.
    pub fn route(
        &self,
        netlist: &Netlist,
        contestants: &[Contestant],
    ) -> Result<Answer, CompareError> {
        let (fabric, _) = netlist.to_fabric(None)?;
        let ibsim = Ibsim::start(netlist)?;
        let roots = roots(&fabric);
        let mut outcomes: Vec<Option<Outcome>> = vec![None; contestants.len()];
        for round in 0.. {
            let open = |i: &usize| outcomes[*i].is_none();
            let pending: Vec<usize> = (0..contestants.len()).filter(open).collect();
            let dir = ibsim.dir().join(format!("relay-{round}"));
            let running: Vec<&Contestant> = pending.iter().map(|&i| &contestants[i]).collect();
            let ending = self.run(&ibsim, &dir, &running, &roots)?;
            let mut found = read_outcomes(&dir)?;
            if found.len() < pending.len() {
                // The one that was running when OpenSM ended is to blame.
                found.push(Outcome::Refused(ending));
            }
            for (i, outcome) in pending.into_iter().zip(found) {
                outcomes[i] = Some(outcome);
            }
            if outcomes.iter().all(Option::is_some) {
                let (version, lids) = read_subnet(&dir)?;
                return Ok(Answer {
                    version,
                    lids,
                    outcomes: outcomes.into_iter().flatten().collect(),
                    ftree_order: fs::read(dir.join("opensm-ftree-ca-order.dump")).ok(),
                });
            }
        }
        unreachable!("every round settles one contestant at least")
    }

    /// One OpenSM, until it ends or its time is over. How it ended, in words.
    fn run(
        &self,
        ibsim: &Ibsim,
        dir: &Path,
        contestants: &[&Contestant],
        roots: &[Guid],
    ) -> Result<String, CompareError> {
        fs::create_dir(dir).map_err(CompareError::file(dir))?;
        let [roots_file, io_file, plan] = ["roots", "io", "plan"].map(|name| dir.join(name));
        opensm::write_guids(&roots_file, roots)?;
        opensm::write_guids(&io_file, &self.io)?;
        let file = |told: bool, file: &Path| match told {
            true => file.display().to_string(),
            false => "-".into(),
        };
        let line = |c: &&Contestant| {
            let roots = file(c.is_told_roots(), &roots_file);
            let io = file(c.is_told_io(), &io_file);
            format!("{}\t{roots}\t{io}\n", c.engine())
        };
        let text: String = contestants.iter().map(line).collect();
        fs::write(&plan, text).map_err(CompareError::file(&plan))?;
        let engines: Vec<&str> = contestants.iter().map(|c| c.engine()).collect();
        let plugin = match contestants.iter().any(|c| c.is_dmodc()) {
            true => " dmodc",
            false => "",
        };
        let lines = vec![
            format!("routing_engine {RELAY},{},no_fallback", engines.join(",")),
            format!("event_plugin_name {RELAY}{plugin}"),
        ];
        // 0x03: errors and information.
        let dirs = [&*self.dir, &*self.relay];
        let mut command = opensm::command(ibsim, dir, lines, "0x03", &dirs)?;
        command.env("ENGINE_RELAY_DIR", dir);
        if self.with_group {
            command.env("ENGINE_RELAY_GROUP", "1");
        }
        let mut process = OPENSM.start(command, &dir.join("stdout"))?;
        let mut settled = (0, Instant::now());
        let ended: Option<ExitStatus> = loop {
            if let Some(status) = sim::poll(Duration::from_millis(100), || process.ended()) {
                break Some(status);
            }
            let now = results(dir).lines().count();
            if now > settled.0 {
                settled = (now, Instant::now());
            }
            if settled.1.elapsed() > self.limit {
                break None;
            }
        };
        let ending = match ended {
            Some(status) => format!("opensm ended with {status}"),
            None => format!("not done in {} s", self.limit.as_secs()),
        };
        if !dir.join("results").exists() {
            let output = fs::read_to_string(dir.join("stdout")).unwrap_or_default();
            return Err(CompareError::NoOutcome {
                engine: RELAY.into(),
                what: format!("never came to routing: {ending}"),
                log: output + &opensm::log(dir),
            });
        }
        Ok(ending)
    }
}

fn results(dir: &Path) -> String {
    fs::read_to_string(dir.join("results")).unwrap_or_default()
}

/// The outcomes so far, in the order of the plan.
fn read_outcomes(dir: &Path) -> Result<Vec<Outcome>, CompareError> {
    let log = fs::read(dir.join("opensm.log")).unwrap_or_default();
    let results = results(dir);
    let complete = results.lines().take(results.matches('\n').count());
    let outcome = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            [number, "routed", matrices, tables, extra, group] => {
                let micros = |word| number_in(word, line).map(Duration::from_micros);
                let callbacks = Callbacks {
                    lid_matrices: micros(matrices)?,
                    fwd_tables: micros(tables)?,
                    extra_kib: number_in(extra, line)?,
                    group: match group {
                        "-" => None,
                        took => Some(micros(took)?),
                    },
                };
                let file = dir.join(format!("{number}.tables"));
                let bytes = fs::read(&file).map_err(CompareError::file(&file))?;
                let copied = Copied::parse(&bytes);
                let copied = copied.ok_or_else(|| garbled("tables of", line))?;
                Ok(Outcome::Routed(copied, callbacks))
            }
            [_, "refused", from, to] => {
                let (from, to): (usize, usize) = (number_in(from, line)?, number_in(to, line)?);
                let lines = log.get(from..to).unwrap_or_default();
                let reason = last_text(&String::from_utf8_lossy(lines)).map(str::to_owned);
                Ok(Outcome::Refused(reason.unwrap_or("no reason given".into())))
            }
            [_, "missing"] => Ok(Outcome::Refused("OpenSM could not set it up".into())),
            _ => Err(garbled("line", line)),
        }
    };
    complete.map(outcome).collect()
}

fn number_in<T: FromStr>(word: &str, line: &str) -> Result<T, CompareError> {
    word.parse().map_err(|_| garbled("number in", line))
}

/// The relay is of another version than this program.
fn garbled(what: &str, line: &str) -> CompareError {
    CompareError::Relay(format!("{what} {line:?}"))
}

/// OpenSM's version, and the LIDs of its ports.
fn read_subnet(dir: &Path) -> Result<(String, HashMap<Guid, Lid>), CompareError> {
    let path = dir.join("subnet");
    let text = fs::read_to_string(&path).map_err(CompareError::file(&path))?;
    let (version, ports) = text.split_once('\n').unwrap_or_default();
    let port = |line: &str| {
        let (guid, lid) = line.split_once(' ').ok_or_else(|| garbled("port", line))?;
        let digits = guid.trim_start_matches("0x");
        let guid = u64::from_str_radix(digits, 16).map_err(|_| garbled("GUID in", line))?;
        Ok((Guid(guid), Lid(number_in(lid, line)?)))
    };
    let lids: Result<_, CompareError> = ports.lines().map(port).collect();
    Ok((version.into(), lids?))
}

impl Copied {
    /// Reads what the relay writes; `None` if it is cut short.
    fn parse(mut bytes: &[u8]) -> Option<Copied> {
        let mut take = |length: usize| {
            let (head, rest) = bytes.split_at_checked(length)?;
            bytes = rest;
            Some(head)
        };
        let count = u32::from_le_bytes(take(4)?.try_into().ok()?);
        let mut rows = HashMap::new();
        for _ in 0..count {
            let guid = u64::from_le_bytes(take(8)?.try_into().ok()?);
            let length = u32::from_le_bytes(take(4)?.try_into().ok()?);
            rows.insert(Guid(guid), take(length as usize)?.to_owned());
        }
        Some(Copied { rows })
    }

    /// As tables of a fabric. Switches that OpenSM did not find have no entry.
    pub fn tables(&self, fabric: &Fabric) -> Tables {
        let mut tables = Tables::for_fabric(fabric);
        for (index, switch) in (0..).zip(fabric.switches()) {
            if let Some(from) = self.rows.get(&switch.guid) {
                let row = tables.row_mut(index);
                let length = row.len().min(from.len());
                row[..length].copy_from_slice(&from[..length]);
            }
        }
        tables
    }

    /// Blocks of 64 LIDs in which these tables differ from earlier ones: what the subnet manager
    /// has to send. Nothing is sent to a switch that is gone.
    pub fn changed_blocks(&self, earlier: &Copied) -> usize {
        let changed = |(guid, row): (&Guid, &Vec<u8>)| {
            let old = earlier.rows.get(guid).map_or(&[][..], Vec::as_slice);
            let blocks = row.chunks(64).enumerate();
            blocks
                .filter(|(i, block)| old.get(i * 64..i * 64 + block.len()) != Some(*block))
                .count()
        };
        self.rows.iter().map(changed).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(rows: &[(u64, &[u8])]) -> Vec<u8> {
        let mut bytes = (rows.len() as u32).to_le_bytes().to_vec();
        for (guid, row) in rows {
            bytes.extend(guid.to_le_bytes());
            bytes.extend((row.len() as u32).to_le_bytes());
            bytes.extend(*row);
        }
        bytes
    }

    #[test]
    fn tables_cut_short_are_not_taken() {
        let bytes = file(&[(7, &[255, 1, 2]), (9, &[255, 0, 1])]);
        assert_eq!(Copied::parse(&bytes).unwrap().rows[&Guid(9)], [255, 0, 1]);
        for length in 0..bytes.len() {
            assert_eq!(Copied::parse(&bytes[..length]), None, "{length}");
        }
    }

    #[test]
    fn blocks_that_must_be_sent_are_counted() {
        let copied = |rows: &[(u64, &[u8])]| Copied::parse(&file(rows)).unwrap();
        let before = copied(&[(1, &[1; 128]), (2, &[2; 128])]);
        let mut row = [1; 192];
        row[70] = 9;
        row[71] = 9;
        // Switch 2 is gone, 3 is new, 1 has a changed block and one more than before.
        let after = copied(&[(1, &row), (3, &[3; 64])]);
        assert_eq!(after.changed_blocks(&before), 3);
        assert_eq!(before.changed_blocks(&before), 0);
    }
}
