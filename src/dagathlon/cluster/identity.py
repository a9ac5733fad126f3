"""Versions and digests of the code that decides results, compared between machines.

Two machines must have the same version of dagathlon, the same Python sources of it, a native core
built from the same sources, the same byte order, and the same feature releases of NumPy and SciPy,
whose random streams and algorithms may change with those. A worker for which this does not hold is
refused. Another patch release of NumPy or SciPy, another Python, another processor architecture
are remarks: results agree but for last digits, as they do between any two machines.
"""

from __future__ import annotations

import functools
import hashlib
import os
import platform
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple, cast

import dagathlon
from dagathlon import _core
from dagathlon.errors import DagathlonError
from dagathlon.modules import Kind, find

_UNKNOWN = "unknown"
_SAME_SOURCES = "install the same sources on both: pip install . of one checkout, or the same wheel"


@functools.cache
def _identity() -> tuple[tuple[str, str], ...]:
    return (
        ("dagathlon", _version("dagathlon")),
        ("sources", _sources_digest(Path(dagathlon.__file__).parent)),
        ("core", _core.source_digest()),
        ("byte_order", sys.byteorder),
        ("architecture", platform.machine()),
        ("python", ".".join(platform.python_version_tuple()[:2])),
        ("numpy", _version("numpy")),
        ("scipy", _version("scipy")),
    )


def identity() -> dict[str, str]:
    """Return versions and source digests that decide results here, as JSON-serialisable text.

    Returns
    -------
    dict
        ``dagathlon``, ``python`` (major and minor), ``numpy``, ``scipy``: versions; ``sources``:
        digest of the package's Python files and tables; ``core``: digest of the sources of the
        native core; ``byte_order``, ``architecture``.
    """
    return dict(_identity())


class _Rule(NamedTuple):
    """One field to compare: its name in messages, whether it refuses a worker, and the remedy."""

    name: str
    words: str
    refuses: bool
    advice: str


_RULES = (
    _Rule("dagathlon", "dagathlon", True, "pip install dagathlon=={ours}"),
    _Rule("sources", "the Python sources of dagathlon", True, _SAME_SOURCES),
    _Rule("core", "the sources of dagathlon's native core", True, _SAME_SOURCES),
    _Rule("byte_order", "the byte order", True, "such a machine cannot take part"),
    _Rule("architecture", "the processor architecture", False, "last digits may differ"),
    _Rule("python", "Python", False, "results agree, messages may not"),
)
_LIBRARIES = ("numpy", "scipy")


def objections(ours: Mapping[str, str], theirs: Mapping[str, str]) -> list[str]:
    """Return why a worker must not take part, as sentences; empty when it may.

    Parameters
    ----------
    ours, theirs
        Results of `identity` here and there; the other version may lack entries.
    """
    return [text for text, refuses in _compared(ours, theirs) if refuses]


def remarks(ours: Mapping[str, str], theirs: Mapping[str, str]) -> list[str]:
    """Return differences that do not refuse a worker."""
    return [text for text, refuses in _compared(ours, theirs) if not refuses]


def _compared(ours: Mapping[str, str], theirs: Mapping[str, str]) -> Iterator[tuple[str, bool]]:
    for name, words, refuses, advice in _RULES:
        here, theirs_text = _both(ours, theirs, name)
        if here != theirs_text:
            yield _sentence(words, here, theirs_text, advice.format(ours=here)), refuses
            if name == "dagathlon":
                return  # with another version all the rest is other too
    for name in _LIBRARIES:
        here, theirs_text = _both(ours, theirs, name)
        if here != theirs_text:
            refuses = _feature_release(here) != _feature_release(theirs_text)
            yield _sentence(name, here, theirs_text, f"pip install {name}=={here}"), refuses


def _both(ours: Mapping[str, str], theirs: Mapping[str, str], name: str) -> tuple[str, str]:
    return str(ours.get(name, _UNKNOWN)), str(theirs.get(name, _UNKNOWN))


def _sentence(words: str, here: str, there: str, advice: str) -> str:
    return f"{words}: {_short(here)} here, {_short(there)} there; {advice}"


def _short(text: str) -> str:
    """Return the first characters of a digest, for messages."""
    is_digest = len(text) == 2 * hashlib.sha256().digest_size
    shown = text[:12] if is_digest else text[:60]
    return "".join(sign if sign.isprintable() else "?" for sign in shown)


def _feature_release(version_: str) -> list[str]:
    return version_.split(".")[:2]


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return _UNKNOWN


def _sources_digest(folder: Path) -> str:
    """Digest of Python files and tables below a folder, independent of where the folder is."""
    whole = hashlib.sha256()
    for path in sorted(_source_files(str(folder))):
        with open(os.path.join(folder, path), "rb") as file:
            content = hashlib.sha256(file.read()).hexdigest()
        whole.update(f"{content}  {path}\n".encode())
    return whole.hexdigest()


def _source_files(folder: str, above: str = "") -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            name = f"{above}{entry.name}"
            if entry.is_dir():
                if entry.name != "__pycache__":
                    yield from _source_files(entry.path, f"{name}/")
            elif name.endswith((".py", ".toml")):  # Benchpress's names are rows of tables
                yield name


def lacking(calls: Sequence[tuple[str, str, int]]) -> dict[str, str]:
    """Return which of these modules are missing or of another version here, with the reason.

    Parameters
    ----------
    calls
        Kind (as `find` takes it), name and version of each module.

    Returns
    -------
    dict
        Why a module cannot run here, by `module_id`; empty when all can.
    """
    missing = {
        module_id(kind, name): _why_not(kind, name, version_) for kind, name, version_ in calls
    }
    return {module: reason for module, reason in missing.items() if reason}


def module_id(kind: str, name: str) -> str:
    """Return the key of a module in the result of `lacking`."""
    return f"{kind} {name}"


def _why_not(kind: str, name: str, wanted: int) -> str:
    try:
        module = find(cast(Kind, kind), name)
        if module.version != wanted:
            return (
                f"version {module.version} of {name} is here, the study has {wanted}; "
                "the file that defines it must be the same on all machines"
            )
        return module.unavailable
    except DagathlonError as error:
        return str(error)
    except (Exception, SystemExit) as error:  # a user's module may do anything when it is loaded
        return f"{type(error).__name__}: {error}"
