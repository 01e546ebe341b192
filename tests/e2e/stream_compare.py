#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compare what gctrace says of minivm's collections with what happened.

    stream_compare.py [--moves] [--no-sizes] [--least N] TRACE TRUTH

TRACE is gctrace's NDJSON, TRUTH the lines of `minivm --print-truth`. Every collection from the
first to the last one in the trace must be there, once, with the figures of the truth. Without
--moves the trace must not claim any figure of ranges; with --no-sizes none of pools (probes that
are fired one by one tell none).
"""
import argparse
import json
import sys

FIGURES = ("moved", "stayed", "survived", "promoted", "dead")
errors = []


def wrong(text):
    errors.append(text)


def fields(words):
    return dict(word.split("=") for word in words if "=" in word)


class Collection:
    def __init__(self, number, start):
        self.number = number
        self.start = int(start["time"])
        self.pause = int(start["pause"])
        self.condemned = int(start["condemned"])
        self.counts = {}
        self.pools = {}
        self.finish = self.finish_pause = None

    def total(self, name, generations=range(3)):
        return sum(self.counts[g][name] for g in generations)


def read_truth(path):
    collections, pauses = {}, {}
    for line in open(path):
        words = line.split()
        if not words:
            continue
        if words[0] == "gc-start":
            number = int(words[1])
            collections[number] = Collection(number, fields(words))
        elif words[0] == "gc-finish":
            gc = collections[int(words[1])]
            gc.finish = int(fields(words)["time"])
            gc.finish_pause = int(fields(words)["pause"])
        elif words[0] == "counts":
            values = fields(words)
            generation = int(values.pop("generation"))
            collections[int(words[1])].counts[generation] = {
                name: int(value.split("/")[1]) for name, value in values.items()}
        elif words[0] == "pool":
            values = {name: int(value) for name, value in fields(words).items()}
            collections[int(words[1])].pools[values.pop("generation")] = values
        elif words[0] == "pause":
            pauses[int(words[1])] = {n: int(v) for n, v in fields(words).items()}
    return collections, pauses


def condemned_generations(gc):
    return [g for g in range(3) if gc.condemned >> g & 1]


def expected_figures(gc):
    """A collection's figures. An old space's own counts hold what was promoted into it meanwhile;
    of what survives, that is one object."""
    generations = condemned_generations(gc)
    was = gc.total("condemned", generations)
    dead = gc.total("dead", generations)
    return {"moved": gc.total("moved"), "stayed": gc.total("stayed"),
            "promoted": gc.total("promoted"), "survived": was - dead, "dead": dead,
            "condemned": was}


def compare_figure(line, name, want, estimates_allowed):
    key = name + "_bytes"
    if key not in line:
        wrong("gc %d: no %s; it is %d" % (line["gc"], key, want))
        return
    limits = line.get("estimated", {}).get(key)
    if limits:
        if not estimates_allowed:
            wrong("gc %d: %s is an estimate" % (line["gc"], key))
        if not limits[0] <= want <= limits[1]:
            wrong("gc %d: %s is between %d and %d; it is %d" % (
                line["gc"], key, limits[0], limits[1], want))
    elif line[key] != want:
        wrong("gc %d: %s %d; it is %d" % (line["gc"], key, line[key], want))


def compare_gc(line, gc, args):
    # The start of a background collection is decided in a pause, its figures much later.
    concurrent = gc.pause != gc.finish_pause
    if concurrent != line.get("concurrent", False):
        wrong("gc %d: concurrent is %s" % (gc.number, not concurrent))
    if not gc.start <= line["start_ns"] <= line["end_ns"]:
        wrong("gc %d: from %d to %d; it began at %d" % (
            gc.number, line["start_ns"], line["end_ns"], gc.start))
    figures = expected_figures(gc)
    for name in FIGURES:
        if args.moves and not (args.no_sizes and name in ("promoted", "dead")):
            compare_figure(line, name, figures[name], concurrent)
        elif name + "_bytes" in line:
            wrong("gc %d: %s without its being told" % (gc.number, name))
    if args.no_sizes:
        for key in ("before_bytes", "after_bytes", "condemned_bytes"):
            if key in line:
                wrong("gc %d: %s without its being told" % (gc.number, key))
        return
    compare_figure(line, "condemned", figures["condemned"], False)
    for key, name in (("before_bytes", "before"), ("after_bytes", "used"),
                      ("committed_bytes", "committed")):
        want = sum(pool[name] for pool in gc.pools.values())
        if line.get(key) != want:
            wrong("gc %d: %s %s; it is %d" % (gc.number, key, line.get(key), want))


def compare_pools(lines, gc):
    names = ("nursery", "old", "large")
    told = {line["name"]: line for line in lines}
    if len(lines) != 3 or set(told) != set(names):
        wrong("gc %d: pools %s" % (gc.number, sorted(told)))
        return
    for generation, name in enumerate(names):
        for key, truth in (("before_bytes", "before"), ("after_bytes", "used"),
                           ("committed_bytes", "committed"), ("max_bytes", "max")):
            if told[name].get(key) != gc.pools[generation][truth]:
                wrong("gc %d: %s of %s %s; it is %d" % (
                    gc.number, key, name, told[name].get(key), gc.pools[generation][truth]))


def compare_pause(line, pauses):
    truth = pauses.get(line["pause"])
    if not truth:
        wrong("pause %d did not happen" % line["pause"])
    elif "start_ns" in line and not truth["requested"] <= line["start_ns"] <= line["end_ns"]:
        wrong("pause %d: from %d to %d; it was asked for at %d" % (
            line["pause"], line["start_ns"], line["end_ns"], truth["requested"]))


def check_enclosing(gcs, pauses_told):
    """Each pause that a collection has encloses its start or its end."""
    for line in gcs.values():
        if "start_ns" not in line or line.get("concurrent"):
            continue
        around = [p for p in pauses_told
                  if p.get("start_ns", 0) <= line["start_ns"] and line["end_ns"] <= p["end_ns"]]
        if len(around) != 1:
            wrong("gc %d: %d pauses around it" % (line["gc"], len(around)))


def check_all_there(gcs, whole, truth):
    """Every collection that ended between the first and the last line has one."""
    if not whole:
        return
    last = max(line["end_ns"] for line in whole.values())
    for number in range(min(whole), max(whole) + 1):
        finish = truth[number].finish
        if number not in gcs and finish is not None and finish < last:
            wrong("no line for gc %d" % number)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--moves", action="store_true")
    parser.add_argument("--no-sizes", action="store_true")
    parser.add_argument("--least", type=int, default=1)
    parser.add_argument("trace")
    parser.add_argument("truth")
    args = parser.parse_args()

    lines = [json.loads(line) for line in open(args.trace)]
    truth, pauses = read_truth(args.truth)
    if lines[0]["event"] != "header" or lines[-1]["event"] != "summary":
        wrong("first line %s, last line %s" % (lines[0]["event"], lines[-1]["event"]))
    if not lines[-1].get("complete") or lines[-1].get("odd"):
        wrong("not complete, or odd: %s %s" % (lines[-1].get("lost"), lines[-1].get("odd")))
    gcs, pools, pauses_told = {}, {}, []
    for line in lines:
        if line["event"] == "gc":
            if line["gc"] in gcs:
                wrong("gc %d twice" % line["gc"])
            gcs[line["gc"]] = line
        elif line["event"] == "pool":
            pools.setdefault(line["gc"], []).append(line)
        elif line["event"] == "pause":
            pauses_told.append(line)
            compare_pause(line, pauses)
    whole = {n: line for n, line in gcs.items()
             if not line.get("partial") and not line.get("cut_off")}
    if len(whole) < args.least:
        wrong("%d whole collections, expected %d at least" % (len(whole), args.least))
    check_all_there(gcs, whole, truth)
    for number, line in whole.items():
        if number not in truth or truth[number].finish is None:
            wrong("gc %d did not happen" % number)
            continue
        compare_gc(line, truth[number], args)
        if not args.no_sizes:
            compare_pools(pools.get(number, []), truth[number])
    check_enclosing(whole, pauses_told)
    for text in errors[:20]:
        print(text)
    print("%d collections compared, %d differences" % (len(whole), len(errors)))
    sys.exit(1 if errors else 0)


main()
