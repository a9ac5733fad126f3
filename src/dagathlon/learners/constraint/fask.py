"""FASK: adjacencies directed by the skewness of the variables; 2-cycles are possible."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from dagathlon.data.spec import DataFacts, DataKind
from dagathlon.errors import DataError, listing
from dagathlon.graphs import Graph, Knowledge, Mark
from dagathlon.learners.assumptions import LINEAR, NO_HIDDEN
from dagathlon.learners.background import knowledge_of
from dagathlon.learners.base import Estimate, Learner
from dagathlon.learners.constraint.constraint_based import ConstraintBased
from dagathlon.learners.constraint.pc import Pc
from dagathlon.learners.constraint.skewness import (
    Floats,
    LeftRight,
    halves,
    is_two_cycle,
    left_right,
    skewness,
    standardised,
)
from dagathlon.learners.order.order_search import Boss, Grasp
from dagathlon.learners.run import run_inner_learner
from dagathlon.learners.score.equivalence_search import Fges
from dagathlon.modules import Delegate, NonNegative, Probability
from dagathlon.pulse import beat, part

if TYPE_CHECKING:
    from dagathlon.data import Dataset

Bools = npt.NDArray[np.bool_]

# Absolute skewness below this counts as symmetric: the rules then have no evidence.
_HARDLY_SKEWED = 0.1
_FEWEST_ROWS = 2

# Statistics taken over from the search for adjacencies.
_OF_THE_SKELETON = ("ntests", "undefined_tests", "order_bound", "score")


@dataclass(frozen=True, kw_only=True)
class Fask(ConstraintBased):
    """Fast adjacency skewness (FASK): a skeleton whose edges are directed by skewness.

    Where a cause is large its effect follows it closely, but not the other way round; so skewed
    variables reveal the direction of a single edge, and cycles are possible. A pair in which
    each is a cause of the other (a 2-cycle) has an edge with two arrows, and a note names it.

    Parameters
    ----------
    alpha
        Significance level of the tests of the skeleton.
    test
        Independence test of the skeleton; null is Fisher's z (zf).
    skeleton
        Where adjacencies come from: fas, the skeleton of PC; boss, grasp or fges, the graph of
        highest sem-bic; none, skewness alone.
    penalty_discount
        Factor of the penalty of sem-bic, for boss, grasp and fges.
    left_right
        The rule for directions: fask1 (as published), fask2 (its second version), rskew, skew or
        tanh (Hyvärinen and Smith 2013).
    skew_edges
        A pair is also adjacent if its uncentred correlations, in the rows where one and where the
        other variable is positive, differ by more than this; 1 adds hardly any pairs, 2 none.
    two_cycle_cutoff
        Pairs with a smaller left-right value are 2-cycles, if two_cycle_alpha is 0 or the test
        finds them so; with 0 the test alone decides.
    two_cycle_alpha
        Significance level of the test of 2-cycles; 0 is no test.
    delta
        Correlation below which the directions of fask1 and fask2 are reversed.
    positive_skew
        Whether all variables are assumed to have positive skewness; otherwise those of negative
        skewness change sign first.
    """

    name = "fask"
    gives = "mixed"
    takes: ClassVar[frozenset[DataKind]] = frozenset({"continuous"})
    assumes = (NO_HIDDEN, LINEAR, "variables that are skewed")
    default_tests: ClassVar = {"continuous": "zf", "discrete": "mi", "mixed": "wilks-dg"}
    uses_blas = True
    references = (
        "Sanchez-Romero, Ramsey, Zhang, Glymour, Huang and Glymour 2019, Estimating feedforward "
        "and feedback effective connections from fMRI time series, Network Neuroscience 3",
        "Hyvärinen and Smith 2013, Pairwise likelihood ratios for estimation of non-Gaussian "
        "structural equation models, JMLR 14",
    )

    alpha: Probability = 0.01
    skeleton: Literal["fas", "boss", "grasp", "fges", "none"] = "fas"
    penalty_discount: NonNegative = 2.0
    left_right: LeftRight = "fask2"
    skew_edges: NonNegative = 0.3
    two_cycle_cutoff: NonNegative = 0.0
    two_cycle_alpha: Probability = 0.0
    delta: float = 0.0
    positive_skew: bool = False

    def why_unsuitable(self, data: DataFacts) -> str:
        """Return a message for missing values, which skewness cannot handle; empty otherwise."""
        if data.missing:
            return "fask cannot handle missing values; impute them first or drop the rows"
        return super().why_unsuitable(data)

    def delegates(self) -> tuple[Delegate, ...]:
        """Return the learner of the skeleton."""
        inner = self._inner()
        return () if inner is None else (inner,)

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Find adjacencies, then direct each of them."""
        if len(data) < _FEWEST_ROWS:
            raise DataError(f"fask needs at least {_FEWEST_ROWS} rows, found {len(data)}")
        known = knowledge_of(self.constraints, data.names)
        inner = self._inner()
        skeleton = Estimate(Graph(data.names))
        if inner is not None:
            with part():
                skeleton = run_inner_learner(inner, data, rng)
        columns = standardised(data.values)
        joined = skeleton.graph.subgraph(data.names).marks != 0
        by_skew = np.abs(halves(columns).difference) > self.skew_edges
        adjacent = _allowed(joined | by_skew, known, data.names)
        marks, cycles = self._directed(columns, adjacent, known, data.names)
        stats = {
            **{name: value for name, value in skeleton.stats.items() if name in _OF_THE_SKELETON},
            "skew_edges": int(np.triu(adjacent & ~joined).sum()),
            "two_cycles": len(cycles),
        }
        notes = (*skeleton.notes, *_notes(data.names, columns, cycles))
        return Estimate(Graph(data.names, marks), stats, notes=notes)

    def _inner(self) -> Learner | None:
        if self.skeleton == "none":
            return None
        if self.skeleton == "fas":
            return Pc(
                alpha=self.alpha,
                test=self.test or "zf",
                replicates=self.replicates,
                max_order=self.max_order,
                keep_untestable=self.keep_untestable,
                constraints=self.constraints,
                skeleton_only=True,
            )
        kinds: dict[str, type[Boss | Grasp | Fges]] = {"boss": Boss, "grasp": Grasp, "fges": Fges}
        kind = kinds[self.skeleton]
        return kind(
            score="sem-bic", penalty_discount=self.penalty_discount, constraints=self.constraints
        )

    def _directed(
        self, columns: Floats, adjacent: Bools, known: Knowledge, names: tuple[str, ...]
    ) -> tuple[npt.NDArray[np.uint8], list[tuple[int, int]]]:
        """Return the edge marks of the graph, and the 2-cycles."""
        says = left_right(columns, self.left_right, self.delta, self.positive_skew)
        marks = np.zeros(adjacent.shape, dtype=np.uint8)
        cycles = []
        for i, j in np.argwhere(np.triu(adjacent)).tolist():
            beat()
            required = _required(known, names[i], names[j])
            forward = required if required is not None else bool(says[i, j] > 0)
            both = required is None and self._both(columns, adjacent, says, i, j)
            if both:
                cycles.append((i, j))
            marks[i, j] = Mark.ARROW if forward or both else Mark.TAIL
            marks[j, i] = Mark.TAIL if forward and not both else Mark.ARROW
        return marks, cycles

    def _both(self, columns: Floats, adjacent: Bools, says: Floats, i: int, j: int) -> bool:
        screened = abs(says[i, j]) < self.two_cycle_cutoff
        if self.two_cycle_alpha == 0:
            return bool(screened)
        if self.two_cycle_cutoff > 0 and not screened:
            return False
        near = np.flatnonzero(adjacent[i] | adjacent[j]).tolist()
        others = [k for k in near if k not in (i, j)]
        return is_two_cycle(columns, i, j, others, self.two_cycle_alpha)


def _allowed(adjacent: Bools, known: Knowledge, names: tuple[str, ...]) -> Bools:
    """Return the adjacencies without those forbidden both ways, plus the required ones."""
    forbidden, required = known.matrices(names) if known else (None, None)
    if forbidden is None or required is None:
        return adjacent
    return np.asarray((adjacent & ~(forbidden & forbidden.T)) | required | required.T)


def _required(known: Knowledge, one: str, other: str) -> bool | None:
    """Return whether knowledge directs an edge forwards (True), backwards (False) or not (None)."""
    if (one, other) in known.required or (other, one) in known.forbidden:
        return True
    if (other, one) in known.required or (one, other) in known.forbidden:
        return False
    return None


def _notes(names: tuple[str, ...], columns: Floats, cycles: list[tuple[int, int]]) -> list[str]:
    notes = []
    if cycles:
        pairs = [f"{names[i]} and {names[j]}" for i, j in cycles]
        notes.append(f"2-cycles, drawn as edges with two arrows: {listing(pairs)}")
    flat = [n for n, s in zip(names, skewness(columns), strict=True) if abs(s) < _HARDLY_SKEWED]
    if flat:
        notes.append(f"hardly skewed, so that directions at these are guesses: {listing(flat)}")
    return notes
