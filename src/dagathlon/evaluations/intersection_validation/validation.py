"""Intersection-validation: learners ranked on data without a true graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from dagathlon.errors import DagathlonError, listing
from dagathlon.evaluations.intersection_validation.effects import agreed_effects, effect_distances
from dagathlon.evaluations.intersection_validation.forecast import (
    Duplicate,
    Forecast,
    LeftOut,
    forecast,
    groups_of,
    leave_one_out,
    near_duplicates,
)
from dagathlon.evaluations.intersection_validation.notes import notes_on
from dagathlon.evaluations.intersection_validation.pairs import Comparison, pairwise
from dagathlon.evaluations.intersection_validation.ranks import (
    OVERLAP,
    Mean,
    Place,
    RankTest,
    rank_tests,
    ranking,
    summarise,
)
from dagathlon.evaluations.intersection_validation.result import Disputed, IntervalResult
from dagathlon.evaluations.intersection_validation.scores import (
    DISTANCES,
    Combine,
    IntervalScore,
    confidence_weights,
    interval_scores,
)
from dagathlon.evaluations.intersection_validation.types import Estimates, Learned, written
from dagathlon.graphs import Graph

__all__ = [
    "DISTANCES",
    "OVERLAP",
    "Comparison",
    "Disputed",
    "Duplicate",
    "Forecast",
    "IntervalResult",
    "IntervalScore",
    "Learned",
    "LeftOut",
    "Mean",
    "Place",
    "RankTest",
    "agreed_effects",
    "confidence_weights",
    "forecast",
    "interval_scores",
    "interval_validation",
    "leave_one_out",
    "near_duplicates",
    "pairwise",
    "rank_tests",
    "ranking",
    "summarise",
]
FEWEST_LEARNERS = 2


def interval_validation(
    graphs: Mapping[str, Graph | None],
    estimates: Estimates,
    *,
    outputs: Mapping[str, str] | None = None,
    algorithms: Mapping[str, str] | None = None,
    bootstraps: Mapping[str, Sequence[Graph]] | None = None,
    combine: Combine = "min",
    rows: int | None = None,
    compare_pairs: bool = True,
    compare_effects: bool = True,
    notes: Iterable[str] = (),
) -> IntervalResult:
    """Rank learners by how near they come, with fewer rows, to what all say on all rows.

    Parameters
    ----------
    graphs
        The graph of each learner on all rows. A learner whose run failed (None) is left out, and a
        note says so; two must remain.
    estimates
        For each learner and number of rows the graphs on the subsamples, None where a run failed;
        the same subsamples for all learners, in the same order.
    outputs
        What learners return (``dag``, ``cpdag``, ``pag``, ``undirected``, …), as far as known.
    algorithms
        The algorithm of each learner: a ranking of different ones is not reliable (`forecast`).
    bootstraps
        Graphs of learners on bootstrap samples of all rows; pairs are then weighted by confidence.
    combine
        How confidences of several learners become one, as in `confidence_weights`.
    rows
        Number of rows of the whole data, to be told.
    compare_pairs
        Whether to compare every two learners by what just these two agree on.
    compare_effects
        Whether to count wrong effects, for DAGs and CPDAGs of up to 100 nodes.
    notes
        Sentences to put before those that are found here.

    References
    ----------
    Viinikka, Eggeling and Koivisto 2018, Intersection-validation: a method for evaluating structure
    learning without ground truth, AISTATS.
    """
    there = {name: graph for name, graph in graphs.items() if graph is not None}
    missing = [name for name in graphs if name not in there]
    _require_learners(there, missing)
    kept = {name: estimates[name] for name in there if name in estimates}
    learned = Learned.of(there, kept, outputs=outputs, algorithms=algorithms)
    duplicates = near_duplicates(learned)
    sensitivity = leave_one_out(learned, groups_of(duplicates))
    weights = None if bootstraps is None else confidence_weights(learned, bootstraps, combine)
    # Lines of an undirected graph look like a CPDAG, and say nothing of effects.
    speak = compare_effects and learned.by == "classes"
    effects = agreed_effects(there.values()) if speak else None
    wrong = None if effects is None else effect_distances(effects, learned)
    distances = interval_scores(learned, weights, wrong)
    means = summarise(distances)
    agreement = learned.agreement
    return IntervalResult(
        learners=learned.learners,
        nodes=learned.names,
        language=learned.by,
        rows=rows,
        sizes=learned.sizes,
        subsamples=max((there.shape[1] for there in learned.there.values()), default=0),
        edges=tuple(agreement.edges()),
        disputed=tuple(_disputed(learned)),
        forecast=forecast(agreement, learned.algorithms),
        sensitivity=tuple(sensitivity),
        duplicates=tuple(duplicates),
        notes=(*notes, *notes_on(learned, missing, sensitivity, duplicates, means)),
        distances=tuple(distances),
        means=tuple(means),
        ranking=tuple(ranking(distances)),
        tests=tuple(rank_tests(distances)),
        pairwise=tuple(pairwise(learned)) if compare_pairs else (),
        n_effects=None if effects is None else effects.n,
    )


def _require_learners(there: Mapping[str, Graph], missing: Sequence[str]) -> None:
    if len(there) < FEWEST_LEARNERS:
        raise DagathlonError(
            "intersection-validation needs the graphs of two learners or more on all rows; "
            f"found {listing(there)}, and none of {listing(missing)}"
        )


def _disputed(learned: Learned) -> list[Disputed]:
    away = ~learned.agreed(range(len(learned.learners)))
    return [
        Disputed(learned.names[i], learned.names[j], tuple(map(written, types.tolist())))
        for (i, j), types in zip(
            learned.pairs[away].tolist(), learned.whole[:, away].T, strict=True
        )
    ]
