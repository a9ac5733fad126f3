"""Sentences on what to know of a ranking by intersection-validation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from dagathlon.errors import listing
from dagathlon.evaluations.intersection_validation.forecast import (
    FEW_SHARED,
    Duplicate,
    LeftOut,
    forecast,
    groups_of,
    percent,
)
from dagathlon.evaluations.intersection_validation.ranks import Mean
from dagathlon.evaluations.intersection_validation.types import Learned
from dagathlon.wording import counted, listed

# So large a part of its edges is shared by all where a learner found hardly anything else.
_NEARLY = 0.9
_LANGUAGES = {
    "marks": "Graphs with latent causes are compared by the marks at both ends of an edge.",
    "arrowheads": (
        "Some graphs are classes of DAGs and some have marks for latent causes: edges are compared "
        "by their arrowheads alone, circles and tails being both none."
    ),
    "skeletons": (
        "Some learners return undirected graphs: all are compared by their skeletons, without "
        "directions."
    ),
}


def notes_on(
    learned: Learned,
    missing: Sequence[str],
    sensitivity: Iterable[LeftOut],
    duplicates: Iterable[Duplicate],
    means: Iterable[Mean],
) -> list[str]:
    """Return all notes on a ranking, the most serious first.

    Parameters
    ----------
    learned
        What the learners say.
    missing
        Learners without a graph on all rows.
    sensitivity, duplicates, means
        What `leave_one_out`, `near_duplicates` and `summarise` found.
    """
    language = _LANGUAGES.get(learned.by)
    return [
        *(f"{name} has no graph on all rows and takes no part." for name in missing),
        *(f"{row.words}." for row in sensitivity if row.breaks),
        *_mostly_missing(learned),
        *_trivial(learned),
        *_sparsest(learned),
        *_duplicates(learned, duplicates),
        *([language] if language else []),
        *_no_classes(learned),
        *_failures(means),
    ]


def _mostly_missing(learned: Learned) -> list[str]:
    """Return a note where the learners agree mainly on missing edges."""
    outlook = forecast(learned.agreement)
    if outlook.by_limits == "not reliable" or outlook.edge_share >= FEW_SHARED:
        return []
    return [
        f"Of the {counted(outlook.n_joined, 'pair')} that any learner joins all agree on "
        f"{outlook.n_connected} only ({percent(outlook.edge_share)}); what is agreed on are mostly "
        "missing edges, and learners with few edges have it easier."
    ]


def _trivial(learned: Learned) -> list[str]:
    """Return a note on learners whose graph on all rows is empty or complete."""
    edges = dict(zip(learned.learners, np.count_nonzero(learned.whole, axis=1), strict=True))
    empty = [name for name, n in edges.items() if n == 0]
    complete = [name for name, n in edges.items() if n == learned.n_all > 1]
    result = []
    if empty:
        finds = "finds" if len(empty) == 1 else "find"
        result.append(
            f"{listed(empty)} {finds} no edge on all rows: no edge can be agreed on, and the "
            "emptier a graph is the better it seems."
        )
    if complete:
        joins = "joins" if len(complete) == 1 else "join"
        result.append(
            f"{listed(complete)} {joins} all pairs on all rows: no missing edge can be agreed on."
        )
    return result


def _sparsest(learned: Learned) -> list[str]:
    """Return a note on learners with no edge beyond the agreed ones where others have more."""
    n = forecast(learned.agreement).n_connected
    edges = dict(zip(learned.learners, np.count_nonzero(learned.whole, axis=1), strict=True))
    members = [name for name, many in edges.items() if n >= _NEARLY * many]
    if not n or not 0 < len(members) <= len(edges) / 2:
        return []
    return [
        f"On all rows {listed(members)} found next to nothing but the edges that all have ({n}): "
        "the ranking asks who finds just these early, which is in favour of "
        f"{'it' if len(members) == 1 else 'them'}; what others find besides counts for nobody, "
        "right or wrong."
    ]


def _duplicates(learned: Learned, duplicates: Iterable[Duplicate]) -> list[str]:
    groups = groups_of(duplicates)
    if any(len(group) == len(learned.learners) for group in groups):
        everyone = listed(learned.learners)
        return [
            f"All learners ({everyone}) give almost the same graphs, be it that the data leave no "
            "doubt or that the learners are alike: there is little to rank them by."
        ]
    return [
        f"{listed(group)} give almost the same graphs: they count as several learners in the "
        "agreement, which leans towards what they say; keep one of them."
        for group in groups
    ]


def _no_classes(learned: Learned) -> list[str]:
    """Return a note on graphs of directed and undirected edges that are not CPDAGs."""
    if learned.by != "classes":
        return []
    odd = [
        name for name, graph in learned.graphs.items() if not graph.is_dag and not graph.is_cpdag
    ]
    if not odd:
        return []
    if len(odd) == 1:
        return [f"The graph of {odd[0]} on all rows is no CPDAG, and is compared as it is."]
    return [f"The graphs of {listed(odd)} on all rows are no CPDAGs, and are compared as they are."]


def _failures(means: Iterable[Mean]) -> list[str]:
    rows = list(means)
    result = []
    for name in dict.fromkeys(row.learner for row in rows if row.rank is None):
        sizes = listing(row.size for row in rows if row.learner == name and row.rank is None)
        result.append(
            f"{name} has no place: with {sizes} rows it has a graph on less than half of the "
            "subsamples."
        )
    failed = list(dict.fromkeys(row.learner for row in rows if row.failures))
    if failed:
        result.append(
            f"{listed(failed)} failed on some subsamples: means are over the subsamples on which "
            "all ranked learners have a graph; in ranks a failure is last."
        )
    return result
