#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Is what gctrace says of allocation sites what the small VM says happened?

    sites_truth.py exact    JSON TRUTH   every allocation was sampled: all figures are the same
    sites_truth.py covered  JSON TRUTH [JSON TRUTH…]
                                         the truth lies within the intervals, but for a few
    sites_truth.py pprof    JSON RAW     what `go tool pprof -raw` reads
    sites_truth.py folded   JSON FOLDED FIELD

JSON: `gctrace follow FILE --by site --top 0 -o json`. TRUTH: `minivm --print-truth`, of a VM with
--truth-sites. Stacks are compared by their frames: the VM knows them by numbers, and tells classes;
so sites are put together by class, and a stack's number is not needed.
"""
import collections
import json
import re
import sys


def lines_of(path):
    lines = [json.loads(line) for line in open(path, encoding="utf-8")]
    end = max(i for i, line in enumerate(lines) if line["event"] == "samples")
    return lines[end], [line for line in lines[end:] if line["event"] == "site"]


class Site:
    def __init__(self):
        self.allocated = self.promoted = self.old = 0
        self.ages = [0] * 16

    def add(self, fields):
        self.allocated += int(fields["allocated"].split("/")[1])
        self.promoted += int(fields["promoted"])
        self.old += int(fields["old"])
        for place, bytes_ in enumerate(fields["bytes"].split(",")):
            self.ages[place] += int(bytes_)

    @property
    def live(self):
        return sum(self.ages)


def truth_of(path, gc):
    """By class: what there was after the gc-th collection."""
    sites, names = collections.defaultdict(Site), {}
    for line in open(path, encoding="utf-8"):
        if line.startswith("class "):
            names[line.split()[1]] = re.search(r" name=(\S+)", line).group(1)
        elif line.startswith("site %d " % gc):
            fields = dict(word.split("=") for word in line.split()[2:])
            sites[int(fields["class"])].add(fields)
    if not sites:
        sys.exit("the truth has nothing of collection %d" % gc)
    return sites


def place_of(age):
    return age.bit_length()


def told_ages(site):
    ages = [0] * 16
    for at in site["live_by_age"]:
        ages[place_of(at["from"])] = at["bytes"]
    return ages


def exact(json_path, truth_path):
    """What was allocated since the last collection is age 0, and not in the truth yet."""
    samples, sites = lines_of(json_path)
    truth = truth_of(truth_path, samples["gc"])
    wrong = 0
    for site in sites:
        real, ages = truth[site["class"]], told_ages(site)
        young = ages[0]
        ages[0] = 0
        told = {"ages": ages, "allocated": site["allocated_bytes"] - young,
                "promoted": site["promoted_bytes"], "old": site["old_bytes"],
                "died": site["died_bytes"]}
        want = {"ages": real.ages, "allocated": real.allocated, "promoted": real.promoted,
                "old": real.old, "died": real.allocated - real.live}
        for key in want:
            if told[key] != want[key]:
                print("%s: %s is %s, not %s" % (site["type"], key, told[key], want[key]))
                wrong += 1
        if "estimated" in site:
            print("%s: estimated, though all are sampled" % site["type"])
            wrong += 1
    told_classes = {site["class"] for site in sites}
    for class_, real in truth.items():
        if class_ not in told_classes and real.allocated:
            print("class %d is not told" % class_)
            wrong += 1
    print("%d classes, collection %d" % (len(sites), samples["gc"]))
    return wrong


def within(line, field, value):
    low, high = line.get("estimated", {}).get(field, [line[field], line[field]])
    return low - 1 <= value <= high + 1


def count_covered(json_path, truth_path):
    samples, sites = lines_of(json_path)
    truth = truth_of(truth_path, samples["gc"])
    right = count = 0
    for site in sites:
        real = truth[site["class"]]
        if not site["live_samples"]:
            continue
        for at in site["live_by_age"]:
            if at["from"] == 0:
                continue
            count += 1
            if within(at, "bytes", real.ages[place_of(at["from"])]):
                right += 1
            else:
                print("%s from %d: %d is not in %s" % (
                    site["type"], at["from"], real.ages[place_of(at["from"])], at))
        count += 1
        old = within(site, "old_bytes", real.old)
        right += old
        if not old:
            print("%s: %d old is not in %s" % (site["type"], real.old, site["estimated"]))
    return right, count


def covered(*paths):
    """Of the intervals of what lives, by class and age, 95 % hold the truth."""
    counts = [count_covered(*pair) for pair in zip(paths[::2], paths[1::2])]
    right, count = (sum(column) for column in zip(*counts))
    print("%d of %d" % (right, count))
    # So many by chance: 5 %, and what as few as these allow for besides.
    return 0 if count >= 20 and right >= 0.95 * count - 3 * (0.05 * 0.95 * count) ** 0.5 else 1


def stacks_of(sites, field):
    sums = collections.Counter()
    for site in sites:
        sums[";".join(reversed(site["stack"])) or "(no stack was told)"] += site[field]
    return {stack: value for stack, value in sums.items() if value}


def folded(json_path, folded_path, field):
    _, sites = lines_of(json_path)
    told = collections.Counter()
    for line in open(folded_path, encoding="utf-8"):
        stack, bytes_ = line.rstrip("\n").rsplit(" ", 1)
        told[stack] += int(bytes_)
    want = stacks_of(sites, field)
    if told != want:
        print({key: (told.get(key), want.get(key)) for key in told.keys() | want.keys()
               if told.get(key) != want.get(key)})
        return 1
    return 0


def pprof(json_path, raw_path):
    """Samples: values, a colon, locations; then a location a line: number, address, function."""
    _, sites = lines_of(json_path)
    text = open(raw_path, encoding="utf-8").read()
    head = text.split("Samples:\n")[1].split("\n")[0].split()
    names = {}
    for line in text.split("Locations\n")[1].split("Mappings")[0].splitlines():
        match = re.match(r"\s*(\d+): \S+ (?:M=\d+ )?(.*?) (\S*):(\d+)(?::\d+)? s=\d+", line)
        if match:
            names[match.group(1)] = match.group(2)
    told = {}
    for line in text.split("Samples:\n")[1].split("Locations\n")[0].splitlines()[1:]:
        values, stack = line.split(":")
        told[";".join(names[at] for at in reversed(stack.split()))] = [
            int(value) for value in values.split()]
    wrong = 0
    for name, field in (("alloc_space", "allocated_bytes"), ("inuse_space", "live_bytes"),
                        ("old_space", "old_bytes")):
        place = [word.split("/")[0] for word in head].index(name)
        got = {stack: values[place] for stack, values in told.items() if values[place]}
        want = stacks_of(sites, field)
        if got != want:
            print(name, {key: (got.get(key), want.get(key)) for key in got.keys() | want.keys()
                         if got.get(key) != want.get(key)})
            wrong += 1
    return wrong


CHECKS = {"exact": exact, "covered": covered, "folded": folded, "pprof": pprof}

if __name__ == "__main__":
    sys.exit(1 if CHECKS[sys.argv[1]](*sys.argv[2:]) else 0)
