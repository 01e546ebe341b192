#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Files that hold something, DIRECTORY/PATTERN* or in directories of such names, as they come and
go: a line for each, until a signal ends this. What is there for a moment only is seen in most rounds.

  files.py DIRECTORY PATTERN
"""
import glob
import os
import stat
import sys
import time

seen = set()
place = os.path.join(glob.escape(sys.argv[1]), sys.argv[2] + "*")
while True:
    for path in glob.glob(place) + glob.glob(os.path.join(place, "*")):
        try:
            what = os.lstat(path)
        except OSError:
            continue
        if stat.S_ISREG(what.st_mode) and what.st_size and path not in seen:
            seen.add(path)
            print(path, flush=True)
    time.sleep(0.001)
