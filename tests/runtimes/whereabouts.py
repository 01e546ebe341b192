# SPDX-License-Identifier: BSD-2-Clause
"""Threads that know where they are, and when: "TID PHASE FROM UNTIL", in ns of CLOCK_MONOTONIC.

    whereabouts.py STOP FILE: until there is a file STOP

Two go through phases, one after the other: a loop of Python, one of native code that lets others
run, a sleep, a collection. Two are all the time where they wait: at a lock, for a byte of a pipe.
"""
import gc
import hashlib
import os
import sys
import threading
import time

gc.disable()
kept = [[i] for i in range(100000)]
block = bytes(8 << 20)
door = threading.Lock()
reader, writer = os.pipe()
everything = []
over = threading.Event()
until = 0


def spin(count):
    total = 0
    while count:
        count -= 1
        total += count
    return total


def call_native():
    hashlib.sha256(block).digest()


def sleep():
    time.sleep(0.005)


def collect():
    gc.collect()


def wait_at_door():
    with door:
        pass


def read_byte():
    os.read(reader, 1)


def go():
    own, tid = [], threading.get_native_id()
    phases = ((spin, 30000), (call_native,), (sleep,), (collect,))
    while not over.is_set():
        for function, *arguments in phases:
            start = time.monotonic_ns()
            function(*arguments)
            own.append((tid, function.__name__, start, time.monotonic_ns()))
    everything.extend(own)


def wait(function):
    tid, start = threading.get_native_id(), time.monotonic_ns()
    function()
    # What is awaited happens a moment before it is known.
    everything.append((tid, function.__name__, start + 200000000, until))


def main():
    global until
    door.acquire()
    threads = [threading.Thread(target=go) for _ in range(2)]
    threads += [threading.Thread(target=wait, args=(function,))
                for function in (wait_at_door, read_byte)]
    for thread in threads:
        thread.start()
    print("ready", flush=True)
    while not os.path.exists(sys.argv[1]):
        time.sleep(0.02)
    until = time.monotonic_ns()
    over.set()
    door.release()
    os.write(writer, b".")
    for thread in threads:
        thread.join()
    with open(sys.argv[2], "w", encoding="ascii") as file:
        for phase in everything:
            print(*phase, file=file)


main()
