#!/usr/bin/env python3
"""Small racks with slow links: Dmodc's risks over capacity beside those with the slow links removed.

slow_racks.py TOOL COUNT SEED FOLDER

Draws COUNT racks as racks.py does, with 4xHDR links, of which some are slow: up to three, or up to 30 %, at a half or a
quarter. TOOL routes each rack with and without these, each its own reference, which is the plugin's default. Prints the
geometric mean of A2A, RP and SP over capacity to those without, and how many are worse by more than one; FOLDER keeps
the racks, and `worse`, a list of the latter.
"""
import json
import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

from racks import FIGURES, KINDS, cables_of, connected, mean, netlist, rack


def risks(tool, net):
    """A2A, RP and SP over capacity of the tables for this fabric; of one that Dmodc refuses, nothing."""
    lfts = net.with_suffix(".lfts")
    route = [tool, "route", net, "--lfts", lfts, "--reference", net]
    if subprocess.run(route, capture_output=True).returncode:
        return [0] * len(FIGURES)
    analyze = [tool, "analyze", net, lfts, "--json", "--permutations", "200"]
    of = json.loads(subprocess.run(analyze, check=True, capture_output=True).stdout)
    return [float(of.get(f"{figure}_capacity", of[figure])) for figure in FIGURES]


def draw(kind, r, most):
    """The hosts and links of a rack, and up to `most` of its cables, or a part of all, without which it is connected."""
    while True:
        hosts, links = rack(kind, r)
        if len(hosts) > 12 or not connected(hosts, links):
            continue
        cables = cables_of(links)
        number = most if most >= 1 else max(1, int(most * len(cables)))
        slow = r.sample(cables, min(len(cables), r.randint(1, number)))
        left = defaultdict(int, links)
        for a, b, _ in slow:
            left[a, b] -= 1
        if connected(hosts, left):
            return hosts, links, slow


def main(tool, count, seed, folder):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    print("| slow links | racks | to those without | worse by more than one |")
    print("|---|---|---|---|")
    with open(folder / "worse", "w") as worse_list:
        for most, speed in [(3, "4xEDR"), (3, "1xHDR"), (0.3, "4xEDR"), (0.3, "1xHDR")]:
            cases = []
            for i in range(int(count)):
                r = Random(f"rack {seed} {i}")
                hosts, links, slow = draw(KINDS[i % len(KINDS)], r, most)
                guids = r.random()
                nets = [folder / f"{most}-{speed}-{i}-{what}.net" for what in ["slow", "removed"]]
                for net, at in zip(nets, [f" # {speed}", None]):
                    of_cable = lambda cable: at if cable in slow else " # 4xHDR"
                    net.write_text(netlist(hosts, links, Random(guids), of_cable))
                cases.append(nets)
            with ThreadPoolExecutor() as pool:
                results = list(pool.map(lambda nets: [risks(tool, net) for net in nets], cases))
            ratios, worse = defaultdict(list), dict.fromkeys(FIGURES, 0)
            for nets, (ours, removed) in zip(cases, results):
                for figure, mine, other in zip(FIGURES, ours, removed):
                    if mine and other:
                        ratios[figure].append(mine / other)
                        worse[figure] += mine > other + 1
                        if mine > other + 1:
                            print(nets[0].name, figure, f"{mine:g}, without {other:g}", file=worse_list)
            what = "up to three" if most == 3 else "up to 30 %"
            at = "a half" if speed == "4xEDR" else "a quarter"
            means = ", ".join(mean(ratios[figure]) for figure in FIGURES)
            numbers = ", ".join(map(str, worse.values()))
            print(f"| {what} at {at} | {len(ratios['a2a'])} | {means} | {numbers} |", flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
