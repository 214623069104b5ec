//! One throw drawn: every switch by its level, every link, and for each engine its worst ports.
//!
//! Its file is CSV, with five kinds of records:
//!
//! ```text
//! throw,FABRIC,WHAT,NUMBER,REMOVED
//! switch,GUID,LEVEL,GONE,NAME     in drawing order; 0 or 1; level 0 has the leaves
//! link,A,B,GONE                   switches by number in the order above
//! port,FROM,TO,RISK,ENGINE        a port that leads from one switch to another
//! worst,RISK,PORTS,ENGINE         how many ports have the engine's greatest risk
//! ```
//!
//! Files of earlier versions have no names and no `worst`.

use super::CompareError;
use super::engine_spec::EngineSpec;
use csv::StringRecord;
use dmodc::fabric::Guid;
use dmodc::files::replace;
use dmodc::netlist::Equipment;
use std::fs;
use std::path::Path;
use std::str::FromStr;

/// A switch of the complete fabric.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DrawnSwitch {
    /// Node GUID.
    pub guid: Guid,
    /// Its description.
    pub name: String,
    /// Its rank: 0 for leaves.
    pub level: u32,
    /// Whether the throw removed it.
    pub gone: bool,
}

/// A link between switches of the complete fabric, by their places.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DrawnLink {
    /// One side.
    pub a: usize,
    /// The other side.
    pub b: usize,
    /// Whether the throw removed it, or made it slow.
    pub gone: bool,
}

/// A port that leads from one switch to another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WorstPort {
    /// The switch that it leaves, by its place.
    pub from: usize,
    /// The switch that it leads to, by its place.
    pub to: usize,
    /// Its congestion risk under all-to-all traffic.
    pub risk: u32,
    /// By the tables of this engine.
    pub spec: EngineSpec,
}

/// The greatest risk of an engine's ports.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Worst {
    /// The risk.
    pub risk: u32,
    /// How many ports have it. Not all of them need be drawn.
    pub ports: usize,
    /// By the tables of this engine.
    pub spec: EngineSpec,
}

/// One throw of a series, as data for a drawing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ThrowDrawing {
    /// Name of the fabric.
    pub fabric: String,
    /// What was hit.
    pub equipment: Equipment,
    /// Number of the throw.
    pub throw: u32,
    /// How much of it was removed, or became slow.
    pub removed: usize,
    /// The switches of the complete fabric, from left to right within each level.
    pub switches: Vec<DrawnSwitch>,
    /// The links between them.
    pub links: Vec<DrawnLink>,
    /// The worst ports of each engine.
    pub ports: Vec<WorstPort>,
    /// The greatest risk of each engine.
    pub worst: Vec<Worst>,
}

impl ThrowDrawing {
    /// Writes it to a file.
    pub fn write(&self, path: &Path) -> Result<(), CompareError> {
        let bit = |gone: bool| u8::from(gone).to_string();
        let mut records = vec![vec![
            "throw".into(),
            self.fabric.clone(),
            self.equipment.to_string(),
            self.throw.to_string(),
            self.removed.to_string(),
        ]];
        records.extend(self.switches.iter().map(|s| {
            let (guid, level) = (s.guid.to_string(), s.level.to_string());
            vec!["switch".into(), guid, level, bit(s.gone), s.name.clone()]
        }));
        records.extend(self.links.iter().map(|l| {
            let (a, b) = (l.a.to_string(), l.b.to_string());
            vec!["link".into(), a, b, bit(l.gone)]
        }));
        records.extend(self.ports.iter().map(|p| {
            let (from, to) = (p.from.to_string(), p.to.to_string());
            let (risk, name) = (p.risk.to_string(), p.spec.to_string());
            vec!["port".into(), from, to, risk, name]
        }));
        records.extend(self.worst.iter().map(|w| {
            let (risk, ports) = (w.risk.to_string(), w.ports.to_string());
            vec!["worst".into(), risk, ports, w.spec.to_string()]
        }));
        let mut writer = csv::WriterBuilder::new()
            .flexible(true)
            .from_writer(Vec::new());
        for record in records {
            writer.write_record(record).expect("memory can be written");
        }
        let bytes = writer.into_inner().expect("memory can be written");
        replace(path, &bytes).map_err(CompareError::file(path))
    }

