//! Criterion's view of the core: each phase on each fabric, with one thread and with two.
//!
//! `plan` is all up to the routes (ranks, groups, costs, node order); `routes` fills tables that
//! have been touched before, as they are from the second sweep on; `memset` fills the same bytes.
//! Criterion measures one after the other, so a ratio of two of its times carries the drift of the
//! machine between them: for ratios, `make bench`.

mod support;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use dmodc::dmodc::{Engine, Options};
use dmodc::fabric::Fabric;
use dmodc::lft::Tables;
use std::hint::black_box;
use std::time::Duration;
use support::{A, B, C, SMALL, complete, degraded, memset, snapshot};

fn core(c: &mut Criterion) {
    for (name, shape) in [("648", SMALL), ("A", A), ("B", B), ("C", C)] {
        let whole = complete(shape);
        phases(c, name, &snapshot(&whole));
        phases(c, &format!("{name}-degraded"), &snapshot(&degraded(&whole)));
    }
}

fn phases(c: &mut Criterion, name: &str, fabric: &Fabric) {
    let mut tables = Tables::for_fabric(fabric);
    let mut rows = tables.rows_mut();
    let mut group = c.benchmark_group(name);
    for threads in [1, 2] {
        let engine = Engine::new(threads).expect("the system gives threads");
        let options = Options::default();
        let plan = engine.plan(fabric, &options).expect("it is a tree");
        group.bench_function(BenchmarkId::new("plan", threads), |b| {
            b.iter(|| engine.plan(black_box(fabric), &options));
        });
        group.bench_function(BenchmarkId::new("routes", threads), |b| {
            b.iter(|| engine.fill(black_box(fabric), &plan, &mut rows));
        });
        group.bench_function(BenchmarkId::new("memset", threads), |b| {
            b.iter(|| memset(&engine, black_box(&mut rows)));
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(500));
    targets = core
}
criterion_main!(benches);
