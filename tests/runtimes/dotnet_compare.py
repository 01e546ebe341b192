#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Does gctrace say of a .NET program's collections what the runtime itself says?

    dotnet_compare.py GCTRACE.json TRUTH [compacting-untold] [together] [server]

TRUTH is what dotnet/Collections.cs wrote. What is compared, between its begin and end:

  counts       collections, and those of generation 1 or more and 2, are CollectionCount's
  each         its generation, and whether the program ran beside it, are GetGCMemoryInfo's
  numbers      go up by 1 from collection to collection, in the order of their starts
  causes       each call of GC.Collect lies around a collection that was asked for, of that
               generation or an older one; and nothing else is called asked for. Where the runtime
               does not tell it of a call that wants to compact, no cause is told of that one
  pauses       of each collection what the runtime calls its pause, within 5 % or 0.3 ms: of one that
               has a stop of its own the whole of it; of one that a background one lets in at its
               start what lies between its start and its end, as the runtime leaves out the rest of
               that stop; of a background one the stop that finishes its marking. Parts of a stop add
               up to it, and the first is until that collection's end. One in 50 may be shorter.
               gctrace's brackets lie around the runtime's: of one in four it may be longer, where
               the host took the CPU in between, as one with more work than cores does
  calls        a collection that was waited for lies within the call

Prints what differs, and a line of what was compared; the exit status is 0 where nothing differs.
"""
import json
import sys

errors = []


def error(text):
    errors.append(text)


class Truth:
    def __init__(self, path):
        self.collections, self.asked, self.turned = {}, [], set()
        for line in open(path, encoding='ascii'):
            word, *rest = line.split()
            numbers = [int(number) for number in rest]
            if word == 'begin':
                self.begin = numbers
            elif word == 'end':
                self.end = numbers
            elif word == 'asked':
                self.asked.append(numbers)
            elif any(numbers[4:]):
                self.collections[numbers[0]] = numbers[1:]
            else:  # begun as a background one, and carried out as a blocking one of that number
                self.turned.add(numbers[0])

    def counted(self, generation):
        return self.end[1 + generation] - self.begin[1 + generation]


def read(path):
    """Collections, pauses, and the summary."""
    collections, pauses, summary = [], [], None
    for line in open(path, encoding='utf-8'):
        event = json.loads(line)
        if event['event'] == 'gc':
            collections.append(event)
        elif event['event'] == 'pause':
            pauses.append(event)
        elif event['event'] == 'summary':
            summary = event
    return sorted(collections, key=lambda event: event['start_ns']), pauses, summary


def compare_counts(traced, truth):
    for generation in range(3):
        ours = sum(event['generation'] >= generation for event in traced)
        if ours != truth.counted(generation):
            error(f'{ours} collections of generation {generation} or more, '
                  f'CollectionCount says {truth.counted(generation)}')


def compare_numbers(traced):
    for before, event in zip(traced, traced[1:]):
        if event['gc'] != before['gc'] + 1:
            error(f"collection {event['gc']} follows {before['gc']}")


def compare_each(traced, truth):
    """The runtime numbers collections from 1 as they start."""
    compared = 0
    for index, event in enumerate(traced, truth.begin[1] + 1):
        if index not in truth.collections:
            continue
        compared += 1
        generation, concurrent, *_ = truth.collections[index]
        if event['generation'] != generation:
            error(f"collection {index} is of generation {generation}, "
                  f"gctrace says {event['generation']}")
        # Of one that turned, gctrace says how it began.
        if event.get('concurrent', False) != bool(concurrent) and index not in truth.turned:
            error(f'collection {index} is {"" if concurrent else "not "}in the background')
        if 'pause_ns' not in event:
            error(f'the pause of collection {index} is not told')
    return compared


def compare_pauses(traced, pauses, truth, has_background, shorter_per_item):
    """Each with the runtime's. How many stops were shared, and all pauses: gctrace's, the runtime's."""
    shared, shorter, longer, sums, compared = 0, [], [], [0, 0], 0

    def compare(what, ours, theirs, inner=None):
        nonlocal compared
        compared += 1
        nearest = min(ours, ours if inner is None else inner, key=lambda each: abs(each - theirs))
        sums[0] += nearest
        sums[1] += theirs
        if abs(nearest - theirs) > max(300e3, 0.05 * theirs):
            others = longer if nearest > theirs else shorter
            others.append(f'{what}: {ours / 1e6:.3f} ms, the runtime says {theirs / 1e6:.3f}')

    for index, event in enumerate(traced, truth.begin[1] + 1):
        if index not in truth.collections or 'pause_ns' not in event:
            continue
        _, concurrent, _, pause, _, _, _, second = truth.collections[index]
        name = f'pause of collection {index}'
        if not concurrent and event.get('shares_stop'):
            shared += 1
            compare(name, event['pause_ns'], pause, event['end_ns'] - event['start_ns'])
            if event['pause_ns'] != event['end_ns'] - event['stop_start_ns']:
                error(f'the part of collection {index} is not until its end')
        elif not concurrent:
            compare(name, event['pause_ns'], pause)
        elif has_background and index not in truth.turned:
            own = [pause for pause in pauses if pause['kind'] in ('remark', 'survivors') and
                   event['start_ns'] <= pause['start_ns'] <= event['end_ns']]
            compare(f'{name} to finish marking',
                    sum(pause['pause_ns'] for pause in own if pause['kind'] == 'remark'), second)
            parts = event['pause_ns'] - sum(pause['pause_ns'] for pause in own)
            parts += sum(other['pause_ns'] for other in traced if other is not event and
                         'stop_start_ns' in event and
                         other.get('stop_start_ns') == event['stop_start_ns'])
            if 'stop_ns' in event and parts != event['stop_ns']:
                error(f"parts of a stop are {parts} ns of {event['stop_ns']}")
    for others, word, most in ((shorter, 'shorter', shorter_per_item), (longer, 'longer', 0.25)):
        if len(others) > max(1, compared * most):
            error(f'{len(others)} of {compared} pauses are {word}')
            errors.extend(others)
    return shared, sums


