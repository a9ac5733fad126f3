"""Compare the results of all modules on small fixed data with those that were recorded.

python tools/fingerprints.py            # say what differs
python tools/fingerprints.py --update   # record new results of raised versions
python tools/fingerprints.py --update --force   # record whatever comes out
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

# As in the tests; read when NumPy is first imported, which is later.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")
_JITTERS = 10
_TESTS = Path(__file__).parent.parent / "tests"
sys.path[:0] = [str(_TESTS / "fixed"), str(_TESTS)]


def main() -> int:
    """Compare, and update when asked."""
    from fingerprints import fingerprints  # noqa: PLC0415 - the path was set above
    from record import FILE, complaint, may_update, read, recorded, write  # noqa: PLC0415

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--update", action="store_true", help="record what versions explain")
    parser.add_argument("--force", action="store_true", help="record what they do not explain, too")
    arguments = parser.parse_args()
    old = read() if FILE.is_file() else {}
    new, refused = {}, 0
    for name, make in fingerprints(_JITTERS if arguments.update else 0):
        found, before = make(), old.get(name)
        problem = complaint(name, before, found)
        if arguments.update and (arguments.force or may_update(before, found)):
            new[name] = recorded(found) if problem or before is None else before
        else:
            new |= {} if before is None else {name: before}
            refused += bool(problem)
            print(problem, end="\n" if problem else "")
    if arguments.update:
        write(new)
        print(f"{sum(new[n] != old.get(n) for n in new)} of {len(new)} recorded, {refused} refused")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
