//! [`DrainedPlaces`]: what the lines of a drain file name while equipment comes and goes.
//!
//! A line names a place. A drained switch that is out is no fault, and the box that comes into its place is drained
//! until the line goes, whatever its GUID and name. So a line keeps the meaning that it had when its equipment was last
//! seen; a name that finds something else by then, "spine 1" in "spine 10", does not change it.

use dmodc_fabric::{Drained, Fabric, Guid, replaced};
use dmodc_formats::drain::{DrainReason, Line};
use dmodc_formats::input::Fault;
use std::collections::BTreeMap;

/// The meaning of each line, over all sweeps.
#[derive(Default)]
pub struct DrainedPlaces {
    lines: BTreeMap<String, Vec<Drained>>,
    /// By GUID of a place, the box that came into it.
    boxes: BTreeMap<Guid, Guid>,
}

/// The drained equipment of a fabric.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DrainedNow {
    /// What is there.
    pub there: Vec<Drained>,
    /// What is out.
    pub out: Vec<Drained>,
    /// The lines that name nothing.
    pub odd: Vec<Fault<DrainReason>>,
}

impl DrainedPlaces {
    /// Finds what the lines of the file mean in a fabric. `known` are fabrics with equipment that was there before.
    pub fn look(&mut self, fabric: &Fabric, lines: Vec<Line>, known: &[&Fabric]) -> DrainedNow {
        let is_there = |guid: Guid| fabric.switch_by_guid(guid).is_some();
        for known in known {
            let came = replaced(fabric, known).into_iter();
            let came = came.map(|(s, place)| (known.guid(place), fabric.guid(s)));
            self.boxes.extend(came);
            // A reference, and what was seen, have the place of each box that came earlier.
            let keys = known.switches().iter();
            let came = keys.map(|s| (Guid(s.key), s.guid));
            self.boxes.extend(came.filter(|(place, of)| place != of));
        }
        self.boxes.retain(|place, _| !is_there(*place));
        let mut now = DrainedNow::default();
        let mut meant = BTreeMap::new();
        for line in lines {
            let before = self.lines.get(&line.name).cloned();
            let before = before.or_else(|| by_guid(&line.name, known));
            let is_out = |d: &Drained| match (fabric.switch_by_guid(d.switch), d.port) {
                (None, _) => true,
                (Some(s), Some(port)) => fabric.far(s, port).is_none(),
                (Some(_), None) => false,
            };
            let places = match (before, line.found) {
                (Some(before), _) if before.iter().any(is_out) => before,
                (_, Ok(found)) => found,
                (Some(before), Err(_)) => before,
                (None, Err(reason)) => {
                    now.odd.push(Fault::in_line(line.number, reason));
                    continue;
                }
            };
            for place in &places {
                let drained = Drained {
                    switch: self.box_at(place.switch),
                    ..*place
                };
                match is_out(&drained) {
                    true => now.out.push(*place),
                    false => now.there.push(drained),
                }
            }
            meant.insert(line.name, places);
        }
        self.lines = meant;
        now
    }

    /// The box in a place: another one, if that was replaced, perhaps several times.
    fn box_at(&self, place: Guid) -> Guid {
        let mut guid = place;
        // Each box is newer than the one before; a circle of GUIDs would be one of boxes that are gone.
        for _ in 0..=self.boxes.len() {
            match self.boxes.get(&guid) {
                Some(next) => guid = *next,
                None => break,
            }
        }
        guid
    }
}

/// The switch or place that a line names by its GUID, or its link, if it was there before.
fn by_guid(name: &str, known: &[&Fabric]) -> Option<Vec<Drained>> {
    let (guid, port) = match name.split_once(':') {
        Some((guid, port)) => (guid, Some(port.parse().ok()?)),
        None => (name, None),
    };
    let guid: Guid = guid.strip_prefix("0x")?.parse().ok()?;
    let was_there = |known: &&Fabric| {
        // What was seen has its switches in any order.
        let mut switches = known.switches().iter_enumerated();
        switches.any(|(s, switch)| {
            let is_it = switch.guid == guid || switch.key == guid.0;
            is_it && port.is_none_or(|port| known.far(s, port).is_some())
        })
    };
    let is_known = known.iter().any(was_there);
    is_known.then(|| vec![Drained { switch: guid, port }])
}

