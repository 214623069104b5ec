#!/bin/bash
# Installs the Python package (crates/python/) by pip into an environment of its own, target/python/env, and tests it there beside
# the tool: formats, lints, types and pytest. If Python has no venv, or pip cannot reach its packages, it prints that
# and does nothing. Exit 0: all passed, or nothing was done.
set -euo pipefail
cd "$(dirname "$0")/.."
top=$PWD
cargo=${CARGO:-cargo}

env=target/python/env
if ! python3 -m venv "$env" >/dev/null 2>&1; then
    echo "python: skipped: no python3 with venv"
    exit 0
fi
if ! "$env/bin/pip" install --quiet --disable-pip-version-check 'maturin>=1.7,<2' mypy numpy pytest; then
    echo "python: skipped: pip cannot install maturin, mypy, numpy and pytest"
    exit 0
fi
# The tool, to compare with.
tool=$(scripts/tool.sh)

# Fewer optimisations compile in half the time.
export CARGO_TARGET_DIR=$top/target/python/cargo CARGO_PROFILE_RELEASE_OPT_LEVEL=${CARGO_PROFILE_RELEASE_OPT_LEVEL:-1}
"$cargo" fmt --check --manifest-path crates/python/Cargo.toml
"$cargo" clippy --release --locked --manifest-path crates/python/Cargo.toml -- -D warnings
PATH=$top/$env/bin:$PATH "$env/bin/pip" install --quiet --disable-pip-version-check --no-deps --force-reinstall \
    --no-build-isolation ./crates/python
# From another folder, so that Python imports the installed module.
cd "$top/target/python"
"$top/$env/bin/python" -m mypy.stubtest --ignore-missing-stub dmodc
DMODC_TOOL=$tool "$top/$env/bin/python" -m pytest -q -p no:cacheprovider "$top/crates/python/tests"
