"""Tables of posteriors: distances, calibration, convergence, agreement between methods."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from dagathlon.evaluate.posteriors.calibration import calibration, reliability
from dagathlon.evaluate.posteriors.graphs import RankedEdges
from dagathlon.evaluations.posterior_comparison.comparison import Belief, in_one_spelling
from dagathlon.frame import Cells, Row, grouped
from dagathlon.posteriors.packed import Bools, Floats
from dagathlon.report.page.tables import case_names
from dagathlon.report.results import Results
from dagathlon.report.tables.runs import Combination

EXACT = "exact_posterior"
# Edges that are less probable, and not true, stand in no table.
LEAST_WRITTEN = 0.005
_MOST_DISPUTED = 10


class Named(NamedTuple):
    """Posterior with the name of its data set.

    Parameters
    ----------
    belief
        The posterior.
    case, set_name
        The kind of data and the data set; the latter is empty where there is one.
    """

    belief: Belief
    case: str
    set_name: str

    @property
    def method(self) -> str:
        """Return the setting in words."""
        return self.belief.whose.method

    @property
    def truth(self) -> Bools | None:
        """Return the true graph if edges can be compared with it, else None."""
        return self.belief.verdict.truth


def named_beliefs(beliefs: Sequence[Belief]) -> list[Named]:
    """Return posteriors in one spelling, with the names of their data sets."""
    beliefs = in_one_spelling(beliefs)
    names = case_names(list(dict.fromkeys(posterior.whose.data for posterior in beliefs)))
    sets = dict.fromkeys((posterior.whose.data, posterior.whose.seed) for posterior in beliefs)
    result = []
    for posterior in beliefs:
        case = names[posterior.whose.data]
        title = _set_name(case, posterior.whose.seed, sets) if len(sets) > 1 else ""
        result.append(Named(posterior, case, title))
    return result


def _set_name(name: str, seed: int, sets: Iterable[tuple[Combination, int]]) -> str:
    kinds = len({data for data, _ in sets})
    return f"{name}, seed {seed}" if kinds > 1 else f"seed {seed}"


def reference_of(results: Results, ids: Iterable[str]) -> str | None:
    """Return the first algorithm that gives exact posteriors, or None."""
    exact = (item for item in ids if results.algorithms[item].module.name == EXACT)
    return next(exact, None)


def method_row(posterior: Named) -> Cells:
    """Return the cost of a posterior, its distances to truth and reference, and its draws."""
    belief, verdict = posterior.belief, posterior.belief.verdict
    return {
        "data": posterior.case,
        "seed": belief.whose.seed,
        "setting": posterior.method,
        "id": belief.whose.id,
        "cpu": belief.cpu,
        "e_shd": verdict.e_shd,
        "edge_error": verdict.edge_error,
        "graph_mmd": verdict.graph_mmd,
        "expected edges": belief.expected_edges,
        "draws": belief.draws or None,
        "chains": belief.chains or None,
        "rhat": belief.rhat,
        "ess": belief.ess,
        "apart": None if belief.apart is None else belief.apart[0],
        "apart about": None if belief.apart is None else belief.apart[1],
        "space": belief.space or None,
    }


def edge_rows(posterior: Named) -> Iterator[Cells]:
    """Yield one row per edge that is probable enough, or true."""
    belief, truth = posterior.belief, posterior.truth
    wanted = belief.edges >= LEAST_WRITTEN
    for i, j in np.argwhere(wanted if truth is None else wanted | truth).tolist():
        row: Cells = {
            "data": posterior.case,
            "seed": belief.whose.seed,
            "setting": posterior.method,
        }
        row |= {"from": belief.names[i], "to": belief.names[j]}
        row["probability"] = float(belief.edges[i, j])
        if truth is not None:
            row["in the truth"] = "yes" if truth[i, j] else "no"
        yield row


def pooled(posteriors: Iterable[Named], of: str) -> list[RankedEdges]:
    """Return outcomes of edges or paths, one per data set with a true graph."""
    known = (posterior.belief.verdict.outcomes.get(of) for posterior in posteriors)
    return [posterior for posterior in known if posterior is not None and len(posterior.present)]


def _joined(outcomes: Sequence[RankedEdges]) -> tuple[Floats, Bools]:
    probabilities, present = zip(*outcomes, strict=True)
    return np.concatenate(probabilities), np.concatenate(present)


def by_method(posteriors: Iterable[Named]) -> dict[tuple[str, str], list[Named]]:
    """Group posteriors by id and setting."""
    return grouped(
        ((posterior.belief.whose.id, posterior.method), posterior) for posterior in posteriors
    )


def calibration_rows(posteriors: Sequence[Named], bins: int) -> Iterator[Cells]:
    """Yield the reliability of edges and paths by method, over all data and by kind."""
    cases = list(dict.fromkeys(posterior.case for posterior in posteriors))
    for case in ["", *(cases if len(cases) > 1 else ())]:
        chosen = [posterior for posterior in posteriors if case in ("", posterior.case)]
        for (identifier, method), group in by_method(chosen).items():
            about = {"data": case, "id": identifier, "setting": method}
            for of in ("edges", "paths"):
                yield from (about | {"of": of} | row for row in _bins(pooled(group, of), bins))


def _bins(outcomes: Sequence[RankedEdges], bins: int) -> Iterator[Cells]:
    """Yield the non-empty bins of a reliability diagram."""
    if not outcomes:
        return
    result = reliability(*_joined(outcomes), bins)
    for k in np.flatnonzero(result.count).tolist():
        predicted, observed = float(result.probability[k]), float(result.frequency[k])
        yield {"predicted": predicted, "observed": observed, "size": int(result.count[k])}


def score_rows(posteriors: Sequence[Named], bins: int) -> Iterator[Cells]:
    """Yield scores of the edge and path probabilities of each method, over all data sets."""
    for (identifier, method), group in by_method(posteriors).items():
        for of in ("edges", "paths"):
            outcomes = pooled(group, of)
            if outcomes:
                probabilities, present = _joined(outcomes)
                row = {"of": of, "id": identifier, "setting": method}
                row |= calibration(probabilities, present, bins)._asdict()
                yield row | {"data sets": len(outcomes), "pairs": len(present)}


def nearly_certain(rows: Iterable[Row], setting: str) -> Mapping[str, Any] | None:
    """Return a method's last bin: edges with probability 0.9 or more; None without any."""
    sure = [
        row
        for row in rows
        if row["setting"] == setting and row["of"] == "edges" and not row["data"]
        if row["predicted"] >= 0.9
    ]
    return sure[-1] if sure else None


