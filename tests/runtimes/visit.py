#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Visits a web server by four connections at once until SIGTERM.

    visit.py http://HOST:PORT

Prints `N visits` ten times a second, and `N visits, N failed` at the end.
"""
import http.client
import signal
import sys
import threading
import time

CONNECTIONS = 4
ended = threading.Event()
visits, failures = [0] * CONNECTIONS, [0] * CONNECTIONS


def visit(number, address):
    connection = http.client.HTTPConnection(address, timeout=60)
    while not ended.is_set():
        try:
            connection.request('GET', '/')
            response = connection.getresponse()
            if response.status != 200 or not response.read().endswith(b']'):
                failures[number] += 1
        except (OSError, http.client.HTTPException) as error:
            print(error, file=sys.stderr)
            failures[number] += 1
            connection.close()
        visits[number] += 1


def main():
    address = sys.argv[1].split('//')[1].rstrip('/')
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    threads = [threading.Thread(target=visit, args=(number, address))
               for number in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    while not ended.is_set():
        time.sleep(0.1)
        print(f'{sum(visits)} visits', flush=True)
    for thread in threads:
        thread.join()
    print(f'{sum(visits)} visits, {sum(failures)} failed')


main()
