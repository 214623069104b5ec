# The entry points for people and CI. Every target works on a clean clone.

CARGO ?= cargo
# The build output of cargo.
TARGET = $(or $(CARGO_TARGET_DIR),target)
DMODC = $(TARGET)/release/dmodc
PRODUCTION = $(wildcard tests/data/production/*.ibnetdiscover)
ENGINES = dmodc,dmodc:paper,ftree,ftree+roots,updn,updn+roots,minhop,sssp,dfsssp,nue

# docs/results: the engines and the throws of each kind. dfsssp and nue take part at 648 nodes only.
RESULTS = target/results
RESULTS_OUT ?= target/results/rows
ROWS = docs/results/rows.tar.gz
RESULTS_THROWS_648 ?= 300
RESULTS_THROWS_8640 ?= 60
# Throws side by side: one for each processor.
RESULTS_JOBS ?= $(shell nproc)
THROWN_8640 = dmodc,dmodc:paper,dmodc:reference,ftree,ftree+roots,updn,updn+roots,minhop,sssp
THROWN_648 = $(THROWN_8640),dfsssp,nue
# Throws of slow links: one, ten and a hundred links in turn, at a quarter of their speed.
SLOW = slow=1,10,100
SLOW_8640 = $(THROWN_8640),dmodc:ignore
SLOW_648 = $(SLOW_8640),dfsssp,dfsssp:avoid,nue,nue:avoid
# Complete fabrics, for the plot of time over nodes.
TIMED = $(patsubst %,$(RESULTS)/%.net,324 1440 2880 5760)

# All crates but the two plugins, which need OpenSM's headers.
WITHOUT_OPENSM = --workspace --exclude dmodc --exclude dmodc-relay
# The tests of two crates without unit tests.
LIBRARIES = --test analysis --test formats

# If make is killed, the command after this ends, too.
UNTIL_MAKE_ENDS = setpriv --pdeathsig TERM

# The folders of `make install`. OpenSM finds plugins where the loader finds libraries.
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
SHARE = $(DESTDIR)$(PREFIX)/share

.PHONY: all setup programs build test check python-test fuzz demo fabrics results report bench instructions install uninstall deb rpm \
    package-test release opensm-patch docker docker-test clean \
    soak events rehearsal trace memcheck hostile invariants stable racks slow-racks same versions nightly sanitize mutants \
    without-opensm

all: build

# Installs what building needs (Debian, Ubuntu; asks for sudo if necessary).
setup:
	@scripts/setup.sh

# Installs also the programs that tests and demo run.
programs:
	@scripts/setup.sh test

# The plugin, the laboratory's plugin and the tool, in target/release. The rows of `dmodc compare` have the commit.
build:
	DMODC_COMMIT=$$(git describe --always --dirty 2>/dev/null) $(CARGO) build --release --lib --bin dmodc

# Every test, with the real OpenSM on simulated fabrics. A skipped test prints that. Most tests wait for OpenSM, so
# more tests run side by side than there are processors. CI runs DMODC_CASES=4 times as many random cases. Incremental
# builds would take a fifth longer.
test: programs
	RUST_TEST_THREADS=$${RUST_TEST_THREADS:-$$((4 * $$(nproc)))} CARGO_INCREMENTAL=0 $(CARGO) test

# Must pass before a change goes in.
check:
	@scripts/setup.sh test browser
	@! grep -rn '#\[test\]' $$(grep -l '^test = false' crates/*/Cargo.toml | sed 's/Cargo.toml/src/') || \
	    { echo "check: these never run: Cargo.toml has test = false" >&2; exit 1; }
	$(CARGO) fmt --check
	$(CARGO) fmt --check --manifest-path tests/fuzz/Cargo.toml
	$(CARGO) clippy --all-targets -- -D warnings
	$(CARGO) clippy --package dmodc-tool --all-targets --no-default-features -- -D warnings
	$(CARGO) clippy --manifest-path tests/fuzz/Cargo.toml --target-dir target/fuzz -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --no-deps
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --no-deps --document-private-items
	$(MAKE) test

