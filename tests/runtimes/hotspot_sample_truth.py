# SPDX-License-Identifier: BSD-2-Clause
# What gctrace sample says of the threads of Places.java, against what these have written down.
#
#   hotspot_sample_truth.py VERSION TRUTH SAMPLES BYTECODES LEAST
#
# SAMPLES: NDJSON. BYTECODES: the offsets of interpreted()'s instructions, one a line. LEAST: so
# many EXACT samples there must be, of each of location and method.
#
# Prints the confusion matrix: for each place the locations that were told, by accuracy; and for
# each field how often it was right where it is called EXACT and where it is called POOR. Exit
# status 1: less than 999 of 1,000 of what is called EXACT are right, or there are too few.
import bisect
import collections
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
from sample_matrix import Matrix

version, truth_file, sample_file, bytecode_file, least = sys.argv[1:]

# For each place: the location; what is around it in the same method (the clock, the call, the way
# into and out of waiting) may be told as well, for it is there. Methods: those of the place and all
# that it calls.
OWN = {
    "compiled": ({"JIT"}, r"Places\.(crunch|compiled)"),
    "interpreted": ({"JIT"}, r"Places\.interpreted"),
    "native": ({"NATIVE"}, r"Places\.nativeCode|java\.util\.zip\.|java\.lang\.ref\.Reference\.|"
               r"java\.util\.Objects\.|jdk\.internal\.util\.Preconditions"),
    "loading": ({"LOADER"}, r""),
    "copying": ({"JIT"}, r"Places\.copying|java\.lang\.System\.arraycopy"),
    "parked": ({"BLOCKING"}, r"Places\.parked|java\.util\.concurrent\.locks\.LockSupport\.|"
               r"jdk\.internal\.misc\.|java\.lang\.Thread\."),
    "sleeping": ({"BLOCKING"}, r"Places\.sleeping|java\.lang\.Thread\.|jdk\.internal\.event\.|"
                 r"java\.util\.concurrent\.TimeUnit|jdk\.internal\.misc\.Blocker"),
    "waiting": ({"BLOCKING"}, r"Places\.waiting|java\.lang\.Object\.wait|java\.lang\.Thread\."),
    "reading": ({"BLOCKING"}, r"Places\.reading|sun\.nio\.ch\.|java\.nio\.|java\.util\.|"
                r"java\.lang\.Thread\.|java\.lang\.ref\.|jdk\.internal\."),
    "monitor": ({"BLOCKING"}, r"Places\.monitor"),
    "linking": ({"LOADER"}, r""),
}
# Of threads that wait or call native code: it may be caught on its way there or back.
WAYS = {"JIT", "NATIVE"}
METHOD = {"native": "nativeCode", "linking": "link"}
RUN = (r"(Places\.linking\(J\)V )?Places\.cycle\(\)V Places\.run\(\)V "
       r"(java\.lang\.Thread\.runWith\(\S* )?java\.lang\.Thread\.run\(\)V$")

intervals = collections.defaultdict(list)
for line in open(truth_file):
    tid, place, start, end = line.split()
    intervals[int(tid)].append((int(start), int(end), place))
for each in intervals.values():
    each.sort()
bytecodes = {int(line) for line in open(bytecode_file)}


def place_of(tid, time):
    each = intervals.get(tid, [])
    i = bisect.bisect_right(each, (time, 1 << 63, "")) - 1
    return each[i][2] if i >= 0 and each[i][0] <= time <= each[i][1] else None


def is_native_function(method):
    return re.search(r"(^| )\(([^)]*\.so[^)]*|\[vdso\])\)$", method) is not None


def right_location(place, sample):
    told = sample["location"]
    if told in OWN[place][0]:
        return True
    # Any thread may have to wait for a safepoint or for memory: the kernel knows that it does, or
    # that it did and has not had the CPU since.
    if told == "BLOCKING":
        return sample["state"] in ("waiting", "ready") and "syscall" in sample
    method = sample.get("method", "")
    if place == "loading":	# around loadClass
        return told in WAYS and not re.match(r"java\.lang\.ClassLoader\.(loadClass|defineClass)",
                                             method)
    if place == "linking":	# what leads there; and the class's own initializer
        return told == "JIT"
    if place in ("compiled", "interpreted"):	# the clock
        return told == "NATIVE" and is_native_function(sample.get("function", method))
    return told in WAYS


def right_method(place, sample):
    method = sample["method"]
    if place == "linking":
        return re.match(r"Places\.(link\(|<clinit>)|java\.|jdk\.|sun\.", method) is not None or \
            is_native_function(method)
    if place == "loading":
        return True if not method.startswith("Places.") else \
            re.match(r"Places\.loading|Places\$Loader\.", method) is not None
    return re.match(OWN[place][1], method) is not None or method.startswith("Places.log(") or \
        method.startswith("java.lang.System.nanoTime(") or bool(is_native_function(method))


def right_stack(place, methods):
    methods = [m for m in methods if re.match(r"\S+\.\S+\(\S*\)\S+$", m)]
    own = r"Places\." + METHOD.get(place, place) + r"\("
    at = [i for i, m in enumerate(methods) if re.match(own, m)]
    return len(at) == 1 and re.match(RUN, " ".join(methods[at[0] + 1:])) is not None and \
        (place in ("loading", "linking") or
         all(re.match(OWN[place][1] + r"|java\.lang\.System\.nanoTime\(", m)
             for m in methods[:at[0]]))


stacks, matrix = {}, Matrix()


def judge(field, sample, said, is_right, place):
    matrix.judge(field, place, said or ("right" if is_right else "another"), is_right, sample)


for line in open(sample_file):
    line = json.loads(line)
    if line["event"] == "stack":
        stacks[line["stack_id"]] = line["methods"]
    if line["event"] != "sample":
        continue
    place = place_of(line["tid"], line["time_ns"])
    if not place:
        continue
    matrix.check_flags(line)
    if "location" in line:
        judge("location", line, line["location"], right_location(place, line), place)
    if "method" in line:
        judge("method", line, None, right_method(place, line), place)
    if "pc_offset" in line and place == "interpreted" and "interpreted" in line["method"]:
        judge("pc", line, None, line["pc_offset"] in bytecodes, place)
    if "stack_id" in line:
        line["methods"] = stacks[line["stack_id"]]
        judge("stack", line, None, right_stack(place, line["methods"]), place)

matrix.show()
matrix.save("hotspot-" + version, "HotSpot %s, threads of a program (`Places.java`)" % version)
sys.exit(matrix.fails(int(least)))
