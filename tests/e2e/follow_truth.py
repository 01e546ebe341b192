#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Check histories of objects against what the small VM wrote down: follow_truth.py RECORDING TRUTH
BEFORE AFTER, where TRUTH is what `minivm --print-truth` prints, BEFORE the collection before the
first dump of the recording and AFTER one behind it. Takes some objects that lived through both, so
that the dump told them: some that move and some that die. Follows each by its address after the
second, and compares every step."""
import json
import re
import subprocess
import sys

OBJECTS = 6  # of each sort


def read_truth(path):
    """{collection: {id: (address, generation)}} of all that lived when it had finished."""
    lives, gc = {}, None
    for line in open(path, encoding="utf-8", errors="replace"):
        words = line.split(" ", 4)
        if words[0] == "gc-start":
            gc = int(words[1])
            lives[gc] = {}
        elif words[0] == "gc-finish":
            gc = None
        elif words[0] == "object" and gc is not None:
            generation = int(re.search(r"generation=(\d+)", line).group(1))
            lives[gc][int(words[1])] = (int(words[2][3:], 16), generation)
    return lives


def history(recording, address, gc):
    result = subprocess.run(["gctrace", "follow", recording, "--address", hex(address), "--at",
                             str(gc), "-o", "json"], stdout=subprocess.PIPE, check=True)
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    return [line for line in lines if line["event"] == "object"]


def wrong_step(step, truth, name):
    """What is wrong with it, or None. A dump finds objects where the collection before left them."""
    there = truth.get(step["gc"], {}).get(name)
    if step["state"] == "dead":
        return "dead, and lives" if there else None
    if not there:
        return "does not live"
    if int(step["address"], 16) != there[0]:
        return "lies at 0x%x" % there[0]
    if "generation" in step and step["generation"] != there[1]:
        return "is in generation %d" % there[1]
    return None


def choose(truth, before, start):
    """Names of some objects that move behind the start, and of some that die."""
    later = sorted(gc for gc in truth if gc > start)
    movers, mortals = [], []
    for name, (address, _) in truth[start].items():
        if name not in truth[before]:
            continue  # perhaps born behind the dump
        places = [truth[gc][name][0] for gc in later[:30] if name in truth[gc]]
        if any(place != address for place in places) and len(movers) < OBJECTS:
            movers.append(name)
        elif 2 <= len(places) < len(later[:30]) and len(mortals) < OBJECTS:
            mortals.append(name)
    return movers, mortals


def main():
    recording, truth = sys.argv[1], read_truth(sys.argv[2])
    before, start = int(sys.argv[3]), int(sys.argv[4])
    movers, mortals = choose(truth, before, start)
    fine, steps, moves, deaths = True, 0, 0, 0
    for name in movers + mortals:
        for step in history(recording, truth[start][name][0], start):
            wrong = wrong_step(step, truth, name)
            steps += 1
            moves += step["state"] == "moved"
            deaths += step["state"] == "dead"
            if wrong:
                print("object %d, %s: %s" % (name, json.dumps(step), wrong))
                fine = False
    print("%d steps, %d moves, %d deaths" % (steps, moves, deaths))
    sys.exit(0 if fine and moves and deaths else 1)


main()
