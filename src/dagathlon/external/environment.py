"""Environments of external programs: their requirements, and how their command is started."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, TypeAlias

from dagathlon.processes.variables import CARDS, THREAD_VARIABLES

OFFLINE = "DAGATHLON_OFFLINE"
"""Environment variable: 1 forbids installing requirements of modules."""
PLACE_HOLDER = re.compile(r"\{([\w.\-]+)\}")

Say: TypeAlias = Callable[[str], None]
_FRESH = 30.0
_PROBE_LIMIT = 60.0
_R_PROBE = (
    "need <- commandArgs(TRUE); here <- vapply(need, function(name) "
    "nzchar(system.file(package = name)), NA); cat(need[!here], sep = ' ')"
)


@dataclass(frozen=True)
class Environment:
    """Environment of a program; the plain one is this machine with the programs on the PATH.

    Parameters
    ----------
    folder
        The module's folder.
    hint
        How to install what is missing.
    commands
        Programs that must be on the PATH.
    r_packages
        R packages that must be installed.

    Attributes
    ----------
    place_holders
        Placeholders of a command besides ``{folder}``, ``{seed}`` and the parameters.
    ends_with_input
        Whether closing its standard input makes the program end.
    can_serve
        Whether a server can run there.
    """

    place_holders: ClassVar[tuple[str, ...]] = ()
    ends_with_input: ClassVar[bool] = False
    can_serve: ClassVar[bool] = True

    folder: Path
    hint: str = ""
    commands: tuple[str, ...] = ()
    r_packages: tuple[str, ...] = ()

    def missing(self) -> str:
        """Return what is missing here, in words; empty when the program can run."""
        absent = [name for name in self.commands if shutil.which(name) is None]
        if absent:
            return self._advised(f"needs {' and '.join(absent)} on the PATH")
        if self.r_packages:
            problem = missing_r_packages(self.r_packages, cache_period())
            return self._advised(problem) if problem else ""
        return ""

    def prepare(self, say: Say) -> None:
        """Install the program's requirements, where that is possible without asking.

        Parameters
        ----------
        say
            Called with a message before anything is installed.

        Raises
        ------
        UnavailableError
            When that does not succeed.
        """

    def command(self, words: Sequence[str], values: Mapping[str, str], work: Path) -> list[str]:
        """Return the command line with values in place of ``{name}``; `work` is its folder."""
        return fill_placeholders(words, {**values, "folder": str(self.folder)})

    def variables(self) -> dict[str, str]:
        """Return the environment variables: those of this process, by default with one thread."""
        return {**dict.fromkeys(THREAD_VARIABLES, "1"), **os.environ}

    def _advised(self, problem: str) -> str:
        return f"{problem} ({self.hint})" if self.hint else problem


def fill_placeholders(words: Sequence[str], values: Mapping[str, str]) -> list[str]:
    """Replace ``{name}`` in the words by values; leave other braces unchanged."""

    def value(match: re.Match[str]) -> str:
        return values.get(match.group(1), match.group(0))

    return [PLACE_HOLDER.sub(value, word) for word in words]


def threads_given() -> dict[str, str]:
    """Return environment variables with the thread limit, for programs that do not inherit ours."""
    return {name: os.environ.get(name, "1") for name in THREAD_VARIABLES}


def cards_given() -> str:
    """Return the permitted cards in the notation of `CUDA_VISIBLE_DEVICES`; empty for none."""
    return os.environ.get(CARDS, "")


def offline() -> bool:
    """Whether the user forbids installing anything."""
    return os.environ.get(OFFLINE, "") not in ("", "0")


def cache_period() -> int:
    """Return a slowly changing number, used as a cache key so that cached lookups expire."""
    return int(time.monotonic() / _FRESH)


def output_of(command: Sequence[str], limit: float | None = _PROBE_LIMIT) -> tuple[int, str]:
    """Run a helper program; return exit code (127 if it cannot start) and output."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=limit,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return 127, str(error)
    return done.returncode, done.stdout.strip() or done.stderr.strip()


@functools.lru_cache(maxsize=64)
def missing_r_packages(packages: tuple[str, ...], _moment: int) -> str:
    """Return which R packages are not installed, in words."""
    code, output = output_of(["Rscript", "--vanilla", "-e", _R_PROBE, *packages])
    if code:
        return f"Rscript does not work: {output.splitlines()[-1] if output else code}"
    return f"needs the R package {' and '.join(output.split())}" if output else ""
