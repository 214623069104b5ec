//! What packets can meet while old tables give way to new ones.

use super::tables::Judged;
use dmodc_analysis::between::{Between, Group, Harm, between, blocks_as_sent, in_any_order};
use dmodc_fabric::Tables;
use serde_json::{Value, json};

/// The order in which blocks of tables arrive.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Order {
    /// As OpenSM sends them.
    Blocks,
    /// In any order.
    Any,
}

pub struct Change {
    order: Order,
    found: Between,
}

/// What packets meet: the key and the words for it.
const HARMS: [(Harm, &str, &str); 4] = [
    (Harm::Hole, "holes", "  that meet a hole"),
    (Harm::DeadLink, "dead_links", "  that meet a dead link"),
    (Harm::Loop, "circling", "  that circle"),
    (Harm::Cycle, "credit_loops", "  on credit loops"),
];

impl Change {
    pub fn new(old: &Tables, judged: &Judged, order: Order) -> Change {
        let [before, after] = [old, &judged.tables].map(|tables| (&judged.fabric, tables));
        let found = match order {
            Order::Blocks => between(before, after, &blocks_as_sent(before, after)),
            Order::Any => in_any_order(before, after),
        };
        Change { order, found }
    }

    /// Whether no pair loses packets that the old tables deliver.
    pub fn passed(&self) -> bool {
        (self.found.standing.hurt, self.found.dropped) == (0, 0)
    }

    fn groups(&self) -> [(&'static str, &Group); 2] {
        [("standing", &self.found.standing), ("cut", &self.found.cut)]
    }

    pub fn text(&self) -> String {
        let mut text = match self.order {
            Order::Blocks => format!("OpenSM's order of {} blocks", self.found.blocks),
            Order::Any => "any order".to_owned(),
        };
        text = format!("while OLD gives way to NEW, in {text}:\n");
        let mut line = |what: &str, count: u64| text += &format!("{what:<26}  {count:>12}\n");
        for (name, group) in self.groups() {
            line(&format!("pairs {name}"), group.pairs);
            if name == "standing" {
                line("  harmed", group.hurt);
            }
            for (harm, _, words) in HARMS {
                line(words, group.met(harm));
            }
        }
        line("pairs dropped", self.found.dropped);
        text
    }

    pub fn json(&self) -> Value {
        let mut object = json!({
            "order": match self.order {
                Order::Blocks => "blocks",
                Order::Any => "any",
            },
            "blocks": self.found.blocks,
            "dropped": self.found.dropped,
        });
        for (name, group) in self.groups() {
            object[name] = json!({ "pairs": group.pairs, "harmed": group.hurt });
            for (harm, key, _) in HARMS {
                object[name][key] = json!(group.met(harm));
            }
        }
        object
    }
}
