"""The runs of a study of noisy data, arranged by data set and algorithm."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.errors import DagathlonError
from dagathlon.evaluate.ranking.ranks import Better, Floats, Scores

Failure: TypeAlias = Literal["timeout", "error", "memory"]
Which: TypeAlias = Literal["all", "N", "noisy"]
Places: TypeAlias = npt.NDArray[np.intp]

CLEAN = "N"
"""The code of data without noise."""
CODES = (
    *("N", "M5", "M10", "I5", "I10", "S5", "S10", "L5", "L10"),
    *("cMI", "cMS", "cML", "cIS", "cIL", "cSL", "cMISL"),
)
"""The experiments in the order of the study's tables."""
METRICS: Mapping[str, Better] = {"f1": "more", "shd": "less", "bsf": "more"}
"""The metrics that algorithms are ranked by."""
FAILURES: Mapping[Failure, str] = {"timeout": "F1", "error": "F2", "memory": "F3"}
"""Kinds of failure, with the paper's code of each."""
# Scores that differ in later digits are the same fraction, computed in another order.
_DIGITS = 12


@dataclass(frozen=True, slots=True)
class NoiseRun:
    """One run of one algorithm on one data set.

    An algorithm that was not run on a data set (NOTEARS on data without an order of states) has no
    run there and is not ranked there. A finished run without F1 or precision learned no edge at
    all: both then count as 0, as in the paper.

    Parameters
    ----------
    network
        The true network.
    code
        The kind of noise, ``N`` without any.
    n
        Number of rows.
    seed
        Which sample of the network.
    algorithm
        Who learned.
    f1, shd, bsf, precision, recall
        Bayesys's metrics; None for a failed run.
    n_edges, true_edges
        Edges learned, a mean where a run stands for several starts, and edges of the truth over the
        variables that are in the data.
    time
        Seconds.
    failure
        ``timeout``, ``error`` or ``memory`` (the paper's F1, F2, F3); None for a finished run.
    starts, failed_starts
        How many random starts the run stands for, and how many of them failed. Scores and time are
        means over those that finished; it is a failure only where none did.
    n_parameters, n_nodes
        Free parameters and nodes of the network without noise.
    """

    network: str
    code: str
    n: int
    seed: Any
    algorithm: str
    f1: float | None = None
    shd: float | None = None
    bsf: float | None = None
    precision: float | None = None
    recall: float | None = None
    n_edges: float | None = None
    true_edges: int | None = None
    time: float | None = None
    failure: Failure | None = None
    n_parameters: int | None = None
    n_nodes: int | None = None
    starts: int = 1
    failed_starts: int = 0


class Case(NamedTuple):
    """One data set, on which algorithms are ranked together."""

    network: str
    code: str
    n: int
    seed: Any


class NoiseGrid(NamedTuple):
    """All runs by data set (row) and algorithm (column).

    Parameters
    ----------
    algorithms
        In the order of the alphabet, whatever the case of letters.
    cases
        The data sets: by network, code, size and seed.
    values
        ``f1``, ``shd``, ``bsf``, ``precision``, ``recall``, ``n_edges``, ``time`` by data set and
        algorithm; NaN where there is none.
    failed
        Where a run failed.
    kinds
        How it failed: the place in `FAILURES`, -1 without a failure.
    failed_starts, starts
        Of each finished run: how many of its starts failed, of how many.
    clean
        For each data set the row of the same one without noise; -1 where there is none.
    true_edges
        Of each data set; NaN where not known.
    n_parameters, n_nodes
        Of each network that they are known of.
    """

    algorithms: tuple[str, ...]
    cases: tuple[Case, ...]
    values: Mapping[str, Floats]
    failed: npt.NDArray[np.bool_]
    kinds: npt.NDArray[np.int64]
    failed_starts: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]
    clean: Places
    true_edges: Floats
    n_parameters: Mapping[str, int]
    n_nodes: Mapping[str, int]

    @property
    def networks(self) -> tuple[str, ...]:
        """Return networks by number of nodes where known, then by name."""
        names = {case.network for case in self.cases}
        return tuple(sorted(names, key=lambda name: (self.n_nodes.get(name, 0), name)))

    @property
    def codes(self) -> tuple[str, ...]:
        """Return the codes of noise, the study's first and in its order."""
        names = dict.fromkeys(case.code for case in self.cases)
        known = [code for code in CODES if code in names]
        return (*known, *(code for code in names if code not in CODES))

    @property
    def sizes(self) -> tuple[int, ...]:
        """Return the numbers of rows in ascending order."""
        return tuple(sorted({case.n for case in self.cases}))

    @property
    def took_part(self) -> npt.NDArray[np.bool_]:
        """Return the mask of runs that finished or failed."""
        result: npt.NDArray[np.bool_] = self.failed | ~np.isnan(self.values["shd"])
        return result

    def where(self, chosen: Callable[[Case], bool]) -> Places:
        """Return the positions of data sets that satisfy a predicate."""
        return np.array([i for i, case in enumerate(self.cases) if chosen(case)], dtype=np.intp)

    def of(self, which: Which) -> Places:
        """Return the positions of all data sets, of those without noise, or of those with noise."""
        if which not in ("all", "N", "noisy"):
            raise DagathlonError(f"which is 'all', 'N' or 'noisy', found {which!r}")
        return self.where(lambda case: which == "all" or (case.code == CLEAN) == (which == "N"))

    def with_code(self, code: str) -> Places:
        """Return the positions of data sets with one kind of noise."""
        return self.having(code=code)

    def having(self, **facts: Any) -> Places:
        """Return positions of data sets with these facts: ``network="asia", code="M5"``."""
        return self.where(
            lambda case: all(getattr(case, name) == value for name, value in facts.items())
        )

    def only(self, name: str, rows: Sequence[int] | Places) -> Floats:
        """Return a metric on some of the data sets, NaN on all others."""
        result = np.full(self.failed.shape, np.nan)
        result[rows] = self.values[name][rows]
        return result

    def taking_part(self, rows: Sequence[int]) -> list[int]:
        """Return the mask of algorithms that finished or failed on any of these data sets."""
        return [int(j) for j in np.flatnonzero(self.took_part[rows].any(axis=0))]

    def cells(self, rows: Iterable[int]) -> dict[tuple[str, int], list[int]]:
        """Group positions by network and size, in the order of both."""
        result: dict[tuple[str, int], list[int]] = {
            (network, n): [] for network in self.networks for n in self.sizes
        }
        for i in rows:
            result[self.cases[i].network, self.cases[i].n].append(int(i))
        return {cell: members for cell, members in result.items() if members}

    @property
    def edge_shares(self) -> Floats:
        """Return learned over true edges by data set and algorithm."""
        true = np.where(self.true_edges > 0, self.true_edges, np.nan)
        result: Floats = self.values["n_edges"] / true[:, None]
        return result

    def scores(self, metric: str) -> Scores:
        """Return a metric in the form of `dagathlon.evaluate.ranking.ranks`."""
        return Scores(self.algorithms, self.cases, self.values[metric], self.failed)


