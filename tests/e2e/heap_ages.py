#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compare the ages that `gctrace heap FILE@N --objects --type '*' --top 0 -o json` shows with what
the small VM wrote down: heap_ages.py LINES TRUTH, where TRUTH is what `minivm --print-truth` prints
of a run with --truth-mode full. Where the birth was observed an age is exactly the number of
collections that condemned the object and that it survived; else it is no more than that."""
import json
import re
import sys


def read_truth(path, last):
    """{id: age} and {address: id} of what lived when collection `last` had finished."""
    ages, generations, names, gc = {}, {}, {}, None
    for line in open(path, encoding="utf-8", errors="replace"):
        words = line.split(" ", 4)
        if words[0] == "gc-start":
            gc = int(words[1])
            condemned = int(re.search(r"condemned=(\S+)", line).group(1), 0)
            alive, names = {}, {}
        elif words[0] == "gc-finish":
            generations, ages = alive, {name: ages[name] for name in alive}
            if gc == last:
                return ages, names
            gc = None
        elif words[0] == "object" and gc is not None:
            name, generation = int(words[1]), int(re.search(r"generation=(\d+)", line).group(1))
            # What is new was allocated in the nursery, or among the large ones.
            before = generations.get(name, generation if generation == 2 else 0)
            ages[name] = ages.get(name, 0) + (condemned >> before & 1)
            alive[name] = generation
            names[int(words[2][3:], 16)] = name
    sys.exit("the truth does not reach collection %d" % last)


def wrong(line, ages, names):
    name = names.get(int(line["address"], 16))
    if "id" not in line:
        return "has no id"
    if name is None:  # allocated behind the last collection
        return "is new" if line["age"] > 0 else None
    if line.get("at_least"):
        return "is at most %d" % ages[name] if line["age"] > ages[name] else None
    return "is %d" % ages[name] if line["age"] != ages[name] else None


def main():
    lines = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
    ages, names = read_truth(sys.argv[2], lines[0]["gc"])
    objects = [line for line in lines if line["event"] == "object"]
    fine = True
    for line in objects:
        reason = wrong(line, ages, names)
        if reason:
            print("%s %s: %s" % (line["address"], reason, json.dumps(line)))
            fine = False
    exact = [line["age"] for line in objects if not line.get("at_least")]
    print("%d objects, %d births observed, of those %d of age 2 or more" %
          (len(objects), len(exact), sum(age >= 2 for age in exact)))
    sys.exit(0 if fine and any(age >= 2 for age in exact) else 1)


main()
