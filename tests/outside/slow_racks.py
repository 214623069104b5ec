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


def draw(kind, r, most):
    """A rack, and the ends of up to `most` of its links, or a part of all, without which it is connected."""
    while True:
        hosts, links = rack(kind, r)
        if len(hosts) > 12 or not connected(hosts, links):
            continue
        text = netlist(hosts, links, r)
        number = sum(links.values())
        most_here = most if most >= 1 else max(1, int(most * number))
        slow = r.sample(between(text), min(number, r.randint(1, most_here)))
        lines = [line for line in text.split("\n") if line.startswith("Switch")]
        names = {line.split('"')[1]: switch for switch, line in enumerate(lines)}
        left = defaultdict(int, links)
        for link in slow:
            left[tuple(sorted(names[name] for name, _ in link))] -= 1
        if connected(hosts, left):
            return text, frozenset().union(*slow)


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
                text, slow = draw(KINDS[i % len(KINDS)], r, most)
                nets = [folder / f"{most}-{speed}-{i}-{what}.net" for what in ["slow", "removed"]]
                for net, at in zip(nets, [speed, None]):
                    net.write_text(speeds(text, slow, at))
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
