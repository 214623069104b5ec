//! The threads that routes are computed on: the one that asks, and helpers.
//!
//! A sleeping thread takes longer to wake than a phase of a small fabric takes to compute. So the
//! thread that asks starts at once and takes its share, from the first phase to the last helpers are
//! kept awake, and a fabric with little to share out calls none.
//!
//! What is shared out ends when every helper has had its turn: one that other work keeps from its
//! processor is waited for, if only to find that nothing is left. That other work may be the thread
//! that asks: a scheduler often wakes a thread where it was called from, though another processor
//! idles, and takes milliseconds to see it. So whoever waits gives its processor away.

use super::memory::lock;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

/// A helper is worth waking for so many switches.
const SWITCHES_PER_HELPER: usize = 64;

/// How often the thread that asks looks whether the others are done before it goes to sleep: for
/// some 50 µs, which is about what waking takes.
const LOOKS: usize = 1 << 8;

/// The threads of an engine.
pub struct Crew {
    /// The helpers, if there are any.
    pool: Option<ThreadPool>,
}

impl Crew {
    /// A crew of so many threads, the one that asks among them; 0 means one for each processor.
    pub fn new(threads: usize) -> Result<Crew, ThreadPoolBuildError> {
        let threads = match threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            some => some,
        };
        let helpers = ThreadPoolBuilder::new()
            .num_threads(threads - 1)
            .thread_name(|i| format!("dmodc-{i}"));
        let pool = (threads > 1).then(|| helpers.build()).transpose()?;
        Ok(Crew { pool })
    }

    /// How many threads there are, the one that asks among them.
    pub fn threads(&self) -> usize {
        1 + self.pool.as_ref().map_or(0, |p| p.current_num_threads())
    }

    /// Runs `work` on this thread, with helpers awake for so many switches.
    pub fn muster<R>(&self, switches: usize, work: impl FnOnce(&Muster<'_>) -> R) -> R {
        let helpers = (switches / SWITCHES_PER_HELPER).min(self.threads() - 1);
        let muster = Muster {
            pool: self.pool.as_ref().filter(|_| helpers > 0),
            helpers,
        };
        let Some(pool) = muster.pool else {
            return work(&muster);
        };
        let (over, inside) = (AtomicBool::new(false), AtomicUsize::new(helpers));
        pool.in_place_scope(|scope| {
            // Whether it returns or panics.
            let end = Raise(&over);
            for _ in 0..helpers {
                scope.spawn(|_| {
                    while !over.load(Ordering::Acquire) {
                        if rayon::yield_now() != Some(rayon::Yield::Executed) {
                            thread::yield_now();
                        }
                    }
                    inside.fetch_sub(1, Ordering::Release);
                });
            }
            let done = work(&muster);
            drop(end);
            wait_for_none(&inside);
            done
        })
    }
}

/// Waits a while for helpers to leave a scope. Whoever is inside after that is waited for asleep.
fn wait_for_none(inside: &AtomicUsize) {
    for _ in 0..LOOKS {
        let none = inside.load(Ordering::Acquire) == 0;
        // Also when there is none, for the last may be on the doorstep.
        thread::yield_now();
        if none {
            return;
        }
    }
}

struct Raise<'a>(&'a AtomicBool);

impl Drop for Raise<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// The thread that asks and its helpers, awake.
pub struct Muster<'c> {
    pool: Option<&'c ThreadPool>,
    helpers: usize,
}

impl Muster<'_> {
    /// Nobody but the thread that asks.
    pub fn alone() -> Self {
        Muster {
            pool: None,
            helpers: 0,
        }
    }

    /// How many there are.
    pub fn threads(&self) -> usize {
        1 + self.helpers
    }

    /// Does jobs, in any order, and tells each on which thread, by a number below
    /// [`Muster::threads`].
    pub fn share_out<T: Send>(
        &self,
        jobs: impl Iterator<Item = T> + Send,
        work: impl Fn(T, usize) + Sync,
    ) {
        let Some(pool) = self.pool else {
            jobs.for_each(|job| work(job, 0));
            return;
        };
        let jobs = Mutex::new(jobs);
        let take_part = |thread| {
            loop {
                // Not in the head of a loop: the lock would be held until the job is done.
                let Some(job) = lock(&jobs).next() else {
                    break;
                };
                work(job, thread);
            }
        };
        let inside = AtomicUsize::new(self.helpers);
        pool.in_place_scope(|scope| {
            for helper in 1..=self.helpers {
                let (take_part, inside) = (&take_part, &inside);
                scope.spawn(move |_| {
                    take_part(helper);
                    inside.fetch_sub(1, Ordering::Release);
                });
            }
            take_part(0);
            wait_for_none(&inside);
        });
    }

    /// Does two things, side by side where there is a helper. Neither may share out work in turn: it
    /// would wait for whoever does the other.
    pub fn both<A: Send, B: Send>(
        &self,
        a: impl FnOnce() -> A + Send,
        b: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        let (mut of_a, mut of_b) = (None, None);
        let jobs: [Box<dyn FnOnce() + Send>; 2] =
            [Box::new(|| of_a = Some(a())), Box::new(|| of_b = Some(b()))];
        self.share_out(jobs.into_iter(), |job, _| job());
        let done = "every job is done";
        (of_a.expect(done), of_b.expect(done))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn every_job_is_done_once_and_no_two_on_one_thread_at_once() {
        for threads in [1, 2, 5] {
            let crew = Crew::new(threads).expect("threads");
            assert_eq!(crew.threads(), threads);
            for switches in [0, 1_000] {
                let mut done = vec![0; 500];
                crew.muster(switches, |muster| {
                    let places: Vec<_> = (0..muster.threads()).map(|_| Mutex::new(())).collect();
                    muster.share_out(done.iter_mut(), |done, place| {
                        let _alone = places[place].try_lock().expect("nobody else is there");
                        *done += 1;
                    });
                });
                assert!(done.iter().all(|&times| times == 1));
            }
        }
    }

    #[test]
    fn both_are_done() {
        let crew = Crew::new(2).expect("threads");
        let both = crew.muster(1_000, |muster| muster.both(|| 1, || "two"));
        assert_eq!(both, (1, "two"));
    }

    #[test]
    fn a_panic_comes_out_and_the_crew_goes_on() {
        let crew = Crew::new(3).expect("threads");
        for unlucky in [0, 99] {
            let caught = catch_unwind(AssertUnwindSafe(|| {
                crew.muster(1_000, |muster| {
                    muster.share_out(0..100, |job, _| assert_ne!(job, unlucky));
                });
            }));
            assert!(caught.is_err());
            let sum = AtomicUsize::new(0);
            crew.muster(1_000, |muster| {
                muster.share_out(0..100, |job, _| {
                    sum.fetch_add(job, Ordering::Relaxed);
                });
            });
            assert_eq!(sum.into_inner(), 4950);
        }
    }
}
