//! The end of a log, for `dmodc status`.

use dmodc_formats::files::{self, MOST};
use dmodc_formats::input::unpacked;
use dmodc_formats::log::Line;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

/// How much of the end of a log is read.
const TAIL: u64 = 16 << 20;

/// OpenSM's line at the end of a sweep: Dmodc logs before and after `routed`, and all of it before this.
const SWEPT: &str = "SUBNET UP";

/// Dmodc's lines at the end of a log.
pub struct Log {
    pub path: PathBuf,
    pub lines: Vec<Line>,
    /// The lines of the last sweep that Dmodc routed, and of the one before.
    pub routed: [Option<usize>; 2],
    /// The first line of that last sweep.
    pub start: usize,
}

impl Log {
    /// Reads a log; `None` where it is unreadable.
    pub fn read(path: &Path) -> Option<Log> {
        let text = tail(path)?;
        let log = Log::of(path, &text);
        // After a rotation the last sweep is in the file before.
        let before = || Some(rotated(path)? + &text);
        let whole = log.routed[0].is_none().then(before).flatten();
        Some(whole.map_or(log, |whole| Log::of(path, &whole)))
    }

    fn of(path: &Path, text: &str) -> Log {
        let (mut lines, mut ends) = (Vec::new(), Vec::new());
        for line in text.lines() {
            lines.extend(Line::parse(line.as_bytes()));
            if line.ends_with(SWEPT) {
                ends.push(lines.len());
            }
        }
        let mut routed = (0..lines.len()).rev().filter(|&at| lines[at].is_routed());
        let [now, before] = [routed.next(), routed.next()];
        let mut ends = ends.into_iter();
        let end = ends.rfind(|&end| now.is_some_and(|now| end <= now));
        Log {
            path: path.to_owned(),
            routed: [now, before],
            start: end.max(before.map(|at| at + 1)).unwrap_or(0),
            lines,
        }
    }

    /// Whether it was written or begun after a sweep at this time, in seconds. A quiet fabric has no sweep for weeks, so its
    /// lines may be in an older file.
    pub fn goes_on(&self, swept: f64) -> bool {
        let swept = Duration::try_from_secs_f64(swept).ok();
        let swept = swept.and_then(|swept| UNIX_EPOCH.checked_add(swept));
        let both = files::stamp(&self.path).zip(swept);
        both.is_some_and(|((written, _), swept)| written > swept)
    }

    /// Whether one of the last sweeps took this many seconds: the metrics may be a sweep behind. Times of day would
    /// need the time zone of the log.
    pub fn has_sweep(&self, took: f64) -> bool {
        let times = self.routed.iter().flatten();
        let mut times = times.filter_map(|&at| self.lines[at].figure("total_us")?.parse().ok());
        times.any(|us: f64| (took * 1e6 - us).abs() <= 1.0)
    }
}

/// The end of a file.
fn tail(path: &Path) -> Option<String> {
    use std::io::{Read, Seek, SeekFrom};
    let mut file = files::open(path).ok()?;
    let start = file.metadata().ok()?.len().saturating_sub(TAIL);
    file.seek(SeekFrom::Start(start)).ok()?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The log before this one, as logrotate names and packs it.
fn rotated(path: &Path) -> Option<String> {
    let before = |end: &str| PathBuf::from(format!("{}{end}", path.display()));
    let packed = || unpacked(files::read(&before(".1.gz")).ok()?, MOST).ok();
    let text = || String::from_utf8_lossy(&packed()?).into_owned().into();
    tail(&before(".1")).or_else(text)
}
