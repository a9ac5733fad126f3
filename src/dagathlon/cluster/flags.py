"""Command-line arguments of cluster engines, and the file that may hold the same settings."""

from __future__ import annotations

import argparse
import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from dagathlon.cluster.settings import walltime_seconds
from dagathlon.errors import DagathlonError, no_such_file, unknown
from dagathlon.study.config.units import size_of
from dagathlon.study.engine.engines import DEFAULT


class _Word(NamedTuple):
    """A setting: its type in a file, the placeholder of its value in the help, and the help."""

    type: type
    metavar: str
    help: str


_WORDS: Mapping[str, _Word] = {
    "scheduler": _Word(str, "ADDRESS", "dask: a scheduler that runs already, tcp://host:8786"),
    "workers": _Word(int, "N", "workers; with a queue, one for each job"),
    "minimum": _Word(int, "N", "keep at least so many workers, more as there is work for them"),
    "cores": _Word(int, "N", "cores of each worker"),
    "memory": _Word(str, "SIZE", "memory of each job, e.g. 16G"),
    "walltime": _Word(str, "TIME", "how long a job may last, e.g. 12:00:00 or 2-00:00:00"),
    "partition": _Word(str, "NAME", "partition or queue of the jobs"),
    "account": _Word(str, "NAME", "account or project that the jobs are charged to"),
    "hosts": _Word(str, "FILE", "ssh: machines to log in to, one in a line"),
    "interface": _Word(str, "NAME", "network interface to listen on, e.g. ib0"),
    "host": _Word(str, "NAME", "name or address of this machine to listen on"),
    "dashboard": _Word(str, "ADDRESS", "where dask's dashboard listens (default: 127.0.0.1)"),
    "tls": _Word(bool, "", "encrypt all that goes between the machines"),
    "log_folder": _Word(str, "DIR", "where jobs write what they say, on a disk that all see"),
    "job_extra": _Word(list, "DIRECTIVE", "a further directive of each job, e.g. --gres=gpu:1"),
    "prologue": _Word(list, "LINE", "a line of the job's script before the worker starts"),
}
_COORDINATOR: Mapping[str, _Word] = {
    "coordinator_memory": _Word(str, "SIZE", "with --detach: memory of the run's own job (2G)"),
    "coordinator_walltime": _Word(str, "TIME", "with --detach: how long it may last (24:00:00)"),
}
_ONLY_IN_FILES: Mapping[str, _Word] = {
    "engine": _Word(str, "", ""),
    "options": _Word(dict, "", ""),
}
_NAMES = {str: "a text", int: "a number", bool: "true or false", list: "a list of texts"}


class EngineChoice(NamedTuple):
    """The requested engine with its settings.

    Parameters
    ----------
    engine
        Name of the engine.
    settings
        Values of its fields that were given.
    coordinator
        Memory and wall time of a run that is itself a job.
    """

    engine: str
    settings: Mapping[str, Any]
    coordinator: Mapping[str, str]


def add_cluster_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of commands that can run on a cluster."""
    group = parser.add_argument_group("clusters", "for the engines dask, slurm, pbs, lsf, sge, ssh")
    for word, (type_, metavar, text) in (*_WORDS.items(), *_COORDINATOR.items()):
        flag = f"--{word.replace('_', '-')}"
        if type_ is bool:
            group.add_argument(flag, action="store_true", default=None, help=text)
        elif type_ is list:
            group.add_argument(flag, action="append", metavar=metavar, help=text)
        else:
            group.add_argument(flag, type=type_, metavar=metavar, help=text)
    group.add_argument(
        "--cluster-settings",
        type=Path,
        metavar="FILE",
        help="a TOML or JSON file of the same words, and engine; flags win over it",
    )


def chosen_engine(arguments: argparse.Namespace) -> EngineChoice:
    """Return the engine that flags and file ask for; flags take precedence."""
    found = {} if arguments.cluster_settings is None else _read(arguments.cluster_settings)
    for word in ("engine", *_WORDS, *_COORDINATOR):
        if (value := getattr(arguments, word)) is not None:
            found[word] = value
    for word in ("workers", "cores", "minimum"):
        if found.get(word, 1) < 1:
            raise DagathlonError(f"{word} is a number from 1 on, found {found[word]}")
    coordinator = {word: found.pop(word) for word in _COORDINATOR if word in found}
    if "coordinator_memory" in coordinator:
        size_of(coordinator["coordinator_memory"], "coordinator_memory")
    if "coordinator_walltime" in coordinator:
        walltime_seconds(coordinator["coordinator_walltime"])
    engine = found.pop("engine", DEFAULT)
    settings = {word: tuple(v) if isinstance(v, list) else v for word, v in found.items()}
    return EngineChoice(engine, settings, coordinator)


def _read(path: Path) -> dict[str, Any]:
    """Read a file of settings and check every key and type."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise DagathlonError(f"--cluster-settings: {no_such_file(path)}") from None
    except UnicodeDecodeError:
        raise DagathlonError(f"{path}: not UTF-8 text") from None
    try:
        content = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except ValueError as error:
        kind = "JSON" if path.suffix == ".json" else "TOML"
        raise DagathlonError(f"{path}: not valid {kind}: {error}") from None
    if not isinstance(content, dict):
        raise DagathlonError(f"{path}: expected settings by name, found {type(content).__name__}")
    known = {**_ONLY_IN_FILES, **_WORDS, **_COORDINATOR}
    for word, value in content.items():
        if word not in known:
            raise DagathlonError(unknown("setting", word, known, str(path)))
        _check_type(path, word, value, known[word].type)
    return content


def _check_type(path: Path, word: str, value: Any, expected: type) -> None:
    fits = isinstance(value, expected) and not (expected is int and isinstance(value, bool))
    if expected is list:
        fits = fits and all(isinstance(each, str) for each in value)
    if not fits:
        name = _NAMES.get(expected, "a table")
        raise DagathlonError(f"{path}: {word} is {name}, found {value!r}")