#[cfg(test)]
mod tests {
    use super::*;
    use dmodc_formats::drain::parse_lines;
    use dmodc_formats::netlist::{Netlist, PortLabels};
    use fabrics::{node_at, pgft, without};

    fn fabric(net: &Netlist) -> Fabric {
        net.to_fabric(None).expect("LIDs").0
    }

    fn look(places: &mut DrainedPlaces, net: &Netlist, known: &Fabric, text: &str) -> DrainedNow {
        let (fabric, names) = net.to_fabric(None).expect("LIDs");
        let labels = PortLabels::new();
        let lines = parse_lines(&fabric, &names.switches, &labels, text.as_bytes());
        places.look(&fabric, lines, &[known])
    }

    #[test]
    fn a_box_in_a_drained_place_is_drained_until_the_line_goes() {
        let whole = pgft("PGFT(2;3,4;1,12;1,1)");
        let at = node_at(&whole, "L2-1") as usize;
        let old = whole.nodes[at].guid;
        let mut new = whole.clone();
        (new.nodes[at].guid, new.nodes[at].description) = (Guid(77), "another".into());
        let mut newer = whole.clone();
        newer.nodes[at].guid = Guid(78);
        let less = without(&whole, &["L2-1"]);
        let drained = |switch| Drained { switch, port: None };
        let mut places = DrainedPlaces::default();
        let known = fabric(&whole);
        let mut look = |net, text| look(&mut places, net, &known, text);
        assert_eq!(look(&whole, "L2-1").there, [drained(old)]);
        // It is out: no fault, and no other switch whose name contains "L2-1".
        let out = look(&less, "L2-1");
        assert_eq!((out.there, out.out), (vec![], vec![drained(old)]));
        assert_eq!(out.odd, []);
        assert_eq!(look(&new, "L2-1").there, [drained(Guid(77))]);
        assert_eq!(look(&less, "L2-1").there, []);
        assert_eq!(look(&newer, "L2-1").there, [drained(Guid(78))]);
        assert_eq!(look(&newer, "").there, []);
        assert_eq!(look(&whole, "L2-1").there, [drained(old)]);
        // A GUID of equipment that was there before OpenSM was started.
        let guid = old.to_string();
        assert_eq!(look(&new, &guid).there, [drained(Guid(77))]);
        assert_eq!(look(&whole, "no such switch").odd[0].line, 1);
        // OpenSM is started when the reference has the box in this place.
        let keys = BTreeMap::from([(Guid(77), (old.0, 0))]);
        let known = fabric(&new).with_keys(&keys);
        let look = |net| self::look(&mut DrainedPlaces::default(), net, &known, &guid);
        assert_eq!(look(&new).there, [drained(Guid(77))]);
        assert_eq!(look(&less).out, [drained(old)]);
        assert_eq!(look(&newer).there, [drained(Guid(78))]);
    }

    #[test]
    fn a_cable_that_was_pulled_is_out() {
        let whole = pgft("PGFT(2;3,4;1,2;1,1)");
        let mut places = DrainedPlaces::default();
        let port = "L1-1:4";
        let known = fabric(&whole);
        assert_eq!(look(&mut places, &whole, &known, port).there.len(), 1);
        let less = without(&whole, &[port]);
        let is_out = |places: &mut _, port: &str| {
            let out = look(places, &less, &known, port);
            (out.there.len(), out.out.len(), out.odd.len()) == (0, 1, 0)
        };
        assert!(is_out(&mut places, port));
        // By its GUID also after a restart; a port without a link is odd.
        let guid = whole.nodes[node_at(&whole, "L1-1") as usize].guid;
        let mut restarted = DrainedPlaces::default();
        assert!(is_out(&mut restarted, &format!("{guid}:4")));
        assert!(!is_out(&mut restarted, &format!("{guid}:99")));
    }
}
