"""Tables of the accuracy of intersection-validation, and of what it costs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon.evaluate.ranking.correlations import (
    LEAST_METHODS,
    method_correlations,
    rank_correlations,
)
from dagathlon.evaluate.ranking.summary import numbers
from dagathlon.evaluations.forecast_accuracy.accuracy import Distances, Point, network_names
from dagathlon.evaluations.intersection_validation.forecast import verdict_of
from dagathlon.evaluations.intersection_validation.runs import subsample_of
from dagathlon.frame import Cells, Row, Rows, grouped, grouped_by
from dagathlon.report.results import Results
from dagathlon.report.tables.regimes import regimes_of
from dagathlon.report.tables.runs import setting_name
from dagathlon.study.plan.plan import Run

Key: TypeAlias = tuple[str, int, str]
_AT_ONCE = 4096


def cost_rows(results: Results, ids: Iterable[str] = ()) -> Iterator[Cells]:
    """Yield runs, failures, seconds and proven optima by network, number of rows and learner.

    Parameters
    ----------
    results
        Those of the setup.
    ids
        The algorithms; none means all of the setup.
    """
    result: list[tuple[Key, Row]] = []
    names = {case[2:6]: name for case, name in network_names(results, results.cases).items()}
    rows = {c[2:6]: kind.rows for c, kind in regimes_of(results, results.cases).items()}
    chosen = tuple(ids) or tuple(results.ids)
    labels = {case.transform for case in results.plan.cases} - {""}
    runs = [*results.runs_of(chosen), *results.further_runs(chosen, *filter(subsample_of, labels))]
    for run, row in _rows(results, runs):
        case, algorithm = results.case(run), results.algorithms[run.entry]
        draw = subsample_of(case.transform)
        size = rows[case[2:6]] if draw is None else draw[0]
        key = (names[case[2:6]], size, setting_name(algorithm, results.values(run)))
        result.append((key, row))
    groups = grouped(result)
    order = list(dict.fromkeys(network for network, _, _ in groups))
    for key in sorted(groups, key=lambda item: (order.index(item[0]), item[1])):
        network, size, learner = key
        about = {"network": network, "rows": size, "learner": learner}
        yield about | _costs(groups[key])


def _rows(results: Results, runs: Sequence[Run]) -> Iterator[tuple[Run, Row]]:
    """Yield the needed cells of the rows of runs, in batches to save memory."""
    for start in range(0, len(runs), _AT_ONCE):
        part = runs[start : start + _AT_ONCE]
        for run, row in zip(part, results.rows_of(part), strict=True):
            yield run, {name: row.get(name) for name in ("cpu", "status", "proven")}


def _costs(rows: Rows) -> Cells:
    seconds = numbers(rows, "cpu")
    proven = [bool(row["proven"]) for row in rows if row.get("proven") is not None]
    return {
        "runs": len(rows),
        "failed": sum(row["status"] != "ok" for row in rows),
        "median_cpu": float(np.median(seconds)) if seconds else None,
        "worst_cpu": max(seconds, default=None),
        "proven": float(np.mean(proven)) if proven else None,
    }


Means: TypeAlias = Mapping[str, float]
METHODS = ("SHD", "CE", "CV")
PHD = "PHD"


class Mean(NamedTuple):
    """Mean, its standard error (None for a single value) and the number of values."""

    mean: float
    se: float | None
    n: int


def mean_of(values: Sequence[float]) -> Mean | None:
    """Return the mean of the numeric values; None without any."""
    known = np.array([value for value in values if np.isfinite(value)])
    if not len(known):
        return None
    se = float(known.std(ddof=1) / np.sqrt(len(known))) if len(known) > 1 else None
    return Mean(float(known.mean()), se, len(known))


def by_network(points: Sequence[Point]) -> dict[str, dict[int, list[Point]]]:
    """Group data sets by network and number of rows, in ascending order."""
    networks = grouped_by(points, lambda item: item.network)
    return {
        name: grouped_by(sorted(members, key=lambda item: item.rows), lambda item: item.rows)
        for name, members in networks.items()
    }


def over_data_sets(points: Sequence[Point], method: str) -> dict[str, Mean]:
    """Return the mean of a method that uses all rows, by learner."""
    return _means(pair for point in points for pair in point.values.get(method, {}).items())


def over_subsamples(samples: Sequence[Distances], rows: int) -> dict[str, Mean]:
    """Return, by learner, the mean over data sets of means over subsamples of that size."""
    return _means(
        (learner, mean.mean)
        for distances in samples
        for learner, values in distances.get(rows, {}).items()
        if (mean := mean_of(values.tolist())) is not None
    )


def _means(values: Iterable[tuple[str, float]]) -> dict[str, Mean]:
    """The mean of the numbers of each learner that has some."""
    means = {learner: mean_of(own) for learner, own in grouped(values).items()}
    return {learner: mean for learner, mean in means.items() if mean is not None}


def _plain(means: Mapping[str, Mean]) -> dict[str, float]:
    return {learner: mean.mean for learner, mean in means.items()}


class Networks:
    """Means of a study, each computed once, and the tables derived from them."""

    def __init__(self, points: Sequence[Point]) -> None:
        self.points = points
        self.networks = by_network(points)

    def sizes(self, network: str, rows: int) -> list[int]:
        """Return the subsamples of a network's data sets with that many rows, by sample size."""
        return sorted({size for point in self.networks[network][rows] for size in point.phd})

    def truth(
        self, network: str, size: int, points: Sequence[Point], method: str = "SHD"
    ) -> dict[str, Mean]:
        """Return the distances that PHD on subsamples of that size should approximate, by learner.

        As in the paper it is of other data sets, which have that size. Where the study has none, or
        draws a graph for every data set, SHD is that of the graphs on the same subsamples.

        Parameters
        ----------
        network, size
            Which network and how many rows.
        points
            The data sets that the subsamples are of.
        method
            One that uses all rows.
        """
        same = self.networks[network].get(size)
        one_graph = len({point.truth for point in (*points, *(same or ()))}) == 1
        if same is not None and (one_graph or method != "SHD"):
            return over_data_sets(same, method)
        return over_subsamples([point.shd for point in points], size) if method == "SHD" else {}

    def curves(self) -> Iterator[Cells]:
        """Yield learning curves of the methods that use all rows (figure 2)."""
        for network, sizes in self.networks.items():
            for rows, points in sizes.items():
                for method in METHODS:
                    for learner, mean in over_data_sets(points, method).items():
                        about = {"network": network, "rows": rows, "learner": learner}
                        yield about | {"method": method} | _cells(mean, "data_sets")

    def partial_curves(self) -> Iterator[Cells]:
        """Yield learning curves of the partial Hamming distance at each intersection point."""
        for network, rows, size, points in self._cells():
            result = over_subsamples([point.phd for point in points], size)
            for learner, mean in result.items():
                about = {"network": network, "point": rows, "rows": size, "learner": learner}
                yield about | {"method": PHD} | _cells(mean, "data_sets")

    def _cells(self) -> Iterator[tuple[str, int, int, list[Point]]]:
        for network, sizes in self.networks.items():
            for rows, points in sizes.items():
                for size in self.sizes(network, rows):
                    yield network, rows, size, points

    def methods(self) -> Iterator[Cells]:
        """Yield correlations among the methods that use all rows (figure 3)."""
        for network, sizes in self.networks.items():
            for rows, points in sizes.items():
                means = {name: _plain(over_data_sets(points, name)) for name in METHODS}
                about = {"network": network, "rows": rows}
                for left, right in (("CE", "SHD"), ("CE", "CV"), ("SHD", "CV")):
                    if means[left] and means[right]:
                        yield about | _pair(means, left, right)

    def accuracy(self) -> Iterator[Cells]:
        """Compare PHD with the other methods for every point and size."""
        for network, rows, size, points in self._cells():
            means = {PHD: _plain(over_subsamples([point.phd for point in points], size))}
            means |= {m: _plain(self.truth(network, size, points, m)) for m in METHODS}
            row: Cells = {"network": network, "point": rows, "rows": size} | agreement(points)
            apart = [separation(point.phd[size]) for point in points if size in point.phd]
            known = mean_of([value for value in apart if value is not None])
            row["separation"] = None if known is None else known.mean
            row |= _agreeing(means[PHD], means["SHD"])
            same = _plain(over_subsamples([point.shd for point in points], size))
            row["pearson_same_rows"] = _pair({PHD: means[PHD], "SHD": same}, PHD, "SHD")[
                "correlation"
            ]
            for method in ("CE", "CV"):
                result = _pair(means, PHD, method) if means[method] else {}
                row[f"pearson_{method}"] = result.get("correlation")
            yield row | {"data_sets": len(points)}

    def data_sets(self) -> Iterator[Cells]:
        """Yield the accuracy on every single data set: the situation of an analyst."""
        for network, rows, size, points in self._cells():
            for point in (point for point in points if size in point.phd):
                truth = _plain(self.truth(network, size, [point]))
                phd = _plain(over_subsamples([point.phd], size))
                about: Cells = {"network": network, "point": rows, "seed": point.seed, "rows": size}
                row = about | agreement([point]) | {"separation": separation(point.phd[size])}
                yield row | _agreeing(phd, truth)

    def pairs(self) -> Iterator[Cells]:
        """Yield a row per pair of learners: PHD to the agreement of these two, and SHD."""
        for network, rows, size, points in self._cells():
            truth = _plain(self.truth(network, size, points))
            result = grouped(
                ((item.left, item.right), item)
                for item in (item for point in points for item in point.pairs if item.size == size)
                if item.difference is not None and {item.left, item.right} <= truth.keys()
            )
            for (left, right), members in result.items():
                row: Cells = {"network": network, "point": rows, "rows": size}
                row |= {"left": left, "right": right}
                row["relative_size"] = float(np.mean([item.relative_size for item in members]))
                row["connected"] = float(np.mean([item.n_connected for item in members]))
                row["phd_difference"] = float(np.mean([item.difference or 0.0 for item in members]))
                row["shd_difference"] = truth[left] - truth[right]
                row["same_sign"] = row["phd_difference"] * row["shd_difference"] > 0
                yield row | {"data_sets": len(members)}


