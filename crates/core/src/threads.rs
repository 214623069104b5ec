//! The threads that compute routes: a rayon pool, for which OpenSM's own thread waits.
//!
//! Waking a sleeping thread takes about 0.1 ms, as long as a phase of a small fabric. So the calling thread
//! routes a small fabric alone, and the pool helps with the phases before the routes from [`PLAN_TOGETHER`]
//! switches on (measured inside OpenSM: with it, the plan of 594 switches took 6 % longer); with detours as soon as for rows.

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Least number of switches whose rows the pool computes.
const FILL_TOGETHER: usize = 64;
/// Least number of switches whose plan the pool computes.
const PLAN_TOGETHER: usize = 1500;

/// The threads of an engine, or the calling thread alone.
pub struct Threads {
    pool: Option<ThreadPool>,
}

/// The calling thread alone.
pub const ALONE: &Threads = &Threads { pool: None };

impl Threads {
    /// This many threads; 0 means one for each processor. One thread is the calling thread and needs no pool.
    ///
    /// # Errors
    /// If the operating system gives no threads.
    pub fn new(threads: usize) -> Result<Threads, ThreadPoolBuildError> {
        let threads = match threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            some => some,
        };
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|i| format!("dmodc-{i}"))
            .start_handler(move |i| pin(i, threads));
        let pool = (threads > 1).then(|| pool.build()).transpose()?;
        Ok(Threads { pool })
    }

    /// The number of threads.
    pub fn count(&self) -> usize {
        self.pool
            .as_ref()
            .map_or(1, ThreadPool::current_num_threads)
    }

    /// The threads that fill the rows of this many switches.
    pub fn to_fill(&self, switches: usize) -> &Threads {
        if switches < FILL_TOGETHER {
            ALONE
        } else {
            self
        }
    }

    /// The threads that plan this many switches.
    pub fn to_plan(&self, switches: usize) -> &Threads {
        if switches < PLAN_TOGETHER {
            ALONE
        } else {
            self
        }
    }

    /// Runs `work` on each job, in any order.
    pub fn for_each<T: Send>(&self, jobs: Vec<T>, work: impl Fn(T) + Send + Sync) {
        match &self.pool {
            Some(pool) => pool.install(|| jobs.into_par_iter().for_each(work)),
            None => jobs.into_iter().for_each(work),
        }
    }

    /// Runs both closures, side by side if there are threads.
    pub fn both<A: Send, B: Send>(
        &self,
        a: impl FnOnce() -> A + Send,
        b: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        match &self.pool {
            Some(pool) => pool.join(a, b),
            None => (a(), b()),
        }
    }
}

/// Keeps a worker on a processor of its own, if the pool has one for each that the process may use. The kernel of a
/// virtual machine wakes two workers on one processor: 8,640 nodes re-routed in 8.2 to 13.0 ms, now in 7.9 to 9.5.
fn pin(worker: usize, workers: usize) {
    let Ok(allowed) = sched_getaffinity(None) else {
        return;
    };
    let processors = (0..CpuSet::MAX_CPU).filter(|&processor| allowed.is_set(processor));
    let processors: Vec<usize> = processors.collect();
    if processors.len() == workers {
        let mut own = CpuSet::new();
        own.set(processors[worker]);
        // Where this is not allowed, the kernel chooses.
        let _ = sched_setaffinity(None, &own);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::BroadcastContext;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    /// Else two workers may share a processor while another one is idle.
    #[test]
    fn with_a_worker_for_each_processor_each_has_its_own() {
        let all = sched_getaffinity(None).expect("own processors");
        let own = |workers: usize| {
            let threads = Threads::new(workers).expect("threads");
            let own = |_: BroadcastContext<'_>| sched_getaffinity(None).expect("own processors");
            let pool = threads.pool.as_ref();
            pool.map_or_else(Vec::new, |pool| pool.broadcast(own))
        };
        let count = all.count() as usize;
        if count > 1 {
            let own = own(count);
            assert!(own.iter().all(|processors| processors.count() == 1));
            assert!(own[0] != own[1]);
        }
        assert!(own(count + 1).iter().all(|processors| *processors == all));
    }

    #[test]
    fn a_panic_comes_out_and_the_threads_go_on() {
        let threads = Threads::new(3).expect("threads");
        for unlucky in [0, 99] {
            let caught = catch_unwind(AssertUnwindSafe(|| {
                threads.for_each((0..100).collect(), |job: i32| assert_ne!(job, unlucky));
            }));
            assert!(caught.is_err());
            assert_eq!(threads.both(|| 1, || 2), (1, 2));
        }
    }
}
