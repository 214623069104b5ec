#!/bin/bash
# Routes a fabric with a stock OpenSM and libdmodc.so, and shows what happened.
#
#   NET=FILE          route this netlist instead of the generated fabric
#   DEMO_COMPARE=1    then route the same fabric with OpenSM's ftree, for its time
#   DEMO_LIMIT=SEC    give each OpenSM this long (600)
#
# Exit 0 if OpenSM took Dmodc's tables and the check of them passed. Nothing stays behind.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/simulated.sh

SHAPE='PGFT(3;24,15,24;1,6,15;1,1,1)'
LIMIT=${DEMO_LIMIT:-600}
net=$(realpath -- "${NET:-/dev/null}")

# Seconds between the first lines of a log that hold one text and another. A line without a stamp
# goes on with the one before.
between() { # LOG FROM TO
    awk -v from="$2" -v to="$3" '
        / -> / && split($3, t, ":") == 3 { now = t[1] * 3600 + t[2] * 60 + t[3] + $4 / 1e6 }
        !begun && index($0, from) { start = now; begun = 1 }
        begun && index($0, to) { d = now - start; printf "%.6f", (d < 0 ? d + 86400 : d); exit }
    ' "$1"
}

# Runs OpenSM once with one engine; its files are then in $work/ENGINE.
route_with() { # ENGINE
    local dir=$work/$1 status=0
    mkdir "$dir"
    {
        echo "routing_engine $1,no_fallback"
        [[ $1 != dmodc ]] || echo "event_plugin_name dmodc"
        echo "dump_files_dir $dir"
        echo "log_file $dir/opensm.log"
        echo "partition_config_file $dir/partitions.conf"
    } >"$dir/opensm.conf"
    # 0x47: errors, information, the stages of the sweep, and the dumps of the routing.
    attached "$dir" "$libraries" "$LIMIT" opensm -o -F opensm.conf -D 0x47 || status=$?
    if [[ $status -eq 0 ]] && grep -q 'SUBNET UP' "$dir/opensm.log"; then
        return 0
    fi
    grep -E ' 0x01 -> |dmodc: ' "$dir/opensm.log" | tail -20 >&2 || true
    [[ $status -ne 124 ]] || echo "demo: OpenSM was ended after $LIMIT s" >&2
    return 1
}

say "Building"
cargo build --release --quiet
libraries=$(realpath "${CARGO_TARGET_DIR:-target}/release")
dmodc=$libraries/dmodc
command -v opensm >/dev/null || die "no opensm on this machine: run 'make setup'"

if [[ -n ${NET:-} ]]; then
    say "The fabric: $NET"
    [[ -r $net ]] || die "cannot read $NET"
else
    say "The fabric: $SHAPE"
    net=$work/fabric.net
    "$dmodc" generate "$SHAPE" --seed 1 --no-lids -o "$net"
fi
measure "$net"
echo "$switches switches, $((nodes - switches)) CAs and routers"

say "Starting ibsim"
start_ibsim "$net"
echo "ready"

say "Routing with stock $(opensm --version | grep -o 'OpenSM [0-9.]*' | head -1), -R dmodc,no_fallback"
route_with dmodc || die "OpenSM did not take Dmodc's tables"
log=$work/dmodc/opensm.log
line=$(grep -o 'dmodc: routed .*' "$log" | head -1)
[[ -n $line ]] || die "no line of Dmodc's in OpenSM's log"
echo "$line"
sweep=$(between "$log" 'Entering DISCOVERING' 'SET LINKS TO ACTIVE STATE')
awk -v line="$line" -v sweep="$sweep" 'BEGIN {
    n = split(line, words, " ")
    for (i = 3; i <= n; i++) { split(words[i], kv, "="); value[kv[1]] = kv[2] }
    printf "\n%-42s %12s %9s\n", "", "ms", "of sweep"
    phases = "read rank cost nid routes write total"
    split("read the subnet|rank, group ports|costs, dividers, validity|node order|" \
        "routes|write, log|all that Dmodc did", what, "|")
    m = split(phases, phase, " ")
    for (i = 1; i <= m; i++) {
        ms = value[phase[i] "_us"] / 1000
        printf "%-42s %12.3f %8.3f%%\n", what[i], ms, ms / sweep / 10
    }
    printf "%-42s %12.3f\n", "the whole sweep of OpenSM, dumps left out", sweep * 1000
}'

say "Checking the tables that OpenSM holds"
"$dmodc" check "$work/dmodc/opensm-subnet.lst" "$work/dmodc/opensm-lfts.dump" \
    || die "the check of the tables failed"

if [[ -n ${DEMO_COMPARE:-} ]]; then
    say "The same fabric with ftree"
    ours=$(between "$log" "building routing with 'dmodc'" 'dmodc: routed ')
    if route_with ftree; then
        log=$work/ftree/opensm.log
        theirs=$(between "$log" "building routing with 'ftree'" 'FatTree routing is done')
        awk -v ours="$ours" -v theirs="$theirs" 'BEGIN {
            printf "callbacks, by the stamps of the log: dmodc %.3f ms, ftree %.3f ms: %.0f times\n",
                ours * 1000, theirs * 1000, theirs / ours }'
    else
        echo "ftree does not take this fabric (its last errors are above)"
    fi
fi
say "Done"
