#!/bin/bash
# Counts the instructions of each phase of the core under callgrind and compares them with
# crates/core/benches/instructions.txt. Times on shared machines drift by a fifth and more; these counts do not.
#
#   DMODC_BLESS=1     write the file anew
#   TOLERANCE=PERCENT accept this many more than in the file (10)
#
# Exit 0: no phase needs more, or there is no valgrind; 1: a phase needs more. Counts depend on the compiler: this
# prints a note if rustc is not the one that the file names.
set -euo pipefail
cd "$(dirname "$0")/.."

FILE=crates/core/benches/instructions.txt
TIMES=4 # the runs of each phase, as in crates/core/benches/phases.rs
tolerance=${TOLERANCE:-10}

if ! command -v valgrind >/dev/null; then
    echo "instructions: skipped, no valgrind on this machine (apt install valgrind)"
    exit 0
fi
program=$(cargo bench --quiet --no-run --package dmodc-core --bench phases \
    --message-format=json | sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | tail -1)
[[ -x $program ]] || { echo "instructions: cargo built no benches/phases" >&2; exit 1; }

count() { # FABRIC FAULTS PHASE
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$@" 2>&1 \
        | sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

compiler=$(rustc --version | cut -d' ' -f1,2)
counted=$(
    for fabric in 648 A; do
        for faults in complete degraded; do
            before=$(count "$fabric" "$faults" none)
            for phase in plan routes proof; do
                after=$(count "$fabric" "$faults" "$phase")
                echo "$fabric $faults $phase $(((after - before) / TIMES))"
                before=$after
            done
        done
    done
)
if [[ -n ${DMODC_BLESS:-} ]]; then
    {
        echo "# Instructions per phase, x86-64, release, one thread: make instructions DMODC_BLESS=1"
        echo "# $compiler"
        echo "$counted"
    } >"$FILE"
fi
grep -qxF "# $compiler" "$FILE" \
    || echo "instructions: this is $compiler, the file has$(sed -n 's/^# rustc/ rustc/p' "$FILE")"
awk -v tolerance="$tolerance" '
    /^#/ { next }
    NR == FNR { known[$1 " " $2 " " $3] = $4; next }
    {
        key = $1 " " $2 " " $3
        if (!(key in known)) { printf "%-22s %12d  not in the file\n", key, $4; bad = 1; next }
        more = ($4 / known[key] - 1) * 100
        slow = more > tolerance
        bad = bad || slow
        printf "%-22s %12d %+7.1f %%%s\n", key, $4, more, slow ? "  MORE THAN LET THROUGH" : ""
    }
    END { exit bad }
' "$FILE" <(echo "$counted")
