//! Reads OpenSM's log of a run of one engine: the result, and the time of the engine's stage.
//!
//! A stage begins with `building routing with 'ENGINE' routing algorithm...` (`ucast_mgr_route`,
//! which logs it at VERBOSE) and ends either with `ENGINE tables configured on all switches`
//! (`osm_ucast_mgr_process`, INFO) or with `ENGINE: cannot build ..`. OpenSM logs the former when the
//! tables are computed and it has sent their first blocks. So the stage covers the same work for every
//! engine, hop tables included. The engine's own last line before `cannot build` is the
//! reason of its refusal. Lines begin `Nov 21 03:23:04 878250 [4896F6C0] 0x02 -> `, with
//! microseconds and without the year. A stage whose end has an earlier time than its start crossed midnight.

use std::time::Duration;

/// The result of a run by the lines read so far.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    Open,
    Routed,
    Refused(String),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reading {
    pub ending: Ending,
    /// Time from the beginning of the engine's stage to its end.
    pub stage: Option<Duration>,
}

/// Reads the growing log of a run of one engine with `no_fallback`, each line once, up to the first ending.
/// On a degraded fabric OpenSM logs too much to read the whole log at each look.
pub struct LogReader {
    start: String,
    unknown: String,
    refused: String,
    routed: String,
    started: Option<Duration>,
    /// The last line of the stage.
    last: Option<String>,
    reading: Reading,
}

/// The end of the line in which OpenSM names the engine whose tables it uses.
const CONFIGURED: &str = " tables configured on all switches";

impl LogReader {
    pub fn new(engine: &str) -> Self {
        LogReader {
            start: format!("building routing with '{engine}' routing algorithm"),
            unknown: format!("Failed to setup routing engine '{engine}'"),
            refused: format!("ucast_mgr_route: {engine}: cannot build"),
            routed: format!(": {engine}{CONFIGURED}"),
            started: None,
            last: None,
            reading: Reading {
                ending: Ending::Open,
                stage: None,
            },
        }
    }

    /// Reads new lines; returns the result of all lines so far.
    pub fn read(&mut self, lines: &str) -> &Reading {
        for (time, text) in lines.lines().filter_map(line) {
            if self.reading.ending != Ending::Open {
                break;
            }
            if let Some(ending) = self.ending(text) {
                let stage = self.started.map(|start| since(start, time));
                self.reading = Reading { ending, stage };
            } else if text.contains(&self.start) {
                self.started = Some(time);
            } else if self.started.is_some() {
                self.last = Some(text.to_owned());
            }
        }
        &self.reading
    }

    fn ending(&self, text: &str) -> Option<Ending> {
        if text.contains(&self.routed) {
            return Some(Ending::Routed);
        }
        if text.contains(&self.refused) {
            let reason = self.last.as_deref().unwrap_or(text);
            return Some(Ending::Refused(reason.to_owned()));
        }
        let refusals = [&*self.unknown, CONFIGURED, "No routing engine able"];
        let is_refused = refusals.iter().any(|refusal| text.contains(refusal));
        is_refused.then(|| Ending::Refused(text.to_owned()))
    }
}

/// The time from the first line of a log that contains `from` to the next line that contains `to`. A line
/// without a time counts with the time of the line before.
pub fn between(log: &str, from: &str, to: &str) -> Option<Duration> {
    let mut now = Duration::ZERO;
    let mut lines = log.lines().map(|text| {
        now = line(text).map_or(now, |(time, _)| time);
        (now, text)
    });
    let (start, _) = lines.find(|(_, text)| text.contains(from))?;
    let (end, _) = lines.find(|(_, text)| text.contains(to))?;
    Some(since(start, end))
}

/// The text of the last line of a log that has a time.
pub fn last_text(log: &str) -> Option<&str> {
    log.lines().rev().find_map(line).map(|(_, text)| text)
}

