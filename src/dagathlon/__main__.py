"""``python -m dagathlon``."""

import sys

from dagathlon.cli import main

if __name__ == "__main__":
    sys.exit(main())