def _cells(mean: Mean, of: str) -> Cells:
    return {"mean": mean.mean, "se": mean.se, of: mean.n}


def agreement(points: Sequence[Point]) -> Cells:
    """Return mean properties of agreement graphs over data sets (figure 6), and their forecast."""
    size = float(np.mean([point.forecast.relative_size for point in points]))
    connected = float(np.mean([point.forecast.n_connected for point in points]))
    return {
        "relative_size": size,
        "connected": connected,
        "verdict": verdict_of(connected, size),
    }


def separation(distances: Mapping[str, npt.NDArray[np.float64]]) -> float | None:
    """Return the spread of learners' mean distances in standard errors.

    The standard deviation of the means over that which chance would give them, as far as subsamples
    tell; None where it cannot be said.
    """
    known = [values[np.isfinite(values)] for values in distances.values()]
    enough = [values for values in known if len(values) > 1]
    if len(enough) < LEAST_METHODS:
        return None
    chance = float(np.mean([values.var(ddof=1) / len(values) for values in enough]))
    between = float(np.std([values.mean() for values in enough], ddof=1))
    return between / chance**0.5 if chance > 0 else None


def _pair(means: Mapping[str, Means], left: str, right: str) -> Cells:
    """Return Pearson's correlation of two methods over the learners that have both."""
    result = method_correlations({left: means[left], right: means[right]})[0]
    row: Cells = {"left": left, "right": right, "correlation": result.value}
    return row | {"learners": result.learners, "note": result.note or None}


