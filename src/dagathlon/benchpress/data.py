"""Benchpress's data modules; `iid` is ours under the same name."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from dagathlon.benchpress.base import BenchpressData
from dagathlon.data.spec import DataFacts
from dagathlon.modules import NonNegative
from dagathlon.simulate.base import DataGenerator
from dagathlon.simulate.non_gaussian import Law, Logistic, NonGaussian
from dagathlon.simulate.nonlinear import Function, Nonlinear
from dagathlon.simulate.row_generator import RowGenerator

_NONLINEAR = ("mlp", "mim", "gp", "gp-add", "quadratic")
_LAWS: dict[str, Law] = {"gauss": "gaussian", "exp": "exponential"}


@dataclass(frozen=True, kw_only=True)
class BenchpressSample(BenchpressData, RowGenerator):
    """Base of the data modules: number of rows, and standardisation."""

    takes = frozenset({"continuous"})


@dataclass(frozen=True, kw_only=True)
class GcastleIidsim(BenchpressSample):
    """Linear models with several kinds of noise, and nonlinear models, on the edges of a DAG.

    As in gCastle, exponential and Gumbel noise has its own mean, uniform noise lies between plus
    and minus the scale, and the logistic model is one of binary variables without noise of its
    own. Other than in gCastle, Gaussian processes follow the seed, and quadratic functions of two
    and more parents have negative terms too and use every parent.

    Parameters
    ----------
    method
        Whether effects are linear. Nonlinear models use the edges alone, not the weights.
    sem_type
        Linear models: the noise, or logistic; nonlinear models: the kind of function.
    noise_scale
        Scale of the noise.
    """

    name = "gcastle_iidsim"
    implementation = "dagathlon (re-implementation of gCastle 1.0.3 IIDSimulation)"
    references = ("Zhang et al. 2021, gCastle, arXiv 2111.15155",)

    method: Literal["linear", "nonlinear"] = "linear"
    sem_type: Literal[
        "gauss", "exp", "gumbel", "uniform", "logistic", "mlp", "mim", "gp", "gp-add", "quadratic"
    ] = "gauss"
    noise_scale: NonNegative = 1.0

    def problem(self) -> str:
        """Return an error when sem_type does not belong to method; else empty."""
        if (self.sem_type in _NONLINEAR) != (self.method == "nonlinear"):
            other = "nonlinear" if self.method == "linear" else "linear"
            return f"sem_type {self.sem_type!r} belongs to method {other!r}"
        return self.native().problem()

    def facts(self, model: DataFacts) -> DataFacts:
        """Return the facts of our generator's data."""
        return self.native().facts(model)

    def native(self) -> DataGenerator:
        """Return our generator of these models."""
        size: dict[str, Any] = {"n": self.n, "standardized": self.standardized}
        if self.sem_type == "logistic":
            return Logistic(**size)
        if self.method == "nonlinear":
            function = cast(Function, self.sem_type)
            return Nonlinear(**size, function=function, noise_scale=self.noise_scale)
        law = _LAWS.get(self.sem_type, cast(Law, self.sem_type))
        return NonGaussian(**size, law=law, scale=self.noise_scale, centred=False)


@dataclass(frozen=True, kw_only=True)
class MvpcGenData(BenchpressSample):
    """Gaussian data of a linear model in which values are missing for a reason.

    Other than in Benchpress, mcar is completely at random: no variable decides which values are
    missing.
    """

    name = "mvpc_gen_data"

    def facts(self, model: DataFacts) -> DataFacts:
        """Return the facts; values are missing if any variable is chosen for it."""
        return replace(super().facts(model), missing=self.num_m > 0)

    def translated(self) -> dict[str, Any]:
        """Return our parameters; p_missing_e is used where p_missing_l is null."""
        low = self.p_missing_e if self.p_missing_l is None else self.p_missing_l
        return super().translated() | {"p_low": low}
