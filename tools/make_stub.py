"""Write src/dagathlon/_core.pyi from the built native module; ``--check`` only compares.

Run it after changing anything in cpp/bind: ``python tools/make_stub.py``.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from nanobind.stubgen import StubGen

import dagathlon._core

TARGET = Path(__file__).parent.parent / "src" / "dagathlon" / "_core.pyi"
# Shapes and strides are checked at run time; mypy only reads the element type.
ANNOTATED = re.compile(r"Annotated\[(NDArray\[[\w.]+\]), dict\((?:[^()]|\([^()]*\))*\)\]")


def stub() -> str:
    """The stub's text, formatted as the rest of the code."""
    generator = StubGen(dagathlon._core, quiet=True)
    generator.put(dagathlon._core)
    text = ANNOTATED.sub(r"\1", generator.get())
    text = "# Written by tools/make_stub.py; do not edit.\n" + text
    command = [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(TARGET), "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    return done.stdout


def main() -> int:
    """Write or check the stub."""
    text = stub()
    if "--check" in sys.argv[1:]:
        if TARGET.read_text() == text:
            return 0
        print("src/dagathlon/_core.pyi is out of date: run python tools/make_stub.py")
        return 1
    TARGET.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
