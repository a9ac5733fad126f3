"""Further learners of DAGs and CPDAGs: GOBNILP, rblip, causaldag, causal-learn, pyAgrum."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from dagathlon.benchpress.base import BenchpressLearner
from dagathlon.benchpress.table import add_classes
from dagathlon.learners.base import Learner
from dagathlon.learners.exact.exact_map import ExactMap
from dagathlon.learners.order.asobs import Asobs, ParentSetOrderSearch, WinAsobs
from dagathlon.learners.order.order_search import Grasp

if TYPE_CHECKING:
    from dagathlon.data import Dataset

# Starts in a row without a better DAG that end the search of rblip before its time is up.
_WINDOW_PATIENCE = 50
_RANDOM_PATIENCE = 5000

# One start of GRaSP is often short of what a lucky start of causal-learn finds; thirty seldom are.
_GRASP_STARTS = 30
_GRASP_VARIABLES = 50


@dataclass(frozen=True, kw_only=True)
class Gobnilp(BenchpressLearner):
    """Exact search for the best DAG with few parents per node, by integer programming."""

    name = "gobnilp"

    def problem(self) -> str:
        """Return an error for settings of SCIP, which our solver does not have; else empty."""
        if self.extra_args is not None:
            return "extra_args has settings of SCIP, and the solver here is another; set it to null"
        return super().problem()

    def translated(self) -> dict[str, Any]:
        """Return our parameters, with the score by the kind of data."""
        kinds = {"BGe": "bge", "BIC": "bic-g", "BDeu": "bdeu"}
        score = kinds[self.score_type] if self.continuous else "bdeu"
        return super().translated() | {"score": score}

    def native_for(self, data: Dataset) -> Learner:
        """Return our learner; prior degrees of freedom grow with the number of variables."""
        freedom = self.alpha_omega_minus_nvars
        wishart = None if freedom is None else len(data.names) + freedom
        return cast(ExactMap, replace(self.native(), iss_w=wishart))


@dataclass(frozen=True, kw_only=True)
class RblipAsobs(BenchpressLearner):
    """Acyclic selection: local search over orders with cached parent sets."""

    name = "rblip_asobs"
    runs = ParentSetOrderSearch

    def native(self) -> ParentSetOrderSearch:
        """Return our search with the same meaning."""
        windows = self.solvermethod.startswith("winasobs")
        search: type[ParentSetOrderSearch] = WinAsobs if windows else Asobs
        return search(
            **self.translated(),
            exploration="independence" if self.scorermethod == "is" else "all",
            acyclic_selection=self.solvermethod != "obs",
            patience=_WINDOW_PATIENCE if windows else _RANDOM_PATIENCE,
            seconds=self.timeout,
        )


@dataclass(frozen=True, kw_only=True)
class CausallearnGrasp(BenchpressLearner):
    """Greedy relaxations of the sparsest permutation, with the BIC of a linear model."""

    name = "causallearn_grasp"

    def native_for(self, data: Dataset) -> Learner:
        """Return our learner; data with few variables get many starts."""
        few = len(data.names) <= _GRASP_VARIABLES
        return cast(Grasp, replace(self.native(), starts=_GRASP_STARTS if few else None))


add_classes(__name__)
