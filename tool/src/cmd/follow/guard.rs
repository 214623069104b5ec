//! The small process beside a follower with a FIFO. When the follower ends for any reason, the guard puts the
//! last good tables in the FIFO's place and serves its waiting reader. So OpenSM never waits for a dead
//! follower. Nor does it wait for a silent one: the guard ends a follower that is silent while a reader waits,
//! before it serves the reader itself, so that two processes never write at once.
//!
//! The follower announces each FIFO before a reader can open it (`watch NUMBER PATH`), signals that it works
//! while a reader waits (`alive`), and that a reader is served (`served NUMBER`). The guard confirms `watch`
//! by a line. The guard's standard input ends when the follower ends. Like the follower, the guard waits for
//! readers, so that no reader finds a FIFO without a writer. If a guard ends, the follower starts another at
//! once, which watches all FIFOs that are not served.

use super::fifo::{Fifo, put_tables, send_tables};
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::process::{CommandExt, parent_id};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

const ANSWER: Duration = Duration::from_secs(2);
/// Time in which a reader may still open a FIFO that it found just before another file took the FIFO's place.
const LATE: Duration = Duration::from_millis(200);

/// A follower's handle of its guard.
#[derive(Clone)]
pub struct Guard(Arc<Mutex<Post>>);

struct Post {
    /// The arguments that start the tool as a guard.
    args: Vec<String>,
    running: Option<Running>,
    /// The FIFOs whose readers are not yet served.
    watched: Vec<(u64, Arc<Fifo>)>,
}

struct Running {
    child: Child,
    orders: ChildStdin,
    answers: Receiver<()>,
}

impl Guard {
    /// A guard, not started yet, which is the tool with these arguments.
    pub fn new(args: Vec<String>) -> Guard {
        Guard(Arc::new(Mutex::new(Post {
            args,
            running: None,
            watched: Vec::new(),
        })))
    }

    fn post(&self) -> MutexGuard<'_, Post> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the guard watch a FIFO, too; starts a guard if none runs, or if the present one does not confirm.
    pub fn watch(&self, number: u64, fifo: Arc<Fifo>) {
        let mut post = self.post();
        let is_watched = (post.running.as_mut()).is_some_and(|r| r.watch(number, &fifo).is_ok());
        post.watched.push((number, fifo));
        if !is_watched {
            self.replace(&mut post);
        }
    }

    pub fn alive(&self) {
        self.post().order("alive");
    }

    /// Signals that the follower is done with the reader of a FIFO.
    pub fn served(&self, number: u64) {
        let mut post = self.post();
        post.watched.retain(|(watched, _)| *watched != number);
        post.order(&format!("served {number}"));
    }

    /// Starts another guard in the place of one that does not work.
    fn replace(&self, post: &mut Post) {
        post.running = None;
        let started = self.start(&post.args).and_then(|mut running| {
            let mut watched = post.watched.iter();
            watched.try_for_each(|(number, fifo)| running.watch(*number, fifo))?;
            Ok(running)
        });
        match started {
            Ok(running) => post.running = Some(running),
            Err(e) => log::error!("no guard: {e}; if this process is killed, OpenSM waits"),
        }
    }

    fn start(&self, args: &[String]) -> io::Result<Running> {
        // In a group of its own: signals to the follower's group are not meant for the guard.
        let mut child = Command::new("/proc/self/exe")
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()?;
        let orders = child.stdin.take().expect("a pipe");
        let stdout = child.stdout.take().expect("a pipe");
        let (answer, answers) = channel();
        let (id, guard) = (child.id(), self.clone());
        thread::spawn(move || {
            let lines = BufReader::new(stdout).lines().map_while(Result::ok);
            lines.map_while(|_| answer.send(()).ok()).for_each(drop);
            drop(answer);
            let mut post = guard.post();
            if post.running.as_ref().is_some_and(|r| r.child.id() == id) {
                log::error!("the guard has ended: starting another");
                guard.replace(&mut post);
            }
        });
        Ok(Running {
            child,
            orders,
            answers,
        })
    }
}

impl Post {
    fn order(&mut self, order: &str) {
        if let Some(running) = &mut self.running {
            // Fails if the guard has ended: then another replaces it.
            let _ = writeln!(running.orders, "{order}");
        }
    }
}

impl Running {
    fn watch(&mut self, number: u64, fifo: &Fifo) -> io::Result<()> {
        writeln!(self.orders, "watch {number} {}", fifo.handle().display())?;
        let answer = self.answers.recv_timeout(ANSWER);
        answer.map_err(|_| io::Error::other("it does not answer"))
    }
}