    /// Reads it from a file.
    pub fn read(path: &Path) -> Result<ThrowDrawing, CompareError> {
        let bytes = fs::read(path).map_err(CompareError::file(path))?;
        parse(&bytes).map_err(|line| CompareError::Row {
            path: path.to_owned(),
            line,
            reason: "no record of a throw drawn".into(),
        })
    }
}

/// `Err` is the number of the wrong line.
fn parse(bytes: &[u8]) -> Result<ThrowDrawing, u64> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .from_reader(bytes);
    let mut drawing: Option<ThrowDrawing> = None;
    for (line, record) in (1u64..).zip(reader.records()) {
        let record = record.map_err(|_| line)?;
        match &mut drawing {
            None => drawing = Some(title(&record).ok_or(line)?),
            Some(drawing) => add(drawing, &record).ok_or(line)?,
        }
    }
    drawing.ok_or(1)
}

fn field<T: FromStr>(record: &StringRecord, at: usize) -> Option<T> {
    record.get(at)?.parse().ok()
}

fn title(record: &StringRecord) -> Option<ThrowDrawing> {
    (record.get(0)? == "throw").then_some(())?;
    Some(ThrowDrawing {
        fabric: field(record, 1)?,
        equipment: field(record, 2)?,
        throw: field(record, 3)?,
        removed: field(record, 4)?,
        switches: vec![],
        links: vec![],
        ports: vec![],
        worst: vec![],
    })
}

fn add(drawing: &mut ThrowDrawing, record: &StringRecord) -> Option<()> {
    let gone = |at| Some(field::<u8>(record, at)? != 0);
    let count = drawing.switches.len();
    let place = |at| field(record, at).filter(|&place: &usize| place < count);
    match record.get(0)? {
        "switch" => {
            let digits = record.get(1)?.trim_start_matches("0x");
            drawing.switches.push(DrawnSwitch {
                guid: Guid(u64::from_str_radix(digits, 16).ok()?),
                level: field::<u8>(record, 2)?.into(),
                gone: gone(3)?,
                name: record.get(4).unwrap_or_default().to_owned(),
            });
        }
        "link" => drawing.links.push(DrawnLink {
            a: place(1)?,
            b: place(2)?,
            gone: gone(3)?,
        }),
        "port" => drawing.ports.push(WorstPort {
            from: place(1)?,
            to: place(2)?,
            risk: field(record, 3)?,
            spec: field(record, 4)?,
        }),
        "worst" => drawing.worst.push(Worst {
            risk: field(record, 1)?,
            ports: field(record, 2)?,
            spec: field(record, 3)?,
        }),
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_read_as_it_was_written() {
        let switch = |guid, level, gone| DrawnSwitch {
            guid: Guid(guid),
            level,
            gone,
            name: format!("L{level}, {guid}"),
        };
        let drawing = ThrowDrawing {
            fabric: "a, b".into(),
            equipment: Equipment::Switches,
            throw: 3,
            removed: 1,
            switches: vec![switch(1, 0, false), switch(2, 1, true)],
            links: vec![DrawnLink {
                a: 0,
                b: 1,
                gone: true,
            }],
            ports: vec![WorstPort {
                from: 0,
                to: 1,
                risk: 7,
                spec: "ftree+roots".parse().unwrap(),
            }],
            worst: vec![Worst {
                risk: 7,
                ports: 300,
                spec: "ftree+roots".parse().unwrap(),
            }],
        };
        let path = std::env::temp_dir().join(format!("dmodc-drawing-{}", std::process::id()));
        drawing.write(&path).unwrap();
        assert_eq!(ThrowDrawing::read(&path).unwrap(), drawing);
        fs::remove_file(&path).unwrap();
        let title = "throw,f,links,1,2\n";
        for (bad, line) in [
            ("", 1),
            ("link,0,1,0\n", 1),
            ("switch,0x1\n", 2),
            ("link,0,0,0\n", 2),
        ] {
            let text = if line == 1 {
                bad.into()
            } else {
                title.to_owned() + bad
            };
            assert_eq!(parse(text.as_bytes()), Err(line), "{bad}");
        }
    }
}
