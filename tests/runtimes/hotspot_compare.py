#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Does gctrace say of a JVM's collections what the JVM itself says?

    hotspot_compare.py COLLECTOR GCTRACE.json JVM.log BEANS [FIRST]

JVM.log is of -Xlog:gc*,gc+heap=debug,safepoint with decorations timenanos,level,tags (the clock
is gctrace's own, CLOCK_MONOTONIC); BEANS is what Load.java wrote. Collections below number FIRST
in the log came before gctrace did; where FIRST is "tail", gctrace attached in the middle, and what
it says is to be the end of what the log says, but for what had begun before. What is compared:

  collections   the same ones, in the same order, each with its cause (from the log where it says
                causes, from the beans in any case)
  pools         before and after, of the heap to the KiB as in the log (what stops the world;
                concurrent collectors log MiB, at other moments), and each pool to the byte as in
                the beans
  pauses        each is a safepoint of the log's, as long as that in total (from the request to stop
                until the threads run again), and as long on the way to it; each safepoint for the
                collector is a pause; collections that share one share its length; and it contains
                what the log calls the pauses of these collections

Prints what differs, and a line of what was compared; the exit status is 0 where nothing differs.
"""
import bisect
import json
import re
import sys

errors = []


def error(text):
    errors.append(text)


class Logged:
    """A collection of the log."""

    def __init__(self, number, stamp):
        self.number = number
        self.first = self.last = stamp  # of its lines
        self.kind = self.cause = self.note = None
        self.kib = []  # of the heap: before, after
        self.pauses = []  # (name, ms)
        self.mib = None


PAUSE = re.compile(r'Pause (.*?)(?: (\d+)M->(\d+)M\(\d+M\))? ([\d.]+)ms$')
NAMED = re.compile(r'(Young|Full)(?: \((Normal|Concurrent Start|Prepare Mixed|Mixed)\))? \((.*?)\)'
                   r'(?: \(Evacuation Failure.*\))?$')  # said here since JDK 21
CYCLE = re.compile(r'Garbage Collection \((.*)\) \d+M')
USED = re.compile(r'^ (?:garbage-first heap|PSYoungGen|ParOldGen|def new generation|'
                  r'tenured generation) +total \d+K, used (\d+)K')
SAFEPOINT = re.compile(r'Safepoint "(.*?)", Time since last: \d+ ns, Reaching safepoint: (\d+) ns, '
                       r'(?:Cleanup: (\d+) ns, )?At safepoint: (\d+) ns, '
                       r'(?:Leaving safepoint: \d+ ns, )?Total: (\d+) ns')
# Between a probe and the log's own clock a busy machine may take the processor away.
NEAR_NS, NEAR_SHARE, FAR_NS, FAR_SHARE = 300_000, 0.02, 30_000_000, 0.04
# X: what ZGC without generations is called in JDK 21 to 23.
GC_OPERATION = re.compile(r'^(G1|Parallel|Gen|Serial|[XZ](Mark|Relocate)|Shenandoah|CollectFor)')


class Safepoint:
    """A stop of the log's; its line is written when it is over."""

    def __init__(self, stamp, match):
        self.name = match.group(1)
        self.reaching = int(match.group(2)) + int(match.group(3) or 0)
        self.total = int(match.group(5))
        self.start, self.end = stamp - self.total, stamp
        self.seen = False
        self.collects = False  # an operation may find nothing left to do


def logged_pause(gc, text, collector):
    match = PAUSE.match(text)
    if not match:
        return
    name, before, after, ms = match.groups()
    gc.pauses.append((name, float(ms)))
    if collector in ('ZGC',):
        return
    if collector == 'Shenandoah':
        if name.startswith('Degenerated'):
            gc.kind = 'degenerated'
        elif name.startswith('Full'):
            gc.kind = 'full'
        else:
            gc.kind = gc.kind or 'cycle'
        return
    gc.mib = (int(before), int(after))
    if name in ('Remark', 'Cleanup'):
        gc.kind = name.lower()
        return
    named = NAMED.match(name)
    if named:
        gc.kind, gc.note, gc.cause = named.group(1).lower(), named.group(2), named.group(3)
    else:
        error(f'the log has a pause that this test does not know: {text}')


