"""What an evaluation may request of the planner: scores, learning on transformed data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from dagathlon.data.spec import DataFacts
from dagathlon.errors import StudyError, unknown
from dagathlon.modules import Module
from dagathlon.simulate.transform import Transform

Input: TypeAlias = Literal[
    "truth",
    "data",
    "model",
    "test_data",
    "estimate",
    "posterior",
    "precision",
    "path",
    "reference",
]
"""Inputs that a score can be computed from.

As metrics name them: the true graph; the data as the learner gets them; the model that they were
drawn from; another draw from it, of the same size; the estimated graph with its statistics; what
the learner returned, with its chain if it is a sampler (``posterior``, and by the names of what is
wanted of it ``precision`` and ``path``); what another algorithm returned on the same
data.
"""


@dataclass(frozen=True)
class Cases:
    """Data sets of one kind, which differ in their seed alone.

    Parameters
    ----------
    graph, parameters, data
        Labels of their graph, parameters and data in tables.
    seeds
        One data set for each.
    facts
        Facts of the data known at planning time.
    has_truth
        Whether there is a true graph.
    generator
        Generator of the rows; None for a data file.
    steps
        Transforms of the data entry, without no-ops.
    ids
        The algorithms of the setup.
    graph_id, parameters_id
        What the data entry has as its graph and parameters; None without any.
    """

    graph: str
    parameters: str
    data: str
    seeds: range
    facts: DataFacts
    has_truth: bool
    generator: Module | None
    steps: tuple[Transform, ...]
    ids: tuple[str, ...]
    graph_id: str | None = None
    parameters_id: str | None = None

    def offers(self) -> frozenset[Input]:
        """Inputs that are available for scores on these data sets."""
        offered: set[Input] = {"data", "estimate", "posterior", "precision", "path", "reference"}
        offered |= {"truth"} if self.has_truth else set()
        drawn = self.generator is not None and all(step.keeps_model for step in self.steps)
        return frozenset(offered | ({"model", "test_data"} if drawn else set()))


@dataclass(frozen=True)
class _Score:
    """A requested score: a row of numbers.

    Parameters
    ----------
    name
        Name under which results are found; the same name in two evaluations is the same score.
    module
        A module of the kind ``metric``: its ``compute`` takes the inputs and returns a row.
    inputs
        Its inputs, in order.
    weak
        Whether another evaluation's score of the same name replaces it.
    """

    name: str
    module: Module
    inputs: tuple[Input, ...]
    weak: bool = False


@dataclass(frozen=True)
class RunScore(_Score):
    """A requested score of every run.

    Parameters
    ----------
    reference
        Id of the algorithm of the setup whose result on the same data is the input ``reference``:
        that of its first setting. Runs of that algorithm are given it too. Where it fails or is
        skipped, the score is skipped; what needs no reference is better a score of its own.
    """

    reference: str = ""


@dataclass(frozen=True)
class DataScore(_Score):
    """A requested score of every data set; inputs are truth, data, model and test_data."""


@dataclass(frozen=True)
class Learning:
    """Additional runs on transformed data, which are not in the study's own tables.

    Parameters
    ----------
    steps
        Transforms, one after the other, of each data set.
    ids
        Algorithms to run on them.
    scored
        Whether their estimates are compared with the truth.
    tried
        Transforms of the same data sets whose rows scores of these runs get as ``test_data``, such
        as what a fold leaves out; without any there are none.
    scores
        Further scores of these runs, without a reference. Their ``data`` are the transformed ones.
    """

    steps: tuple[Transform, ...]
    ids: tuple[str, ...]
    scored: bool = False
    tried: tuple[Transform, ...] = ()
    scores: tuple[RunScore, ...] = ()

    @property
    def label(self) -> str:
        """Label of the transform under which results are found: ``subsample=100,1``."""
        return transform_label(self.steps)

    def offers(self, cases: Cases) -> frozenset[Input]:
        """Return the inputs that are available for its scores on such data sets."""
        offered = set(cases.offers()) - {"test_data", "reference"}
        if not all(step.keeps_model for step in self.steps):
            offered.discard("model")
        return frozenset(offered | ({"test_data"} if self.tried else set()))


Wanted: TypeAlias = RunScore | DataScore | Learning


def transform_label(steps: Iterable[Transform]) -> str:
    """Return the label of a sequence of transforms; empty for none."""
    return "/".join(step.label for step in steps if not step.does_nothing)


@dataclass(frozen=True)
class Agreed:
    """Merged requests of all evaluations of a setup for one kind of data."""

    run_scores: tuple[RunScore, ...]
    data_scores: tuple[DataScore, ...]
    learning: tuple[Learning, ...]


def agreed(wanted: Iterable[Wanted], cases: Cases) -> Agreed:
    """Merge requests without repetition; leave out those that the data sets cannot fulfil."""
    scores: dict[tuple[type, str], RunScore | DataScore] = {}
    learning: dict[tuple[Transform, ...], Learning] = {}
    offers = cases.offers()
    for one in wanted:
        if isinstance(one, Learning):
            learning[one.steps] = _joined(learning.get(one.steps), one, cases)
            continue
        if isinstance(one, RunScore):
            _check_reference(one, cases)
        if offers.issuperset(one.inputs):
            _take(scores, one)
    return Agreed(
        tuple(one for one in scores.values() if isinstance(one, RunScore)),
        tuple(one for one in scores.values() if isinstance(one, DataScore)),
        tuple(learning.values()),
    )


def _check_reference(score: RunScore, cases: Cases) -> None:
    if "reference" in score.inputs and score.reference not in cases.ids:
        where = f"score {score.name}, reference"
        raise StudyError(unknown("algorithm id of the setup", score.reference, cases.ids, where))


def _take(
    scores: dict[tuple[type, str], RunScore | DataScore], score: RunScore | DataScore
) -> None:
    known = scores.get((type(score), score.name))
    if known is None or (known.weak and not score.weak):
        scores[type(score), score.name] = score
    elif not score.weak and replace(known, weak=False) != score:
        raise StudyError(
            f"two evaluations ask for different scores under the name {score.name!r}: "
            f"{_shown(known)} and {_shown(score)}"
        )


def _shown(score: RunScore | DataScore) -> str:
    module = score.module
    values: Mapping[str, object] = module.to_json()
    text = f"{module.name}[{', '.join(f'{k}={v}' for k, v in values.items())}]"
    reference = score.reference if isinstance(score, RunScore) else ""
    return f"{text} beside {reference}" if reference else text


def _joined(known: Learning | None, learning: Learning, cases: Cases) -> Learning:
    """Merge two requests for learning on the same data."""
    before = known or Learning(learning.steps, ())
    ids = tuple(dict.fromkeys((*before.ids, *learning.ids)))
    if before.tried and learning.tried and before.tried != learning.tried:
        labels = " and ".join(transform_label(steps) for steps in (before.tried, learning.tried))
        raise StudyError(f"two evaluations try what is learned on {learning.label} on {labels}")
    joined = Learning(
        learning.steps, ids, before.scored or learning.scored, before.tried or learning.tried
    )
    scores: dict[tuple[type, str], RunScore | DataScore] = {}
    for score in (*before.scores, *learning.scores):
        if joined.offers(cases).issuperset(score.inputs):
            _take(scores, score)
    return replace(joined, scores=tuple(s for s in scores.values() if isinstance(s, RunScore)))