# The Python package (crates/python/): pip installs it into an environment of its own, target/python/env, where pytest compares it
# with the tool. Without network it prints that and does nothing.
python-test: programs
	@scripts/python.sh

# The long forms of tests that `make test` has in short. docs/reliability.md has their last results.

# Storms of faults under a running OpenSM, with each engine of SOAK_ENGINES (dmodc,ftree,updn): 500 rounds
# on 648 nodes and 50 on 8,640 nodes, or SOAK_ROUNDS. An hour on 2 cores.
#
# And a storm beside `dmodc follow`: SOAK_ROUNDS (100) on 648 nodes.
#
# And weeks of reboots, upgrades and flapping links with each engine of WEEK_ENGINES (dmodc,auto,paper,updn,ftree), as
# a table: a link flaps WEEK_FLAPS (100) times; all switches of 648 nodes, 24 of 8,640, or twice WEEK_UPGRADES.
soak: programs
	$(CARGO) test --release --test daemon -- --ignored --nocapture --test-threads 1 \
	    storm::soak storm::week::soak follow::storm::soak

# The changes that events make to the tables of the switches under a running OpenSM, and the harm to packets while the
# new tables are sent, with each engine of EVENTS_ENGINES (dmodc,auto,partial,paper,updn,ftree,minhop,sssp: the second
# to fourth are Dmodc with reference=auto, on_unreachable=partial and faults=paper), on EVENTS_SHAPE (8,640 nodes).
# And the harm while UPGRADES_SWITCHES (all) switches above the leaves of UPGRADES_SHAPE (648 nodes) are upgraded one
# after the other, with each engine of UPGRADES_WAYS (drained-alone,drained,dmodc,updn,ftree: the first two drain each
# switch first, without and with reference=auto). An hour on 2 cores.
events: programs
	$(CARGO) test --release --test daemon -- --ignored --nocapture events:: upgrades::

# The runbook of docs/operations.md on 648 nodes, step by step, as a table (two minutes). With OLD_PLUGIN, a folder
# with libdmodc.so of another version, also its upgrade to this one, with a standby.
rehearsal: programs
	$(CARGO) test --test daemon -- --ignored --nocapture rehearsal::

# The blocks that OpenSM sends while servers go and come back, as in a real cluster of 400 servers: the first
# TRACE_MOMENTS (100) moments of TRACE_FILE (../shared/trace/servers.csv; skipped without the file) with each engine of
# TRACE_ENGINES (dmodc,auto,drained,paper,updn,ftree,minhop,minhop+cache,sssp). With
# TRACE_FAULTS=SEED links and switches fail, too, and all switches above the leaves get new firmware each quarter;
# `drained` is Dmodc with a reference that drains these first. Three seconds a moment.
trace: programs
	$(CARGO) test --release --test daemon -- --ignored --nocapture trace::year::a_year

# The plugin under valgrind: a storm in a real OpenSM, and subnets that contradict themselves.
memcheck: export CARGO_PROFILE_DEV_DEBUG = line-tables-only
memcheck: programs
	$(CARGO) test --test daemon -- --ignored --nocapture memory::
	@scripts/memcheck.sh

# Reads and routes DMODC_MUTATIONS (a million) subnets that contradict themselves.
hostile: setup
	DMODC_MUTATIONS=$${DMODC_MUTATIONS:-1000000} \
	    $(CARGO) test --release --package dmodc --lib hostile -- --nocapture

# DMODC_FABRICS (100,000) random fabrics, with references, GUID files and drained links: no turn except in detours, no
# cycle of dependencies, all pairs delivered at their cost, the lists of pairs left out as in the tables.
invariants:
	DMODC_FABRICS=$${DMODC_FABRICS:-100000} $(CARGO) test --release --package dmodc-tool --no-default-features \
	    --test offline -- invariants --nocapture

