"""Tables of graphs along penalties or edge probabilities: points, areas by run, mean curves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from dagathlon.evaluate.ranking.summary import numbers
from dagathlon.evaluate.undirected.scores import AREAS
from dagathlon.frame import Cells, Rows, grouped
from dagathlon.posteriors.packed import Floats
from dagathlon.report.results import Results
from dagathlon.report.tables.metrics import ABOUT, kinds
from dagathlon.report.tables.regimes import labelled_scores
from dagathlon.study.plan.plan import Run

AREA_COLUMNS = tuple(one.name for one in AREAS)
_GRID = 101
_SHOWN = ("undirected_auroc", "undirected_auprc", "undirected_best_f1", "undirected_chosen_f1")


class Scored(NamedTuple):
    """Run with its curve.

    Parameters
    ----------
    about
        Kind of data, seed, id and method: the first cells of its rows.
    score
        What `PathScores` gave.
    """

    about: Cells
    score: Mapping[str, Any]

    @property
    def points(self) -> Floats:
        """Return one row per graph of the curve: parameter value, correct and wrong edges."""
        return np.array(self.score["points"], dtype=np.float64).reshape(-1, 3)

    @property
    def counts(self) -> tuple[int | None, int, int]:
        """Return the position of the selected graph, and the edges and non-edges of the truth."""
        result = self.score["counts"]
        return result["chosen"], result["positives"], result["negatives"]


def scored_runs(results: Results, pairs: Sequence[tuple[Run, Mapping[str, Any]]]) -> list[Scored]:
    """Return runs that have a curve, with their labels."""
    rows = labelled_scores(results, [(run, {}) for run, _ in pairs])
    return [Scored(about, score) for about, (_, score) in zip(rows, pairs, strict=True)]


def point_rows(curves: Sequence[Scored]) -> Iterator[Cells]:
    """Yield one row per graph of each curve."""
    for scored in curves:
        chosen, positives, negatives = scored.counts
        for place, (value, right, wrong) in enumerate(scored.points.tolist()):
            yield scored.about | {
                "along": scored.score["along"],
                "value": value,
                "chosen": int(place == chosen),
                "n_edges": int(right + wrong),
                "TP": int(right),
                "FP": int(wrong),
                "TPR": right / positives if positives else None,
                "FPR": wrong / negatives if negatives else None,
                "precision": right / (right + wrong) if right + wrong else None,
                "F1": 2 * right / max(right + wrong + positives, 1),
            }


def area_rows(curves: Sequence[Scored]) -> list[Cells]:
    """Return one row per run: areas, best and selected F1."""
    return [
        scored.about
        | {"along": scored.score["along"]}
        | {name: scored.score.get(name) for name in AREA_COLUMNS}
        for scored in curves
    ]


def mean_areas(rows: Rows) -> Iterator[Cells]:
    """Yield means over data sets by kind of data and method, the largest area first."""
    for kind, members in kinds(rows).items():
        means = []
        for method in dict.fromkeys(row["method"] for row in members):
            selected = [row for row in members if row["method"] == method]
            about: Cells = dict(zip(ABOUT, kind, strict=True))
            about |= {"id": selected[0]["id"], "method": method, "along": selected[0]["along"]}
            about["data_sets"] = len({(row["seed"], row["data"]) for row in selected})
            for name in _SHOWN:
                values = numbers(selected, name)
                about[name] = float(np.mean(values)) if values else None
                about[f"{name}_se"] = _error(values)
            means.append(about)
        yield from sorted(means, key=lambda row: -(row["undirected_auroc"] or 0.0))


def _error(values: Sequence[float]) -> float | None:
    if len(values) < 2:
        return None
    return float(np.std(values, ddof=1) / np.sqrt(len(values)))


def mean_curves(curves: Sequence[Scored]) -> Iterator[Cells]:
    """Yield points of mean curves by kind of data and method.

    The true positive rates of all data sets are averaged at equal false positive rates, and
    precision at equal recall, as far as all curves of the method reach.
    """
    groups = grouped(
        ((tuple(scored.about[name] for name in ABOUT), scored.about["method"]), scored)
        for scored in curves
        if all(scored.counts[1:])
    )
    for (kind, method), members in groups.items():
        about = dict(zip(ABOUT, kind, strict=True))
        about |= {"id": members[0].about["id"], "method": method, "data_sets": len(members)}
        for curve, (x, y) in (("ROC", _mean_roc(members)), ("PR", _mean_pr(members))):
            for place in _turns(y):
                yield about | {"curve": curve, "x": float(x[place]), "y": float(y[place])}
            at = _chosen(members, curve)
            if at is not None:
                yield about | {"curve": curve, "x": at[0], "y": at[1], "chosen": True}


def _mean_roc(scored_runs: Sequence[Scored]) -> tuple[Floats, Floats]:
    curves = []
    for scored in scored_runs:
        _, positives, negatives = scored.counts
        right, wrong = scored.points[:, 1] / positives, scored.points[:, 2] / negatives
        x, y = np.append(0.0, wrong), np.append(0.0, right)
        levels = np.unique(x)
        curves.append((levels, np.array([y[x == level].max() for level in levels])))
    grid = np.linspace(0.0, min(float(x[-1]) for x, _ in curves), _GRID)
    return grid, np.mean([np.interp(grid, x, y) for x, y in curves], axis=0)


def _mean_pr(scored_runs: Sequence[Scored]) -> tuple[Floats, Floats]:
    curves = []
    for scored in scored_runs:
        right, wrong = scored.points[:, 1], scored.points[:, 2]
        present = right > 0
        recall = right[present] / scored.counts[1]
        share = right[present] / (right + wrong)[present]
        order = np.lexsort((-share, recall))
        curves.append((recall[order], share[order]))
    reached = min((float(x[-1]) if len(x) else 0.0) for x, _ in curves)
    if not reached:
        return np.empty(0), np.empty(0)
    grid = np.linspace(0.0, reached, _GRID)
    steps = [y[np.searchsorted(x, grid - 1e-12)] for x, y in curves]
    return grid, np.mean(steps, axis=0)


def _turns(y: Floats) -> list[int]:
    """Return the positions of the points at which a piecewise linear curve bends."""
    if len(y) < 3:
        return list(range(len(y)))
    bends = np.abs(np.diff(y, 2)) > 1e-9
    return [0, *(np.flatnonzero(bends) + 1).tolist(), len(y) - 1]


def _chosen(curves: Sequence[Scored], curve: str) -> tuple[float, float] | None:
    """Return the mean position of the selected graphs; None where a run selected none."""
    places = []
    for scored in curves:
        chosen, positives, negatives = scored.counts
        if chosen is None:
            return None
        _, right, wrong = scored.points[chosen].tolist()
        if curve == "ROC":
            places.append((wrong / negatives, right / positives))
        elif right + wrong:
            places.append((right / positives, right / (right + wrong)))
    if not places:
        return None
    x, y = np.mean(places, axis=0).tolist()
    return x, y
