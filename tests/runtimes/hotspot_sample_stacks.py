# SPDX-License-Identifier: BSD-2-Clause
# The stacks of threads that wait, by gctrace sample, are those that jstack prints; and the names of
# all Java threads are whole.
#
#   hotspot_sample_stacks.py SAMPLES JSTACK LEAST
#
# SAMPLES: NDJSON of some sweeps with --stacks, of which each thread's last EXACT one counts: who
# waits for a monitor wakes up now and then, to look. Threads that moved between the two are told by
# a state that is not "waiting". Exit status 1: a stack differs, or fewer than LEAST were compared.
import difflib
import json
import re
import sys

stacks, samples = {}, {}
for line in open(sys.argv[1]):
    line = json.loads(line)
    if line["event"] == "stack":
        stacks[line["stack_id"]] = line["methods"]
    elif line["event"] == "sample":
        if line["accuracy"] == "EXACT" or \
                samples.get(line["tid"], line)["accuracy"] != "EXACT":
            samples[line["tid"]] = line

# "name" #12 ... tid=0x... nid=0x1a2b ...        until 18
# "name" #12 [6699] ... tid=0x... nid=6699 ...   since 19
threads, java, methods = {}, set(), None
for line in open(sys.argv[2]):
    head = re.match(r'"(.*)" (#?).*nid=(0x[0-9a-f]+|\d+)', line)
    if head:
        methods = []
        threads[int(head.group(3), 0)] = head.group(1), methods
        if head.group(2):  # of the others the kernel's 15 bytes are all that is known
            java.add(int(head.group(3), 0))
    at = re.match(r"\tat (?:[a-z][\w.]*(?:@[^/(]*)?/(?!0x))?([^(]*)\(", line)
    if at and methods is not None:
        methods.append(at.group(1))

same = frames = different = 0
for tid, (name, expected) in threads.items():
    sample = samples.get(tid)
    if not expected or not sample or sample["state"] != "waiting":
        continue
    told = [re.sub(r"\(.*", "", m) for m in stacks.get(sample.get("stack_id"), [])
            if re.match(r"\S+\.\S+\(\S*\)\S+$", m)]
    if told == expected and sample["accuracy"] == "EXACT":
        same += 1
        frames += len(told)
        continue
    different += 1
    print("different:", name, sample)
    for line in difflib.unified_diff(expected, told, "jstack", "gctrace", lineterm=""):
        print("   ", line)
wrong = [(threads[tid][0], samples[tid]["name"]) for tid in java
         if tid in samples and samples[tid]["name"] != threads[tid][0]]
for names in wrong:
    print("the thread %r is told as %r" % names)
print("%d names of threads are the same" % (len(java & set(samples)) - len(wrong)))
print("%d stacks of %d frames are the same, %d differ" % (same, frames, different))
sys.exit(different > 0 or wrong != [] or same < int(sys.argv[3]))
