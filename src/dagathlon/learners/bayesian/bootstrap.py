"""Any learner over bootstrap samples: edge strengths, an averaged graph, a sample of graphs."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, cast

from dagathlon.data.facts import DataFacts, DataKind
from dagathlon.errors import DagathlonError, DataError, OutOfTimeError
from dagathlon.graphs import Graph, cpdag
from dagathlon.learners.attempt import attempt_inside
from dagathlon.learners.base import Estimate, Learner
from dagathlon.modules import Delegate, Natural, NonNegative, Probability, Reference, find
from dagathlon.modules.spec import single_values
from dagathlon.posteriors.edge_strength import optimal_threshold
from dagathlon.posteriors.posterior import Posterior
from dagathlon.pulse import beat, part, until_deadline

if TYPE_CHECKING:
    import numpy as np

    from dagathlon.data import Dataset

LearnerSettings: TypeAlias = Annotated[str, Reference("settings")]


@dataclass(frozen=True, kw_only=True)
class Bootstrap(Learner):
    """Another learner on samples of the rows with replacement: the edges that keep coming back.

    The result is the averaged graph, and the learned graphs one after another in the place of a
    posterior, which the evaluations of Markov chains read; they are draws from the distribution of
    what the learner finds, not from a posterior distribution.

    Parameters
    ----------
    learner
        The learner: in a study the id of an algorithm, or a name with parameters such as
        ``hc[score=bge]``.
    replicates
        Number of bootstrap samples.
    rows
        Rows in each sample; null is as many as there are.
    threshold
        An edge is kept when its strength is above this; ``optimal`` finds the threshold nearest to
        strengths of 0 and 1.
    classes
        Whether a learned DAG counts as its equivalence class, whose undirected edges count half in
        each direction.
    timeout
        Seconds after which the run is stopped; null for no limit.
    """

    gives_posterior = True
    name = "bootstrap"
    version = 2
    gives = "chain"
    anytime = True
    references = (
        "Friedman, Goldszmidt and Wyner 1999, Data analysis with Bayesian networks, UAI",
        "Scutari and Nagarajan 2013, Artificial Intelligence in Medicine 57",
    )

    learner: LearnerSettings = "hc"
    replicates: Natural = 200
    rows: Natural | None = None
    threshold: Probability | Literal["optimal"] = "optimal"
    classes: bool = True
    timeout: NonNegative | None = None

    def problem(self) -> str:
        """Marks of ancestral graphs cannot be averaged; a learner's own parameters must fit."""
        inner = self._known()
        if inner is None:
            return ""
        if isinstance(inner, Bootstrap):
            return "a bootstrap of a bootstrap learns replicates² graphs; name the learner inside"
        if inner.gives in ("mag", "pag"):
            return f"bootstrap averages directed and undirected edges; {inner.name} gives a PAG"
        reads = [p.name for p in type(inner).parameters().values() if _reads_graph(inner, p)]
        if reads:
            return f"bootstrap cannot run {inner.name} with {reads[0]}: its graph is of all rows"
        return inner.problem()

    def accepted(self) -> frozenset[DataKind]:
        """Kinds of data that the learner takes."""
        inner = self._known()
        return self.takes if inner is None else inner.accepted()

    def objection(self, data: DataFacts) -> str:
        """Whatever the learner objects to."""
        inner = self._known()
        return "" if inner is None else inner.objection(data)

    def inner(self) -> Learner:
        """The learner that runs on each sample."""
        # The study puts the settings of an algorithm in the place of its id.
        given: Any = self.learner
        if isinstance(given, Mapping):
            return _learner_of(given["module"], given["parameters"])
        name, parameters = single_values(given)
        return _learner_of(name, parameters)

    def _known(self) -> Learner | None:
        """The learner, or None for the id of an algorithm, which the study checks by itself."""
        try:
            return self.inner()
        except DagathlonError:
            return None

    def delegates(self) -> tuple[Delegate, ...]:
        """The learner that runs on each sample; none while it is the id of an algorithm."""
        inner = self._known()
        return () if inner is None else (inner,)

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Learn from each sample and average."""
        inner = self.inner()
        if not len(data):
            raise DataError("bootstrap needs at least one row of data")
        size = self.rows or len(data)
        found: list[Estimate] = []
        with until_deadline():
            for number in range(self.replicates):
                beat(number, self.replicates)
                sample = data.take(rng.integers(len(data), size=size))
                with part():
                    found.append(attempt_inside(inner, sample, rng))
        if not found:
            raise OutOfTimeError("the time limit came before the first sample was learned")
        graphs = [self._counted(estimate.graph.subgraph(data.names)) for estimate in found]
        scores = [float(estimate.stats.get("score", 0.0)) for estimate in found]
        posterior = Posterior.of(graphs, score=scores)
        threshold = self.threshold
        if threshold == "optimal":
            threshold = optimal_threshold(posterior.strengths.strength)
        stats = {"replicates": len(found), "threshold": threshold}
        notes = tuple(f"In the first bootstrap sample: {note}" for note in found[0].notes)
        return Estimate(posterior.consensus(threshold), stats, posterior, notes)

    def _counted(self, graph: Graph) -> Graph:
        return cpdag(graph) if self.classes and graph.is_dag else graph


def _reads_graph(learner: Learner, parameter: Any) -> bool:
    reference = parameter.type.reference
    reads = reference is not None and reference.to == "algorithm"
    return reads and getattr(learner, parameter.attribute) is not None


def _learner_of(name: str, values: Mapping[str, Any]) -> Learner:
    """A learner; the content of a constraint file stands in the place of its name."""
    cls = cast(type[Learner], find("algorithm", name))
    known = cls.parameters()
    contents = {
        key: value
        for key, value in values.items()
        if isinstance(value, Mapping) and key in known and known[key].type.reference
    }
    plain = {key: value for key, value in values.items() if key not in contents}
    learner = cls.from_json(plain, name)
    return dataclasses.replace(learner, **contents) if contents else learner
