"""Where and when a study was run, and where it stands: a small file in each setup's folder."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Self

from dagathlon.errors import StudyError
from dagathlon.study.records.sources import Source, from_json, to_json
from dagathlon.study.store.machine import described, machine_facts, versions_of
from dagathlon.study.store.results_folder import read_file, write_file

PROVENANCE = "provenance.json"
_MOST_BYTES = 2**20
_PACKAGES = ("dagathlon", "numpy", "scipy", "pyarrow", "vl-convert-python")


class RunState(StrEnum):
    """How far a run has come, by what it said last."""

    RUNNING = "running"
    FINISHED = "finished"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True)
class Provenance:
    """Where and when a study was run, and where it stands.

    Parameters
    ----------
    study
        Name of the study's file.
    seed
        What was added to every seed.
    time_limit, memory_limit
        Limits of the runs that have none of their own: seconds, bytes.
    state
        What the run said last; one that was killed has not said so.
    partial
        Whether it was limited to a part of the study.
    process
        Number of the process that runs it.
    began, ended
        Seconds since 1970.
    versions
        Of the packages and of Python, by name.
    machine
        System, processor and cores.
    sources
        Files and bundled networks that data entries come from; empty before it was kept.
    rank_unit
        What counts once in average ranks, where a report was asked for another than the study's.
    cpu_limit
        Limit of processor time of the runs, in seconds; None before it was kept.
    """

    study: str
    seed: int = 0
    time_limit: float | None = None
    memory_limit: int | None = None
    state: RunState = RunState.RUNNING
    partial: bool = False
    process: int = field(default_factory=os.getpid)
    began: float = field(default_factory=time.time)
    ended: float | None = None
    versions: Mapping[str, str] = field(default_factory=lambda: dict(_versions()))
    machine: str = field(default_factory=lambda: described(machine_facts()))
    sources: Sequence[Source] = ()
    rank_unit: str = ""
    cpu_limit: float | None = None

    def closed(self, *, interrupted: bool) -> Self:
        """The same when the run has come to its end."""
        state = RunState.INTERRUPTED if interrupted else RunState.FINISHED
        return replace(self, state=state, ended=time.time())

    def save(self, folder: Path) -> None:
        """Write it into the folder of a setup, whole or not at all."""
        folder.mkdir(parents=True, exist_ok=True)
        values = asdict(self) | {"sources": to_json(self.sources)}
        text = json.dumps({"format": 1} | values, indent=2) + "\n"
        write_file(folder / PROVENANCE, text.encode())

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read it again; what is not of the right type is a `StudyError`."""
        path = folder / PROVENANCE
        try:
            added: dict[str, Any] = {"sources": [], "rank_unit": "", "cpu_limit": None}
            found: dict[str, Any] = added | json.loads(
                read_file(folder, PROVENANCE, most=_MOST_BYTES)
            )
            values = {one.name: found[one.name] for one in fields(cls)}
            values["state"] = RunState(values["state"])
            values["versions"] = {str(k): str(v) for k, v in values["versions"].items()}
            values["rank_unit"] = str(values["rank_unit"])
            values["process"] = int(values["process"])
            values["sources"] = tuple(from_json(values["sources"]))
            time.gmtime(values["began"])  # a moment that cannot be told is no moment
            return cls(**values)
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            raise StudyError(f"{path}: cannot be used ({error!r})") from None
        except (OverflowError, RecursionError) as error:
            raise StudyError(f"{path}: cannot be used ({error})") from None


def installed_version() -> str:
    """The version of dagathlon that reads."""
    return dict(_versions()).get("dagathlon", "")


def _versions() -> Iterator[tuple[str, str]]:
    yield from versions_of(_PACKAGES)
    yield "Python", platform.python_version()
