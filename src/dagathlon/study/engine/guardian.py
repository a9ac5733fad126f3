"""Kills the workers of an engine that has died.

It runs as a script in a process of its own and imports next to nothing. The engine writes the
process groups of its workers to it; when the pipe ends, the engine is gone, and with SIGKILL too.
"""

import os
import signal
import sys


def main() -> None:
    """Track process groups; at the end of the input kill those still listed."""
    groups = set()
    for line in sys.stdin:
        group = int(line[1:])
        if line[0] == "+":
            groups.add(group)
        else:
            groups.discard(group)
    for group in groups:
        try:
            os.killpg(group, signal.SIGKILL)
        except OSError:
            continue


if __name__ == "__main__":
    main()