impl Drop for Running {
    /// Ends a guard that does not work.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

enum Event {
    Order(String),
    End,
    /// The FIFO of this number has a reader.
    Reader(u64, io::Result<File>),
}

struct Watched {
    number: u64,
    fifo: Fifo,
    reader: Option<File>,
}

/// Guards the FIFO at a place; `last` is the file with the last good tables.
pub fn run(place: &Path, last: &Path, patience: Duration) -> io::Result<()> {
    // These signals do not end the guard: it ends after the follower.
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::default())?;
    }
    let follower = parent_id();
    let (events, happens) = channel();
    let orders = events.clone();
    thread::spawn(move || {
        let lines = io::stdin().lines().map_while(Result::ok).map(Event::Order);
        let all = lines.chain([Event::End]);
        all.map_while(|event| orders.send(event).ok())
            .for_each(drop);
    });
    let mut watched: Vec<Watched> = Vec::new();
    let mut heard = Instant::now();
    loop {
        let waits = watched.iter().any(|w| w.reader.is_some());
        let left = patience.saturating_sub(heard.elapsed());
        let event = match waits {
            true => happens.recv_timeout(left).ok(),
            false => happens.recv().ok(),
        };
        match event {
            Some(Event::End) => break,
            Some(Event::Reader(of, opened)) => {
                if !waits {
                    heard = Instant::now();
                }
                take_reader(&mut watched, of, opened);
            }
            Some(Event::Order(order)) => {
                heard = Instant::now();
                if let Some(order) = order.strip_prefix("watch ") {
                    watched.extend(watch(order, &events));
                } else if let Some(number) = order.strip_prefix("served ") {
                    watched.retain(|w| w.number.to_string() != number);
                }
            }
            None => {
                log::error!(
                    "no sign of the follower for {patience:?} while OpenSM waits: ending it"
                );
                let pid = Pid::from_raw(follower as i32).filter(|_| parent_id() == follower);
                // The follower's end comes as an event, unless it cannot be ended.
                let _ = pid.map(|pid| kill_process(pid, Signal::KILL));
                heard = Instant::now();
            }
        }
    }
    take_over(place, last, watched, &happens);
    Ok(())
}

/// Begins to wait for a reader of the FIFO in an order, and confirms the order.
fn watch(order: &str, events: &Sender<Event>) -> Option<Watched> {
    let (number, path) = order.split_once(' ')?;
    let number = number.parse().ok()?;
    let [fifo, waiting] = [0; 2].map(|_| Fifo::of(Path::new(path)).ok());
    wait_for_reader(waiting?, number, events.clone());
    // Fails if the follower has ended.
    let _ = writeln!(io::stdout(), "watched");
    Some(Watched {
        number,
        fifo: fifo?,
        reader: None,
    })
}

/// Sends an event when a FIFO has a reader.
fn wait_for_reader(fifo: Fifo, number: u64, events: Sender<Event>) {
    thread::spawn(move || {
        // Fails if the guard has finished with events.
        let _ = events.send(Event::Reader(number, fifo.wait()));
    });
}

fn take_reader(watched: &mut [Watched], number: u64, opened: io::Result<File>) {
    // The reader of a FIFO that is served already is let go.
    let of = watched.iter_mut().find(|w| w.number == number);
    if let (Some(watched), Ok(reader)) = (of, opened) {
        watched.reader = Some(reader);
    }
}

/// Puts the last good tables in the FIFO's place, and serves waiting readers.
fn take_over(place: &Path, last: &Path, mut watched: Vec<Watched>, happens: &Receiver<Event>) {
    let mut tables = last;
    // Another follower may have put a FIFO of its own there.
    if watched.iter().any(|w| w.fifo.is_at(place)) {
        let put = put_tables(last, place).or_else(|_| {
            // If the disk takes no further name, the file itself moves there.
            fs::rename(last, place).inspect(|()| tables = place)
        });
        match put {
            Ok(()) => {
                let place = place.display();
                log::info!("the follower has ended: its last tables are in {place}");
            }
            Err(e) => log::error!("the last tables cannot take the place of the FIFO: {e}"),
        }
    }
    let until = Instant::now() + LATE;
    while let Some(left) = until.checked_duration_since(Instant::now()) {
        if let Ok(Event::Reader(number, opened)) = happens.recv_timeout(left) {
            take_reader(&mut watched, number, opened);
        }
    }
    for w in watched {
        if let Some(reader) = w.reader.or_else(|| w.fifo.reader()) {
            // The reader may have got all tables, and be gone.
            match send_tables(tables, &reader, || ()) {
                Ok(()) => log::info!("OpenSM, which waited, has got the last tables"),
                Err(e) => log::info!("the last tables could not be handed to OpenSM: {e}"),
            }
        }
    }
}
