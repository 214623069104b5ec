"""Where Dmodc is best on the random throws of `make results`, and what changed since other rows of the same throws.

throws.py DIR [OLD]: tables in Markdown of DIR/throws-*.csv. First, in how many of the throws that an engine routes whole
Dmodc, with a reference as by default, is best or equal (ebb to 0.1 %; SP in Dmodc's order). Then, with OLD, geometric
means of Dmodc's figures, with and without a reference, to those.
"""

import csv
import math
import sys
from collections import defaultdict
from pathlib import Path

DMODC = "dmodc:reference"
MEASURES = ["a2a", "rp", "sp_dmodc", "ebb"]
KINDS = [(nodes, kind) for nodes in (648, 8640) for kind in ("switches", "links")]


def throws(folder, nodes, kind):
    """By throw and engine, the row of each engine that routes all pairs of hosts."""
    found = defaultdict(dict)
    with open(Path(folder) / f"throws-{nodes}-{kind}.csv", newline="") as file:
        for row in csv.DictReader(file):
            if row["accepted"] == "1" and row["no_route"] == "0":
                found[int(row["throw"])][row["engine"]] = row
    return found


def is_best(mine, other, measure):
    mine, other = float(mine[measure]), float(other[measure])
    return mine >= other * 0.999 if measure == "ebb" else mine <= other


def share(pairs, measure):
    best = sum(is_best(mine, other, measure) for mine, other in pairs)
    return f"{100 * best // len(pairs)} %"


def best_or_equal(folder):
    print("| | throws | A2A | RP | SP | ebb |\n|---|--:|--:|--:|--:|--:|")
    for nodes, kind in KINDS:
        rows = throws(folder, nodes, kind)
        engines = {engine for of_throw in rows.values() for engine in of_throw}
        for engine in sorted(engine for engine in engines if not engine.startswith("dmodc")):
            pairs = [(t[DMODC], t[engine]) for t in rows.values() if DMODC in t and engine in t]
            cells = [share(pairs, measure) for measure in MEASURES]
            print(f"| {nodes}, {kind}, to {engine} | {len(pairs)} | {' | '.join(cells)} |")


def mean(pairs, measure):
    logs = [math.log(float(new[measure]) / float(old[measure])) for new, old in pairs]
    return f"{math.exp(sum(logs) / len(logs)):.3f}"


def changes(folder, before):
    print("| | throws | A2A | RP | SP |\n|---|--:|--:|--:|--:|")
    for nodes, kind in KINDS:
        now, then = throws(folder, nodes, kind), throws(before, nodes, kind)
        for mode in (DMODC, "dmodc"):
            both = [t for t in now if mode in now[t] and mode in then.get(t, {})]
            pairs = [(now[t][mode], then[t][mode]) for t in both]
            for is_whole in (True, False):
                some = [p for p in pairs if (p[0]["unreachable_pairs"] == "0") == is_whole]
                if some:
                    what = "" if is_whole else ", leaves without an up-down path"
                    cells = " | ".join(mean(some, measure) for measure in MEASURES[:3])
                    print(f"| {nodes}, {kind}, {mode}{what} | {len(some)} | {cells} |")


if __name__ == "__main__":
    best_or_equal(sys.argv[1])
    if len(sys.argv) > 2:
        print()
        changes(*sys.argv[1:])
