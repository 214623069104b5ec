#!/bin/bash
# The integration suite in containers: ibsim in one, OpenSM with Dmodc in another, the network between.
# Bring-up, fault, recovery, and bring-up with ftree. If no Docker engine answers, it prints that and does
# nothing. Exit 0: all passed, or nothing was done. Afterwards containers and network are gone.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! docker info >/dev/null 2>&1; then
    echo "docker-test: skipped: no Docker engine answers"
    exit 0
fi
if docker compose version >/dev/null 2>&1; then
    compose=(docker compose)
elif command -v docker-compose >/dev/null; then
    compose=(docker-compose)
else
    echo "docker-test: skipped: there is no compose (docker-compose-v2 or docker-compose)"
    exit 0
fi
compose+=(--file docker/compose.yaml --project-name "dmodc-test-$$")

say() { printf '\n== %s\n' "$*"; }
die() { printf 'docker-test: %s\n' "$*" >&2; exit 1; }

work=$(mktemp -d "${TMPDIR:-/tmp}/dmodc-docker-test.XXXXXX")
cleanup() {
    [[ $? -eq 0 ]] || "${compose[@]}" logs --tail=30 2>/dev/null | cut -c1-200 >&2 || true
    "${compose[@]}" down --volumes --timeout 5 >/dev/null 2>&1 || true
    rm -rf -- "$work"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

say "Images"
docker/images.sh

tool() { docker run --rm -i -v "$work:/work" -w /work opensm-dmodc-simulated dmodc "$@"; }
container() { "${compose[@]}" ps -q "$1"; }
# The log of OpenSM's container, and the number of its lines with a text.
log() { docker logs "$(container opensm)" 2>&1; }
times() { log | grep -c -- "$1" || true; }
wait_for() { # WHAT COMMAND..
    local i
    for ((i = 0; i < 240; i++)); do
        if "${@:2}"; then return; fi
        sleep 0.5
    done
    die "no $1 within two minutes"
}
healthy() { [[ $(docker inspect -f '{{.State.Health.Status}}' "$(container "$1")") == healthy ]]; }
# Whether OpenSM has ended more sweeps than this number.
swept() { [[ $(times 'SUBNET UP') -gt $1 ]]; }
console() { # COMMAND: to ibsim's console
    docker exec "$(container ibsim)" sh -c 'echo "$1" >/run/ibsim.console' sh "$1"
}
# Copies OpenSM's dumps to NAME.lfts and NAME.lst, and checks the tables.
fetch() { # NAME
    docker cp -q "$(container opensm):/var/log/opensm/opensm-lfts.dump" "$work/$1.lfts"
    docker cp -q "$(container opensm):/var/log/opensm/opensm-subnet.lst" "$work/$1.lst"
    tool check "$1.lst" "$1.lfts" | tail -1
}
start() { # ENGINE: starts both containers anew and waits until the subnet is up
    "${compose[@]}" down --volumes --timeout 5 >/dev/null 2>&1
    ENGINE=$1,no_fallback FABRIC=$work/fabric.net "${compose[@]}" up -d >/dev/null 2>&1
    wait_for "healthy ibsim" healthy ibsim
    wait_for "subnet up" swept 0
    wait_for "healthy OpenSM" healthy opensm
}
risk() { # NAME: of all to all, which does not depend on the order of nodes
    tool analyze "$1.lst" "$1.lfts" --patterns a2a --json | sed -n 's/.*"a2a": *\([0-9]*\).*/\1/p'
}

tool generate 'PGFT(3;12,6,8;1,6,6;1,1,1)' --seed 1 --no-lids -o - >"$work/fabric.net"

say "Bring-up: 576 nodes, -R dmodc,no_fallback, ibsim across the network"
start dmodc
log | grep -o 'dmodc: routed .*' | head -1
fetch before
tool route before.lst --lfts offline.lfts >/dev/null
cmp "$work/before.lfts" "$work/offline.lfts" || die "the tool routes otherwise than OpenSM"
echo "the same tables as by the tool alone"

say "Fault: a link between switches goes"
# The first link up of the first switch.
read -r node port < <(awk -F'"' '/^Switch/ { node = $2 }
    /^\[/ && $2 ~ /^S-/ { gsub(/[][ \t]/, "", $1); print node, $1; exit }' "$work/fabric.net")
sweeps=$(times 'SUBNET UP')
console "Unlink \"$node\"[$port]"
wait_for "sweep after the fault" swept "$sweeps"
fetch fault
tool diff before.lfts fault.lfts | tail -1
! cmp -s "$work/before.lfts" "$work/fault.lfts" || die "the fault has not changed the tables"

say "Recovery: the link is back"
sweeps=$(times 'SUBNET UP')
console "ReLink \"$node\"[$port]"
wait_for "sweep after the repair" swept "$sweeps"
fetch after
cmp "$work/before.lfts" "$work/after.lfts" || die "other tables than before the fault"
echo "the tables are those of before, to the byte"
[[ $(times 'dmodc: ERR') -eq 0 ]] || die "errors of Dmodc's in the log"

say "The same fabric with ftree"
start ftree
fetch ftree
dmodc=$(risk before) ftree=$(risk ftree)
echo "congestion risk of all-to-all: dmodc $dmodc, ftree $ftree"
[[ $dmodc -le $ftree ]] || die "Dmodc is worse than ftree on a complete tree"
say "Done"
