#!/bin/bash
# Whether this tree makes the same tables as another commit, byte for byte, on SAME_STATES (2000) random states of
# small fabrics, of 648 and 8,640 nodes and of the production fabrics. SAME_SEED draws a run's states again. With
# SAME_MEASURED=1 also on all throws of `make results` with switches or links gone or slow, and on all moments of
# `make trace` (TRACE_FILE), without faults of links and switches: figures of one commit are then those of the other.
#
#   scripts/same.sh COMMIT
set -euo pipefail
cd "$(dirname "$0")/.."

commit=${1:?usage: scripts/same.sh COMMIT}
seed=${SAME_SEED:-$((RANDOM * 32768 + RANDOM))}
out=$PWD/target/same

# Each tree needs a target folder of its own: in one folder, cargo takes what it built of the one for the other.
build() { # TREE TARGET
    CARGO_PROFILE_RELEASE_OPT_LEVEL=1 "${CARGO:-cargo}" build --quiet --release --package dmodc-tool --no-default-features --bin dmodc \
        --manifest-path "$1/Cargo.toml" --target-dir "$2"
}

rm -rf "$out/source"
mkdir -p "$out/source"
# With the times of now: by the commit's, cargo would take what it built of a later commit for up to date.
git archive "$commit" | tar -x -m -C "$out/source"
build "$out/source" "$out/old"
build . "$out/new"
old=$out/old/release/dmodc new=$out/new/release/dmodc
differ=0
same() { python3 tests/outside/same.py "$old" "$new" "$@" || differ=1; }
net() { "$new" generate "$1" --seed "$2" -o "$out/$3.net"; }
net 'PGFT(2;18,36;1,18;1,1)' 1 648
net 'PGFT(3;24,15,24;1,6,15;1,1,1)' 1 8640
echo "same: $(git rev-parse --short "$commit") and this tree, seed $seed"
same random "${SAME_STATES:-2000}" "$seed" "$out/648.net" "$out/8640.net" tests/data/production/*.ibnetdiscover
if [[ -n ${SAME_MEASURED:-} ]]; then
    tar -xf docs/results/rows.tar.gz -C "$out"
    for nodes in 648 8640; do
        for kind in switches links slow; do
            same throws "$out/throws-$nodes-$kind.csv" "$out/$nodes.net"
        done
    done
    trace=${TRACE_FILE:-../shared/trace/servers.csv}
    if [[ -f $trace ]]; then
        net 'PGFT(3;25,8,16;1,8,16;1,4,1)' 7 trace
        same moments "$trace" "$out/trace.net"
    else
        echo "same: skipped the moments of the trace: $trace is not here"
    fi
fi
exit "$differ"