def read_log(path, collector, first):
    """Collections in the order of their ends, and safepoints."""
    collections, safepoints, open_, ends = [], [], {}, []
    for line in open(path, encoding='utf-8', errors='replace'):
        match = re.match(r'\[(\d+)ns\]\[(\w+) *\]\[([\w,]+) *\] (.*)$', line)
        if not match:
            continue
        stamp, tags, text = int(match.group(1)), match.group(3).split(','), match.group(4)
        match = SAFEPOINT.match(text)
        if match and GC_OPERATION.match(match.group(1)):
            safepoints.append(Safepoint(stamp, match))
        match = re.match(r'GC\((\d+)\) (.*)$', text)
        if not match:
            continue
        number, text = int(match.group(1)), match.group(2)
        # A remark and a cleanup have their marking's number; they are collections by themselves.
        key = (number, text.split()[1]) if re.match(r'Pause (Remark|Cleanup)', text) else number
        gc = open_.setdefault(key, Logged(number, stamp))
        gc.last = stamp
        if 'heap' in tags and USED.match(text):
            gc.kib.append(int(USED.match(text).group(1)))
        if 'start' in tags:
            continue
        if PAUSE.match(text):
            ends.append(stamp)
        logged_pause(gc, text, collector)
        match = CYCLE.match(text)
        if match:
            gc.kind, gc.cause = 'cycle', match.group(1)
        if (collector == 'ZGC') == bool(match) and gc.kind and gc not in collections:
            collections.append(gc)
    for point in safepoints:
        at = bisect.bisect(ends, point.start)
        point.collects = at < len(ends) and ends[at] <= point.end
    return [gc for gc in collections if gc.number >= first], safepoints


def read_json(path):
    """The collections with their pools, the pauses, and the summary."""
    collections, pauses, summary = [], [], None
    for line in open(path, encoding='utf-8'):
        event = json.loads(line)
        if event['event'] == 'pause':
            pauses.append(event)
        elif event['event'] == 'gc':
            event['pools'] = {}
            collections.append(event)
        elif event['event'] == 'pool':
            if event['gc'] != collections[-1]['gc']:
                error(f"a pool of collection {event['gc']} follows {collections[-1]['gc']}")
            collections[-1]['pools'][event['name']] = event
        elif event['event'] == 'summary':
            summary = event
    return collections, pauses, summary


def read_beans(path):
    """By manager: lists of (cause, pools)."""
    beans = {}
    for line in open(path, encoding='utf-8'):
        manager, cause, _, pools = line.rstrip('\n').split('|')
        usage = {}
        for pool in pools.split(';'):
            if pool:
                name, values = pool.rsplit('=', 1)
                usage[name] = tuple(int(value) for value in values.split(','))
        beans.setdefault(manager, []).append((cause, usage))
    return beans


def base_kind(event):
    return 'young' if event['kind'] == 'young+mark' else event['kind']


def compare_collections(log, traced):
    for gc, event in zip(log, traced):
        our, their = (base_kind(event), event.get('cause')), (gc.kind, gc.cause)
        if our[0] != their[0] or (their[1] and our[1] != their[1]):
            error(f'GC({gc.number}) is {their}, gctrace says {our}')
        if event['kind'] == 'young+mark' and gc.note != 'Concurrent Start':
            error(f"GC({gc.number}) is {gc.note}, gctrace says young+mark")
        if event['kind'] in ('remark', 'cleanup') and event.get('cause'):
            error(f"GC({gc.number}), a {event['kind']}, has a cause: {event['cause']}")


