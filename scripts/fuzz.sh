#!/bin/bash
# Fuzzes each target for a while: FUZZ_SECONDS (20) each, or those named as arguments. Seeds are
# the files of tests/data and fuzz/seeds; what is found on top stays in target/fuzz/corpus. A
# finding ends the run with exit 1, and the input that makes it lies in fuzz/artifacts.
#
# The stable toolchain will do: no sanitizer is asked for, since the code is safe Rust; what is
# looked for is panics, endless loops, endless memory and broken promises.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${FUZZ_SECONDS:-20}
PATH=$PATH:$PWD/target/tools/bin
scripts/cargo-tool.sh cargo-fuzz

targets=("$@")
if [[ $# -eq 0 ]]; then
    mapfile -t targets < <(cargo fuzz list)
fi
for target in "${targets[@]}"; do
    echo "fuzz: $target for $seconds s"
    corpus=target/fuzz/corpus/$target
    mkdir -p "$corpus"
    seeds=tests/data
    [[ -d fuzz/seeds/$target ]] && seeds=fuzz/seeds/$target
    cargo fuzz run "$target" --sanitizer none --target-dir target/fuzz "$corpus" "$seeds" -- \
        -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=4096 \
        -dict=fuzz/words.dict -verbosity=0 -print_final_stats=1
done
