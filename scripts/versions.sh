#!/bin/bash
# Builds the plugin for other OpenSMs than this machine's, and runs the core of the daemon tests in them.
#
#   OPENSM_PREFIX="DIR.."   folders with an installed OpenSM each (configure --prefix=DIR, make install), for example
#                           from `make opensm-patch`
#
# Without OPENSM_PREFIX this prints that and does nothing. Exit 0: all passed, or nothing was done.
set -euo pipefail
cd "$(dirname "$0")/.."

# The tests that depend on OpenSM: loading, structures, sweeps, faults, options, multicast, detours.
CORE=(plugin::each_sweep tables:: alerts:: connect:: options:: refusals:: slow:: reference::a_spine
    lifecycle::no_line storm::all_kinds_of_faults --skip follow::)

read -ra prefixes <<<"${OPENSM_PREFIX:-}"
if [[ ${#prefixes[@]} -eq 0 ]]; then
    echo "versions: skipped: OPENSM_PREFIX names no other OpenSM"
    exit 0
fi
for prefix in "${prefixes[@]}"; do
    [[ -x $prefix/sbin/opensm ]] || { echo "versions: no sbin/opensm in $prefix" >&2; exit 1; }
    echo "versions: $("$prefix/sbin/opensm" --version | grep -o 'OpenSM [0-9.]*' | head -1) of $prefix"
    libraries=$(scripts/plugin-for.sh "$prefix")
    PATH=$prefix/sbin:$PATH LD_LIBRARY_PATH=$prefix/lib DMODC_PLUGIN_DIR=$libraries \
        cargo test --test daemon -- "${CORE[@]}"
done
