#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compare `gctrace diff A B --top 0 -o json` with what the small VM wrote down of the two dumps:
diff_truth.py LINES TRUTH [lost], where TRUTH is `minivm --print-truth`. The VM numbers its objects,
so who was born, died and survived is exact, type by type, in objects and bytes. Where ids were
withdrawn, nothing may be claimed that is not so; some objects survived, or, where something was
lost, all that did may be withdrawn. What the paths grew by adds up to what the heap grew by."""
import collections
import json
import sys

FATES = ("born", "died", "survived", "withdrawn")


def read_dumps(path, wanted):
    """{number of the dump: {object: (class, size)}}"""
    dumps, objects = {}, {}
    for line in open(path, encoding="utf-8", errors="surrogateescape"):
        word, _, rest = line.partition(" ")
        if word == "object":
            parts = rest.split()
            told = dict(part.split("=", 1) for part in parts[1:] if "=" in part)
            objects[int(parts[0])] = (int(told["class"]), int(told["size"]))
        elif word in ("gc-finish", "dump"):
            if word == "dump" and int(rest.split()[0]) in wanted:
                dumps[int(rest.split()[0])] = objects
            objects = {}
    return dumps


def true_fates(was, is_):
    """{class: {fate: [objects, bytes]}}"""
    fates = collections.defaultdict(lambda: {fate: [0, 0] for fate in FATES})
    for number, (class_, size) in list(was.items()) + [
            item for item in is_.items() if item[0] not in was]:
        fate = "born" if number not in was else "survived" if number in is_ else "died"
        fates[class_][fate][0] += 1
        fates[class_][fate][1] += size
    return fates


def compare_exactly(name, told, truth, wrong):
    for fate in FATES:
        if told[fate] != truth[fate]:
            wrong.append("%s: %s %s, the truth is %s" % (name, fate, told[fate], truth[fate]))


def compare_claims(name, told, truth, wrong):
    """Some are withdrawn: of the others all is so, and with them it is all."""
    for fate in "died", "survived":
        if told[fate] > truth[fate]:
            wrong.append("%s: %s %s, the truth is %s" % (name, fate, told[fate], truth[fate]))
    if told["survived"][0] + told["born"][0] != truth["survived"][0] + truth["born"][0]:
        wrong.append("%s: B has %s, the truth is %s" % (name, told, truth))
    if told["born"][0] - told["withdrawn"][0] > truth["born"][0]:
        wrong.append("%s: born at least %s, the truth is %s" % (name, told, truth))


def compare_types(lines, fates, wrong):
    types = {line["class"]: line for line in lines if line["event"] == "type_diff"}
    if set(types) != set(fates):
        wrong.append("types %s, the truth is %s" % (sorted(types), sorted(fates)))
    for class_ in set(types) & set(fates):
        line = types[class_]
        told = {fate: [line[fate + "_objects"], line[fate + "_bytes"]] for fate in FATES}
        if told["withdrawn"][0]:
            compare_claims(line["name"], told, fates[class_], wrong)
        else:
            compare_exactly(line["name"], told, fates[class_], wrong)


def compare_paths(lines, all_, wrong):
    """All paths are there, but those that did not change."""
    for what, key in ("objects", "reached_objects"), ("bytes", "reached_bytes"):
        grown = sum(line["is_" + what] - line["was_" + what]
                    for line in lines if line["event"] == "branch_diff")
        if grown != all_["is_" + key] - all_["was_" + key]:
            wrong.append("paths: %+d %s, the heap has %+d" % (
                grown, what, all_["is_" + key] - all_["was_" + key]))


def main():
    lines = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
    numbers = [line["dump"] for line in lines[:2]]
    dumps = read_dumps(sys.argv[2], set(numbers))
    all_ = next(line for line in lines if line["event"] == "diff")
    wrong = []

    if set(dumps) != set(numbers):
        sys.exit("the truth has dumps %s, not %s" % (sorted(dumps), numbers))
    if all_["by"] != "identity":
        sys.exit("not by identity: %s" % all_["why"])
    fates = true_fates(dumps[numbers[0]], dumps[numbers[1]])
    compare_types(lines, fates, wrong)
    compare_paths(lines, all_, wrong)
    for fate in FATES:
        for what in "objects", "bytes":
            key = "%s_%s" % (fate, what)
            if all_[key] != sum(line[key] for line in lines if line["event"] == "type_diff"):
                wrong.append("%s: %d, and the types have another sum" % (key, all_[key]))
    for text in wrong:
        print(text)
    print("%d types; %s" % (len(fates), ", ".join(
        "%d %s" % (all_[fate + "_objects"], fate) for fate in FATES)))
    claimed = all_["survived_objects"] + (all_["died_objects"] if "lost" in sys.argv[3:] else 0)
    sys.exit(1 if wrong or not claimed else 0)


main()
