# SPDX-License-Identifier: BSD-2-Clause
"""When a JVM's own threads did what, by its own log: "TID PHASE FROM UNTIL", in ns of CLOCK_MONOTONIC.

    hotspot_chores.py LOG COMPILATIONS THREADS

LOG: of -Xlog:gc,gc+start,vmoperation=debug,jit+compilation=debug, with the decorations tn and ti.
COMPILATIONS: of -XX:+LogCompilation. THREADS: lines "TID NAME", as the kernel has them.

    collects      the VM thread, in a pause of the collector
    collects_too  the collector's workers in it
    marks         the collector's concurrent threads, from the beginning of marking to its end
    stops_others  the VM thread, in an operation that is no collection
    is_stopped    a thread that allocates, in a pause of the collector
    compiles      a compiler's thread: when it begins is in LOG to the ns; how long it takes is in
                  COMPILATIONS to the ms, so the last two are left out
"""
import collections
import re
import sys

LINE = re.compile(r"\[(\d+)ns\]\[(\d+)\] (.*)")
PAUSE = re.compile(r"GC\((\d+)\) Pause ")
MARKING = re.compile(r"GC\((\d+)\) Concurrent (Mark )?Cycle")
COMPILES = re.compile(r" *(\d+) [ %sbn!]+\d? ")
DOUBT_NS = 2_000_000


class Log:
    def __init__(self, path):
        self.pauses, self.markings, self.others = [], [], []
        self.compiles = {}  # (thread, number) -> begin
        self.begun = {}
        self.collected = False
        for text in open(path, encoding="utf-8", errors="replace"):
            line = LINE.match(text)
            if line:
                self.take(int(line[1]), int(line[2]), line[3])

    def span(self, spans, key, time, tid):
        """The first line of a pair, or the second."""
        if key in self.begun:
            spans.append((self.begun.pop(key), time, tid))
        else:
            self.begun[key] = time

    def take(self, time, tid, words):
        pause, marking = PAUSE.match(words), MARKING.match(words)
        if pause:
            self.collected = True
            self.span(self.pauses, ("pause", pause[1]), time, tid)
        elif marking:
            self.span(self.markings, ("marking", marking[1]), time, tid)
        elif words.startswith("begin VM_Operation"):
            self.collected = False
            self.begun["operation"] = time
        elif words.startswith("end VM_Operation") and "operation" in self.begun:
            begin = self.begun.pop("operation")
            # What is to be one may find that another has been meanwhile.
            if not self.collected and "GC" not in words and "ollect" not in words:
                self.others.append((begin, time, tid))
        elif COMPILES.match(words):
            self.compiles[tid, COMPILES.match(words)[1]] = time


def compilations(path):
    """Thread, number, and how long it took, in ns."""
    thread = number = begin = None
    for text in open(path, encoding="utf-8", errors="replace"):
        found = re.match(r"<compilation_log thread='(\d+)'", text)
        if found:
            thread = int(found[1])
        found = re.match(r"<task compile_id='(\d+)'.* stamp='([\d.]+)'", text)
        if found:
            number, begin = found[1], float(found[2])
        found = re.match(r"<task_done .*stamp='([\d.]+)'", text)
        if found and number:
            yield thread, number, round((float(found[1]) - begin) * 1e9)
            number = None


def main():
    log = Log(sys.argv[1])
    named = collections.defaultdict(list)
    for text in open(sys.argv[3], encoding="utf-8"):
        tid, name = text.rstrip("\n").split(" ", 1)
        for start in ("GC Thread#", "G1 Conc#", "G1 Main Marker", "allocates "):
            if name.startswith(start):
                named[start].append(int(tid))
    for begin, end, vm in log.pauses:
        print(vm, "collects", begin, end)
        for tid in named["GC Thread#"]:
            print(tid, "collects_too", begin, end)
        for tid in named["allocates "]:
            print(tid, "is_stopped", begin, end)
    for begin, end, _ in log.markings:
        for tid in named["G1 Conc#"] + named["G1 Main Marker"]:
            print(tid, "marks", begin, end)
    for begin, end, vm in log.others:
        print(vm, "stops_others", begin, end)
    for thread, number, ns in compilations(sys.argv[2]):
        begin = log.compiles.get((thread, number))
        if begin and ns > DOUBT_NS:
            print(thread, "compiles", begin, begin + ns - DOUBT_NS)


if __name__ == "__main__":
    main()
