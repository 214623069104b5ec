//! Events and the entries that they may change: one table of fabrics and events, and one function that holds each row
//! of it.
//!
//! An event is a path of netlists that follow the whole fabric, or each other. Each is routed as an OpenSM would, with
//! the options of the row, and each pair of neighbours on the path is judged.

use super::fabrics::a_host;
use super::whole::Whole;
use super::*;
use dmodc_fabric::random::Random;
use dmodc_fabric::{Lid, Merged, SwitchId};
use dmodc_formats::reference::{Reference, today};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// The name of an event, and the fabrics that follow.
pub type Event = (String, Vec<Netlist>);

/// The options of the next sweep: of the whole fabric and all sweeps so far.
pub type Ask<'a> = &'a dyn Fn(&Netlist, &[Rc<Routed>]) -> Options;

/// Which pairs of a path are judged.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Judged {
    /// Each step, the first from the whole fabric.
    Steps,
    /// The last from the whole fabric.
    Return,
    /// Each step; the path starts by itself.
    Anew,
}

pub struct Step<'a> {
    pub whole: &'a Whole,
    pub before: &'a Routed,
    pub after: &'a Routed,
    pub what: &'a str,
}

pub type Judge = fn(&Step, &mut Findings);

/// Each event on each fabric changes what the judges allow.
pub fn hold(
    fabrics: impl IntoIterator<Item = Whole>,
    events: impl Fn(&Whole) -> Vec<Event>,
    ask: Ask,
    judged: Judged,
    judges: &[Judge],
) {
    let mut found = Findings::default();
    for whole in fabrics {
        let sweep =
            |found: &mut Findings, swept: &mut Vec<Rc<Routed>>, to: &Netlist, what: &str| {
                let options = ask(&whole.netlist, swept);
                let routed = found.routed(Routed::asked(to, &options), what);
                swept.extend(routed.map(Rc::new));
            };
        let mut first = Vec::new();
        if judged != Judged::Anew {
            sweep(&mut found, &mut first, &whole.netlist, &whole.what);
        }
        for (what, path) in events(&whole) {
            let what = format!("{}, {what}", whole.what);
            let mut swept = first.clone();
            for netlist in path {
                sweep(&mut found, &mut swept, &netlist, &what);
            }
            if judged == Judged::Return {
                swept = [swept.first(), swept.last()]
                    .into_iter()
                    .flatten()
                    .cloned()
                    .collect();
            }
            for pair in swept.windows(2) {
                let step = Step {
                    whole: &whole,
                    before: &pair[0],
                    after: &pair[1],
                    what: &what,
                };
                judges.iter().for_each(|judge| judge(&step, &mut found));
            }
        }
    }
}

/// No reference: an OpenSM that has never seen another fabric, and keeps no memory of this one.
pub fn alone(_: &Netlist, _: &[Rc<Routed>]) -> Options {
    Routed::without_memory()
}

/// As [`alone`], without detours.
pub fn up_down(_: &Netlist, _: &[Rc<Routed>]) -> Options {
    partial(Routed::without_memory())
}

/// The whole fabric as reference, without detours.
pub fn by_reference(whole: &Netlist, _: &[Rc<Routed>]) -> Options {
    partial(with_reference(whole))
}

/// The whole fabric as reference in the first sweep; then another OpenSM, which has none, takes over.
pub fn taken_over(whole: &Netlist, swept: &[Rc<Routed>]) -> Options {
    match swept {
        [] => with_reference(whole),
        _ => Options::default(),
    }
}

/// `reference=auto`: the reference that the sweeps so far leave.
pub fn auto(_: &Netlist, swept: &[Rc<Routed>]) -> Options {
    let mut known = Reference::default();
    for routed in swept {
        let merged = routed
            .known()
            .unwrap_or_else(|| Merged::alone(&routed.fabric));
        // Written and read back, as the plugin does.
        let mut text = Vec::new();
        let grown = known.grown(&merged, &HashMap::new(), today());
        grown.write(&mut text).expect("memory");
        let read = Reference::parse_leniently(&text).expect("a reference");
        known = read.strict().expect("nothing is odd");
    }
    let fabric = || Arc::new(known.fabric().expect("LIDs"));
    Options {
        reference: (!swept.is_empty()).then(fabric),
        ..Options::default()
    }
}

/// Only entries of LIDs that came, went or moved change, and the tables have no defect.
pub fn only_own(step: &Step, found: &mut Findings) {
    changes(step, found, |changes| others(changes) == 0);
}

/// No entry changes whose port still leads nearer, and the tables have no defect.
pub fn only_forced(step: &Step, found: &mut Findings) {
    changes(step, found, |changes| changes.needless.entries == 0);
}

