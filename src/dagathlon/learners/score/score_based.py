"""Base class of the searches that maximise a score."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from itertools import chain
from typing import Any, ClassVar

import numpy as np

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.data.spec import DataFacts, DataKind
from dagathlon.errors import GraphError, listing, unknown
from dagathlon.graphs.knowledge import Knowledge
from dagathlon.learners.assumptions import NO_HIDDEN
from dagathlon.learners.background import ArcMatrix, ConstraintFile, knowledge_of
from dagathlon.learners.base import Learner
from dagathlon.learners.score.score_kinds import (
    CRITERIA,
    EXTENDED_GAMMA,
    DefaultScores,
    ScoreParameters,
    ScoreText,
    problem_of_score,
    score_class,
    shared_scores,
)
from dagathlon.learners.score.scores import kinds_in_words, native_score, scores_for
from dagathlon.modules import Delegate, Natural, NonNegative, SharedCode

# Version of the default-score rule. Bump it when the rule picks another score for some data.
_CHOICE = SharedCode("choice", "score", 2)
ROUNDING = 1e-8
"""Smallest difference between scores; smaller ones are rounding within an equivalence class."""


@dataclass(frozen=True, kw_only=True)
class ScoreBased(ScoreParameters, Learner):
    """Base class of searches for the graph of highest score.

    Parameters
    ----------
    score
        Score to maximise, with parameters of its own where it has some (``mine[weight=2]``); null
        is bic, bic-g or bic-dg as the data are discrete, continuous or
        mixed. On wide data (more variables than the square root of the number of rows; discrete:
        as many as rows), where neither `k` nor a prior over graphs is given, null is ebic, ebic-g
        or ebic-dg with gamma 0.25.
    max_parents
        Largest number of parents of a node; null is no limit.
    constraints
        File of required and forbidden edges; null is none.
    timeout
        Seconds after which the run is stopped; null for no limit.

    Attributes
    ----------
    default_scores
        The score when none is chosen, for each kind of data.
    extends_default
        Whether a default that is a BIC is extended on wide data.
    """

    default_scores: ClassVar[DefaultScores] = CRITERIA
    assumes: ClassVar[tuple[str, ...]] = (NO_HIDDEN,)
    extends_default: ClassVar[bool] = True
    reentrant = True

    score: ScoreText | None = None
    max_parents: Natural | None = None
    constraints: ConstraintFile | None = None
    timeout: NonNegative | None = None

    def problem(self) -> str:
        """Return a message if the score is unknown; empty otherwise."""
        return super().problem() if self.score is None else problem_of_score(self.score)

    def accepted(self) -> frozenset[DataKind]:
        """Return the kinds of data that the score takes."""
        if self.score is None:
            return self.takes
        return self.takes & score_class(self.score).takes

    def parameter_sample_size(self) -> float | None:
        """Return the imaginary sample size of a Bayesian Dirichlet score; None for other scores."""
        score = self.score or self.default_scores["discrete"]
        return self.iss if "iss" in score_class(score).parameters() else None

    def assumptions(self, kind: DataKind) -> tuple[str, ...]:
        """Return the assumptions of the learner and its score."""
        score = score_class(self.score or self.default_scores[kind])
        return (*self.assumes, *score.assumptions(kind))

    def why_unsuitable(self, data: DataFacts) -> str:
        """Return why such data cannot be used, with the scores that fit them; empty if they can."""
        suited = ScoreBased.accepted(self)  # the score does not depend on the test
        if self.score and data.kind is not None and data.kind in self.takes - suited:
            needed = kinds_in_words(score_class(self.score))
            return (
                f"{self.name} with score {self.score} needs {needed} data, "
                f"and these are {data.kind}; scores for them: {listing(scores_for(data.kind))}"
            )
        problem = super().why_unsuitable(data)
        if problem and data.missing and data.kind in ("discrete", "continuous"):
            whole = super().why_unsuitable(replace(data, missing=False))
            return problem if whole else f"{problem}; structural_em takes them"
        return problem

    def native_score(self, data: Dataset) -> _core.Score:
        """Return the native score on these data."""
        return native_score(data, self.chosen_score(data), self.score_parameters(data))

    def score_parameters(self, data: Dataset) -> ScoreParameters:
        """Return the parameters of the score for these data."""
        if not self._extends(data):
            return self
        values = {field.name: getattr(self, field.name) for field in fields(ScoreParameters)}
        return ScoreParameters(**values | {"gamma": EXTENDED_GAMMA})

    def chosen_score(self, data: Dataset) -> str:
        """Return the name of the score for these data."""
        default = self.score or self.default_score(data)
        return score_class(default).extended if self._extends(data) else default

    def for_search(self, data: Dataset | None = None) -> dict[str, Any]:
        """Return the parameters of an inner search: the same score, limits and constraints."""
        values = {field.name: getattr(self, field.name) for field in fields(ScoreBased)}
        if data is not None and self.default_score(data) not in CRITERIA.values():
            values["score"] = self.chosen_score(data)
        return values

    def default_score(self, data: Dataset) -> str:
        """Return the name of the default score for data that are not wide."""
        if data.is_mixed:
            return self.default_scores["mixed"]
        return self.default_scores["discrete" if data.is_discrete else "continuous"]

    def _extends(self, data: Dataset) -> bool:
        """Return whether wide data replace the default score by its extended BIC."""
        chosen = self.score is not None or self.k is not None or self.prior != "uniform"
        if chosen or not self.extends_default:
            return False
        return bool(score_class(self.default_score(data)).extended) and is_wide(data)

    def notes(self, data: Dataset) -> tuple[str, ...]:
        """Return notes for the result: that an extended BIC was used."""
        if not self._extends(data):
            return ()
        plain, score = self.default_score(data), self.chosen_score(data)
        return (
            f"With {len(data.names)} variables and {len(data)} rows {plain} would find many arcs "
            f"by chance, so the score is {score} with gamma {EXTENDED_GAMMA:g}; "
            f"set score to {plain} for the plain criterion.",
        )

    def delegates(self) -> tuple[Delegate, ...]:
        """Return the score as a delegate, or all default scores if none is set."""
        if self.score is not None:
            return (*super().delegates(), *shared_scores((self.score,)))
        defaults = self.default_scores.values()
        extended = filter(None, (score_class(name).extended for name in defaults))
        extensions = extended if self.extends_default else ()
        return (*super().delegates(), *shared_scores((*defaults, *extensions)), _CHOICE)

    def knowledge(self, data: Dataset) -> Knowledge:
        """Return the required and forbidden edges, checked to join columns of the data."""
        background = knowledge_of(self.constraints, data.names)
        # There may be millions of pairs, such as all outside a skeleton, usually all valid.
        named = set(chain.from_iterable(chain(background.forbidden, background.required)))
        if named <= data.index.keys():
            return background
        for pair in sorted(background.forbidden | background.required):
            for name in pair:
                if name not in data.index:
                    raise GraphError(unknown("variable", name, data.names, "constraints"))
        return background

    def limits(self, data: Dataset) -> _core.SearchLimits:
        """Return the limits of the search for the native code."""
        most = len(data.names) if self.max_parents is None else self.max_parents
        return _core.SearchLimits(*self.arc_matrices(data), most)

    def arc_matrices(self, data: Dataset) -> tuple[ArcMatrix, ArcMatrix]:
        """Return the matrices of forbidden and of required edges, from row to column.

        A discrete node has no continuous parent in a conditional Gaussian network.
        """
        known = self.knowledge(data)
        forbidden, required = known.matrices(data.names)
        if data.is_mixed and score_class(self.chosen_score(data)).conditional:
            discrete = np.array([variable.is_discrete for variable in data.variables])
            forbidden |= ~discrete[:, None] & discrete[None, :]
        if known.required:  # with many columns this takes longer than some searches
            forbidden |= required.T
        return forbidden, required


def result_stats(result: Any) -> dict[str, float | int]:
    """Return the statistics of a native search: score, steps, number of scored families."""
    return {"score": result.score, "steps": result.steps, "n_scores": result.evaluations}


def is_wide(data: Dataset) -> bool:
    """Return whether there are so many variables for the rows that BIC finds arcs by chance.

    With more variables than the square root of the number of rows BIC is no longer consistent
    (Chen and Chen 2008). Arcs of discrete variables cost more than one parameter, so that for
    them the limit is as many variables as rows, where the difference is large everywhere.
    """
    p, n = len(data.names), len(data)
    return p >= n if data.is_discrete else p**2 > n
