#!/bin/bash
# Changes one expression at a time, and runs the unit tests of its crate: a mutant that passes shows a missing test, or
# code that nothing needs. All of the proof's (8 minutes on 2 cores), then MUTANTS_PART (0/4: every fourth) of the core's
# (an hour). target/mutants has the mutants missed; some of these only make a sweep slower, and some of the core's fail
# the offline tests. Exit 0, whatever is missed.
set -euo pipefail
cd "$(dirname "$0")/.."
PATH=$PATH:$PWD/target/tools/bin

scripts/cargo-tool.sh cargo-mutants
mkdir -p target/mutants
# Unoptimised and incremental: to build one takes 3 s, the tests 2.
mutants() { # CRATE ARGUMENT...
    local crate=$1
    shift
    CARGO_INCREMENTAL=1 cargo mutants --package "dmodc-$crate" --timeout 60 --output "target/mutants/$crate" \
        --cargo-arg=--config --cargo-arg=profile.dev.package.dmodc-core.opt-level=0 "$@" || [[ $? -le 3 ]]
}
mutants proof
mutants core --shard "${MUTANTS_PART:-0/4}" --sharding round-robin -- --lib
