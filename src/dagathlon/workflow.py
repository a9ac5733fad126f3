"""`Study`: one JSON file, from reading to the report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Self

from dagathlon.report import write_outputs
from dagathlon.study.config import Config, read_config
from dagathlon.study.engine import Event, Options, Summary
from dagathlon.study.local import LocalEngine
from dagathlon.study.plan import Plan, make_plan
from dagathlon.study.store import Store

STORE_FOLDER = "store"


@dataclass(frozen=True)
class Study:
    """A study that has been read and checked.

    Parameters
    ----------
    config
        The study's content.
    time_limit, memory_limit
        Limits of every learning run that has none of its own: seconds, bytes.

    Examples
    --------
    >>> study = Study.load("studies/quickstart.json")  # doctest: +SKIP
    >>> study.run(out="results", jobs=2)  # doctest: +SKIP
    """

    config: Config
    time_limit: float | None = None
    memory_limit: int | None = None

    @classmethod
    def load(
        cls,
        path: Path | str,
        resources: Path | str | None = None,
        time_limit: float | None = None,
        memory_limit: int | None = None,
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
        """
        folder = None if resources is None else Path(resources)
        return cls(read_config(Path(path), folder), time_limit, memory_limit)

    @cached_property
    def plan(self) -> Plan:
        """All tasks of the study."""
        return make_plan(self.config, self.time_limit, self.memory_limit)

    def run(
        self,
        out: Path | str = "results",
        jobs: int = 0,
        options: Options | None = None,
        on_event: Callable[[Event], None] = lambda event: None,
    ) -> Summary:
        """Run what has not been run yet and write tables, figures and the report.

        Parameters
        ----------
        out
            Folder of results; each setup gets a folder of its own in it.
        jobs
            Number of worker processes; 0 is one per core.
        options
            Order, retries, quick look.
        on_event
            Told everything that happens.

        Returns
        -------
        Summary
            What ran, what was there already, what failed.
        """
        folder = Path(out)
        folder.mkdir(parents=True, exist_ok=True)
        with Store(folder / STORE_FOLDER) as store:
            summary = LocalEngine(jobs).run(
                self.plan, store, on_event=on_event, options=options or Options()
            )
            if not summary.interrupted:
                write_outputs(self.config, self.plan, store, folder, summary.partial)
        return summary
