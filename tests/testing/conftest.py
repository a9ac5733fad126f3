"""Helpers that several folders of tests use lie above them."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
