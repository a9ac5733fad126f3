"""The tables of a noise study: their rows, what each shows, and how it stands in print.

Definitions are those of the paper; where its words leave open what is meant, they are the reading
that gives its printed numbers. Of several seeds the tables have means, with intervals over blocks
of network and seed (`dagathlon.evaluations.noise.resampling`).

References
----------
Constantinou, Liu, Chobtham, Guo and Kitson 2021, Large-scale empirical validation of Bayesian
network structure learning algorithms with noisy data, International Journal of Approximate
Reasoning 131.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, NamedTuple

from dagathlon.evaluations.noise.change import (
    By,
    accuracy_rows,
    change_rows,
    edge_density_rows,
    edge_rows,
    failure_rows,
    kept_rows,
    loss_rows,
    run_time_rows,
    time_rows,
)
from dagathlon.evaluations.noise.grid import CLEAN, FAILURES, NoiseGrid, NoiseRun, Which, noise_grid
from dagathlon.evaluations.noise.ranks import (
    extreme_rows,
    rank_rows,
    rank_rows_by_code,
    rank_rows_by_density,
    relative_rows,
    score_rows,
)
from dagathlon.evaluations.noise.resampling import Over, Resampling, resampling, usual_over
from dagathlon.evaluations.noise.robustness import noise_trials, rate_curves, robustness
from dagathlon.evaluations.noise.strengths import CATEGORIES, Groups, strength_rows
from dagathlon.frame import Cells
from dagathlon.report.tables.latex import Layout

__all__ = ["NoiseRun", "NoiseStudyTables"]


@dataclass(frozen=True)
class NoiseStudyTables:
    """Tables of a noise study, one method each, as lists of rows.

    A number ``x`` of several data sets comes with the ends of its 95 % interval, ``x_low`` and
    ``x_high``; they are None where only one network and seed stand behind it.

    Parameters
    ----------
    grid
        The runs by data set and algorithm.
    limit
        Seconds that a failed run is charged.
    drawn
        The resamples of which the intervals are made.
    over
        What the intervals are over.
    """

    grid: NoiseGrid
    limit: float
    drawn: Resampling
    over: Over

    @classmethod
    def of(
        cls,
        runs: Sequence[NoiseRun],
        limit: float,
        resamples: int = 1000,
        over: Over | None = None,
    ) -> NoiseStudyTables:
        """Arrange the runs.

        Parameters
        ----------
        runs
            All runs, failed ones included; see `NoiseRun`.
        limit
            Seconds that a failed run is charged in sums of run times.
        resamples
            How often blocks are drawn for the intervals.
        over
            What the intervals are over: networks and seeds (``networks``), or seeds of the same
            networks (``seeds``); see `dagathlon.evaluations.noise.resampling`. None is seeds where
            every network has several, else networks.
        """
        grid = noise_grid(runs)
        chosen = over or usual_over(grid.cases)
        return cls(grid, limit, resampling(grid.cases, resamples, chosen), chosen)

    def ranks(self, noisy: bool = False) -> list[Cells]:
        """Average and overall ranks per metric (Tables 8 and 9).

        Columns: metric, algorithm, average, deviation (population), overall, n, failures; with
        noise also change and overall_change against no noise, + being better.
        """
        return rank_rows(self.grid, self.drawn, noisy=noisy)

    def ranks_by_code(self) -> list[Cells]:
        """Return ranks for each code (Tables E1 to E3, Figure 4)."""
        return rank_rows_by_code(self.grid, self.drawn)

    def ranks_by_density(self) -> list[Cells]:
        """Ranks without noise by network and size (Figures 1 and D1)."""
        return rank_rows_by_density(self.grid)

    def scores(self, code: str = "N") -> list[Cells]:
        """Metrics by network, size and algorithm with one kind of noise (Tables D1 to D5, E5)."""
        return score_rows(self.grid, self.drawn, code)

    def extremes(self, which: Which = "all") -> list[Cells]:
        """Worst and best mean of an algorithm without failure (Tables 10, D6, E6)."""
        return extreme_rows(self.grid, self.drawn, which)

    def relative(self, which: Which = "all") -> list[Cells]:
        """Each algorithm between worst (0) and best (1) (Tables 11, D7, E7)."""
        return relative_rows(self.grid, self.drawn, which)

    def failures(self, by: By = "code") -> list[Cells]:
        """Failures by kind (Tables C1, C2): timeout (F1), error (F2), out of memory (F3).

        A run of several starts failed where all of them did; `failed_starts` counts those that
        failed where another finished.
        """
        return failure_rows(self.grid, by)

    def edges_by_density(self) -> list[Cells]:
        """Learned over true edges without noise, by rows per free parameter (Figure 2)."""
        return edge_density_rows(self.grid, self.drawn)

    def accuracy_kept(self) -> list[Cells]:
        """Accuracy with noise over that without, by network, code and algorithm."""
        return accuracy_rows(self.grid, self.drawn)

    def relative_change(self) -> list[Cells]:
        """Return relative changes of accuracy by noise code, metric, network, size (Table E4)."""
        return change_rows(self.grid, self.drawn)

    def loss_by_code(self) -> list[Cells]:
        """Relative change of accuracy by code and metric, over all algorithms (Figure 7)."""
        return loss_rows(self.grid, self.drawn)

    def kept_by_code(self) -> list[Cells]:
        """Accuracy and edges of each algorithm with each kind of noise (Figures 8 and 9)."""
        return kept_rows(self.grid, self.drawn)

    def edges_by_code(self) -> list[Cells]:
        """Edges with noise over edges without, all algorithms together (Figure 9)."""
        return edge_rows(self.grid, self.drawn)

    def run_times(self, noisy: bool = False) -> list[Cells]:
        """Cumulative run times, failures charged the limit (Figures 3 and 5)."""
        return run_time_rows(self.grid, self.drawn, self.limit, noisy=noisy)

    def time_by_code(self) -> list[Cells]:
        """Run time with noise over that without (Figure 6)."""
        return time_rows(self.grid, self.drawn, self.limit)

    def strengths(
        self,
        small: Collection[str] | None = None,
        large: Collection[str] | None = None,
        limited: Collection[int] | None = None,
        big: Collection[int] | None = None,
    ) -> list[Cells]:
        """Ten categories, each from 0 for the worst to 1 for the best (Table 12).

        Parameters
        ----------
        small, large
            Names of networks; those below and above the median number of nodes.
        limited, big
            Numbers of rows; those below and above the median, which itself is limited data for
            large networks and big data for small ones.
        """
        groups = Groups(small, large, limited, big)
        return strength_rows(self.grid, self.drawn, self.limit, groups)


METRICS = {"f1": "F1", "shd": "SHD", "bsf": "BSF"}
_WORDS = {
    **METRICS,
    "n": "rows",
    "code": "noise",
    "n_edges": "edges",
    "overall": "overall rank",
    "average": "average rank",
    "deviation": "deviation of ranks",
    "change": "change of average rank",
    "overall_change": "change of overall rank",
    "n_nodes": "nodes",
    "ratio": "learned / true edges",
    "failed_starts": "failed starts of finished runs",
}
_SCORES = ("f1", "shd", "bsf", "precision", "recall")
_RANKS = ("average", "deviation", "overall")
_CHANGES = ("change", "overall_change")


ON_PAGE = (
    *("runs", "ranks_clean", "ranks_noisy", "scores_clean", "failures_by_noise", "accuracy_kept"),
    *("loss_by_noise", "ranks_by_noise", "edges_by_size", "run_time_clean", "run_time_noisy"),
    *("strengths", "rate_curves", "robustness"),
)
"""The tables that the section of a report is made of; the others are files only."""


class Named(NamedTuple):
    """Table of a noise study: its name, the function for its rows, and its print layout."""

    name: str
    rows: Callable[[], list[Cells]]
    layout: Layout | None = None


def noise_tables(
    study: NoiseStudyTables, runs: Sequence[NoiseRun], groups: Groups
) -> Iterator[Named]:
    """Yield the list of all tables of a noise study."""
    yield Named("runs", lambda: [asdict(run) for run in runs])
    yield from _ranks(study)
    yield from _scores(study)
    yield from _between(study)
    yield from _failures(study)
    yield from _changes(study)
    yield from _rates(runs)
    yield from _costs(study)
    shown = _layout("Strengths from 0 (the worst) to 100 % (the best)", ("algorithm",), CATEGORIES)
    shown = _with(shown, percent=CATEGORIES)
    yield Named("strengths", lambda: study.strengths(*groups), shown)


def _ranks(study: NoiseStudyTables) -> Iterator[Named]:
    who, split = ("algorithm",), "metric"
    shown = _layout(
        "Average and overall ranks without noise", who, (*_RANKS, "failures"), split=split
    )
    yield Named("ranks_clean", study.ranks, shown)
    caption = "Average and overall ranks with noise, and the change against none (+ is better)"
    shown = _layout(caption, who, (*_RANKS, *_CHANGES, "failures"), split=split)
    yield Named("ranks_noisy", lambda: _whole(study.ranks(noisy=True)), shown)
    caption = "Average ranks, overall ranks and their change, for each kind of noise"
    shown = _layout(caption, who, ("average", "overall", "overall_change"), ("code",), split=split)
    yield Named("ranks_by_noise", lambda: _whole(study.ranks_by_code()), shown)
    shown = _layout("Ranks without noise by rows per free parameter", (*who, "n"), tuple(METRICS))
    yield Named("ranks_by_size", study.ranks_by_density, _with(shown, columns=("network",)))


def _whole(rows: list[Cells]) -> list[Cells]:
    """Convert changes of places to integers."""
    known = [row for row in rows if row["overall_change"] is not None]
    for row in known:
        row["overall_change"] = int(row["overall_change"])
    return rows


def _scores(study: NoiseStudyTables) -> Iterator[Named]:
    lines, across = ("algorithm", "n"), ("network",)
    shown = _layout("Scores without noise", lines, _SCORES, across)
    yield Named("scores_clean", study.scores, _with(shown, partial=_SCORES))
    shown = _layout("Scores with noise", lines, _SCORES, across, split="code")
    yield Named("scores_noisy", lambda: _noisy_scores(study), _with(shown, partial=_SCORES))


def _noisy_scores(study: NoiseStudyTables) -> list[Cells]:
    codes = [code for code in study.grid.codes if code != CLEAN]
    return [{"code": code} | row for code in codes for row in study.scores(code)]


def _between(study: NoiseStudyTables) -> Iterator[Named]:
    ends = ("worst", "worst_by", "best", "best_by")
    parts: tuple[tuple[Which, str, str], ...] = (
        ("all", "all", "with and without noise"),
        ("N", "clean", "without noise"),
        ("noisy", "noisy", "with noise"),
    )
    for which, name, words in parts:
        caption = f"Worst and best mean of an algorithm without failure, {words}"
        shown = _layout(caption, ("network", "n"), ends, split="metric")
        yield Named(f"extremes_{name}", partial(study.extremes, which), shown)
        caption = f"Algorithms between the worst (0) and the best (100 %), {words}"
        shown = _layout(caption, ("algorithm", "n"), ("share",), ("network",), split="metric")
        shown = _with(shown, percent=("share",))
        yield Named(f"relative_{name}", partial(study.relative, which), shown)


def _failures(study: NoiseStudyTables) -> Iterator[Named]:
    parts: tuple[tuple[str, By], ...] = (("noise", "code"), ("network", "network"), ("size", "n"))
    for name, by in parts:
        caption = f"Failed runs by kind of failure and {_WORDS.get(by, by)}"
        kinds = (*FAILURES, *(("failed_starts",) if study.grid.failed_starts.any() else ()))
        shown = _layout(caption, ("algorithm",), kinds, (by,))
        yield Named(f"failures_by_{name}", partial(study.failures, by), shown)


def _changes(study: NoiseStudyTables) -> Iterator[Named]:
    who, share = ("algorithm",), ("kept", "f1_kept", "bsf_kept")
    words = {"kept": "F1 and BSF", "f1_kept": "F1", "bsf_kept": "BSF"}
    shown = _layout("Accuracy kept with noise", ("network", "algorithm"), share, ("code",))
    shown = _with(shown, percent=share, partial=share, words=words)
    yield Named("accuracy_kept", study.accuracy_kept, shown)
    caption = "Relative change of accuracy with noise, a loss being negative"
    shown = _layout(caption, ("network", "n"), ("change",), ("code",), split="metric")
    print_share = {"percent": ("change", "paired"), "words": {"change": "all that finished"}}
    yield Named("change_by_network", study.relative_change, _with(shown, **print_share))
    shown = _layout(caption, ("code",), ("change", "paired"), split="metric")
    yield Named("loss_by_noise", study.loss_by_code, _with(shown, **print_share))
    caption = "Mean of F1 and BSF, edges, and what is kept of them"
    shown = _layout(caption, who, ("score", "score_kept", "edges", "edges_kept"), ("code",))
    percent = ("score_kept", "edges_kept")
    yield Named("kept_by_algorithm", study.kept_by_code, _with(shown, percent=percent))
    shown = _layout("Edges with noise over edges without", ("code",), ("ratio",))
    yield Named("edges_by_noise", study.edges_by_code, _with(shown, words={"ratio": "edges"}))


def _rates(runs: Sequence[NoiseRun]) -> Iterator[Named]:
    trials = list(noise_trials(runs))
    shown = _layout("F1 by rate of noise", ("algorithm", "rate"), ("mean",), ("kind",))
    shown = _with(shown, split="network", percent=("rate",), words={"mean": "F1"})
    yield Named("rate_curves", lambda: rate_curves(trials), shown)
    caption = "Robustness: area under F1 against the rate of noise, over that without noise"
    shown = _layout(caption, ("algorithm",), ("index",), ("kind",))
    yield Named("robustness", lambda: robustness(trials), shown)


def _costs(study: NoiseStudyTables) -> Iterator[Named]:
    caption = "Learned over true edges without noise, by rows per free parameter"
    shown = _layout(caption, ("algorithm", "network", "n"), ("rows_per_parameter", "ratio"))
    yield Named("edges_by_size", study.edges_by_density, shown)
    for noisy, name in ((False, "clean"), (True, "noisy")):
        caption = f"Cumulative run time in seconds {'with' if noisy else 'without'} noise"
        shown = _layout(caption, ("algorithm",), ("total", "mean", "runs", "failures"))
        yield Named(f"run_time_{name}", partial(study.run_times, noisy=noisy), shown)
    caption = "Run time with noise over that without: of sums, and of a typical run"
    shown = _layout(caption, ("code",), ("ratio", "typical"))
    words = {"ratio": "sums", "typical": "typical run"}
    yield Named("run_time_by_noise", study.time_by_code, _with(shown, words=words))


def _layout(
    caption: str,
    rows: tuple[str, ...],
    values: tuple[str, ...],
    columns: tuple[str, ...] = (),
    split: str = "",
) -> Layout:
    return Layout(caption, rows, values, columns, split, words=_WORDS)


def _with(layout: Layout, **changes: Any) -> Layout:
    words = {**layout.words, **changes.pop("words", {})}
    return replace(layout, **changes, words=words)
