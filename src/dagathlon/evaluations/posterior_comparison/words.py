"""Sentences on posteriors: agreement, calibration, distances and their correlations."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from dagathlon.evaluate.metric import measure_of
from dagathlon.evaluations.posterior_comparison.comparison import Beliefs
from dagathlon.evaluations.posterior_comparison.tables import Named, nearly_certain
from dagathlon.frame import Row, Rows, grouped
from dagathlon.report.charts.matrix import short
from dagathlon.report.tables.metrics import ALL_GRAPHS
from dagathlon.report.words import duration

_SAFE_RHAT, _SAFE_GAP = 1.05, 0.1
_FEW_DRAWS = 100.0
_FEW_EVENTS = 20
_ALIKE = 0.05
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def opening(beliefs: Beliefs, methods: Sequence[str], shown: int) -> str:
    """Yield sentences on how many posteriors were compared and how many are plotted."""
    n = len(methods)
    first = f"{n} methods give" if n > 1 else f"{methods[0]} gives"
    words = f"{first} a distribution over graphs. "
    if beliefs.there == 1:
        return words.strip()
    read = "all" if beliefs.read == beliefs.there else f"{beliefs.read:,} of"
    words += f"Numbers are over {read} {beliefs.there:,} data sets"
    if beliefs.read < beliefs.there:
        words += ", the first ones of each kind"
    if shown < beliefs.read:
        words += f"; matrices and graphs are those of {shown} of them, the first of each kind"
    return words + "."


def left_out(without: Sequence[str], no_dag: bool) -> Iterator[str]:
    """Yield sentences on methods and truths that are left out."""
    if without:
        yield f"No distribution over graphs came from {', '.join(without)}."
    if no_dag:
        yield (
            "A true graph that is no DAG over the variables of the data is not compared with: of "
            "edges with a direction it does not say whether they are true."
        )


def undirected(posteriors: Iterable[Named]) -> Iterator[str]:
    """Yield a sentence on how undirected edges count, if there are any."""
    methods = dict.fromkeys(
        posterior.method for posterior in posteriors if posterior.belief.undirected
    )
    if methods:
        yield (
            f"Some edges of {'; '.join(methods)} have no direction: matrices, graphs and "
            "differences between methods give half to each direction; scores and distances count "
            "both."
        )


def undirected_truth(form: str | None) -> Iterator[str]:
    """Yield a sentence on the undirected form of the truth, if the study states one."""
    if form is not None:
        graph = "moral graph" if form == "moral" else "graph of unconditional dependence"
        yield (
            f"Distributions over undirected graphs are compared with the {graph} of a true DAG, "
            "those over DAGs with the DAG itself."
        )


def searches(names: Sequence[str]) -> Iterator[str]:
    """Yield a sentence on chains left out because they only search for the best graph."""
    if names:
        verb = "is a search" if len(names) == 1 else "are searches"
        yield f"{', '.join(names)} {verb}: shares along such chains are no probabilities."


def coverage(posteriors: Iterable[Named]) -> Iterator[str]:
    """Yield sentences on methods that cover only a part of the graphs.

    Sentences that differ in their numbers alone, from one data set to the next, are said once.
    """
    covered: dict[str, dict[str, None]] = {}
    first: dict[str, str] = {}
    for posterior in posteriors:
        space = posterior.belief.space
        limited = [f"covers {space}"] if space and space.lower() != "all dags" else []
        for words in (*limited, *(f"says: {note}" for note in posterior.belief.notes)):
            alike = _NUMBER.sub("#", words)
            first.setdefault(alike, words)
            covered.setdefault(alike, {})[posterior.method] = None
    for alike, methods in covered.items():
        yield f"{'; '.join(methods)} {first[alike].rstrip('.')}."


def other_scores(scores: Mapping[str, Any], reference: str | None) -> Iterator[str]:
    """Yield a sentence on methods that weigh graphs by another score than the reference."""
    if reference is None or reference not in scores:
        return
    mine = scores[reference]
    others = [name for name, score in scores.items() if score not in (None, mine)]
    if others:
        what = "its default" if mine is None else mine
        yield (
            f"The score of {reference} is {what}, that of {', '.join(others)} another: their "
            "distance is also that between the scores."
        )


def convergence(rows: Rows) -> Iterator[str]:
    """Yield sentences on chains that disagree or have few effective draws."""
    settled = []
    for method, members in _grouped(rows).items():
        rhat = max((row["rhat"] for row in members if row["rhat"] is not None), default=None)
        least = min((row["ess"] for row in members if row["ess"] is not None), default=np.inf)
        if rhat is not None:
            doubt = _doubt(method, members, rhat, least)
            settled += [] if doubt else [method]
            yield from [doubt] if doubt else []
        elif least < min(_FEW_DRAWS, 0.5 * members[0]["draws"]):
            yield f"{method}: the weights of its draws leave as much as {least:.0f} of them."
    if settled:
        yield f"No sign that the chains of {'; '.join(settled)} have not settled."


def _doubt(method: str, members: Rows, rhat: float, draws: float) -> str:
    """Return reasons to distrust the Markov chains of a method; empty without any."""
    worst = most_apart(members)
    if rhat > _SAFE_RHAT or (worst["apart"] or 0.0) > _chance(draws, worst["chains"]):
        return _disagreeing(method, rhat, worst, len(members) > 1)
    if draws >= _FEW_DRAWS:
        return ""
    error = 0.5 / math.sqrt(max(draws, 1.0))
    return (
        f"{method}: its draws tell as much as {draws:.0f} independent ones; probabilities of "
        f"edges have an error of {error:.2f} or so."
    )


def most_apart(rows: Rows) -> Mapping[str, Any]:
    """Return the row whose chains differ most about an edge."""
    return max(rows, key=lambda row: row["apart"] or 0.0)


def _chance(draws: float, chains: int) -> float:
    """Return the difference expected by chance between agreeing chains: five standard errors."""
    return max(_SAFE_GAP, 5 * math.sqrt(0.5 * chains / max(draws, 1.0)))


def _disagreeing(method: str, rhat: float, worst: Mapping[str, Any], several: bool) -> str:
    """Return the clause that chains disagree about an edge or by their scores."""
    shown = "far above 1" if rhat > 100 else f"{rhat:.2f}"
    if worst["apart"] is None:
        words = f"{method}: the first half of its chain differs from the second (R̂ {shown})."
    else:
        place = f" on {worst['data']}, seed {worst['seed']}" if several else ""
        words = (
            f"{method}: its chains disagree. Two of them differ by {worst['apart']:.2f} about "
            f"{worst['apart about']}{place}; R̂ of the score is {shown}."
        )
    return f"{words} They are too short, or do not mix: trust its probabilities with care."


def calibration(rows: Rows, scores: Rows) -> Iterator[str]:
    """Yield sentences on overconfident methods, and on the best Brier score."""
    edges = [row for row in scores if row["of"] == "edges"]
    for row in edges:
        sure = nearly_certain(rows, row["setting"])
        if sure is None or sure["size"] < _FEW_EVENTS:
            continue
        if sure["predicted"] - sure["observed"] > _SAFE_GAP:
            yield (
                f"{row['setting']} is too sure: of the edges that it gives "
                f"{sure['predicted']:.2f} in the mean, {sure['observed']:.0%} are true."
            )
    if len(edges) > 1:
        best = min(edges, key=lambda row: row["brier"])
        yield (
            f"The smallest Brier score of edges is that of {best['setting']} ({best['brier']:.3g})."
        )


def nearest(rows: Rows, reference: str | None) -> Iterator[str]:
    """Yield sentences on the method nearest to the reference or the true graph, and its cost."""
    column = "e_shd" if reference is None else "edge_error"
    known = {name: _mean(members, column) for name, members in _grouped(rows).items()}
    result = {name: value for name, value in known.items() if value is not None}
    if not result:
        return
    best = min(result, key=lambda name: result[name])
    cost = _mean(_grouped(rows)[best], "cpu")
    words = f"{best} comes nearest to the true graph: {result[best]:.2f} edges wrong"
    if reference is not None:
        words = (
            f"{best} comes nearest to {reference}: the largest error of an edge's probability is "
            f"{result[best]:.2g}"
        )
    yield words + " in the mean" + ("." if cost is None else f", in {duration(cost)} of CPU.")


def agreement(rows: Rows) -> Iterator[str]:
    """Yield sentences on the methods that differ most on each data set, and the edge concerned."""
    sets = grouped((row["data"], row) for row in rows if row["left"] != row["right"])
    for name, members in sets.items():
        place = f"{name}: " if name else ""
        most = max(members, key=lambda row: row["largest"])
        if most["largest"] <= _ALIKE:
            yield f"{place}all methods agree on every edge within {most['largest']:.2g}."
            continue
        least = min(members, key=lambda row: row["largest"])
        yield (
            f"{place}{most['left']} and {most['right']} differ most, by {most['largest']:.2f} "
            f"about {most['edge']} ({most['left says']:.2f} against {most['right says']:.2f}); "
            f"{least['left']} and {least['right']} least, by {least['largest']:.2f}."
        )


def _grouped(rows: Iterable[Row]) -> dict[str, list[Row]]:
    return grouped((row["setting"], row) for row in rows)


def _mean(rows: Rows, column: str) -> float | None:
    values = [row[column] for row in rows if row[column] is not None]
    return float(np.mean(values)) if values else None


STRONG = 0.5
"""Least rank correlation of metrics that are said to agree."""
# Entropies below this part of the true posterior's are said to be too low.
_LOW = 0.5
_ENTROPY = "entropy"


class Trust(NamedTuple):
    """Correlations of metrics with a distance to the true posterior on one kind of data.

    Parameters
    ----------
    model, rows
        The kind of data, over all graphs.
    agree, against, between
        Correlations of metrics that order methods as the distance does, the other way round, or
        neither way.
    """

    model: str
    rows: int
    agree: Rows
    against: Rows
    between: Rows

    @property
    def mean(self) -> float:
        """Return the mean correlation of all metrics with the distance."""
        return float(np.mean([row["mean"] for row in (*self.agree, *self.against, *self.between)]))


def trusted(correlations: Rows, distance: str, besides: Sequence[str]) -> list[Trust]:
    """Return the metrics that agree with a distance to the true posterior, by kind of data.

    Parameters
    ----------
    correlations
        `graph`, `model`, `rows`, `left`, `right`, `mean`, `low`, `high`.
    distance
        The metric that compares with the true posterior.
    besides
        Further such metrics, about which nothing is said.
    """
    joint = [row for row in correlations if row["graph"] == ALL_GRAPHS] or correlations
    groups = grouped(
        ((row["model"], row["rows"]), row)
        for row in joint
        if row["left"] == distance and row["right"] not in besides
    )

    result = []
    for (model, size), members in sorted(groups.items()):
        members.sort(key=lambda row: -row["mean"])
        agree = [row for row in members if row["low"] > 0 and row["mean"] >= STRONG]
        against = [row for row in members if row["high"] < 0 and row["mean"] <= -STRONG]
        rest = [row for row in members if row not in agree and row not in against]
        result.append(Trust(model, size, agree, against, rest))
    return result


def metrics_in_words(rows: Rows) -> str:
    """Format metrics with correlations, such as ``E-SHD .61, AUROC .55``."""
    words = [f"{measure_of(row['right']).label} {short(row['mean'])}" for row in rows]
    return ", ".join(words) or "none"


def in_short(trusts: Sequence[Trust], distance: str) -> str:
    """Return a sentence per model on how correlations change with the number of rows."""
    title = measure_of(distance).label
    words = []
    for model in dict.fromkeys(posterior.model for posterior in trusts):
        members = [posterior for posterior in trusts if posterior.model == model]
        course = ", ".join(
            f"{short(posterior.mean)} with {posterior.rows:,} rows" for posterior in members
        )
        sure = [
            f"{posterior.rows:,}"
            for posterior in members
            if len(posterior.agree) > len(posterior.between)
        ]
        most = (
            f"most metrics agree with it at {', '.join(sure)} rows"
            if sure
            else ("at no number of rows do most metrics agree with it")
        )
        words.append(f"{model}: the mean rank correlation with {title} is {course}; {most}.")
    return " ".join(words)


class Yardstick(NamedTuple):
    """Mean of a metric for the true posterior, and the methods with a better one."""

    model: str
    rows: int
    metric: str
    value: float
    better: Mapping[str, float]
    others: int


def yardsticks(
    means: Rows, metrics: Sequence[str], references: Mapping[str, str]
) -> Iterator[Yardstick]:
    """Compare the true posterior by each metric with the methods, on means over graphs.

    Parameters
    ----------
    means
        `graph`, `model`, `rows`, `method`, `metric`, `mean`.
    metrics
        Those with a direction that do not compare with the true posterior.
    references
        The method that is the true posterior, by model.
    """
    for (model, size, metric), values in over_graphs(means).items():
        reference = references.get(model, "")
        if metric not in metrics or reference not in values:
            continue
        sign = 1 if measure_of(metric).better == "more" else -1
        reference_means = values[reference]
        others = {k: v for k, v in values.items() if k != reference}
        better = {k: v for k, v in others.items() if sign * v > sign * reference_means}
        yield Yardstick(model, size, metric, reference_means, better, len(others))


def over_graphs(means: Rows) -> dict[tuple[str, int, str], dict[str, float]]:
    """Return means over the graphs that all methods have, by model, rows and metric."""
    result: dict[tuple[str, int, str], dict[str, dict[str, float]]] = {}
    for row in means:
        key = (row["model"], row["rows"], row["metric"])
        result.setdefault(key, {}).setdefault(row["method"], {})[row["graph"]] = row["mean"]
    joint = {}
    for key, methods in result.items():
        shared = set.intersection(*(set(graphs) for graphs in methods.values()))
        if shared:
            joint[key] = {
                name: float(np.mean([graphs[item] for item in sorted(shared)]))
                for name, graphs in methods.items()
            }
    return joint


def beaten(comparisons: Sequence[Yardstick]) -> str:
    """Return on how many data sets most methods score better than the true posterior."""
    words = []
    for model in dict.fromkeys(posterior.model for posterior in comparisons):
        members = [posterior for posterior in comparisons if posterior.model == model]
        worse = []
        for size in sorted({posterior.rows for posterior in members}):
            here = [posterior for posterior in members if posterior.rows == size]
            behind = sum(len(posterior.better) > posterior.others / 2 for posterior in here)
            worse.append(f"{behind} of {len(here)} with {size:,} rows")
        words.append(f"{model}: by {', '.join(worse)}.")
    return " ".join(words)


def entropies(means: Rows, references: Mapping[str, str]) -> Iterator[str]:
    """Yield sentences on the true posterior's entropy and on overconfident methods, by model."""
    joint = over_graphs([row for row in means if row["metric"] == _ENTROPY])
    for model, reference in references.items():
        by_size = {size: v for (m, size, _), v in sorted(joint.items()) if m == model}
        course = [f"{v[reference]:.2f} with {n:,}" for n, v in by_size.items() if reference in v]
        if not course:
            continue
        words = [f"{model}: the entropy of {reference} is {', '.join(course)} rows."]
        low = {n: _too_sure(values, reference) for n, values in by_size.items()}
        for name in dict.fromkeys(name for names in low.values() for name in names):
            sizes = [f"{n:,}" for n, names in low.items() if name in names]
            words.append(f"{name} has less than half of it with {', '.join(sizes)} rows.")
        yield " ".join(words)


def _too_sure(values: Mapping[str, float], reference: str) -> list[str]:
    if reference not in values:
        return []
    others = {k: v for k, v in values.items() if k != reference}
    return [name for name, value in others.items() if value < _LOW * values[reference]]
