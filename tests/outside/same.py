#!/usr/bin/env python3
"""Whether two versions of Dmodc make the same tables.

same.py OLD NEW random COUNT SEED NET...
same.py OLD NEW throws ROWS.csv NET
same.py OLD NEW moments SERVERS.csv NET

`random` draws COUNT states, half of them of random small fabrics (see judge.py), half of NETs: links, switches and
hosts gone, slow and drained links; and options likewise. `throws` makes the throws of `dmodc compare --degrade` in
ROWS.csv from NET, for the modes that `make results` has. `moments` takes hosts from NET,
PGFT(3;25,8,16;1,8,16;1,4,1), as `make trace` does, for `stable` and `paper`. The exit code is 1 if any tables differ
by a byte; the states that differ are kept in a folder, which is printed.
"""
import csv
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from itertools import groupby
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
    count = r.choice([0, 0, 1, 2]) if switches else 0
    lines = [r.choice(switches) + r.choice(["", f":{r.randint(1, 36)}"]) for _ in range(count)]
    (folder / "drain").write_text("".join(f"{line}\n" for line in lines))
    options = [["--faults", "paper"], ["--reference", "whole"], ["--capacity", "ignore"],
               ["--on-unreachable", "partial"]]
    return sum((option for option in options if r.random() < 0.3), ["--drain", "drain"] if lines else [])


def route(tool, folder, options):
    """The tables, or none if the tool refuses the fabric."""
    command = [tool, "route", "net", "--lfts", "lfts", "--plain", *options]
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=600)
    return (folder / "lfts").read_bytes() if done.returncode == 0 else None


def degrade(tool, net, folder, *what):
    """Writes the net without these pieces into the folder."""
    subprocess.run([tool, "degrade", net, *what, "-o", "net"], cwd=folder, check=True, capture_output=True)


def random(tool, kept, count, seed, *nets):
    nets = [Path(net).resolve() for net in nets]
    for seed in range(int(seed), int(seed) + int(count)):
        folder = new_folder(kept, seed)
        yield folder, [draw(folder, seed, nets, tool)]


def throws(tool, kept, rows, net):
    net = Path(net).resolve()
    with open(rows, newline="") as file:
        hits = {(row["degrade"], row["removed"], row["removal_seed"]) for row in csv.DictReader(file)}
    for kind, pieces, seed in sorted(hits):
        folder = new_folder(kept, f"{kind}-{pieces}-{seed}")
        degrade(tool, net, folder, f"--{kind}", pieces, "--seed", seed)
        ignore = [["--capacity", "ignore"]] if kind == "slow" else []
        yield folder, [[], ["--faults", "paper"], ["--reference", str(net)], *ignore]


def moments(tool, kept, servers, net):
    net = Path(net).resolve()
    ends = re.findall(r'^Ca\s.*"H-(\w+)".*"node-(\d+)"', net.read_text(), re.MULTILINE)
    ends = {int(number): f"0x{end}\n" for end, number in ends}
    with open(servers, newline="") as file:
        events = list(csv.DictReader(file))
    gone = set()
    for day, events in groupby(events, lambda event: event["day"]):
        for event in events:
            server = int(event["server"])
            leaves = [server % 8] if event["class"] == "Parameter Plane Cable" else range(8)
            hosts = {ends[(server // 25 * 8 + leaf) * 25 + server % 25] for leaf in leaves}
            gone = gone - hosts if event["event"] == "up" else gone | hosts
        folder = new_folder(kept, day)
        (folder / "gone").write_text("".join(sorted(gone)))
        degrade(tool, net, folder, "--remove", "@gone")
        yield folder, [[], ["--faults", "paper"]]


def new_folder(kept, name):
    folder = kept / str(name)
    folder.mkdir()
    return folder


def main(old, new, kind, *states):
    kept, counts = Path(tempfile.mkdtemp(prefix="dmodc-same-")), Counter()
    old, new = (Path(tool).resolve() for tool in (old, new))
    for folder, all_options in {"random": random, "throws": throws, "moments": moments}[kind](new, kept, *states):
        differ = False
        for options in all_options:
            was, now = (route(tool, folder, options) for tool in (old, new))
            what = "differ" if was != now else "refused" if now is None else "same"
            counts[what] += 1
            if was != now:
                differ = True
                print(f"{folder}: dmodc route net {' '.join(options)}", flush=True)
        if not differ:
            shutil.rmtree(folder)
    print(kind, *states[:1], ", ".join(f"{count} {what}" for what, count in sorted(counts.items())), flush=True)
    if not counts["differ"]:
        kept.rmdir()
    return counts["differ"] > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) > 5 else print(__doc__) or 2)
