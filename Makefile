# What people and CI call. Each target does what it says, from a clean clone on.

CARGO ?= cargo
# Where cargo puts what it builds.
TARGET = $(or $(CARGO_TARGET_DIR),target)
DMODC = $(TARGET)/release/dmodc
PRODUCTION = $(wildcard ../shared/topologies/*.ibnetdiscover)
ENGINES = dmodc,ftree,ftree+roots,updn,updn+roots,minhop,sssp

# Of docs/results: engines as shipped, told the roots, told the I/O nodes.
RESULTS = target/results
THROWN_8640 = dmodc,dmodc+io,ftree,ftree+roots,updn,updn+roots,minhop,sssp
THROWN_648 = $(THROWN_8640),ftree+roots+io,dfsssp,nue
# Complete fabrics for the runtime over nodes.
TIMED = $(patsubst %,$(RESULTS)/%.net,324 1440 2880 5760)

# Where `make install` puts things. OpenSM looks for plugins where the loader looks for libraries.
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
SHARE = $(DESTDIR)$(PREFIX)/share

.PHONY: all setup build test check fuzz demo fabrics results bench instructions install uninstall deb rpm \
    package-test opensm-patch docker docker-test clean \
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
	$(CARGO) clippy --all-targets -- -D warnings
	$(CARGO) clippy --all-targets --no-default-features -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --no-deps
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --no-deps --document-private-items
	@scripts/deny.sh
	$(MAKE) test

# What follows is too long for every run of the tests, which have a short form of each; what it
# found when it was last run is in docs/reliability.md.

# Storms of faults under a running OpenSM: 648 nodes, 500 rounds, and 8,640 nodes, 50 rounds, or
# SOAK_ROUNDS, under each engine of SOAK_ENGINES (dmodc,ftree,updn). An hour on 2 cores. With
# SOAK_DEFAULT_ARENAS=1 OpenSM's memory is kept as glibc does by default, and its growth not judged.
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

# Unit tests under AddressSanitizer, ThreadSanitizer and Miri, half an hour; installs a nightly toolchain.
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

# docs/results: random throws at 648 and 8,640 nodes, and their report. Hours; what is there already is
# not made again, so a run that was cut goes on, and `rm -r docs/results` starts anew.
results: setup build $(RESULTS)/648.net $(RESULTS)/8640.net $(TIMED)
	$(CARGO) build --release --example engine_relay
	$(DMODC) compare $(TIMED) --engines $(ENGINES) --degrade switches --max-exponent 0 --throws 0 \
	    -o docs/results
	$(call throw,648,18,$(THROWN_648),switches,4,300)
	$(call throw,648,18,$(THROWN_648),links,8,300)
	$(call throw,8640,24,$(THROWN_8640),switches,7,60)
	$(call throw,8640,24,$(THROWN_8640),links,10,60)
	$(DMODC) report docs/results

# An I/O node at the last port (of this number) of each leaf.
define throw
awk -v port=$(2) '/^Switch/ { leaf = /"L1-/ } leaf && $$1 ~ "^\\[" port "\\]" { split($$0, part, /[()]/); print "0x" part[2] }' \
    $(RESULTS)/$(1).net > $(RESULTS)/$(1).io
$(DMODC) compare $(RESULTS)/$(1).net --engines $(3) --io-guids $(RESULTS)/$(1).io \
    --degrade $(4) --max-exponent $(5) --throws $(6) -o docs/results
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

# How fast: the core beside a memset, OpenSM's engines beside the core. A table, and under target/bench
# the same as CSV and as a plot. Each run of OpenSM is given BENCH_LIMIT (60) seconds.
bench: setup build
	$(CARGO) build --release --example engine_relay
	$(CARGO) bench --bench table

# Instructions of each phase beside those of benches/instructions.txt: a guard that no load shakes.
instructions:
	@scripts/instructions.sh

# The plugin, the tool, its manual and completions, and how to switch on, below DESTDIR and PREFIX.
# Under sudo, where there is no cargo, it installs what `make build` has built.
install: $(if $(shell command -v $(CARGO)),build)
	install -D -m 755 $(DMODC) $(DESTDIR)$(PREFIX)/bin/dmodc
	install -D -m 644 $(TARGET)/release/libdmodc.so $(DESTDIR)$(LIBDIR)/libdmodc.so
	install -d $(SHARE)/man/man1 $(SHARE)/bash-completion/completions $(SHARE)/zsh/site-functions \
	    $(SHARE)/fish/vendor_completions.d $(SHARE)/doc/opensm-dmodc/docs
	$(DMODC) man -o $(SHARE)/man/man1
	$(DMODC) completions bash >$(SHARE)/bash-completion/completions/dmodc
	$(DMODC) completions zsh >$(SHARE)/zsh/site-functions/_dmodc
	$(DMODC) completions fish >$(SHARE)/fish/vendor_completions.d/dmodc.fish
	install -m 644 README.md CHANGELOG.md packaging/opensm.conf packaging/switching.md \
	    $(SHARE)/doc/opensm-dmodc
	install -m 644 docs/*.md docs/*.svg $(SHARE)/doc/opensm-dmodc/docs
	@[ -n "$(DESTDIR)" ] || [ "$$(id -u)" -ne 0 ] || ldconfig

# What `make install` has put there.
uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/dmodc $(DESTDIR)$(LIBDIR)/libdmodc.so \
	    $(SHARE)/man/man1/dmodc.1 $(SHARE)/man/man1/dmodc-*.1 \
	    $(SHARE)/bash-completion/completions/dmodc $(SHARE)/zsh/site-functions/_dmodc \
	    $(SHARE)/fish/vendor_completions.d/dmodc.fish
	rm -rf $(SHARE)/doc/opensm-dmodc

# Packages for the OpenSM of this machine, in target/package.
deb rpm: setup
	@scripts/package.sh $@

# Both packages made; the .deb on a clean Debian root, the .rpm unpacked, each routes a fabric.
package-test: deb rpm
	@scripts/setup.sh root rpm
	@scripts/package-test.sh

# The patches of opensm-patch/ on OpenSM's source (Debian's, or OPENSM_TREE=git tree), built and run.
opensm-patch:
	@scripts/setup.sh opensm-source
	@scripts/opensm-patch.sh

# Images with OpenSM, Dmodc and ibsim.
docker:
	@docker/images.sh

# The integration suite in those containers: bring-up, fault, recovery, ftree.
docker-test:
	@docker/test.sh

clean:
	$(CARGO) clean
