# What people and CI call. Each target does what it says, from a clean clone on.

CARGO ?= cargo
DMODC = target/release/dmodc
PRODUCTION = $(wildcard ../shared/topologies/*.ibnetdiscover)
ENGINES = dmodc,ftree,ftree+roots,updn,updn+roots,minhop,sssp

.PHONY: all setup build test check fuzz demo fabrics bench instructions clean \
	soak memcheck hostile invariants versions sanitize

all: build

# Installs the packages that are missing (Debian, Ubuntu; asks for sudo if need be).
setup:
	@scripts/setup.sh

# libdmodc.so and the tool, in target/release.
build:
	$(CARGO) build --release

# Every test, those with the real OpenSM on simulated fabrics included. What is skipped says so.
test: setup
	$(CARGO) test -- --show-output

# What has to pass before a change goes in.
check: setup
	$(CARGO) fmt --check
	$(CARGO) fmt --check --manifest-path fuzz/Cargo.toml
	$(CARGO) fmt --check --manifest-path tools/callback-timer/Cargo.toml
	$(CARGO) clippy --all-targets -- -D warnings
	$(CARGO) clippy --all-targets --no-default-features -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --no-deps
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --no-deps --document-private-items
	$(MAKE) test

# What follows is too long for every run of the tests, which have a short form of each; what it
# found when it was last run is in docs/reliability.md.

# Storms of faults under a running OpenSM: 648 nodes, 500 rounds, and 8,640 nodes, 50 rounds, or
# SOAK_ROUNDS, under each engine of SOAK_ENGINES (dmodc,ftree,updn). An hour on 2 cores.
soak: setup
	$(CARGO) test --release --test daemon -- --ignored --nocapture --test-threads 1 storm::soak

# The plugin under valgrind: a storm in a real OpenSM, and subnets that contradict themselves.
memcheck: setup
	$(CARGO) test --test daemon -- --ignored --nocapture memory::
	@scripts/memcheck.sh

# DMODC_MUTATIONS (a million) subnets that contradict themselves, read and routed.
hostile: setup
	DMODC_MUTATIONS=$${DMODC_MUTATIONS:-1000000} \
	    $(CARGO) test --release --lib plugin::hostile -- --nocapture

# DMODC_FABRICS (100,000) random fabrics: no turn, no circle of dependencies, all delivered at their
# cost.
invariants:
	DMODC_FABRICS=$${DMODC_FABRICS:-100000} $(CARGO) test --release --no-default-features \
	    --test offline invariants -- --nocapture

# A plugin built for another OpenSM is refused; the tool and the core without OpenSM's headers.
versions: setup
	$(CARGO) test --test daemon -- --ignored another_version
	$(CARGO) test --no-default-features --features cli --lib --bins --test offline
	$(CARGO) test --no-default-features --lib --test offline

# The unit tests under AddressSanitizer and ThreadSanitizer, where there is a nightly toolchain.
sanitize:
	@scripts/sanitize.sh

# Every fuzz target for FUZZ_SECONDS (20) each; installs cargo-fuzz into target/tools.
fuzz:
	@scripts/fuzz.sh

# A fabric of 8,640 nodes, or NET=file, routed by a stock OpenSM. DEMO_COMPARE=1 times ftree too.
demo: setup
	@scripts/demo.sh

# The table of docs/fabrics.md: every engine on every fabric, by the stock OpenSM.
fabrics: setup build
	rm -rf target/fabrics && mkdir -p target/fabrics
	$(DMODC) generate 'PGFT(1;12;1;1)' -o target/fabrics/one-switch.netlist
	$(DMODC) generate 'PGFT(3;12,6,8;1,6,6;1,1,1)' --seed 1 -o target/fabrics/pgft-576.netlist
	$(DMODC) degrade target/fabrics/pgft-576.netlist --links 30 --seed 1 -o target/fabrics/pgft-576-minus-30-links.netlist
	$(DMODC) degrade target/fabrics/pgft-576.netlist --switches 5 --seed 1 -o target/fabrics/pgft-576-minus-5-switches.netlist
	$(DMODC) generate 'PGFT(2;6,24;1,12;1,1)' --seed 1 -o target/fabrics/half-populated-leaves.netlist
	$(DMODC) generate rlft --nodes 450 --radix 24 -o target/fabrics/rlft-450.netlist
	$(DMODC) compare $(PRODUCTION) target/fabrics/*.netlist tests/data/fabrics/*.netlist \
	    --engines $(ENGINES) -o target/fabrics --markdown docs/fabrics.md

# How fast: the core beside a memset, OpenSM's engines beside the core. A table, and under target/bench
# the same as CSV and as a plot. Each run of OpenSM is given BENCH_LIMIT (60) seconds.
bench: setup build
	$(CARGO) build --release --manifest-path tools/callback-timer/Cargo.toml --target-dir target
	$(CARGO) bench --bench table

# Instructions of each phase beside those of benches/instructions.txt: a guard that no load shakes.
instructions:
	@scripts/instructions.sh

clean:
	$(CARGO) clean