/// As [`only_forced`], but for one entry in a thousand: production fabrics lack links, whose entries may move again.
pub fn nearly_only_forced(step: &Step, found: &mut Findings) {
    let all = step.after.tables.len() * step.after.fabric.lid_count();
    changes(step, found, |changes| {
        1000 * changes.needless.entries <= all
    });
}

/// No entry changes whose port still leads nearer, unless an earlier fault has displaced it: at most one in a hundred.
pub fn only_forced_or_displaced(step: &Step, found: &mut Findings) {
    let (before, after) = (step.before, step.after);
    let whole = Routed::asked(&step.whole.netlist, &up_down(&step.whole.netlist, &[]));
    let Some(whole) = found.routed(whole, step.what) else {
        return;
    };
    let all = before.changes(after).needless.entries;
    let mut nominal = Routed::by_options(&before.netlist, &up_down(&before.netlist, &[]));
    let switch = |of: &Routed, s: SwitchId| of.fabric.switch_by_guid(before.fabric.guid(s));
    for s in before.fabric.switches().keys() {
        let [of_whole, then] = [&whole, after].map(|of| Some((of, switch(of, s)?)));
        for (lid, entry) in (0..).map(Lid).zip(nominal.tables.row_mut(s)) {
            let other = |of: Option<(&Routed, SwitchId)>| of.map(|(of, s)| of.tables.get(s, lid));
            if other(of_whole) != Some(*entry) {
                *entry = other(then).unwrap_or(*entry);
            }
        }
    }
    let of_nominal = nominal.changes(after).needless.entries;
    let entries = after.tables.len() * after.fabric.lid_count();
    found.add(
        of_nominal == 0 && 100 * all <= entries && after.defect().is_none(),
        format!(
            "{}: needless {all} of {entries}, {of_nominal} of them nominal",
            step.what
        ),
    );
}

pub fn nothing(step: &Step, found: &mut Findings) {
    changes(step, found, |changes| changes.changed().entries == 0);
}

fn changes(step: &Step, found: &mut Findings, may: impl Fn(&Forced) -> bool) {
    let changes = step.before.changes(step.after);
    let (own, forced, needless) = (changes.own, changes.forced, changes.needless);
    let defect = step.after.defect();
    found.add(
        may(&changes) && defect.is_none(),
        format!(
            "{}: own {}, forced {}, needless {} of {}{}",
            step.what,
            own.entries,
            forced.entries,
            needless.entries,
            step.after.tables.len() * step.after.fabric.lid_count(),
            defect.map_or(String::new(), |defect| format!("; {defect}"))
        ),
    );
}

/// What went comes back: only own entries change.
pub fn and_back(step: &Step, found: &mut Findings) {
    let others = others(&step.after.changes(step.before));
    found.add(
        others == 0,
        format!("{}, back: {others} entries of others", step.what),
    );
}

/// All switches keep their levels. Of two switches, one with hosts, either may be above.
pub fn levels_stay(step: &Step, found: &mut Findings) {
    let (was, is) = (step.before.levels(), step.after.levels());
    let moved: Vec<_> = is
        .iter()
        .filter(|(place, level)| was.get(*place) != Some(level))
        .collect();
    let holds = moved.is_empty() && was.len() == is.len();
    found.add(
        holds || step.before.fabric.switches().len() < 3,
        format!("{}: other levels {moved:?}", step.what),
    );
}

pub fn then_a_host_goes(step: &Step, found: &mut Findings) {
    let host = a_host(&step.after.netlist, &mut Random::stream(step.whole.seed, 6));
    let less = step.after.netlist.without_nodes(&[host]);
    let what = format!("{}, a host less", step.what);
    if let Some(then) = found.routed(Routed::asked(&less, &up_down(&less, &[])), &what) {
        let step = Step {
            before: step.after,
            after: &then,
            what: &what,
            ..*step
        };
        only_own(&step, found);
    }
}

/// Tables are no worse: A2A, the pairs without an up-down path, and those left out.
pub fn as_good(step: &Step, found: &mut Findings) {
    let [was, is] = [step.before, step.after].map(|r| {
        let pairs = (r.plan.unreachable().count, r.plan.connections().left_out);
        (pairs, r.a2a())
    });
    found.add(
        is.0 == was.0 && is.1 <= was.1,
        format!(
            "{}: without a path and left out, A2A {was:?}, then {is:?}",
            step.what
        ),
    );
}

/// The reference has the switches and hosts of the first fabric, and no others.
pub fn nothing_more_is_known(step: &Step, found: &mut Findings) {
    let known = step.after.known().expect("a reference");
    let [known, fabric] = [&known.nominal, &step.before.fabric]
        .map(|fabric| (fabric.switches().len(), fabric.end_nodes().len()));
    found.add(
        known == fabric,
        format!("{}: switches and hosts {known:?}", step.what),
    );
}
