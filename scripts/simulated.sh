# Sourced by package-test.sh and opensm-patch.sh only: a folder for files, ibsim, and programs on the fabric
# that it simulates; all are gone at the end. Tests, `dmodc compare` and the demo use lab/src/sim instead. The
# two scripts cannot: package-test.sh runs in a bare Debian root without Rust, and both run an OpenSM other than
# this machine's, as an administrator would.
# shellcheck shell=bash

PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
script=$(basename "$0" .sh)

say() { printf '\n== %s\n' "$*"; }
die() { printf '%s: %s\n' "$script" "$*" >&2; exit 1; }

work=$(mktemp -d "${TMPDIR:-/tmp}/dmodc-$script.XXXXXX")
cleanup() {
    local pid
    # The youngest first: OpenSM before its fabric.
    for pid in $(jobs -pr | tac); do
        kill "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    rm -rf -- "$work"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP
# After KILL none of this runs: Linux ends the children.
with_us=(setpriv --pdeathsig KILL)

# Sets nodes, switches and ports, the limits of ibsim, and host, where OpenSM starts.
measure() { # NET
    read -r nodes switches ports host < <(awk -F'"' '
        /^(Switch|Ca|Hca|Rt)[ \t]/ { split($1, w, " "); nodes++; ports += w[2] + 1
            if (w[1] == "Switch") switches++
            if (host == "" && w[1] ~ /Ca|Hca/) host = $2 }
        END { print nodes + 0, switches + 0, ports + 0, host }' "$1")
    [[ -n $host && $switches -gt 0 ]] || die "no switch or no CA in the fabric"
}

# After `measure`: starts ibsim and waits until it is ready.
start_ibsim() { # NET
    local i
    umad2sim=$(find /usr/lib /usr/lib64 /usr/local/lib -name libumad2sim.so 2>/dev/null | head -1)
    [[ -n $umad2sim ]] || die "no libumad2sim.so on this machine: run 'make setup'"
    command -v ibsim >/dev/null || die "no ibsim on this machine: run 'make setup'"
    socket=dmodc-$script-$$
    IBSIM_SOCKNAME=$socket "${with_us[@]}" ibsim -s -n -N "$nodes" -S "$switches" -P "$ports" -L 49152 "$1" \
        >"$work/ibsim.out" 2>&1 </dev/null &
    sim=$!
    for ((i = 0; ; i++)); do
        if grep -q "@$socket:ctl" /proc/net/unix; then break; fi
        kill -0 "$sim" 2>/dev/null || { tail -5 "$work/ibsim.out" >&2; die "ibsim does not take it"; }
        [[ $i -lt 600 ]] || die "ibsim is not ready after a minute"
        sleep 0.1
    done
}

stop_ibsim() {
    kill "$sim"
    wait "$sim" 2>/dev/null || true
}

# Runs a program on the simulated fabric for LIMIT seconds at most, in FOLDER, with plugins from LIBRARIES.
# Its output is in FOLDER/stdout.
attached() { # FOLDER LIBRARIES LIMIT COMMAND..
    local dir=$1 libraries=$2 limit=$3
    shift 3
    (
        cd "$dir"
        exec "${with_us[@]}" timeout --kill-after=10 "$limit" "${with_us[@]}" \
            env LD_PRELOAD="$umad2sim" IBSIM_SOCKNAME="$socket" SIM_HOST="$host" \
            LD_LIBRARY_PATH="$libraries" OSM_CACHE_DIR="$dir" OSM_TMP_DIR="$dir" \
            "$@" >stdout 2>&1
    ) &
    wait $!
}
