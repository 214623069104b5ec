# Sourced by demo.sh, package-test.sh and opensm-patch.sh: a folder for files, ibsim, and programs on the fabric that it
# simulates; all are gone at the end. Tests and `dmodc compare` use crates/lab/src/sim instead.
# shellcheck shell=bash

PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
script=$(basename "$0" .sh)

say() { printf '\n== %s\n' "$*"; }
die() { printf '%s: %s\n' "$script" "$*" >&2; exit 1; }

# The folder goes when this script and all that it started have ended, however they ended: until then they hold the pipe
# open from which this `cat` reads. No trap for signals: bash 5.2 fails to parse one that comes while it expands `$(...)`.
work=${TMPDIR:-/tmp}/dmodc-$script.$SRANDOM$SRANDOM
exec 9> >(exec >/dev/null 2>&1; trap '' INT TERM HUP; cat; rm -rf -- "$work")
mkdir -m 700 -- "$work" || die "no new folder in ${TMPDIR:-/tmp}"
# With a process id and a command: runs the command, a child of that process, and Linux ends it with that process. It does
# not run if that process has ended before Linux knew.
ends_with=(setpriv --pdeathsig KILL sh -c '[ "$PPID" = "$0" ] && exec "$@"')

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
    # No `find` in `$(...)`: bash obeys no signal before it has ended, and on a cold disk that takes long.
    for umad2sim in /usr/{lib,lib64,lib/*,local/lib}/{umad2sim/,}libumad2sim.so; do
        [[ ! -f $umad2sim ]] || break
    done
    [[ -f $umad2sim ]] || die "no libumad2sim.so on this machine: run 'make programs'"
    command -v ibsim >/dev/null || die "no ibsim on this machine: run 'make programs'"
    socket=dmodc-$script-$$
    IBSIM_SOCKNAME=$socket "${ends_with[@]}" $$ ibsim -s -n -N "$nodes" -S "$switches" -P "$ports" -L 49152 "$1" \
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
        exec "${ends_with[@]}" $$ timeout --kill-after=10 "$limit" "${ends_with[@]}" "$BASHPID" \
            env LD_PRELOAD="$umad2sim" IBSIM_SOCKNAME="$socket" SIM_HOST="$host" \
            LD_LIBRARY_PATH="$libraries" OSM_CACHE_DIR="$dir" OSM_TMP_DIR="$dir" \
            "$@" >stdout 2>&1
    ) &
    wait $!
}
