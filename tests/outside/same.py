#!/usr/bin/env python3
"""Whether two versions of Dmodc make the same tables.

same.py OLD NEW COUNT SEED NET...

Draws COUNT states, half of them of random small fabrics (see judge.py), half of NETs: links, switches and hosts gone,
slow and drained links. Routes each with the tools OLD and NEW, with options drawn likewise. The exit code is 1 if any
tables differ by a byte; the states that differ are kept in a folder, which is printed.
"""
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from random import Random

from judge import Drawn


def draw(folder, seed, nets, tool):
    """Writes a state into the folder: `net`, `whole` and `drain`."""
    r = Random(f"state {seed}")
    if r.random() < 0.5:
        drawn = Drawn(seed)
        between = drawn.between()
        dark = frozenset().union(*(drawn.faults()[1] for _ in range(r.randint(0, 3))))
        slow = frozenset(r.sample(between, r.randint(0, 2)))
        (folder / "whole").write_text(drawn.netlist())
        (folder / "net").write_text(drawn.netlist(dark, slow))
    else:
        whole = r.choice(nets).read_text()
        (folder / "whole").write_text(whole)
        (folder / "net").write_text(whole)
        ends = re.findall(r'^Ca\s+\d+\s+"H-([^"]+)"', whole, re.MULTILINE)
        for kind in r.sample(["--links", "--switches", "--slow", "--remove"], r.randint(0, 3)):
            pieces = r.choice([1, 2, 5, 20])
            what = [kind, str(pieces), "--seed", str(seed)]
            if kind == "--remove":
                what = [word for guid in r.sample(ends, min(pieces, len(ends))) for word in (kind, f"0x{guid}")]
            # A small fabric may not have so many; it stays as it is.
            less = [tool, "degrade", "net", *what, "-o", "less"]
            if subprocess.run(less, cwd=folder, capture_output=True).returncode == 0:
                (folder / "less").rename(folder / "net")
    text = (folder / "net").read_text()
    switches = re.findall(r'^Switch\s+\d+\s+"([^"]+)"', text, re.MULTILINE)
    lines = [r.choice(switches) + r.choice(["", f":{r.randint(1, 36)}"]) for _ in range(r.choice([0, 0, 1, 2]))]
    (folder / "drain").write_text("".join(f"{line}\n" for line in lines))
    options = [["--faults", "paper"], ["--reference", "whole"], ["--capacity", "ignore"],
               ["--on-unreachable", "partial"]]
    return sum((option for option in options if r.random() < 0.3), ["--drain", "drain"] if lines else [])


def route(tool, folder, options):
    """The tables, or none if the tool refuses the fabric."""
    command = [tool, "route", "net", "--lfts", "lfts", "--plain", *options]
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=600)
    return (folder / "lfts").read_bytes() if done.returncode == 0 else None


def main(old, new, count, seed, *nets):
    kept, counts = Path(tempfile.mkdtemp(prefix="dmodc-same-")), Counter()
    nets = [Path(net).resolve() for net in nets]
    for seed in range(int(seed), int(seed) + int(count)):
        folder = kept / str(seed)
        folder.mkdir()
        options = draw(folder, seed, nets, Path(new).resolve())
        was, now = (route(Path(tool).resolve(), folder, options) for tool in (old, new))
        what = "differ" if was != now else "refused" if now is None else "same"
        counts[what] += 1
        if was != now:
            print(f"{folder}: dmodc route net {' '.join(options)}")
            continue
        shutil.rmtree(folder)
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    if not counts["differ"]:
        kept.rmdir()
    return counts["differ"] > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) > 5 else print(__doc__) or 2)
