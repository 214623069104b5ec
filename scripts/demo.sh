#!/bin/bash
# Routes a fabric with the stock OpenSM and libdmodc.so on this machine, and shows what happened: `make demo`.
#
#   scripts/demo.sh LIBRARIES [DMODC]    the folder of libdmodc.so; the tool, to check the tables, too
#
# It reads from its environment:
#
#   NET=FILE          this netlist instead of a fabric of 8,640 nodes
#   DEMO_COMPARE=1    then the same fabric with OpenSM's ftree, for its time
#   DEMO_LIMIT=SEC    this long for each OpenSM, in seconds [default: 600]
#
# It needs opensm and ibsim ('make programs' installs them). Nothing stays behind. Exit codes: 0 OpenSM took Dmodc's
# proven tables and the check of them passed, 1 something failed, 2 bad usage.
set -euo pipefail
[[ $# == [12] && $1 != -* ]] || { sed -n '2,/^[^#]/s/^# \?//p' "$0" >&2; exit 2; }
# bash obeys INT only after the command that runs, but at once in `wait`: so the demo runs in a second shell, which Linux
# ends with this one. That one stops if this one has ended before Linux knew.
if [[ -z ${DEMO_SHELL:-} ]]; then
    DEMO_SHELL=$$ setpriv --pdeathsig TERM "$0" "$@" &
    wait $!
    exit
fi
[[ $DEMO_SHELL == "$PPID" ]] || exit
libraries=$(realpath "$1") dmodc=${2:+$(realpath "$2")} limit=${DEMO_LIMIT:-600}
net=${NET:+$(realpath "$NET")}
cd "$(dirname "$0")/.."
. scripts/simulated.sh

# The shape is that of `dmodc generate`; the tool takes as long to build as the plugin, and the demo needs no more of it.
shape='PGFT(3;24,15,24;1,6,15;1,1,1)'
generate() {
    awk '
        function id(level, n) { return sprintf("\"%s-%08x%08x\"", level ? "S" : "H", level + 1, n) }
        BEGIN {
            for (pod = 0; pod < 24; pod++) {
                for (leaf = pod * 15; leaf < pod * 15 + 15; leaf++) {
                    print "\nSwitch 30 " id(1, leaf)
                    for (i = 0; i < 24; i++) print "[" i + 1 "] " id(0, leaf * 24 + i) "[1]"
                    for (m = 0; m < 6; m++) print "[" 25 + m "] " id(2, pod * 6 + m) "[" leaf % 15 + 1 "]"
                    for (i = 0; i < 24; i++) print "\nCa 1 " id(0, leaf * 24 + i) "\n[1] " id(1, leaf) "[" i + 1 "]"
                }
                for (m = 0; m < 6; m++) {
                    print "\nSwitch 30 " id(2, pod * 6 + m)
                    for (i = 0; i < 15; i++) print "[" i + 1 "] " id(1, pod * 15 + i) "[" 25 + m "]"
                    for (i = 0; i < 15; i++) print "[" 16 + i "] " id(3, m * 15 + i) "[" pod + 1 "]"
                }
            }
            for (top = 0; top < 90; top++) {
                print "\nSwitch 24 " id(3, top)
                for (i = 0; i < 24; i++) print "[" i + 1 "] " id(2, i * 6 + int(top / 15)) "[" 16 + top % 15 "]"
            }
        }'
}
say "The fabric: ${net:-$shape}"
if [[ -z $net ]]; then
    net=$work/fabric.net
    generate >"$net"
fi
measure "$net"
echo "$switches switches, $((nodes - switches)) CAs and routers"

say "Starting ibsim, which plays the fabric"
start_ibsim "$net"

# One sweep of an OpenSM with an engine, and with its own default engine for a fabric that the engine refuses.
route() { # ENGINE
    local dir=$work/$1
    mkdir "$dir"
    cat >"$dir/opensm.conf" <<END
routing_engine $1
event_plugin_name dmodc
force_log_flush TRUE
log_file $dir/opensm.log
dump_files_dir $dir
partition_config_file $dir/partitions.conf
END
    # 0x47: errors, information, the stages of the sweep, and the dumps of the routing.
    attached "$dir" "$libraries" "$limit" opensm -o -F opensm.conf -D 0x47 \
        || { tail -20 "$dir/stdout" "$dir/opensm.log" >&2; die "OpenSM did not end well"; }
}

# The milliseconds from the first line with one text to the next with another, by the times of OpenSM's log.
between() { # LOG FROM TO
    awk -v from="$2" -v to="$3" '
        function now() { split($3, t, ":"); return ((t[1] * 60 + t[2]) * 60 + t[3]) * 1000 + $4 / 1000 }
        start == "" && index($0, from) { start = now(); next }
        start != "" && index($0, to) { printf "%.1f\n", (now() - start + 86400000) % 86400000; exit }' "$1"
}

say "Routing with the stock OpenSM, -R dmodc"
route dmodc
log=$work/dmodc/opensm.log
grep -q ': dmodc tables configured' "$log" || {
    grep 'dmodc: ' "$log" >&2 || true
    die "OpenSM did not take Dmodc's tables"
}
grep -o 'dmodc: routed .*' "$log"
echo "of a sweep of $(between "$log" 'Entering DISCOVERING' 'SUBNET UP') ms"

if [[ -n $dmodc ]]; then
    say "Checking the tables that OpenSM holds"
    "$dmodc" check "$work/dmodc/opensm-subnet.lst" "$work/dmodc/opensm-lfts.dump"
fi

if [[ -n ${DEMO_COMPARE:-} ]]; then
    say "The same fabric with ftree"
    route ftree
    ours=$(between "$log" "with 'dmodc'" 'dmodc: routed ')
    theirs=$(between "$work/ftree/opensm.log" "with 'ftree'" 'FatTree routing is done')
    if grep -q ': ftree tables configured' "$work/ftree/opensm.log"; then
        echo "callbacks, by the log's times: dmodc $ours ms, ftree $theirs ms: $(awk "BEGIN { printf \"%.0f\", $theirs / $ours }") times as long"
    else
        echo "ftree does not route this fabric: $(grep -o 'ERR AB.*' "$work/ftree/opensm.log" | head -1)"
    fi
fi
say "Done"