def agreement_rows(posteriors: Sequence[Named]) -> Iterator[Cells]:
    """Yield distances between every two methods on a data set, and where they are largest."""
    for left, right in itertools.product(posteriors, posteriors):
        if left.belief.names != right.belief.names:
            continue
        a, b = left.belief.edges, right.belief.edges
        gaps = np.abs(a - b)
        i, j = np.unravel_index(int(np.argmax(gaps)), gaps.shape)
        names, mark = left.belief.names, left.belief.mark
        pairs = max(len(a) * (len(a) - 1), 1) / (1 if mark == "→" else 2)
        yield {
            "data": left.set_name,
            "left": left.method,
            "right": right.method,
            "largest": float(gaps[i, j]),
            "mean": float(gaps.sum()) / pairs,
            "edge": f"{names[i]} {mark} {names[j]}" if gaps[i, j] > 0 else None,
            "left says": float(a[i, j]),
            "right says": float(b[i, j]),
        }


def disputed(posteriors: Sequence[Named]) -> list[Cells]:
    """Return the edges of one data set on which the methods differ most."""
    names, mark = posteriors[0].belief.names, posteriors[0].belief.mark
    alike = [posterior for posterior in posteriors if posterior.belief.names == names]
    each = np.array([posterior.belief.edges for posterior in alike])
    spread = each.max(axis=0) - each.min(axis=0)
    rows = []
    for cell in np.argsort(-np.round(spread, 9), axis=None, kind="stable")[:_MOST_DISPUTED]:
        i, j = divmod(int(cell), len(names))
        if spread[i, j] > 0:
            row: Cells = {"edge": f"{names[i]} {mark} {names[j]}", "range": spread[i, j]}
            rows.append(
                row | {posterior.method: float(posterior.belief.edges[i, j]) for posterior in alike}
            )
    return rows