/// The time of day of a line, and its text.
fn line(line: &str) -> Option<(Duration, &str)> {
    let (head, text) = line.split_once(" -> ")?;
    let mut words = head.split_whitespace().skip(2);
    let clock = words.next()?;
    let micros = words.next()?.parse().ok()?;
    let mut seconds = 0;
    for part in clock.split(':') {
        seconds = seconds * 60 + part.parse::<u64>().ok()?;
    }
    let time = Duration::from_secs(seconds) + Duration::from_micros(micros);
    Some((time, text.trim_end()))
}

fn since(start: Duration, end: Duration) -> Duration {
    const DAY: Duration = Duration::from_secs(24 * 60 * 60);
    match end.checked_sub(start) {
        Some(time) => time,
        None => (end + DAY).saturating_sub(start),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACCEPTED: &str = "\
Nov 21 23:59:59 670054 [4B976740] 0x43 -> OpenSM 3.3.23
Nov 21 23:59:59 707951 [4B976740] 0x01 -> setup_routing_engines: Failed to setup routing engine 'no_fallback'
Nov 21 23:59:59 999000 [4896F6C0] 0x04 -> ucast_mgr_route: building routing with 'sssp' routing algorithm...
Nov 22 00:00:01 000500 [4896F6C0] 0x02 -> dfsssp_do_dijkstra_routing: SSSP routing specified -> skipping
Nov 22 00:00:01 002000 [4896F6C0] 0x02 -> osm_ucast_mgr_process: sssp tables configured on all switches
Nov 22 00:00:02 121360 [4896F6C0] 0x02 -> SUBNET UP
";

    const REFUSED: &str = "\
Nov 21 03:23:07 095250 [BB1BA6C0] 0x80 -> Entering MASTER state
Nov 21 03:23:07 095300 [BB1BA6C0] 0x04 -> ucast_mgr_route: building routing with 'ftree' routing algorithm...
Nov 21 03:23:07 227110 [BB1BA6C0] 0x01 -> construct_fabric: ERR AB2B: Found more than one root
Nov 21 03:23:07 227578 [BB1BA6C0] 0x01 -> ucast_mgr_route: ftree: cannot build lid matrices
Nov 21 03:23:07 227586 [BB1BA6C0] 0x01 -> osm_ucast_mgr_process: No routing engine able to successfully configure  switch tables on current fabric
Nov 21 03:23:08 000000 [BB1BA6C0] 0x02 -> osm_ucast_mgr_process: ftree tables configured on all switches
";

    fn read_log(log: &str, engine: &str) -> Reading {
        LogReader::new(engine).read(log).clone()
    }

    #[test]
    fn reads_tables_in_use_and_a_stage_across_midnight() {
        let reading = read_log(ACCEPTED, "sssp");
        assert_eq!(reading.ending, Ending::Routed);
        assert_eq!(reading.stage, Some(Duration::from_micros(1_003_000)));
        let whole = between(ACCEPTED, "OpenSM 3", "SUBNET UP");
        assert_eq!(whole, Some(Duration::from_micros(2_451_306)));
        assert_eq!(between(ACCEPTED, "SUBNET UP", "OpenSM 3"), None);
        let banner = ACCEPTED.to_owned() + "\n*** SET LINKS TO ACTIVE STATE ***\n";
        assert_eq!(between(&banner, "OpenSM 3", "SET LINKS"), whole);
    }

    #[test]
    fn reads_the_first_refusal_and_the_engines_reason() {
        let reading = read_log(REFUSED, "ftree");
        let reason = "construct_fabric: ERR AB2B: Found more than one root";
        assert_eq!(reading.ending, Ending::Refused(reason.into()));
        assert_eq!(reading.stage, Some(Duration::from_micros(132_278)));
    }

    #[test]
    fn a_log_that_goes_on_is_open() {
        for cut in [0, 1, 60, ACCEPTED.len() - 140] {
            assert_eq!(read_log(&ACCEPTED[..cut], "sssp").ending, Ending::Open);
        }
    }
}
