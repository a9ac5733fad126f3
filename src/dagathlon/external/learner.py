"""`ExternalLearner`: a learner run as an external program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dagathlon.data.spec import DataKind, spec_of
from dagathlon.external.contract import RunInputs, write_inputs
from dagathlon.external.module import ExternalModule, seed_from
from dagathlon.external.results import read_outputs
from dagathlon.graphs import Graph
from dagathlon.learners.background import ConstraintFile
from dagathlon.learners.base import Estimate, Learner, Sampler
from dagathlon.learners.start_graph import StartsFromGraph

if TYPE_CHECKING:
    import numpy as np

    from dagathlon.data import Dataset

_IN_FILES = (
    "constraints",
    "input_algorithm_id",
)  # files that parameters name are passed to the program


@dataclass(frozen=True, kw_only=True)
class ExternalLearner(ExternalModule, Learner):
    """Learner in any language; `load_folder` makes its classes from manifests."""

    def warm_up(self) -> None:
        """Start the module's server, if it has one and it is not running."""
        self.start_server()

    def accepted(self) -> frozenset[DataKind]:
        """Kinds of data for these parameters."""
        values = self.to_json()
        rules = (p.takes[values[p.name]] for p in self.manifest.parameters if p.takes)
        return self.takes.intersection(*rules)

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Run the program in a new folder and read its output."""
        return self._learned(data, rng, ())

    def _learned(
        self, data: Dataset, rng: np.random.Generator, start: tuple[Graph, ...]
    ) -> Estimate:
        seed = seed_from(rng)
        values = {k: v for k, v in self.to_json().items() if k not in _IN_FILES}
        constraints = getattr(self, "constraints", None) if self.manifest.constraints else None
        given = RunInputs(self.name, data, values, seed, self.timeout, constraints, start)
        words = {**values, "seed": seed, "data_kind": spec_of(data).kind}
        with self._ran(words, lambda at: write_inputs(at, given, self.manifest.data)) as folder:
            posterior = self.manifest.posterior
            return read_outputs(self.name, folder, data, self.output(), posterior=posterior)


@dataclass(frozen=True, kw_only=True)
class ExternalSampler(ExternalLearner, Sampler):
    """External learner whose result is a Markov chain of graphs."""


@dataclass(frozen=True, kw_only=True)
class ExternalWithConstraints(ExternalLearner):
    """External learner that takes background knowledge.

    Parameters
    ----------
    constraints
        File of required and forbidden edges, or its content; null is none.
    """

    constraints: ConstraintFile | None = None


@dataclass(frozen=True, kw_only=True)
class ExternalWithStart(ExternalLearner, StartsFromGraph):
    """External learner that can start from another learner's graph."""

    def learn(
        self,
        data: Dataset,
        rng: np.random.Generator,
        start: Graph | tuple[Graph, ...] | None = None,
    ) -> Estimate:
        """Run the program, from another learner's graph if one is given."""
        graphs = () if start is None else start if isinstance(start, tuple) else (start,)
        return self._learned(data, rng, graphs)