def _agreeing(phd: Means, shd: Means) -> Cells:
    """Return correlations of PHD with SHD over learners, and the SHD lost by choosing by PHD."""
    result = _pair({PHD: phd, "SHD": shd}, PHD, "SHD")
    both = [name for name in phd if name in shd]
    row: Cells = {"pearson": result["correlation"], "spearman": None, "learners": len(both)}
    if both:
        ranks = rank_correlations([[phd[name], shd[name]] for name in both], ["less", "less"])
        row["spearman"] = float(ranks[0, 1]) if np.isfinite(ranks[0, 1]) else None
    return row | _choice(phd, shd, both)


def _choice(phd: Means, shd: Means, learners: Sequence[str]) -> Cells:
    """Return whether the learner of least PHD has the least SHD, and the SHD lost by choosing it.

    Beside it what a learner has more on average that is chosen blindly.
    """
    if not learners:
        return dict.fromkeys(("same_best", "loss", "blind_loss"))
    first = min(phd[name] for name in learners)
    chosen = [shd[name] for name in learners if phd[name] == first]
    values = [shd[name] for name in learners]
    return {
        "same_best": min(chosen) == min(values),
        "loss": float(np.mean(chosen)) - min(values),
        "blind_loss": float(np.mean(values)) - min(values),
    }
