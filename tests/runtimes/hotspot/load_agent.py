# SPDX-License-Identifier: BSD-2-Clause
"""Has a JVM load an agent with options, as gctrace does it: jcmd loses what follows a `=`.

usage: load_agent.py PID LIBRARY OPTIONS    (jcmd has spoken with it before: its socket is there)

Prints what the JVM answers."""
import socket
import sys

pid, library, options = sys.argv[1:]
jvm = socket.socket(socket.AF_UNIX)
jvm.connect(f"/proc/{pid}/root/tmp/.java_pid{pid}")
jvm.sendall(b"".join(word.encode() + b"\0" for word in ("1", "load", library, "true", options)))
while text := jvm.recv(4096):
    print(text.decode(), end="")