def compare_kib(log, traced):
    """The heap of collectors that stop the world; the log says it before and after."""
    compared = 0
    for gc, event in zip(log, traced):
        half = len(gc.kib) // 2
        if not half:
            continue
        for name, logged in (('before', gc.kib[:half]), ('after', gc.kib[half:])):
            total = event[f'{name}_bytes']
            young = sum(pool[f'{name}_bytes'] for pool in event['pools'].values()
                        if re.search('Eden|Survivor', pool['name']))
            parts = [young // 1024, (total - young) // 1024] if half == 2 else [total // 1024]
            if parts != logged:
                error(f'GC({gc.number}) {name}: {parts} KiB, the log says {logged}')
            compared += 1
    return compared


BEANS = {
    'G1': {'G1 Young Generation': ('young',), 'G1 Old Generation': ('full',)},
    'Parallel': {'PS Scavenge': ('young',), 'PS MarkSweep': ('full',)},
    'Serial': {'Copy': ('young',), 'MarkSweepCompact': ('full',)},
    'ZGC': {'ZGC Cycles': ('cycle',)},
    'Shenandoah': {'Shenandoah Cycles': ('cycle', 'degenerated', 'full')},
}
CONCURRENT = ('ZGC', 'Shenandoah')


def match(log, traced, collector, tail):
    """The collections of both that happened at the same time; what has no partner is an error.

    But for what the log has from before the attach (tail), and for a cycle that the JVM's exit
    interrupts: gctrace may have seen its end, while the log has none, or the reverse.
    """
    pairs, rest = [], list(log)
    traced = list(traced)
    while tail and traced and traced[0].get('partial'):
        before = traced.pop(0)
        rest = [gc for gc in rest if gc.first > before['end_ns']]
    for event in traced:
        start, end = event['start_ns'], event.get('end_ns', 1 << 63)
        while rest and rest[0].last < start and (pairs or not tail):
            error(f'GC({rest[0].number}), a {rest[0].kind}, is missing')
            rest.pop(0)
        while rest and rest[0].last < start:
            rest.pop(0)
        if rest and rest[0].first <= end:
            pairs.append((rest.pop(0), event))
        elif not (collector in CONCURRENT and event is traced[-1]):
            error(f"collection {event['gc']}, a {event['kind']}, is not in the log")
    if len(rest) > (1 if collector in CONCURRENT else 0):
        error(f'{len(rest)} collections of the log are missing at the end')
    return [gc for gc, _ in pairs], [event for _, event in pairs]


def compare_bean(manager, event, bean):
    cause, pools = bean
    told = {name: (pool.get('before_bytes'), pool.get('after_bytes'))
            for name, pool in event['pools'].items()}
    if event.get('cause') != cause:
        error(f"{manager}: cause {event.get('cause')}, the bean says {cause}")
    if told != pools:
        error(f"{manager}, collection {event['gc']}: pools {told}, the bean says {pools}")
    return len(pools)


def compare_beans(collector, beans, log, traced, tail):
    compared = 0
    for manager, kinds in BEANS[collector].items():
        theirs = beans.get(manager, [])
        pairs = [(gc, event) for gc, event in zip(log, traced) if base_kind(event) in kinds]
        if collector in CONCURRENT:  # they count as the log does
            pairs = [(theirs[gc.number], event) for gc, event in pairs if gc.number < len(theirs)]
        else:
            if tail:
                del theirs[:max(0, len(theirs) - len(pairs))]
            if len(pairs) != len(theirs):
                error(f'{manager}: gctrace has {len(pairs)} collections, the bean {len(theirs)}')
            pairs = list(zip(theirs, [event for _, event in pairs]))
        compared += sum(compare_bean(manager, event, bean) for bean, event in pairs)
    return compared


def is_far(ours, theirs):
    return abs(ours - theirs) > NEAR_NS + NEAR_SHARE * theirs


def compare_stops(pauses, safepoints, tail):
    """Each pause with the safepoint that it is."""
    far = 0
    for pause in pauses:
        if pause.get('partial') and tail:
            continue
        if 'pause_ns' not in pause:
            error(f'a pause without a length: {pause}')
            continue
        near = min(safepoints, key=lambda point: abs(point.end - pause['end_ns']))
        if near.seen:
            error(f"two pauses are the safepoint {near.name} of {near.total} ns")
        near.seen = True
        for name, ours, theirs in (('whole', pause['pause_ns'], near.total),
                                   ('to stop', pause.get('suspend_ns', -1), near.reaching)):
            if is_far(ours, theirs):
                far += 1
            if abs(ours - theirs) > FAR_NS or ours < 0:
                error(f'{near.name}, {name}: {ours} ns, the log says {theirs}')
    if far > 2 + FAR_SHARE * len(pauses):
        error(f'{far} of {2 * len(pauses)} lengths differ from the log')
    whole = [pause for pause in pauses if 'pause_ns' in pause and not pause.get('partial')]
    if whole:
        first = min(pause['start_ns'] for pause in whole)
        missing = [point.name for point in safepoints
                   if point.start > first and point.collects and not point.seen]
        if missing:
            error(f'{len(missing)} safepoints of the collector are no pauses: {missing[:5]}')
    return far


def compare_pauses(log, traced, pauses, safepoints, collector, tail):
    half_us = 500  # the log rounds to microseconds
    far = compare_stops(pauses, safepoints, tail)
    parts = {}
    for gc, event in zip(log, traced):
        named = sum(ms for _, ms in gc.pauses) * 1e6
        slack = half_us * len(gc.pauses)
        if event['pauses'] < 1:
            # The attach may fall into a stop, before its first collection.
            if not tail or event is not traced[0]:
                error(f'GC({gc.number}) has no pause')
            continue
        if collector in ('G1', 'Serial', 'Parallel') and event['pauses'] != 1:
            error(f"GC({gc.number}) has {event['pauses']} pauses")
        elif collector in CONCURRENT and event['pauses'] != len(gc.pauses):
            error(f"GC({gc.number}) has {event['pauses']} pauses, in the log {len(gc.pauses)}")
        if event.get('shares_stop'):
            part = parts.setdefault((event['stop_start_ns'], event['stop_ns']), [0, 0, 0])
            part[0] += event['pause_ns']
            part[1] += named
            part[2] += slack
        elif event['pause_ns'] < named - slack:
            error(f"GC({gc.number}): pause {event['pause_ns']} ns does not contain {named:.0f}")
    for (_, whole), (ours, named, slack) in parts.items():
        if ours != whole:
            error(f'collections in a stop of {whole} ns have {ours} ns together')
        if whole < named - slack:
            error(f'a stop of {whole} ns does not contain {named:.0f}')
    total = sum(pause.get('pause_ns', 0) for pause in pauses)
    logged = sum(ms for gc in log for _, ms in gc.pauses) * 1e6
    return total, logged, sum(point.total for point in safepoints if point.seen), len(parts), far


def main():
    collector, traced_path, log_path, beans_path = sys.argv[1:5]
    first = sys.argv[5] if len(sys.argv) > 5 else '0'
    tail = first == 'tail'
    log, safepoints = read_log(log_path, collector, 0 if tail else int(first))
    traced, pauses, summary = read_json(traced_path)
    log, traced = match(log, traced, collector, tail)
    if any(event.get('partial') or event.get('incomplete') or event.get('cut_off')
           for event in traced):
        error('a collection is not whole')
    if summary is not None and not summary['complete']:
        error(f"something was lost: {summary['lost']}")
    if len(log) < 5:
        error(f'only {len(log)} collections in the log: the load is too light')
    compare_collections(log, traced)
    kib = compare_kib(log, traced)
    if not kib and collector not in CONCURRENT:
        error('no heap size was compared')
    parts = compare_beans(collector, read_beans(beans_path), log, traced, tail)
    total, logged, stopped, shared, far = compare_pauses(log, traced, pauses, safepoints,
                                                         collector, tail)
    for text in errors[:20]:
        print(text[:1000])
    print(f'{collector}: {len(traced)} collections, {kib} heap sizes, {parts} pools compared; '
          f'pauses {total / 1e6:.3f} ms, in the log {logged / 1e6:.3f}, '
          f'{len(pauses)} stops of {stopped / 1e6:.3f} ms ({far} lengths differ by over 0.3 ms); '
          f'{shared} stops shared')
    return 1 if errors else 0


if __name__ == '__main__':
    sys.exit(main())
