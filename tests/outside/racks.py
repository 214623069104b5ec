#!/usr/bin/env python3
"""Small racks, cabled by hand: Dmodc beside updn, minhop and sssp, in the stock OpenSM.

racks.py TOOL PLUGINS COUNT SEED FOLDER

Draws COUNT racks of 2 to 12 switches, so many of each kind in turn, and lets `dmodc compare` (TOOL, with the plugins in
PLUGINS) route them. Prints for each kind the geometric mean of Dmodc's A2A, RP and SP to the best of those engines that
deliver all and have no credit loop, and to updn alone; how many of these figures are worse and better than the best;
and each rack where two figures or more are worse. FOLDER keeps the racks and compare.csv. The exit code is 1 if Dmodc
refuses a rack or leaves out a pair.
"""
import csv
import subprocess
import sys
from collections import defaultdict
from math import exp, log
from pathlib import Path
from random import Random

KINDS = ["equal", "by spine", "by leaf", "by turns", "at random", "cables missing", "half full", "hosts on spines",
         "leaves joined"]
FIGURES = ["a2a", "rp", "sp"]


def rack(kind, r):
    """The hosts of each switch, and the links of each pair of switches."""
    leaves = r.randint(2, 8)
    spines = r.randint(0 if kind == "leaves joined" else 1, 4)
    size = r.randint(3, 16)
    hosts = [size] * leaves + [0] * spines
    widths = [r.randint(1, 4) for _ in range(leaves + spines)]
    links = defaultdict(int)
    for leaf in range(leaves):
        for spine in range(leaves, leaves + spines):
            links[leaf, spine] = {
                "by spine": widths[spine],
                "by leaf": widths[leaf],
                "by turns": 3 + (leaf + spine) % 2,
                "at random": r.randint(1, 4),
            }.get(kind, widths[0])
    if kind == "cables missing":
        for pair in links:
            links[pair] -= sum(r.random() < 0.25 for _ in range(links[pair]))
    elif kind == "half full":
        for leaf in range(0, leaves, r.randint(2, 4)):
            hosts[leaf] = max(1, size // 2)
    elif kind == "hosts on spines":
        for spine in range(leaves, leaves + spines):
            hosts[spine] = r.randint(0, 3)
    elif kind == "leaves joined":
        # Two, a triangle or a full mesh; the others hang on the spines, or there are none.
        joined = leaves if spines == 0 else r.choice([2, min(3, leaves), leaves])
        for a in range(joined):
            for b in range(a + 1, joined):
                links[a, b] = widths[1]
    return hosts, links


def connected(hosts, links):
    seen, open_ = {0}, [0]
    while open_:
        switch = open_.pop()
        for pair, width in links.items():
            if width and switch in pair:
                other = sum(pair) - switch
                if other not in seen:
                    seen.add(other)
                    open_.append(other)
    return len(seen) == len(hosts)


def cables_of(links):
    """All cables, as (switch, switch, number)."""
    return [(a, b, i) for (a, b), width in sorted(links.items()) for i in range(width)]


def netlist(hosts, links, r, speed=lambda cable: ""):
    """As ibnetdiscover writes it; GUIDs, and ports on a switch, in no order of the places. A cable without a `speed`,
    `None`, is left out; that of a host is asked by the host's number."""
    guids = r.sample(range(1 << 20), len(hosts) + sum(hosts))
    node = [f"S-{0x1_0000_0000 + guid:016x}" for guid in guids[: len(hosts)]]
    ports = [[] for _ in hosts]
    cas = []
    for switch, count in enumerate(hosts):
        for _ in range(count):
            guid = guids[len(hosts) + len(cas)]
            cas.append((f"H-{0x2_0000_0000 + 16 * guid:016x}", switch))
            ports[switch].append((len(cas) - 1, None))
    for cable in cables_of(links):
        ports[cable[0]].append((cable, cable[1]))
        ports[cable[1]].append((cable, cable[0]))
    number = [{what: i + 1 for i, (what, _) in enumerate(of)} for of in ports]
    lines = []
    for switch, of in enumerate(ports):
        lines.append(f'Switch 64 "{node[switch]}" # "switch {switch}" base port 0 lid 0 lmc 0')
        for i, (what, other) in enumerate(of):
            end = f'"{cas[what][0]}"[1]' if other is None else f'"{node[other]}"[{number[other][what]}]'
            if speed(what) is not None:
                lines.append(f"[{i + 1}] {end}{speed(what)}")
        lines.append("")
    for i, (name, switch) in enumerate(cas):
        lines += [f'Ca 1 "{name}" # "host {i}"', f'[1] "{node[switch]}"[{number[switch][i]}]{speed(i)}', ""]
    return "\n".join(lines)


def mean(ratios):
    return f"{exp(sum(map(log, ratios)) / len(ratios)):.3f}" if ratios else "-"


def main(tool, plugins, count, seed, folder):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    kind_of = {}
    for i in range(int(count)):
        r = Random(f"rack {seed} {i}")
        kind = KINDS[i % len(KINDS)]
        hosts, links = rack(kind, r)
        while len(hosts) > 12 or not connected(hosts, links):
            hosts, links = rack(kind, r)
        kind_of[f"rack{i}"] = kind
        (folder / f"rack{i}.net").write_text(netlist(hosts, links, r))
    nets = [str(folder / f"{name}.net") for name in kind_of]
    run = [tool, "compare", *nets, "--engines", "dmodc,updn,minhop,sssp", "-o", str(folder), "--plugin-dir", plugins,
           "--permutations", "10"]
    (folder / "compare.csv").unlink(missing_ok=True)
    subprocess.run(run, check=True, stdout=subprocess.DEVNULL)
    rows = defaultdict(dict)
    with open(folder / "compare.csv") as file:
        for row in csv.DictReader(file):
            rows[row["fabric"]][row["engine"]] = row
    def sound(row):
        loops = [row["credit_loops"], row["no_route"], row["undelivered"]]
        return row["accepted"] == "1" and not any(int(n or 0) for n in loops)
    best, updn, worse, better = (defaultdict(list) for _ in range(4))
    failed = False
    for name, kind in kind_of.items():
        ours = rows[name]["dmodc"]
        if not sound(ours):
            print(f"{name} ({kind}): refused or not whole: {ours['reason']}")
            failed = True
            continue
        others = [row for engine, row in rows[name].items() if engine != "dmodc" and sound(row)]
        if not others:
            continue
        shown = []
        for figure in FIGURES:
            mine, least = int(ours[figure]), min(int(row[figure]) for row in others)
            shown.append(f"{mine} ({least})")
            for group in (kind, "all"):
                best[group, figure].append(mine / least)
                if sound(rows[name]["updn"]):
                    updn[group, figure].append(mine / int(rows[name]["updn"][figure]))
                worse[group].append(mine > least)
                better[group].append(mine < least)
        if sum(int(s.split()[0]) > int(s.split("(")[1][:-1]) for s in shown) > 1:
            print(f"{name} ({kind}): A2A {shown[0]}, RP {shown[1]}, SP {shown[2]}")
    print("| racks | to the best: A2A, RP, SP | to updn: A2A, RP, SP | figures worse, better |")
    print("|---|---|---|---|")
    for kind in [*KINDS, "all"]:
        means = [", ".join(mean(of[kind, figure]) for figure in FIGURES) for of in (best, updn)]
        number = len(best[kind, "a2a"])
        print(f"| {kind} ({number}) | {means[0]} | {means[1]} | {sum(worse[kind])}, {sum(better[kind])} |")
    return failed


if __name__ == "__main__":
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