def compare_asked(traced, truth, is_compacting_untold):
    """Calls of GC.Collect, and collections that the runtime says were asked for."""
    left = [event for event in traced if event.get('cause', '').startswith('explicit')]
    nexts = [asked[0] for asked in truth.asked[1:]] + [truth.end[0]]
    for (start, end, generation, blocking, compacting), next_ in zip(truth.asked, nexts):
        # One in the background may begin when the call is over, or not at all where one runs.
        until = end if blocking else next_
        within = [event for event in left if start <= event['start_ns'] <= until]
        left = [event for event in left if event not in within]
        if not blocking:
            continue
        if compacting and is_compacting_untold:
            if within or not any(start <= event['start_ns'] and event['end_ns'] <= end and
                                 event['generation'] >= generation and 'cause' not in event
                                 for event in traced):
                error(f'of a call for generation {generation} gctrace has a cause, or nothing')
        elif len(within) != 1 or within[0]['generation'] < generation:
            error(f'of a call for generation {generation} gctrace has '
                  f"{[event['generation'] for event in within]}")
        # The runtime may make a background one of a call for generation 1, and not wait for it.
        elif within[0]['end_ns'] > end and not within[0].get('concurrent'):
            error(f"collection {within[0]['gc']} ends {within[0]['end_ns'] - end} ns after the "
                  'call that waited for it')
    for event in left:
        error(f"collection {event['gc']} was not asked for, gctrace says so")


def main():
    truth = Truth(sys.argv[2])
    traced, pauses, summary = read(sys.argv[1])
    traced = [event for event in traced if truth.begin[0] <= event['start_ns'] <= truth.end[0]]
    if not summary or not summary['complete'] or any(summary['odd'].values()):
        error(f'something was lost or odd: {summary}')
    if any(event.get('partial') or event.get('incomplete') or event.get('cut_off')
           for event in traced):
        error('a collection is not whole')
    compare_counts(traced, truth)
    compare_numbers(traced)
    compared = compare_each(traced, truth)
    shared, sums = compare_pauses(traced, pauses, truth,
                                  any(event.get('concurrent') for event in traced),
                                  0.1 if 'server' in sys.argv[3:] else 0.02)
    compare_asked(traced, truth, 'compacting-untold' in sys.argv[3:])
    beside = sum(event.get('concurrent', False) for event in traced)
    for text in errors[:20]:
        print(text[:1000])
    print(f'{len(traced)} collections, {beside} of them in the background, {compared} compared one '
          f'by one, {len(truth.asked)} calls, {shared} stops shared; pauses {sums[0] / 1e6:.3f} ms, '
          f'the runtime says {sums[1] / 1e6:.3f}')
    if len(traced) < 10 or compared < 10 or ('together' in sys.argv[3:] and shared < 10):
        print('the load is too light')
        return 1
    return 1 if errors else 0


if __name__ == '__main__':
    sys.exit(main())
