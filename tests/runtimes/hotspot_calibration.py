#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Are estimates by site as good as they say?  hotspot_calibration.py TRUTH SITES.json LEAST [even]

TRUTH is what hotspot/Calibration.java printed, SITES.json the lines of `gctrace follow --by site`.
Each place is an experiment of its own: is the truth inside the interval that is stated? Prints for
how many of them it is, for allocated and live bytes apart, and variance/mean of the numbers of
samples; the exit status is 1 where fewer than LEAST are inside, or where the samples are beyond
chance overdispersed, or (even) too many or too few altogether. Where the sampler repeats its random
numbers counts may be off by as much as intervals are wider by it.
"""
import json
import math
import statistics
import sys


def dispersion_most(places):
    """What counts of independent samples exceed once in a thousand runs (chi-square)."""
    k = places - 1
    return (1 - 2 / (9 * k) + 3.09 * math.sqrt(2 / (9 * k))) ** 3


def average_most(samples):
    """How far the estimate of all is off at most: once in 10,000 runs it is further by chance."""
    return 3.9 / math.sqrt(samples)


def read_truth(path):
    truth = {}
    with open(path, encoding='ascii') as file:
        for line in file:
            words = line.split()
            if words and words[0] == 'place':
                truth[int(words[1])] = (int(words[2]), int(words[3]))
    return truth


def last_round(path):
    """The sites of the last round, by place, the sampler's interval and its repeats."""
    sites, interval, repeats = {}, 0, 0
    with open(path, encoding='utf-8') as file:
        for line in file:
            event = json.loads(line)
            if event['event'] == 'samples':
                sites = {}
                interval, repeats = event['interval_bytes'], event.get('repeats', 0)
            elif event['event'] == 'site' and event['stack'][0].startswith('Calibration.make('):
                place = sum(frame.startswith('Calibration.place(') for frame in event['stack']) - 1
                sites.setdefault(place, []).append(event)
    return sites, interval, repeats


def limits(events, key):
    of = [event.get('estimated', {}).get(key, [event.get(key, 0)] * 2) for event in events]
    return sum(low for low, _ in of), sum(high for _, high in of)


def main():
    truth, least = read_truth(sys.argv[1]), int(sys.argv[3])
    sites, interval, repeats = last_round(sys.argv[2])
    failed = False
    for i, key in enumerate(('allocated_bytes', 'live_bytes')):
        inside, ratios = 0, []
        for place, figures in truth.items():
            events = sites.get(place, [])
            low, high = limits(events, key)
            inside += low <= figures[i] <= high
            ratios.append(sum(event.get(key, 0) for event in events) / figures[i])
        print(f'{key}: {inside} of {len(truth)} inside, estimate/truth '
              f'{min(ratios):.2f} to {max(ratios):.2f}, average {statistics.mean(ratios):.3f}')
        failed |= inside < least
        total = sum(figures[i] for figures in truth.values())
        estimate = sum(event.get(key, 0) for events in sites.values() for event in events)
        if 'even' in sys.argv[4:]:
            failed |= abs(estimate / total - 1) > average_most(total / interval)
    counts = [sum(event['allocated_samples'] for event in sites.get(place, [])) for place in truth]
    mean = max(statistics.mean(counts), 1)
    dispersion = statistics.variance(counts) / mean
    print(f'samples: {mean:.1f} a place, variance/mean {dispersion:.2f}, repeats {repeats:.3g}')
    return (failed or not truth or
            dispersion > dispersion_most(len(truth)) * (1 + repeats * mean))


if __name__ == '__main__':
    sys.exit(main())
