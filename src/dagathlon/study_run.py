"""`StudyRun`: the return value of `Study.run`, with all results as tables and objects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dagathlon.errors import DagathlonError, unknown
from dagathlon.evaluate.metric import known_measures
from dagathlon.frame import Frame
from dagathlon.report.results import Results
from dagathlon.report.tables.regimes import case_factors
from dagathlon.report.tables.runs import setting_name
from dagathlon.report.written import board_of
from dagathlon.study.engine.protocol import Summary
from dagathlon.study.plan.plan import Run
from dagathlon.study.records.runs import run_schema
from dagathlon.study.store.results_folder import STORE_FOLDER
from dagathlon.study.store.store import Store

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from dagathlon.data import Dataset
    from dagathlon.graphs import Graph
    from dagathlon.learners.base import Estimate


@dataclass(frozen=True)
class LearningRun:
    """One run of a study: a learner in one setting on one data set.

    Parameters
    ----------
    setup
        Title of the setup.
    setting
        The algorithm with the parameters that the study varies.
    metrics
        The run's row of the tables: factors, labels, parameters, status, metrics, costs.
    """

    setup: str
    setting: str
    metrics: Mapping[str, Any]
    _results: Results = field(repr=False)
    _run: Run = field(repr=False)

    @property
    def status(self) -> str:
        """``ok``, ``skipped``, ``timeout``, ``error`` or ``memory`` (the limit of memory)."""
        return str(self.metrics["status"])

    @property
    def seed(self) -> int:
        """The seed of the data set."""
        return int(self.metrics["seed"])

    @cached_property
    def estimate(self) -> Estimate | None:
        """Estimate returned by the learner; None where it failed."""
        with _open(self._results) as results:
            return results.learned(self._run)

    @cached_property
    def graph(self) -> Graph | None:
        """The graph that was scored: for a sampler, the one estimated from its chain."""
        with _open(self._results) as results:
            found = dict(results.estimates([self._run]))
        return found.get(self._run)

    @cached_property
    def truth(self) -> Graph | None:
        """The true graph; None where there is none."""
        with _open(self._results) as results:
            return results.truth(results.case(self._run))

    @cached_property
    def data(self) -> Dataset | None:
        """Rows that were learned from."""
        with _open(self._results) as results:
            return results.data(results.case(self._run))


class _open:  # noqa: N801 - it reads as a statement
    """Context manager that opens a study's results for reading."""

    def __init__(self, results: Results) -> None:
        self._results = results
        self._store = Store(results.store.folder, readonly=True)

    def __enter__(self) -> Results:
        store = self._store.__enter__()
        found = self._results
        return Results(found.study, found.provenance, store, found.folder)

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        self._store.__exit__(kind, error, traceback)


@dataclass
class StudyRun(Summary):
    """Summary of a study's run, and its results.

    The counts of `Summary` (``ran``, ``stored``, ``seconds``, ``interrupted``) summarise the
    run.

    Parameters
    ----------
    folders
        The folder of each setup's results, by title.

    Examples
    --------
    >>> done = Study.load("studies/quickstart.json").run()  # doctest: +SKIP
    >>> done.to_pandas().groupby("id")["SHD_cpdag"].mean()  # doctest: +SKIP
    >>> done.runs()[0].graph  # doctest: +SKIP
    """

    folders: Mapping[str, Path] = field(default_factory=dict)

    @property
    def reports(self) -> list[Path]:
        """Paths of the reports, one for each setup."""
        return [folder / "report.html" for folder in self.folders.values()]

    def board(self, setup: str | None = None) -> str:
        """Return the scoreboard as text: the verdict in words and the best settings.

        Parameters
        ----------
        setup
            Title of a setup; by default those of all, one below the other.
        """
        boards = ["\n".join(board_of(self.folders[title])) for title in self._titles(setup)]
        return "\n\n".join(board for board in boards if board)

    def runs(self, setup: str | None = None) -> list[LearningRun]:
        """Return all runs that have ended, with their metrics and graphs.

        Parameters
        ----------
        setup
            Title of a setup; by default those of all.
        """
        return [run for title in self._titles(setup) for run in self._runs(title)]

    def table(self, setup: str | None = None) -> pa.Table:
        """Return the runs as a pyarrow table, one row each, with a column for each factor.

        Columns are the labels, the factors of the data (``graph``, ``model``, ``n``, ``noise``,
        ``graph_d`` …), the parameters of the learners, metrics and costs; the metadata of a field
        describe it (``description``).

        Parameters
        ----------
        setup
            Title of a setup; by default all, distinguished by the column ``setup``.
        """
        rows = ({"setup": run.setup, **run.metrics} for run in self.runs(setup))
        return Frame(rows, run_schema()).table

    def to_pandas(self, setup: str | None = None) -> pd.DataFrame:
        """Return the runs as a pandas data frame; see `table`."""
        return self.table(setup).to_pandas()

    def to_polars(self, setup: str | None = None) -> pl.DataFrame:
        """Return the runs as a polars data frame; see `table`."""
        import polars  # noqa: PLC0415 - an optional dependency

        found: pl.DataFrame = polars.from_arrow(self.table(setup))  # type: ignore[assignment]
        return found

    def _titles(self, setup: str | None) -> list[str]:
        if setup is None:
            return list(self.folders)
        if setup not in self.folders:
            raise DagathlonError(unknown("setup", setup, self.folders))
        return [setup]

    def _runs(self, title: str) -> Iterator[LearningRun]:
        folder = self.folders[title]
        with Store(folder.parent / STORE_FOLDER, readonly=True) as store:
            results = Results.of(folder, store)
            with known_measures(results.study.measures):
                runs = results.runs_of(results.ids)
                tables = (results.rows(results.ids), results.further_rows(results.ids))
                factors = case_factors(results, map(results.case, runs))
                for run, row, further in zip(runs, *tables, strict=True):
                    entry = results.algorithm(run)
                    name = setting_name(entry, entry.settings[run.setting].values)
                    cells = {"setting": name, **factors[results.case(run)], **row, **further}
                    yield LearningRun(title, name, cells, results, run)
