"""`check_score`: the conformance suite of scores."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.data.spec import DataKind
from dagathlon.errors import DagathlonError
from dagathlon.learners.run import make_ready
from dagathlon.learners.score.score_kinds import ScoreModule, ScoreParameters, known_scores
from dagathlon.learners.score.scores import native_score
from dagathlon.testing.generators import description_problems
from dagathlon.testing.reports import ConformanceError, OnCheck, close
from dagathlon.testing.samples import awkward, intervened, of_values, ordinary

_KINDS: tuple[DataKind, ...] = ("continuous", "discrete", "mixed")
_FAMILIES = ((0, ()), (1, (0,)), (2, (1,)), (3, (1, 2)), (4, (0, 2, 3)), (0, (1, 4)))
# Pairs of equivalent DAGs over three nodes: chains and forks.
_EQUIVALENT = (
    (((0, ()), (1, (0,))), ((1, ()), (0, (1,)))),
    (((0, ()), (1, (0,)), (2, (1,))), ((1, ()), (0, (1,)), (2, (1,)))),
    (((0, ()), (1, (0,)), (2, (0, 1))), ((2, ()), (1, (2,)), (0, (1, 2)))),
)
_ROWS = 300


def check_score(score: ScoreModule | type[ScoreModule] | str, *, seconds: float = 60.0) -> None:
    """Check that a score can be used by searches.

    Its terms must be finite on ordinary data, the same whenever they are computed and for other
    orders of rows and columns, and depend on nothing outside the family; a strong parent must
    raise them. A score declared equivalent must be. Awkward data must be answered with numbers
    or minus infinity, or refused with a `DagathlonError`.

    Parameters
    ----------
    score
        The score, its class (used with its defaults), or its name.
    seconds
        Time limit of a single term on 300 rows.

    Raises
    ------
    ConformanceError
        If there are problems; the message lists all of them.
    """
    ConformanceError.refuse(problems_of_score(score, seconds=seconds))


def problems_of_score(
    score: ScoreModule | type[ScoreModule] | str,
    *,
    seconds: float = 60.0,
    on_check: OnCheck = lambda _: None,
) -> list[str]:
    """Return the problems for which `check_score` would raise an error.

    Parameters
    ----------
    score, seconds
        As for `check_score`.
    on_check
        Called with the name of each check.
    """
    on_check("its description")
    module_of_score = known_scores()[score] if isinstance(score, str) else score
    cls = module_of_score if isinstance(module_of_score, type) else type(module_of_score)
    problems = list(description_problems(cls))
    try:
        module = cls.from_json({}) if isinstance(module_of_score, type) else module_of_score
    except DagathlonError as error:
        return [*problems, f"its defaults are not valid: {error}"]
    make_ready(cls)
    if not cls.takes:
        problems.append("it takes no kind of data")
    for other in filter(None, (cls.extended, cls.without_targets)):
        if other not in known_scores():
            problems.append(f"it names the score {other!r}, which is not there")
    for kind in _KINDS:
        if kind in cls.takes:
            trial = _Trial(module, kind, seconds, on_check)
            problems += [f"{kind} data: {problem}" for problem in trial.problems()]
    return problems


@dataclass(frozen=True)
class _Trial:
    """The checks on one kind of data."""

    module: ScoreModule
    kind: DataKind
    seconds: float
    on_check: OnCheck

    def problems(self) -> Iterator[str]:
        checks: dict[str, Callable[[], Iterator[str]]] = {
            "terms": self._terms,
            "the order of rows and columns": self._orders,
            "variables outside the family": self._decomposes,
            "a strong parent": self._prefers,
            "equivalent DAGs": self._equivalent,
            "awkward data": self._awkward,
        }
        for what, check in checks.items():
            self.on_check(f"{self.kind} data: {what}")
            try:
                problems = list(check())
            except Exception as error:
                problems = [f"{what}: {type(error).__name__}: {error}"]
            yield from problems
            if problems and what == "terms":
                return

    def _on(self, data: Dataset) -> _core.Score:
        return native_score(data, self.module, ScoreParameters())

    def _data(self) -> Dataset:
        data = ordinary(self.kind, _ROWS)
        return intervened(data) if self.module.knows_targets else data

    def _allowed(self, data: Dataset, child: int, parents: tuple[int, ...]) -> bool:
        """Return whether the score allows a family (some refuse discrete below continuous)."""
        discrete = [variable.is_discrete for variable in data.variables]
        restricted = self.module.conditional and discrete[child]
        return not restricted or all(discrete[parent] for parent in parents)

    def _values(self, data: Dataset) -> list[float]:
        score = self._on(data)
        families = (one for one in _FAMILIES if self._allowed(data, *one))
        return [score.local(child, list(parents)) for child, parents in families]

    def _terms(self) -> Iterator[str]:
        data = self._data()
        before, begin = data.fingerprint, time.perf_counter()
        terms = self._values(data)
        taken = (time.perf_counter() - begin) / len(terms)
        if taken > self.seconds:
            yield f"a term took {taken:.1f} s, more than {self.seconds:g} s"
        if not all(map(math.isfinite, terms)):
            yield f"its terms are not finite: {terms}"
        if self._values(data) != terms:
            yield "the same family has another term the second time"
        copies = np.array(data.codes), np.array(data.values)
        if Dataset(data.variables, *copies, data.regimes).fingerprint != before:
            yield "it changes the data"

    def _orders(self) -> Iterator[str]:
        data = self._data()
        found, last = self._values(data), len(data.names) - 1
        turned = self._on(data.select(tuple(reversed(data.names))))
        again = [
            turned.local(last - child, [last - parent for parent in parents])
            for child, parents in _FAMILIES
            if self._allowed(data, child, parents)
        ]
        if not close(found, again):
            yield "another order of the columns changes terms"
        rows = data.take(np.random.default_rng(5).permutation(len(data)))
        if not (self.module.by_folds or close(found, self._values(rows))):
            yield "another order of the rows changes terms (if so by design: by_folds = True)"

    def _decomposes(self) -> Iterator[str]:
        values = np.array(ordinary("continuous", _ROWS).values)
        one = self._on(of_values(values, self.kind, 3))
        values[:, 4] = np.random.default_rng(5).permutation(values[:, 4])
        other = self._on(of_values(values, self.kind, 3))
        for child, parents in ((2, []), (3, [1])):
            if not close(one.local(child, parents), other.local(child, parents)):
                yield "a term depends on variables outside the family"

    def _prefers(self) -> Iterator[str]:
        values = np.random.default_rng(2025).normal(size=(_ROWS, 3))
        values[:, 2] = values[:, 0] + 0.3 * values[:, 2]
        data = of_values(values, self.kind, 3)
        score = self._on(data)
        if not score.local(2, [0]) > score.local(2, []):
            yield "a strong parent does not raise the term of its child"

    def _equivalent(self) -> Iterator[str]:
        if not self.module.equivalent:
            return
        score = self._on(ordinary(self.kind, _ROWS))
        for pair in _EQUIVALENT:
            one, other = (sum(score.local(c, list(ps)) for c, ps in dag) for dag in pair)
            if not close(one, other):
                yield (
                    f"equivalent DAGs have the scores {one:.9g} and {other:.9g} (if so by design: "
                    "equivalent = False)"
                )
                return

    def _awkward(self) -> Iterator[str]:
        for sample in awkward(self.kind, 3):
            p = len(sample.data.names)
            try:
                score = self._on(sample.data)
                terms = [score.local(c, [k for k in ps if k < p]) for c, ps in _FAMILIES if c < p]
            except (DagathlonError, MemoryError):
                continue
            except Exception as error:
                yield f"{sample.what}: {type(error).__name__}: {error}"
                continue
            if any(math.isnan(term) or term == math.inf for term in terms):
                yield f"{sample.what}: its terms are not numbers or minus infinity: {terms}"
