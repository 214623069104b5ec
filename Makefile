# What people and CI call. Each target does what it says, from a clean clone on.

CARGO ?= cargo

.PHONY: all setup build test check fuzz demo clean

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
	$(MAKE) test

# Every fuzz target for FUZZ_SECONDS (20) each; installs cargo-fuzz into target/tools.
fuzz:
	@scripts/fuzz.sh

# A fabric of 8,640 nodes, or NET=file, routed by a stock OpenSM. DEMO_COMPARE=1 times ftree too.
demo: setup
	@scripts/demo.sh

clean:
	$(CARGO) clean