_COLUMNS = (*METRICS, "precision", "recall", "n_edges", "time")


def noise_grid(runs: Iterable[NoiseRun]) -> NoiseGrid:
    """Arrange runs by data set and algorithm; raise an error for duplicates."""
    listed = list(runs)
    _check(listed)
    algorithms = tuple(sorted({run.algorithm for run in listed}, key=lambda n: (n.casefold(), n)))
    cases = tuple(dict.fromkeys(map(_case, listed)))
    places = {case: i for i, case in enumerate(cases)}
    failures = {kind: k for k, kind in enumerate(FAILURES)}
    columns = {name: j for j, name in enumerate(algorithms)}
    shape = len(cases), len(algorithms)
    values = {name: np.full(shape, np.nan) for name in _COLUMNS}
    kinds = np.full(shape, -1, dtype=np.int64)
    lost, starts = np.zeros(shape, dtype=np.int64), np.ones(shape, dtype=np.int64)
    true_edges = np.full(len(cases), np.nan)
    for run in listed:
        place = places[_case(run)], columns[run.algorithm]
        if run.failure is not None:
            kinds[place] = failures[run.failure]
        else:
            lost[place], starts[place] = run.failed_starts, run.starts
        for name, value in _numbers(run).items():
            values[name][place] = value
        if run.true_edges is not None:
            true_edges[place[0]] = run.true_edges
    parameters = {r.network: r.n_parameters for r in listed if r.n_parameters is not None}
    nodes = {r.network: r.n_nodes for r in listed if r.n_nodes is not None}
    clean = np.array([places.get(case._replace(code=CLEAN), -1) for case in cases], dtype=np.intp)
    return NoiseGrid(
        algorithms,
        cases,
        values,
        kinds >= 0,
        kinds,
        lost,
        starts,
        clean,
        true_edges,
        parameters,
        nodes,
    )


def _case(run: NoiseRun) -> Case:
    return Case(run.network, run.code, run.n, run.seed)


def _numbers(run: NoiseRun) -> dict[str, float]:
    """Return the known numbers of a run; a failed run has no scores and no time."""
    if run.failure is not None:
        return {}
    result = {name: getattr(run, name) for name in _COLUMNS}
    if run.shd is not None:  # it finished: what is undefined is so for want of edges
        result |= {name: result[name] or 0.0 for name in ("f1", "precision")}
    return {name: round(float(v), _DIGITS) for name, v in result.items() if v is not None}


def _check(runs: Sequence[NoiseRun]) -> None:
    if not runs:
        raise DagathlonError("the tables of a noise study need runs")
    seen: set[tuple[Case, str]] = set()
    for run in runs:
        key = _case(run), run.algorithm
        if key in seen:
            raise DagathlonError(
                f"{run.algorithm} has two runs on {run.network}, {run.code}, {run.n} rows, seed "
                f"{run.seed}: ids name the algorithms, so each may have one setting only"
            )
        seen.add(key)