# The promises of `faults=stable`, on DMODC_CASES (80) times as many fabrics as in `make test`, drawn anew, and its
# goals on 8,640 nodes with ten seeds; the random cases of the unit tests likewise.
stable:
	DMODC_ANEW=1 DMODC_CASES=$${DMODC_CASES:-80} $(CARGO) test --release --package dmodc-tool --no-default-features \
	    --test offline stable -- --include-ignored --nocapture
	DMODC_ANEW=1 DMODC_CASES=$${DMODC_CASES:-80} $(CARGO) test --release --package dmodc-tool --no-default-features \
	    --test offline outside -- --nocapture
	DMODC_ANEW=1 DMODC_CASES=$${DMODC_CASES:-80} $(CARGO) test --release $(WITHOUT_OPENSM) --lib $(LIBRARIES)

# Small racks cabled by hand, RACKS (300) drawn anew, beside updn, minhop and sssp: docs/results/tables.md has the table.
racks: programs build
	python3 tests/outside/racks.py target/release/dmodc target/release $${RACKS:-300} $${RACKS_SEED:-$$(date +%s)} target/racks

# Small racks with slow links, RACKS (720) drawn anew, beside the same without these links.
slow-racks: build
	python3 tests/outside/slow_racks.py target/release/dmodc $${RACKS:-720} $${RACKS_SEED:-$$(date +%s)} target/slow-racks

# Whether this tree makes the same tables as commit FROM, byte for byte, on SAME_STATES (2,000) random states: after a
# change that is to move no route; or whether figures of that commit are still those of this one.
same:
	@scripts/same.sh $(FROM)

# Builds the plugin for each OpenSM of OPENSM_PREFIX, and tests it there: folders with bin, include, lib and sbin of an
# installed OpenSM.
versions: programs
	@scripts/versions.sh

# Tests tool and core as they are built without OpenSM's headers.
without-opensm:
	$(CARGO) test $(WITHOUT_OPENSM) --no-default-features --lib --bins $(LIBRARIES)
	$(CARGO) test --package dmodc-tool --no-default-features --test offline golden::

# The parts that CI does not run, since they found nothing there: sanitizers, containers, a build without OpenSM's
# headers, licences and advisories of the dependencies; and an hour of fuzzing.
nightly: sanitize docker-test without-opensm
	@scripts/deny.sh
	FUZZ_SECONDS=$${FUZZ_SECONDS:-450} $(MAKE) fuzz

# Unit tests under AddressSanitizer, ThreadSanitizer and Miri: minutes, Miri an hour and more. Installs a nightly
# toolchain.
sanitize:
	@scripts/sanitize.sh

# Which changes of an expression no unit test finds: of the proof, and of MUTANTS_PART (0/4) of the core. Over an hour.
mutants:
	@scripts/mutants.sh

# Every fuzz target, FUZZ_SECONDS (20) each; installs cargo-fuzz into target/tools.
fuzz:
	@scripts/fuzz.sh

# Routes 8,640 simulated nodes, or NET=file, with a stock OpenSM. DEMO_COMPARE=1 also times ftree. If the tool is built
# (`make build`), it checks the tables, too.
demo: DEMO_PROFILE = $(if $(wildcard $(DMODC)),release,demo)
demo: programs
	$(CARGO) build --profile $(DEMO_PROFILE) --package dmodc --lib
	$(UNTIL_MAKE_ENDS) scripts/demo.sh $(TARGET)/$(DEMO_PROFILE) $(wildcard $(DMODC))

