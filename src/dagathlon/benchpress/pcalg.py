"""pcalg 2.7-8 and its relatives: PC with missing values, with tiers, with dual tests."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, cast

from dagathlon.benchpress.base import BenchpressLearner
from dagathlon.benchpress.table import add_classes
from dagathlon.benchpress.translation import same
from dagathlon.data.spec import DataFacts
from dagathlon.learners.constraint.pc import Pc
from dagathlon.learners.imputation_step import (
    delegates_to_step,
    problem_of_step,
    resolve_step,
)
from dagathlon.learners.independence import independence_test
from dagathlon.modules import Count, Delegate

if TYPE_CHECKING:
    import numpy as np

    from dagathlon.data import Dataset
    from dagathlon.graphs import Graph
    from dagathlon.learners.base import Estimate

_CONTRADICTION: dict[str, Literal["keep", "random", "retry"]] = {
    "relaxed": "keep",
    "rand": "random",
    "retry": "retry",
}


@dataclass(frozen=True, kw_only=True)
class PcFamily(BenchpressLearner):
    """The parameters shared by pcalg_pc, mvpc and bips_tpc.

    Parameters
    ----------
    mmax
        Largest number of variables to condition on; "Inf" is no limit.
    conservative
        Whether ambiguous colliders stay undirected.
    majrule
        Whether colliders are decided by the majority of separating sets.
    numCores
        Ignored: a run has one core.
    verbose
        Ignored: nothing is printed.
    """

    runs = Pc
    inherits = same("alpha")
    gives = "cpdag"
    honours_constraints = True

    mmax: Count | Literal["Inf"] = "Inf"
    conservative: bool = False
    majrule: bool = False
    verbose: bool = False

    def problem(self) -> str:
        """Return an error when conservative and majrule are both set; else our learner's."""
        if self.conservative and self.majrule:
            return "conservative and majrule exclude each other; set one of them to false"
        return super().problem() or cast(str, self.native().problem())

    def translated(self) -> dict[str, Any]:
        """Return our parameters: largest conditioning set, rule for colliders."""
        rule = "majority" if self.majrule else "separating-set"
        return super().translated() | {
            "max_order": "inf" if self.mmax == "Inf" else self.mmax,
            "colliders": "conservative" if self.conservative else rule,
            "conflicts": "last",
        }


@dataclass(frozen=True, kw_only=True)
class PcSettings(PcFamily):
    """The parameters shared by pcalg_pc and mvpc.

    Parameters
    ----------
    u2pd
        What to do with a pattern that no DAG extends: leave it (relaxed), take a random DAG (rand)
        or search for one (retry).
    skelmethod
        How the skeleton is found; stable ones do not depend on the order of the variables.
    solveconfl
        Whether conflicting colliders become bidirected edges.
    NAdelete
        Whether an edge whose test has no result is removed.
    """

    u2pd: Literal["relaxed", "rand", "retry"] = "relaxed"
    skelmethod: Literal["stable", "original", "stable.fast"] = "stable"
    solveconfl: bool = False
    NAdelete: bool = True
    numCores: Count = 1

    def translated(self) -> dict[str, Any]:
        """Return our parameters: pcalg's skeleton search and orientation."""
        return super().translated() | {
            "keep_untestable": not self.NAdelete,
            "stable": self.skelmethod != "original",
            "conflicts": "mark" if self.solveconfl else "last",
            "contradiction": _CONTRADICTION[self.u2pd],
        }


@dataclass(frozen=True, kw_only=True)
class PcalgPc(PcSettings):
    """The PC algorithm: a skeleton by independence tests, then colliders, then Meek's rules."""

    name = "pcalg_pc"

    def problem(self) -> str:
        """Return an error for dsepTest, which needs the true graph; else empty."""
        if self.indepTest == "dsepTest":
            return (
                "indepTest 'dsepTest' asks the true graph, which a learner never sees; use "
                "'gaussCItest', 'binCItest' or 'disCItest'"
            )
        return super().problem()


@dataclass(frozen=True, kw_only=True)
class PcalgGies(BenchpressLearner):
    """Greedy interventional equivalence search: GES for data with known interventions."""

    name = "pcalg_gies"

    def why_unsuitable(self, data: DataFacts) -> str:
        """Return an error for mixed data or unknown targets; else our learner's objection."""
        if data.kind == "mixed":
            return "pcalg_gies needs continuous data, not mixed; use gies"
        if not data.interventions:
            return (
                "pcalg_gies needs data with intervention targets (columns that repeat the names of "
                "variables, on the right); use another algorithm for observational data"
            )
        return super().why_unsuitable(data)


@dataclass(frozen=True, kw_only=True)
class Mvpc(PcSettings):
    """PC for data with missing values, with correction of the tests they bias."""

    name = "mvpc"

    def problem(self) -> str:
        """Return an error when the correction does not belong to the test; else empty."""
        if self.corrMethod is not None and self.corrMethod[:3] != self.indepTest[:3]:
            return f"corrMethod {self.corrMethod!r} does not go with indepTest {self.indepTest!r}"
        return super().problem()


@dataclass(frozen=True, kw_only=True)
class BipsTpc(PcFamily):
    """PC with background knowledge in tiers, also on imputed data."""

    name = "bips_tpc"

    def problem(self) -> str:
        """Return an error when input_algorithm_id does not impute; else empty."""
        found = problem_of_step(self.input_algorithm_id)
        return f"input_algorithm_id: {found}" if found else super().problem()

    def delegates(self) -> tuple[Delegate, ...]:
        """Return our learner and the imputation step."""
        return (*super().delegates(), *delegates_to_step(self.input_algorithm_id))

    def learn(
        self,
        data: Dataset,
        rng: np.random.Generator,
        start: Graph | tuple[Graph, ...] | None = None,
    ) -> Estimate:
        """Learn with tests that pool over the data sets of the named algorithm."""
        pools = self.indepTest.endswith("MItest") and data.has_missing
        if self.input_algorithm_id is None or not pools:
            return super().learn(data, rng, start)
        copies = resolve_step(self.input_algorithm_id).copies(data)
        native = cast(Pc, self.native())
        test = independence_test(data, native.test, completed=copies)
        found = native.learn_with(test, rng)
        return replace(found, stats={**found.stats, "copies": len(copies)})


add_classes(__name__)
