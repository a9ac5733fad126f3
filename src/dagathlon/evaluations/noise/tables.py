"""The tables of a noise study by name, each with what it shows and how it stands in print."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import Any, NamedTuple

from dagathlon.evaluations.noise.costs import By
from dagathlon.evaluations.noise.curves import noise_trials
from dagathlon.evaluations.noise.grid import CLEAN, FAILURES, Which
from dagathlon.evaluations.noise.robustness import rate_curves, robustness
from dagathlon.evaluations.noise.run_tables import NoiseRun, NoiseStudyTables
from dagathlon.evaluations.noise.strengths import CATEGORIES, Groups
from dagathlon.frame import Cells
from dagathlon.report.tables.latex import Layout

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
    """A table: its name, what makes its rows, and how it is printed."""

    name: str
    rows: Callable[[], list[Cells]]
    layout: Layout | None = None


def noise_tables(
    study: NoiseStudyTables, runs: Sequence[NoiseRun], groups: Groups
) -> Iterator[Named]:
    """Everything that a noise study says.

    Parameters
    ----------
    study
        The tables of the runs.
    runs
        At least one.
    groups
        For the strengths.
    """
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
    """Changes of places are whole numbers."""
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
