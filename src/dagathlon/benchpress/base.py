"""Base classes of Benchpress's modules: translation, timeouts, constraints, data rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, cast

from dagathlon.benchpress.needs import Needs, Table, objection
from dagathlon.benchpress.translation import Translation
from dagathlon.data.spec import DataFacts, DataKind
from dagathlon.graphs import Graph
from dagathlon.learners.background import ConstraintFile
from dagathlon.learners.base import Estimate, Learner, Output, Sampler
from dagathlon.learners.run import run_inner_learner
from dagathlon.modules import NonNegative
from dagathlon.simulate.base import DataGenerator, GraphGenerator, ParameterGenerator

if TYPE_CHECKING:
    import numpy as np

    from dagathlon.data import Dataset


@dataclass(frozen=True, kw_only=True)
class BenchpressLearner(Translation, Learner):
    """A learner under Benchpress's name.

    A subclass has Benchpress's parameters and either says which learner of ours `runs`, or in
    `unavailable` why there is none.

    Parameters
    ----------
    timeout
        Time limit in seconds; null is none.
    edgeConstraints
        File of required and forbidden edges; null is none.

    Attributes
    ----------
    data_rules
        For each parameter that decides on the kind of data: what each of its values needs.
    honours_constraints
        Whether edge constraints are obeyed.
    ignores_constraints
        Whether they are ignored, as in the original; the estimate says so.
    """

    data_rules: ClassVar[Mapping[str, Table]] = {}
    honours_constraints: ClassVar[bool] = False
    ignores_constraints: ClassVar[bool] = False

    timeout: NonNegative | None = None
    edgeConstraints: ConstraintFile | None = None

    def translated(self) -> dict[str, Any]:
        """Return our parameters, with the constraints where the learner honours them."""
        constraints = {"constraints": self.edgeConstraints} if self.honours_constraints else {}
        return super().translated() | constraints

    def native_for(self, data: Dataset) -> Learner:
        """Return our learner for these data; overridden where a default depends on the data."""
        return cast(Learner, self.native())

    def learn(
        self,
        data: Dataset,
        rng: np.random.Generator,
        start: Graph | tuple[Graph, ...] | None = None,
    ) -> Estimate:
        """Learn with our learner, from another learner's graph if one is given."""
        found = run_inner_learner(self.native_for(data), data, rng, start=start)
        if self.edgeConstraints is None or not self.ignores_constraints:
            return found
        words = f"edgeConstraints are ignored: {self.name} takes no background knowledge"
        return replace(found, notes=(*found.notes, words))

    def problem(self) -> str:
        """Return an error for constraints that the learner would not obey; else empty."""
        obeyed_or_not = self.honours_constraints or self.ignores_constraints
        if self.edgeConstraints is not None and not obeyed_or_not:
            return (
                f"{self.name} cannot honour edge constraints; set edgeConstraints to null or use "
                "a bnlearn_*, tetrad_*, pcalg_* or bidag_* module, gobnilp, mvpc or bips_tpc"
            )
        return ""

    def needs(self) -> list[Needs]:
        """Return the data that the values of the deciding parameters need."""
        return [table[getattr(self, name)] for name, table in self.data_rules.items()]

    def accepted(self) -> frozenset[DataKind]:
        """Return the kinds of data that these parameters accept."""
        kinds = self.takes.intersection(*(needs.kinds for needs in self.needs()))
        return kinds if self.unavailable else kinds & self.native().accepted()

    def parameter_sample_size(self) -> float | None:
        """Return the value of our learner; None without one."""
        return None if self.unavailable else self.native().parameter_sample_size()

    def output(self) -> Output:
        """Return the kind of graph, by our learner where its parameters decide."""
        if self.unavailable:
            return self.gives
        native = self.native()
        return self.gives if native.output() == native.gives else native.output()

    def why_unsuitable(self, data: DataFacts) -> str:
        """Return why such data cannot be used, naming the deciding parameters; else empty."""
        for parameter, table in self.data_rules.items():
            found = objection(self.name, parameter, getattr(self, parameter), table, data)
            if found and data.kind is not None and data.kind not in self.takes:
                return super().why_unsuitable(_without_missing(data))  # no parameter helps
            if found:
                return found
        return self._objection_to_missing(data) or (
            super().why_unsuitable(_without_missing(data))
            if self.unavailable
            else self.native().why_unsuitable(data)
        )

    def _objection_to_missing(self, data: DataFacts) -> str:
        if not data.missing or self.handles_missing or any(n.missing for n in self.needs()):
            return ""
        able = {
            parameter: [repr(value) for value, needs in table.items() if needs.missing]
            for parameter, table in self.data_rules.items()
        }
        settings = [f"set {name} to {' or '.join(v)}" for name, v in able.items() if v]
        remedy = " or ".join([*settings, "impute them first or drop the rows"])
        return f"{self.name} cannot handle missing values with these parameters; {remedy}"


def _without_missing(data: DataFacts) -> DataFacts:
    return DataFacts(data.kind, data.binary, False, data.interventions)


@dataclass(frozen=True, kw_only=True)
class BenchpressSampler(BenchpressLearner, Sampler):
    """A sampler under Benchpress's name; its result is a chain of graphs."""

    def keeps_to_limit(self) -> bool:
        """Return False: Benchpress has no result of a run that exceeds its limit."""
        return False


@dataclass(frozen=True, kw_only=True)
class BenchpressGenerator(Translation):
    """A generator under Benchpress's name."""

    def problem(self) -> str:
        """Return the problem of our generator."""
        return cast(str, self.native().problem())

    def sample(self, *given: Any) -> Any:
        """Draw with our generator."""
        return self.native().sample(*given)


@dataclass(frozen=True, kw_only=True)
class BenchpressGraph(BenchpressGenerator, GraphGenerator):
    """A graph generator under Benchpress's name."""


@dataclass(frozen=True, kw_only=True)
class BenchpressParameters(BenchpressGenerator, ParameterGenerator):
    """A parameter generator under Benchpress's name."""


@dataclass(frozen=True, kw_only=True)
class BenchpressData(BenchpressGenerator, DataGenerator):
    """A data generator under Benchpress's name."""
