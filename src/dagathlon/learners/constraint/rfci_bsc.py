"""RFCI-BSC: PAGs weighted by the probability of their independence constraints."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.graphs import Graph
from dagathlon.learners.assumptions import FAITHFUL
from dagathlon.learners.background import ConstraintFile
from dagathlon.learners.base import Estimate, Learner
from dagathlon.learners.constraint.constraint_network import ConstraintNetwork
from dagathlon.learners.constraint.fci import Rfci
from dagathlon.learners.score.score_kinds import ScoreParameters, shared_scores
from dagathlon.learners.score.scores import native_score
from dagathlon.modules import Count, Delegate, Natural, NonNegative, Probability
from dagathlon.posteriors.posterior import Posterior
from dagathlon.pulse import beat, part

if TYPE_CHECKING:
    from dagathlon.data import Dataset
    from dagathlon.data.spec import DataKind

Question: TypeAlias = tuple[int, int, list[int]]
Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class RfciBsc(Learner):
    """RFCI with Bayesian scoring of constraints: the most probable of many sampled PAGs.

    RFCI is run many times. Each of its tests is answered at random, with the posterior
    probability of independence. Each graph is then weighted by the probability of the answers
    that it implies for all tests of all runs; these weighted graphs are the posterior.

    Parameters
    ----------
    graphs
        How often RFCI is run.
    form
        The algorithm as published, or as in Tetrad 6 (tetrad), for discrete data: dependence in
        some configurations of the given variables suffices, a repeated test has another random
        answer, separations are read from graphs with their circle marks, and answers of probability
        0 are ignored.
    scoring
        Whether the answers count as independent of each other (independent), or their dependence is
        learned from bootstrap samples of the data (dependent).
    bootstraps
        Number of bootstrap samples, for dependent scoring.
    lower, upper
        In Tetrad's form, bounds of the probability of answers whose dependence is learned. All
        others count as independent of each other.
    prior
        Prior probability of independence.
    iss
        Imaginary sample size: of BDeu for discrete data, of the mean in BGe for continuous.
    max_order
        Largest number of variables to condition on; null is no limit.
    selection
        Whether selection bias is possible: rules 5 to 7, which find tails at both ends.
    constraints
        File of required and forbidden edges; null is none.
    timeout
        Seconds after which the run is stopped; null for no limit.
    """

    assumes = (FAITHFUL,)
    gives_posterior = True
    name = "rfci_bsc"
    version = 3
    gives = "pag"
    takes = frozenset({"continuous", "discrete"})
    references = (
        "Jabbari, Ramsey, Spirtes and Cooper 2017, Discovery of causal models that contain latent "
        "variables through Bayesian scoring of independence constraints, ECML PKDD",
    )

    graphs: Natural = 100
    form: Literal["published", "tetrad"] = "published"
    scoring: Literal["independent", "dependent"] = "independent"
    bootstraps: Natural = 100
    lower: Probability = 0.3
    upper: Probability = 0.7
    prior: Probability = 0.5
    iss: NonNegative = 1.0
    max_order: Count | None = None
    selection: bool = True
    constraints: ConstraintFile | None = None
    timeout: NonNegative | None = None

    def problem(self) -> str:
        """Return a message if the prior or the bounds are invalid; empty otherwise."""
        if not 0 < self.prior < 1:
            return f"prior must be above 0 and below 1, found {self.prior}"
        if self.lower > self.upper:
            return f"lower must not be above upper, found {self.lower} and {self.upper}"
        return "iss must be above 0" if self.iss <= 0 else super().problem()

    def accepted(self) -> frozenset[DataKind]:
        """Return the kinds of data taken; Tetrad's form takes discrete data alone."""
        return self.takes if self.form == "published" else frozenset({"discrete"})

    def delegates(self) -> tuple[Delegate, ...]:
        """Return RFCI, and the scores from which probabilities of independence come."""
        return (self._rfci(), *shared_scores(["bdeu", "bge"]))

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Learn the PAG of highest weight."""
        found, questions = self._draw(data, rng)
        posterior = self._weigh(found, questions, data, rng)
        graph, weight = posterior.graphs(1)[0]
        stats = {
            "posterior": weight,
            "constraints": len(questions),
            "distinct_graphs": len(found),
            "weighted_graphs": int(np.count_nonzero(posterior.weights[0])),
        }
        return Estimate(graph, stats, posterior)

    def _draw(
        self, data: Dataset, rng: np.random.Generator
    ) -> tuple[dict[Graph, int], list[Question]]:
        """Return the distinct graphs with their frequencies, and all questions of their tests."""
        test = self._test(data)
        options = self._rfci().options(data.names, ask_again=self.form == "tetrad")
        graphs: dict[Graph, int] = {}
        questions: dict[tuple[int, int, tuple[int, ...]], None] = {}
        for number, seed in enumerate(rng.integers(2**63, size=self.graphs)):
            beat(number, self.graphs)
            test.restart(int(seed))
            with part():
                graph = Graph._of(data.names, _core.rfci(test, options, "all")[0])
            graphs[graph] = graphs.get(graph, 0) + 1
            questions.update(((x, y, tuple(given)), None) for x, y, given in test.asked)
        return graphs, [(x, y, list(given)) for x, y, given in questions]

    def _rfci(self) -> Rfci:
        return Rfci(
            max_order=self.max_order,
            stable=self.form == "published",
            selection=self.selection,
            constraints=self.constraints,
            checks="all",
        )

    def _test(self, data: Dataset) -> _core.SampledTest:
        if self.form == "tetrad":
            return _core.redrawn_test(data.codes, list(data.arities), self.prior, self.iss)
        score = "bdeu" if data.is_discrete else "bge"
        parameters = ScoreParameters(iss=self.iss, iss_mu=self.iss)
        return _core.sampled_test(native_score(data, score, parameters), self.prior)

    def _weigh(
        self,
        graphs: dict[Graph, int],
        questions: list[Question],
        data: Dataset,
        rng: np.random.Generator,
    ) -> Posterior:
        """Return the posterior by the probability of each graph's implied answers.

        A graph with contradictory edges implies no answers and has weight 0. If all graphs
        are such, the weights are their shares of the runs.
        """
        read = _implied_answers if self.form == "published" else _answers_by_marks
        answers = {graph: read(graph, questions) for graph in graphs}
        claims = {graph: claimed for graph, claimed in answers.items() if claimed is not None}
        if not claims:
            logs = {graph: math.log(count) for graph, count in graphs.items()}
        else:
            log_probability = self._model(questions, data, rng)
            known = {graph: log_probability(np.array(c)) for graph, c in claims.items()}
            logs = dict.fromkeys(graphs, -math.inf) | known
        order = sorted(graphs, key=lambda graph: (-logs[graph], -graphs[graph]))
        return Posterior.of(order, log_weights=[logs[graph] for graph in order])

    def _model(
        self, questions: list[Question], data: Dataset, rng: np.random.Generator
    ) -> ConstraintNetwork:
        """Return the joint probability model of the answers to all questions."""
        odds, probabilities = map(np.array, _core.evaluate_tests(self._test(data), questions))
        tetrad = self.form == "tetrad"
        if self.scoring == "independent":
            return ConstraintNetwork(odds, passes_over=tetrad)
        if not tetrad:
            return ConstraintNetwork.learned(odds, self._resampled(questions, data, rng))
        places = np.flatnonzero((self.lower < probabilities) & (probabilities < self.upper))
        uncertain = [questions[k] for k in places]
        return ConstraintNetwork.of_uncertain(odds, self._resampled(uncertain, data, rng), places)

    def _resampled(
        self, questions: list[Question], data: Dataset, rng: np.random.Generator
    ) -> npt.NDArray[np.bool_]:
        """Return the more probable answers on bootstrap samples, one sample per row."""
        draws = np.empty((self.bootstraps, len(questions)), dtype=np.bool_)
        for row in draws if questions else ():
            again = data.take(rng.integers(len(data), size=len(data)))
            row[:] = np.array(_core.evaluate_tests(self._test(again), questions)[0]) >= 0
        return draws


def _implied_answers(graph: Graph, questions: list[Question]) -> list[bool] | None:
    """Return the separations that a graph implies; None when its edges contradict each other."""
    try:
        oracle = _core.oracle_test(_core.directed_circles(graph.native))
    except ValueError:
        return None
    return [p > 0.5 for p in _core.evaluate_tests(oracle, questions)[1]]


def _answers_by_marks(graph: Graph, questions: list[Question]) -> list[bool]:
    """Return the separations by the PAG's marks, circles included, even if contradictory."""
    return _core.standing_claims(graph.native, questions)
