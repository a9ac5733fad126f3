"""`Study`: one JSON file, from reading to the report."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from dagathlon.errors import DagathlonError, StudyError
from dagathlon.report import write_outputs
from dagathlon.study.engine.engines import DEFAULT, make_engine
from dagathlon.study.engine.preparation import prepare_modules
from dagathlon.study.engine.protocol import Engine, Event, Note, Options, Summary, Writing, silent
from dagathlon.study.grammar.config import Config, read_config
from dagathlon.study.plan.plan import Plan
from dagathlon.study.plan.planner import make_plan
from dagathlon.study.store.left_behind import described, left_behind
from dagathlon.study.store.store import Store

STORE_FOLDER = "store"
_PROVENANCE = "provenance.json"


@dataclass(frozen=True)
class Study:
    """A study that has been read and checked.

    Parameters
    ----------
    config
        The study's content.
    time_limit, memory_limit
        Limits of every learning run that has none of its own: seconds, bytes.
    seed
        What was added to every seed of the study.

    Examples
    --------
    >>> study = Study.load("studies/quickstart.json")  # doctest: +SKIP
    >>> study.run(out="results", jobs=2)  # doctest: +SKIP
    """

    config: Config
    time_limit: float | None = None
    memory_limit: int | None = None
    seed: int = 0

    @classmethod
    def load(
        cls,
        path: Path | str,
        resources: Path | str | None = None,
        time_limit: float | None = None,
        memory_limit: int | None = None,
        seed: int = 0,
    ) -> Self:
        """Read a study.

        Parameters
        ----------
        path
            The JSON file.
        resources
            A Benchpress `resources` folder.
        time_limit, memory_limit
            Limits of every learning run that has none of its own: seconds, bytes.
        seed
            Added to every seed of the study: other replicates of the same study.
        """
        folder = None if resources is None else Path(resources)
        config = read_config(Path(path), folder, seed=seed)
        return cls(config, time_limit, memory_limit, seed)

    @cached_property
    def plan(self) -> Plan:
        """All tasks of the study."""
        return make_plan(self.config, self.time_limit, self.memory_limit)

    def run(
        self,
        out: Path | str = "results",
        jobs: int = 0,
        options: Options | None = None,
        on_event: Callable[[Event], None] = silent,
        engine: Engine | str = DEFAULT,
    ) -> Summary:
        """Run what has not been run yet and write tables, figures and the report.

        Parameters
        ----------
        out
            Folder of results; each setup gets a folder of its own in it.
        jobs
            Number of cores to use; 0 is all.
        options
            Order, retries, quick look.
        on_event
            Told everything that happens.
        engine
            What runs the tasks: ``"local"`` (worker processes on this machine), ``"inline"`` (one
            after another in this process, for a debugger), or an engine with its own settings.

        Returns
        -------
        Summary
            What ran, what was there already, what failed.
        """
        folder, plan = Path(out), self.plan
        with _writing(folder), Store(folder / STORE_FOLDER) as store:
            outdated = left_behind(plan.tasks, store)
            if outdated:
                on_event(Note(described(outdated)))
            prepare_modules(plan, store, lambda text: on_event(Note(text)))
            chosen = make_engine(engine, jobs=jobs) if isinstance(engine, str) else engine
            summary = chosen.run(plan, store, on_event=on_event, options=options or Options())
            if not summary.interrupted:
                self._keep(folder, summary.partial)
                on_event(Writing())
                write_outputs(self.config, plan, store, folder, summary.partial)
        return summary

    def _keep(self, out: Path, partial: bool) -> None:
        """Leave in each setup's folder what is needed to write its report again."""
        library = self.config.library
        provenance = {
            "study": self.config.path.name,
            "home": str(library.home.resolve()),
            "resources": str(library.resources.resolve()) if library.resources else None,
            "time_limit": self.time_limit,
            "memory_limit": self.memory_limit,
            "seed": self.seed,
            "partial": partial,
        }
        for setup in self.config.setups:
            folder = out / setup.title
            folder.mkdir(parents=True, exist_ok=True)
            (folder / self.config.path.name).write_bytes(self.config.path.read_bytes())
            (folder / _PROVENANCE).write_text(json.dumps(provenance, indent=2) + "\n", "utf-8")


class _writing:  # noqa: N801 - it reads as a statement
    """Turns a folder that cannot be written into a message."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __enter__(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _cannot_write(self.folder, error) from None

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        if isinstance(error, OSError):
            raise _cannot_write(self.folder, error) from error


def _cannot_write(folder: Path, error: OSError) -> DagathlonError:
    place = error.filename or folder
    if isinstance(error, FileExistsError):
        return DagathlonError(f"{place}: cannot be the folder of results, since it is a file")
    return DagathlonError(f"{place}: cannot be written ({error.strerror or error})")


def rewrite(folder: Path) -> list[Path]:
    """Write tables, figures and reports again from stored results; nothing is learned.

    Parameters
    ----------
    folder
        The folder of results of studies, or that of one setup.

    Returns
    -------
    list of Path
        The reports.
    """
    places = [folder / _PROVENANCE, *sorted(folder.glob(f"*/{_PROVENANCE}"))]
    setups = [place.parent for place in places if place.is_file()]
    if not setups:
        raise StudyError(f"{folder}: there are no results of a study here (no {_PROVENANCE})")
    reports: list[Path] = []
    for setup in setups:
        # The setups of one study are written together.
        if all(report.parent != setup for report in reports):
            reports += _rewrite_study(setup)
    return reports


def _rewrite_study(setup_folder: Path) -> list[Path]:
    """The reports of the study that left its results in the folder of one of its setups."""
    try:
        kept: dict[str, Any] = json.loads((setup_folder / _PROVENANCE).read_text("utf-8"))
        copy = setup_folder / kept["study"]
        resources = kept["resources"]
        arguments = (kept["time_limit"], kept["memory_limit"], kept["seed"])
        beside = Path(resources) if resources else None
        config = read_config(copy, beside, Path(kept["home"]), kept["seed"])
    except (OSError, ValueError, KeyError) as error:
        raise StudyError(f"{setup_folder / _PROVENANCE}: cannot be used ({error!r})") from None
    study = Study(config, *arguments)
    out = setup_folder.parent
    with _writing(out), Store(out / STORE_FOLDER, readonly=True) as store:
        return write_outputs(config, study.plan, store, out, bool(kept.get("partial")))
