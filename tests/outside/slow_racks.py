#!/usr/bin/env python3
"""Small racks with slow links: Dmodc's risks over capacity beside those with the slow links removed.

slow_racks.py TOOL COUNT SEED FOLDER SPEED MOST

Draws COUNT racks as racks.py does, with 4xHDR links; 1 to MOST of the links between switches have SPEED (4xEDR is a
half, 1xHDR a quarter), MOST below 1 a part of all. Both fabrics are routed by TOOL from nothing. Prints for each kind
the geometric mean of A2A, RP and SP to those without the slow links, and how many are worse by more than one. FOLDER
keeps the racks.
"""
import json
import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

from racks import FIGURES, KINDS, connected, mean, netlist, rack


def speeds(text, slow, speed):
    """The netlist with a speed for each link; without the slow links if there is no such speed."""
    lines, name = [], None
    for line in text.split("\n"):
        if line and line[0] != "[":
            name = line.split('"')[1]
        elif line:
            own = int(line[1:].split("]")[0])
            far, rest = line.split('"')[1], line.split('"')[2]
            end = {(name, own), (far, int(rest[1:].split("]")[0]))}
            if not end & slow:
                line += " # 4xHDR"
            elif speed:
                line += f" # {speed}"
            else:
                continue
        lines.append(line)
    return "\n".join(lines)


def between(text):
    """The links between switches, each by both of its ends."""
    links, name = set(), None
    for line in text.split("\n"):
        if line and line[0] != "[":
            name = line.split('"')[1]
        elif line and name[0] == "S" and line.split('"')[1][0] == "S":
            far = line.split('"')
            links.add(frozenset([(name, int(line[1:].split("]")[0])), (far[1], int(far[2][1:].split("]")[0]))]))
    return sorted(links, key=sorted)


def risks(tool, net):
    """A2A, RP and SP over capacity of the tables for this fabric; of one that Dmodc refuses, nothing."""
    lfts = net.with_suffix(".lfts")
    route = [tool, "route", net, "--lfts", lfts, "--reference", net]
    if subprocess.run(route, capture_output=True).returncode:
        return [0] * len(FIGURES)
    analyze = [tool, "analyze", net, lfts, "--json", "--permutations", "200"]
    of = json.loads(subprocess.run(analyze, check=True, capture_output=True).stdout)
    return [float(of.get(f"{figure}_capacity", of[figure])) for figure in FIGURES]


def main(tool, count, seed, folder, speed, most):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    cases = []
    for i in range(int(count)):
        r = Random(f"rack {seed} {i}")
        kind = KINDS[i % len(KINDS)]
        while True:
            hosts, links = rack(kind, r)
            number = sum(links.values())
            limit = float(most) if float(most) >= 1 else float(most) * number
            if len(hosts) > 12 or not connected(hosts, links):
                continue
            text = netlist(hosts, links, r)
            slow = r.sample(between(text), min(number, r.randint(1, max(1, int(limit)))))
            names = {name: s for s, name in enumerate(line.split('"')[1] for line in text.split("\n")
                                                      if line.startswith("Switch"))}
            left = defaultdict(int, links)
            for link in slow:
                left[tuple(sorted(names[name] for name, _ in link))] -= 1
            if connected(hosts, left):
                break
        slow = frozenset().union(*slow)
        nets = []
        for what, at in [("slow", speed), ("removed", None)]:
            nets.append(folder / f"rack{i}-{what}.net")
            nets[-1].write_text(speeds(text, slow, at))
        cases.append((kind, i, nets))
    ratios, worse = defaultdict(list), defaultdict(int)
    with ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda case: [risks(tool, net) for net in case[2]], cases)
    for (kind, i, _), (ours, removed) in zip(cases, results):
        for figure, mine, other in zip(FIGURES, ours, removed):
            if not other:
                continue
            for group in (kind, "all"):
                ratios[group, figure].append(mine / other)
                worse[group, figure] += mine > other + 1
            if mine > other + 1:
                print(f"rack{i} ({kind}): {figure} {mine:g}, without the slow links {other:g}")
    print("| racks | to those without: A2A, RP, SP | worse by more than one |")
    print("|---|---|---|")
    for kind in [*KINDS, "all"]:
        means = ", ".join(mean(ratios[kind, figure]) for figure in FIGURES)
        number = len(ratios[kind, "a2a"])
        print(f"| {kind} ({number}) | {means} | {', '.join(str(worse[kind, figure]) for figure in FIGURES)} |")


if __name__ == "__main__":
    if len(sys.argv) != 7:
        sys.exit(__doc__)
    main(*sys.argv[1:])