# Writes the table of docs/fabrics.md: every engine on every fabric, in the stock OpenSM.
fabrics: programs build
	rm -rf target/fabrics && mkdir -p target/fabrics
	$(DMODC) generate 'PGFT(1;12;1;1)' -o target/fabrics/one-switch.netlist
	$(DMODC) generate 'PGFT(3;12,6,8;1,6,6;1,1,1)' --seed 1 -o target/fabrics/pgft-576.netlist
	$(DMODC) degrade target/fabrics/pgft-576.netlist --links 30 --seed 1 -o target/fabrics/pgft-576-minus-30-links.netlist
	$(DMODC) degrade target/fabrics/pgft-576.netlist --switches 5 --seed 1 -o target/fabrics/pgft-576-minus-5-switches.netlist
	$(DMODC) generate 'PGFT(2;6,24;1,12;1,1)' --seed 1 -o target/fabrics/half-populated-leaves.netlist
	$(DMODC) generate rlft --nodes 450 --radix 24 -o target/fabrics/rlft-450.netlist
	$(DMODC) compare $(PRODUCTION) target/fabrics/*.netlist tests/data/fabrics/*.netlist \
	    --engines $(ENGINES) -o target/fabrics > target/fabrics/table
	sed -i -e 's/^/    /' target/fabrics/table
	sed -i -e '/^<!-- table -->/,/^<!-- end -->/{//!d}' -e '/^<!-- table -->/r target/fabrics/table' docs/fabrics.md

# Writes docs/results: random throws at 648 and 8,640 nodes, RESULTS_THROWS_648 (300) and RESULTS_THROWS_8640 (60) of
# each kind, RESULTS_JOBS of them side by side, and their report. It continues the rows of
# RESULTS_OUT, at first those of docs/results/rows.tar.gz; without both it starts anew.
results: programs build $(RESULTS_OUT) $(RESULTS)/648.net $(RESULTS)/8640.net $(TIMED)
	$(DMODC) compare $(TIMED) --engines $(THROWN_8640) --degrade switches --max-exponent 0 --throws 0 \
	    -o $(RESULTS_OUT)
	$(call throw,648,$(THROWN_648),switches,4,$(RESULTS_THROWS_648))
	$(call throw,648,$(THROWN_648),links,8,$(RESULTS_THROWS_648))
	$(call throw,8640,$(THROWN_8640),switches,7,$(RESULTS_THROWS_8640))
	$(call throw,8640,$(THROWN_8640),links,10,$(RESULTS_THROWS_8640))
	$(call throw,648,$(SLOW_648),$(SLOW),,$(RESULTS_THROWS_648))
	$(call throw,8640,$(SLOW_8640),$(SLOW),,$(RESULTS_THROWS_8640))
	$(MAKE) report

# Writes the report of the rows in that folder, and the rows, into docs/results. Prints where Dmodc is best.
report: build $(RESULTS_OUT)
	$(DMODC) report $(RESULTS_OUT)
	cp $(RESULTS_OUT)/report.html docs/results
	cd $(RESULTS_OUT) && tar -I 'gzip -9n' --sort=name --mtime=@0 --owner=0 --group=0 -cf $(abspath $(ROWS)) throws-*.csv
	python3 tests/outside/throws.py $(RESULTS_OUT)

# The rows of docs/results, if there are any.
$(RESULTS_OUT):
	mkdir -p $@
	[ ! -e $(ROWS) ] || tar -xzf $(ROWS) -C $@

# $(call throw,FABRIC,ENGINES,WHAT,EXPONENT,THROWS)
define throw
$(DMODC) compare $(RESULTS)/$(1).net --engines $(2) --degrade $(3) $(if $(4),--max-exponent $(4)) --throws $(5) \
    --jobs $(RESULTS_JOBS) -o $(RESULTS_OUT)
endef

$(RESULTS)/324.net: SHAPE = PGFT(2;18,18;1,9;1,1)
$(RESULTS)/1440.net: SHAPE = PGFT(3;24,15,4;1,6,15;1,1,1)
$(RESULTS)/2880.net: SHAPE = PGFT(3;24,15,8;1,6,15;1,1,1)
$(RESULTS)/5760.net: SHAPE = PGFT(3;24,15,16;1,6,15;1,1,1)
$(RESULTS)/648.net: SHAPE = PGFT(2;18,36;1,18;1,1)
$(RESULTS)/8640.net: SHAPE = PGFT(3;24,15,24;1,6,15;1,1,1)
$(RESULTS)/%.net: | build
	mkdir -p $(RESULTS)
	$(DMODC) generate '$(SHAPE)' --seed 1 -o $@

# Times plan and routes on 648 to 40,960 nodes, beside a memset of the tables: a table in Markdown. `dmodc compare`
# times the engines inside OpenSM.
bench:
	$(CARGO) bench --package dmodc-lab --bench table

# Compares the instructions of each phase with crates/core/benches/instructions.txt. Other load does not change them.
instructions:
	@scripts/instructions.sh

# Installs plugins, tool, manual, completions and documents below DESTDIR and PREFIX. Under sudo there may be
# no cargo; then it installs the output of an earlier `make build`.
install: $(if $(shell command -v $(CARGO)),build)
	install -D -m 755 $(DMODC) $(DESTDIR)$(PREFIX)/bin/dmodc
	install -D -m 644 -t $(DESTDIR)$(LIBDIR) $(TARGET)/release/libdmodc.so $(TARGET)/release/libdmodc_lab.so
	install -d $(SHARE)/man/man1 $(SHARE)/bash-completion/completions $(SHARE)/zsh/site-functions \
	    $(SHARE)/fish/vendor_completions.d $(SHARE)/doc/opensm-dmodc/docs
	$(DMODC) man -o $(SHARE)/man/man1
	$(DMODC) completions bash >$(SHARE)/bash-completion/completions/dmodc
	$(DMODC) completions zsh >$(SHARE)/zsh/site-functions/_dmodc
	$(DMODC) completions fish >$(SHARE)/fish/vendor_completions.d/dmodc.fish
	install -m 644 README.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE packaging/opensm.conf packaging/switching.md \
	    $(SHARE)/doc/opensm-dmodc
	install -m 644 docs/*.md docs/*.svg $(SHARE)/doc/opensm-dmodc/docs
	install -D -m 644 -t $(SHARE)/doc/opensm-dmodc/prometheus packaging/prometheus/*
	scripts/packaged-links.sh $(SHARE)/doc/opensm-dmodc
	sed 's|/usr/bin/|$(PREFIX)/bin/|' packaging/dmodc-follow.service >$(SHARE)/doc/opensm-dmodc/dmodc-follow.service
	@[ -n "$(DESTDIR)" ] || [ "$$(id -u)" -ne 0 ] || ldconfig

# Removes the files that `make install` has installed.
uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/dmodc $(DESTDIR)$(LIBDIR)/libdmodc.so $(DESTDIR)$(LIBDIR)/libdmodc_lab.so \
	    $(SHARE)/man/man1/dmodc.1 $(SHARE)/man/man1/dmodc-*.1 \
	    $(SHARE)/bash-completion/completions/dmodc $(SHARE)/zsh/site-functions/_dmodc \
	    $(SHARE)/fish/vendor_completions.d/dmodc.fish
	rm -rf $(SHARE)/doc/opensm-dmodc

# Packages for the OpenSM of this machine, in target/package.
deb rpm:
	@scripts/setup.sh rpm
	@scripts/package.sh $@

# Makes both packages. The .deb, on a clean Debian root, and the .rpm, unpacked, each route a fabric.
package-test: deb rpm
	@scripts/setup.sh test root rpm
	@scripts/package-test.sh

# The release of this commit, in target/release-VERSION: packages, source archive and checksums. Built twice in
# different folders and compared, bit for bit, and tested as by `make package-test`. 18 minutes of processor time.
release:
	@scripts/setup.sh test root rpm
	@scripts/release.sh

# Applies opensm-patch/ to OpenSM's source (Debian's, or OPENSM_TREE=git tree), builds it and runs it.
opensm-patch:
	@scripts/setup.sh test opensm-source
	@scripts/opensm-patch.sh

# Builds images with OpenSM, Dmodc and ibsim.
docker:
	@docker/images.sh

# Runs the integration suite in those containers: bring-up, fault, recovery, ftree.
docker-test:
	@docker/test.sh

clean:
	$(CARGO) clean
