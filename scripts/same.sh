#!/bin/bash
# Whether this tree makes the same tables as another commit, byte for byte, on SAME_STATES (2000) random states of
# small fabrics, of 648 and 8,640 nodes and of the production fabrics. SAME_SEED draws a run's states again.
#
#   scripts/same.sh COMMIT
set -euo pipefail
cd "$(dirname "$0")/.."

commit=${1:?usage: scripts/same.sh COMMIT}
seed=${SAME_SEED:-$((RANDOM * 32768 + RANDOM))}
out=$PWD/target/same

# Each tree needs a target folder of its own: in one folder, cargo takes what it built of the one for the other.
build() { # TREE TARGET
    CARGO_PROFILE_RELEASE_OPT_LEVEL=1 "${CARGO:-cargo}" build --quiet --release --no-default-features --bin dmodc \
        --manifest-path "$1/Cargo.toml" --target-dir "$2"
}

rm -rf "$out/source"
mkdir -p "$out/source"
# With the times of now: by the commit's, cargo would take what it built of a later commit for up to date.
git archive "$commit" | tar -x -m -C "$out/source"
build "$out/source" "$out/old"
build . "$out/new"
old=$out/old/release/dmodc new=$out/new/release/dmodc
"$new" generate 'PGFT(2;18,36;1,18;1,1)' --seed 1 -o "$out/648.net"
"$new" generate 'PGFT(3;24,15,24;1,6,15;1,1,1)' --seed 1 -o "$out/8640.net"
echo "same: $(git rev-parse --short "$commit") and this tree, seed $seed"
python3 tests/outside/same.py "$old" "$new" "${SAME_STATES:-2000}" "$seed" \
    "$out/648.net" "$out/8640.net" tests/data/production/*.ibnetdiscover
