# SPDX-License-Identifier: BSD-2-Clause
"""load.py GO TRUTH: waits for the file GO, collects in many ways, and writes what gc.callbacks
said: a line `generation found start_ns end_ns` for each collection, in their order."""
import gc
import os
import sys
import threading
import time

go, path = sys.argv[1:3]
truth = []
started = []


def callback(phase, info):
    now = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    if phase == 'start':
        started.append(now)
        return
    # The probe counts both.
    found = info['collected'] + info['uncollectable']
    truth.append((info['generation'], found, started.pop(), now))


class Node:
    pass


class Final:
    """Its finalizer lets others run, in the middle of a collection, and asks for another one."""

    def __del__(self):
        gc.collect()
        time.sleep(0.01)


def work(kept):
    for i in range(60000):
        a, b = Node(), Node()
        a.peer, b.peer = b, a
        if i % 10 == 0:
            kept.append(a)


print('ready', flush=True)
while not os.path.exists(go):
    time.sleep(0.01)
gc.disable()
gc.callbacks.append(callback)
gc.enable()
leaks = [[], []]
threads = [threading.Thread(target=work, args=(leak,)) for leak in leaks]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
for generation in range(3):
    gc.collect(generation)
final = Final()
final.itself = final
del final
gc.collect()
gc.set_debug(gc.DEBUG_SAVEALL)
work([])
gc.collect()
gc.set_debug(0)
gc.disable()
with open(path, 'w', encoding='ascii') as file:
    for row in truth:
        print(*row, file=file)
# The interpreter's own end would collect a few times more, without callbacks.
os._exit(0)
