"""Sentences on what to know of a ranking by intersection-validation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from dagathlon.errors import listing
from dagathlon.evaluate.interval_forecast import Duplicate, LeftOut, groups_of
from dagathlon.evaluate.interval_ranks import Mean
from dagathlon.evaluate.interval_types import Learned

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
    """All that there is to say, the graver first.

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
        *_trivial(learned),
        *_duplicates(duplicates),
        *([language] if language else []),
        *_no_classes(learned),
        *_failures(means),
    ]


def _trivial(learned: Learned) -> list[str]:
    """Learners whose graph on all rows has no edge, or all."""
    found = []
    for name, types in zip(learned.learners, learned.whole, strict=True):
        edges = int(np.count_nonzero(types))
        if not edges:
            found.append(
                f"{name} finds no edge on all rows: with it no edge can be agreed on, and the "
                "emptier a graph is the better it seems."
            )
        elif edges == learned.n_all and learned.n_all > 1:
            found.append(
                f"{name} joins all pairs on all rows: with it no missing edge can be agreed on."
            )
    return found


def _duplicates(duplicates: Iterable[Duplicate]) -> list[str]:
    return [
        f"{listing(group)} give almost the same graphs: they count as several learners in the "
        "agreement, which leans towards what they say; leave one of them."
        for group in groups_of(duplicates)
    ]


def _no_classes(learned: Learned) -> list[str]:
    """Graphs of directed and undirected edges that stand for no class."""
    if learned.by != "classes":
        return []
    odd = [
        name for name, graph in learned.graphs.items() if not graph.is_dag and not graph.is_cpdag
    ]
    if not odd:
        return []
    return [f"On all rows no CPDAG but taken as they are: the graphs of {listing(odd)}."]


def _failures(means: Iterable[Mean]) -> list[str]:
    rows = list(means)
    found = []
    for name in dict.fromkeys(row.learner for row in rows if row.rank is None):
        sizes = listing(row.size for row in rows if row.learner == name and row.rank is None)
        found.append(
            f"{name} is not ranked with {sizes} rows: it has a graph on less than half of the "
            "subsamples, or there is none on which all others have one too."
        )
    failed = dict.fromkeys(row.learner for row in rows if row.failures)
    if failed:
        found.append(
            f"{listing(failed)} failed on some subsamples: means are over the subsamples on which "
            "all ranked learners have a graph; in tests a failure ranks last."
        )
    return found
