"""Runs the quick tests as other machines would: other BLAS kernels, other NumPy and SciPy.

    python tools/portable_tests.py                            # all kernels, this environment
    python tools/portable_tests.py --libraries oldest newest  # in environments of their own
    python tools/portable_tests.py --kernels Haswell -- tests/learners -x

What a processor computes differs in the last digits from what another does, since OpenBLAS chooses
its kernels by the processor; here the choice is made by hand. The tests that need reference data
are left out, as on a machine that has none. Ends with 1 when a run fails or nothing could run.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tomllib
import venv
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
KERNELS = ("Haswell", "SkylakeX", "Zen", "Prescott")
LIBRARIES = ("current", "oldest", "newest")
# Instructions that a kernel needs, by the words of /proc/cpuinfo.
NEEDS = {"Haswell": "avx2", "SkylakeX": "avx512f", "Zen": "avx2", "Prescott": "sse2"}
# Those whose digits or whose behaviour tests could depend on.
NUMERIC = ("numpy", "scipy", "pyarrow", "pandas", "polars", "networkx", "igraph", "hypothesis")


def main() -> int:
    """One run of the tests for each kernel and each choice of libraries."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kernels", nargs="+", choices=KERNELS, default=KERNELS)
    parser.add_argument("--libraries", nargs="+", choices=LIBRARIES, default=["current"])
    parser.add_argument("--folder", type=Path, default=ROOT / ".cache" / "portable")
    known, rest = parser.parse_known_args()
    arguments = [one for one in rest if one != "--"]
    passed, failed, left_out = [], [], []
    for libraries in known.libraries:
        python = _environment(libraries, known.folder)
        for kernel in known.kernels:
            name = f"{kernel} kernels, {libraries} libraries"
            if NEEDS[kernel] not in _processor():
                print(f"== {name}: left out, this processor has no {NEEDS[kernel]}", flush=True)
                left_out.append(name)
                continue
            print(f"== {name} ({_versions(python, kernel)})", flush=True)
            (failed if _tests(python, kernel, arguments) else passed).append(name)
    for word, names in (("passed", passed), ("left out", left_out), ("failed", failed)):
        if names:
            print(f"{word}: {'; '.join(names)}")
    return 1 if failed or not passed else 0


def _tests(python: str, kernel: str, arguments: Sequence[str]) -> int:
    command = [python, "-m", "pytest", "-q", *arguments]
    return subprocess.run(command, cwd=ROOT, env=_setting(kernel), check=False).returncode


def _setting(kernel: str) -> dict[str, str]:
    return {**os.environ, "OPENBLAS_CORETYPE": kernel, "DAGATHLON_SHARED": os.devnull}


def _processor() -> str:
    return Path("/proc/cpuinfo").read_text("utf-8")


def _versions(python: str, kernel: str) -> str:
    """What really runs: OpenBLAS may know better than we do."""
    code = (
        "import numpy, scipy.linalg, threadpoolctl;"
        "print('NumPy', numpy.__version__ + ', SciPy', scipy.__version__ + ',',"
        "      *{one.get('architecture') for one in threadpoolctl.threadpool_info()})"
    )
    done = subprocess.run(
        [python, "-c", code], env=_setting(kernel), capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def _environment(libraries: str, folder: Path) -> str:
    """The interpreter of an environment with the wanted libraries; made when it is not there."""
    if libraries == "current":
        return sys.executable
    place = folder / libraries
    python = str(place / "bin" / "python")
    venv.create(place, with_pip=True, clear=False)
    pins = _oldest() if libraries == "oldest" else ()
    limits = folder / f"{libraries}.txt"
    limits.write_text("\n".join(pins) + "\n", "utf-8")
    upgrade = ["--upgrade"] if libraries == "newest" else []
    command = [python, "-m", "pip", "install", "-q", *upgrade, "-c", str(limits), "-e", ".[test]"]
    subprocess.run(command, cwd=ROOT, check=True)
    return python


def _oldest() -> Iterator[str]:
    """The least versions that the project says it works with."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    for need in [*project["dependencies"], *project["optional-dependencies"]["test"]]:
        found = re.fullmatch(r"([\w-]+)>=([\d.]+)", need)
        if found and found[1] in NUMERIC:
            yield f"{found[1]}=={found[2]}.*"


if __name__ == "__main__":
    sys.exit(main())
