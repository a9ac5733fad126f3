"""Python scripts with their own dependencies, each in an environment managed by uv."""

from __future__ import annotations

import functools
import importlib
import re
import shutil
import time
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, NamedTuple

from dagathlon.errors import UnavailableError
from dagathlon.external.cache import locked
from dagathlon.external.environment import (
    OFFLINE,
    Environment,
    Say,
    cache_period,
    offline,
    output_of,
)

_INLINE = re.compile(r"^# /// script\n((?:#(?: .*)?\n)*?)# ///$", re.M)
_FORBIDDEN = (
    f"its packages are not installed and {OFFLINE} forbids to install them (run dagathlon prepare "
    "STUDY.json without it, where there is a network)"
)
_REMEMBERED = 30.0  # seconds for which a failure is not tried again
_READABLE = 100
_FOREIGN = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PYTHONSTARTUP")


class _Script(NamedTuple):
    """Cache key of a script: path and modification time."""

    path: str
    changed: int


@dataclass(frozen=True)
class UvEnvironment(Environment):
    """Environment made by uv from the dependencies declared in a script's first lines.

    Parameters
    ----------
    script
        The script with inline metadata (PEP 723), relative to the module's folder. ``{python}`` in
        the command is the interpreter of its environment.
    """

    place_holders: ClassVar[tuple[str, ...]] = ("python",)

    script: str = ""

    def missing(self) -> str:
        """Return what is missing: uv, or offline the environment; else empty."""
        if find_uv() is None:
            hint = self.hint or "pip install 'dagathlon[external]'"
            return f"needs uv ({hint})"
        if offline() and _interpreter(self._script) is None:
            return _FORBIDDEN
        return ""

    def prepare(self, say: Say) -> None:
        """Make the environment unless it exists."""
        script = self._script
        if _interpreter(script) is None:
            # Modules that share a script would each wait for the same failure.
            known = _failures.get(script)
            if known is not None and time.monotonic() - known[0] < _REMEMBERED:
                raise UnavailableError(known[1])
            problem = _installed(script, say)
            if problem:
                _failures[script] = time.monotonic(), problem
                raise UnavailableError(problem)

    def command(self, words: Sequence[str], values: Mapping[str, str], work: Path) -> list[str]:
        """Return the command line; ``{python}`` is the interpreter of the environment."""
        python = _interpreter(self._script)
        if python is None:
            raise UnavailableError("its Python environment has not been made")
        return super().command(words, {**values, "python": python}, work)

    def variables(self) -> dict[str, str]:
        """Return environment variables without those that add packages of other environments."""
        own_variables = {k: v for k, v in super().variables().items() if k not in _FOREIGN}
        return {**own_variables, "PYTHONNOUSERSITE": "1"}

    @property
    def _script(self) -> _Script:
        path = self.folder / self.script
        return _Script(str(path), path.stat().st_mtime_ns)


def find_uv() -> str | None:
    """Return the path of uv, from the PATH or from the Python package of that name."""
    path = shutil.which("uv")
    if path is not None:
        return path
    try:
        package = importlib.import_module("uv")
        return str(package.find_uv_bin())
    except (ImportError, FileNotFoundError):
        return None


def dependencies(script: Path) -> str:
    """Return the packages required by a script, as declared in it."""
    match = _INLINE.search(script.read_text(encoding="utf-8"))
    lines = (match.group(1) if match else "").splitlines()
    metadata = tomllib.loads("\n".join(line[2:] for line in lines))
    return ", ".join(map(str, metadata.get("dependencies", []))) or "no packages"


def _interpreter(script: _Script) -> str | None:
    """Return the interpreter of a script's environment; None if it is absent or outdated."""
    interpreter = _interpreters.get(script) or _ask_uv(script, cache_period())
    if interpreter is not None:
        _interpreters[script] = interpreter
    return interpreter


_interpreters: dict[_Script, str] = {}
_failures: dict[_Script, tuple[float, str]] = {}


@functools.lru_cache(maxsize=64)
def _ask_uv(script: _Script, _moment: int) -> str | None:
    """Ask uv offline for a script's interpreter; None if it is absent or outdated."""
    if find_uv() is None:
        return None
    code, _ = _uv("sync", "--quiet", "--offline", "--script", script.path)
    if code:
        return None
    code, path = _uv("python", "find", "--offline", "--script", script.path)
    return path if not code and Path(path).is_file() else None


def _installed(script: _Script, say: Say) -> str:
    """Make the environment; return the error in words, empty on success."""
    if offline():
        return _FORBIDDEN
    with locked(script.path):
        _ask_uv.cache_clear()  # another process may have made it meanwhile
        if _interpreter(script) is not None:
            return ""
        packages = _package_words(dependencies(Path(script.path)))
        say(f"installing {packages} with uv, for the first run")
        code, output = _uv("sync", "--quiet", "--script", script.path)
        _ask_uv.cache_clear()
        if not code and _interpreter(script) is not None:
            return ""
    return f"uv could not install its packages: {_short_error(output) or f'exit code {code}'}"


def _package_words(packages: str) -> str:
    """Return the packages as text, or their number if they are too many to read."""
    number = packages.count(",") + 1
    return packages if len(packages) <= _READABLE else f"{number} packages (this takes minutes)"


def _short_error(output: str) -> str:
    """Return uv's first error and the last of its causes."""
    lines = [line.strip().removeprefix("error: ") for line in output.splitlines() if line.strip()]
    ends = dict.fromkeys([*lines[:1], *lines[-1:]])
    return "; ".join(line.removeprefix("cause: ") for line in ends)


def _uv(*arguments: str) -> tuple[int, str]:
    return output_of([find_uv() or "uv", *arguments], None)
