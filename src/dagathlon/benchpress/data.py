"""Benchpress's data modules; `iid` is ours under the same name."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from dagathlon.benchpress.base import BenchpressData
from dagathlon.data.facts import DataFacts
from dagathlon.modules import Count, Natural, NonNegative, Probability
from dagathlon.simulate.iid import objection_to_standardizing

_NONLINEAR = ("mlp", "mim", "gp", "gp-add", "quadratic")


@dataclass(frozen=True, kw_only=True)
class BenchpressSample(BenchpressData):
    """What the data modules share: a number of rows, and standardisation.

    Parameters
    ----------
    n
        Number of rows.
    standardized
        Whether continuous columns are shifted and scaled to mean 0 and variance 1.
    """

    takes = frozenset({"continuous"})

    n: Natural = 1000
    standardized: bool = False

    def facts(self, model: DataFacts) -> DataFacts:
        """The model's facts and the number of rows."""
        return replace(model, n_rows=self.n)

    def objection(self, model: DataFacts) -> str:
        """The data that come out must suit the standardisation."""
        kind = self.facts(model).kind
        return super().objection(model) or objection_to_standardizing(self.standardized, kind)


@dataclass(frozen=True, kw_only=True)
class GcastleIidsim(BenchpressSample):
    """Linear models with several kinds of noise, and nonlinear models, on the edges of a DAG.

    Parameters
    ----------
    method
        Whether effects are linear.
    sem_type
        Linear models: the noise; nonlinear models: the kind of function.
    noise_scale
        Scale of the noise.
    """

    name = "gcastle_iidsim"
    implementation = "dagathlon (re-implementation of gCastle 1.0.3 IIDSimulation)"
    unavailable = "not implemented yet: nonlinear and non-Gaussian models are to come"
    references = ("Zhang et al. 2021, gCastle, arXiv 2111.15155",)

    method: Literal["linear", "nonlinear"] = "linear"
    sem_type: Literal[
        "gauss", "exp", "gumbel", "uniform", "logistic", "mlp", "mim", "gp", "gp-add", "quadratic"
    ] = "gauss"
    noise_scale: NonNegative = 1.0

    def problem(self) -> str:
        """The two kinds of models have their own types."""
        if (self.sem_type in _NONLINEAR) != (self.method == "nonlinear"):
            other = "nonlinear" if self.method == "linear" else "linear"
            return f"sem_type {self.sem_type!r} belongs to method {other!r}"
        return ""

    def facts(self, model: DataFacts) -> DataFacts:
        """The logistic model has binary variables."""
        known = super().facts(model)
        return replace(known, kind="discrete", binary=True) if self._binary else known

    @property
    def _binary(self) -> bool:
        return self.sem_type == "logistic"


@dataclass(frozen=True, kw_only=True)
class MvpcGenData(BenchpressSample):
    """Gaussian data of a linear model in which values are missing for a reason.

    Parameters
    ----------
    num_extra_e
        Number of colliders that cause values to be missing.
    num_m
        Number of variables with missing values.
    mode
        Missing at random (mar), not at random (mnar) or completely at random (mcar).
    p_missing_h
        Probability of a missing value where its cause is low.
    p_missing_e
        Ignored, as in Benchpress, unless p_missing_l is null: it then takes its place.
    p_missing_l
        Probability of a missing value elsewhere; null is that of p_missing_e.
    """

    name = "mvpc_gen_data"
    implementation = "dagathlon (re-implementation of MVPC's data generator)"
    unavailable = "not implemented yet: generators of missing values are to come"
    references = ("Tu, Zhang, Ackermann, Bertilson, Glymour, Kjellström and Zhang 2019, AISTATS",)

    num_extra_e: Count = 3
    num_m: Count = 6
    mode: Literal["mar", "mnar", "mcar"] = "mar"
    p_missing_h: Probability = 0.9
    p_missing_e: Probability = 0.1
    p_missing_l: Probability | None = None

    def facts(self, model: DataFacts) -> DataFacts:
        """Values are missing where variables were chosen for it."""
        return replace(super().facts(model), missing=self.num_m > 0)
