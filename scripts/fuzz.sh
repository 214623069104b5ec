#!/bin/bash
# Fuzzes each target, or the targets named as arguments, for FUZZ_SECONDS (20). The seeds are the files of tests/data
# and tests/fuzz/seeds; new inputs stay in target/fuzz/corpus. A finding ends the run with exit 1; its input is in
# tests/fuzz/artifacts.
#
# The stable toolchain is enough: the code is safe Rust, so no sanitizer is needed. The targets look for panics,
# endless loops, endless memory and broken properties.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${FUZZ_SECONDS:-20}
PATH=$PATH:$PWD/target/tools/bin
scripts/cargo-tool.sh cargo-fuzz

targets=("$@")
if [[ $# -eq 0 ]]; then
    mapfile -t targets < <(cargo fuzz list --fuzz-dir tests/fuzz)
fi
for target in "${targets[@]}"; do
    echo "fuzz: $target for $seconds s"
    corpus=target/fuzz/corpus/$target
    mkdir -p "$corpus"
    seeds=tests/data
    [[ -d tests/fuzz/seeds/$target ]] && seeds=tests/fuzz/seeds/$target
    cargo fuzz run "$target" --fuzz-dir tests/fuzz --sanitizer none --target-dir target/fuzz "$corpus" "$seeds" -- \
        -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=4096 \
        -dict=tests/fuzz/words.dict -verbosity=0 -print_final_stats=1
done
