"""Benchpress's parameter modules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from dagathlon.benchpress.base import BenchpressParameters
from dagathlon.data.facts import DataFacts
from dagathlon.modules import NonNegative, Probability
from dagathlon.simulate.base import GraphKind, ParameterGenerator
from dagathlon.simulate.discrete import BinaryNetwork, Levels
from dagathlon.simulate.g_wishart import GWishart, IntraClass
from dagathlon.simulate.hyper_dirichlet import HyperDirichlet
from dagathlon.simulate.linear_sem import RandomLinearSem


@dataclass(frozen=True, kw_only=True)
class SemParams(BenchpressParameters):
    """A linear structural equation model: weights of random size and sign on the edges.

    Parameters
    ----------
    min
        Smallest absolute weight.
    max
        Largest absolute weight.
    """

    name = "sem_params"
    implementation = "dagathlon (re-implementation of Benchpress 2.13 sem_params)"

    min: Probability = 0.25
    max: Probability = 1.0

    def problem(self) -> str:
        """As the native module."""
        return self.native().problem()

    def native(self) -> ParameterGenerator:
        """The same models under our name."""
        return RandomLinearSem(min=self.min, max=self.max)


@dataclass(frozen=True, kw_only=True)
class BinBn(BenchpressParameters):
    """A Bayesian network of binary variables with random probability tables.

    By default what Benchpress's paper defines; the code that it ships does something else, which
    `form` selects.

    Parameters
    ----------
    min
        Smallest probability; of the code's form, that of a node without parents.
    max
        Largest probability; of the code's form, that of a node without parents.
    form
        paper: the probability of 0 is uniform between min and max for every configuration of the
        parents; code: parents that are 1 add up their strengths (see binary_network).
    """

    name = "bin_bn"
    gives = DataFacts(kind="discrete", binary=True, missing=False)
    implementation = "dagathlon (re-implementation of Benchpress 2.13 bin_bn)"

    min: Probability = 0.1
    max: Probability = 0.9
    form: Literal["paper", "code"] = "paper"

    def problem(self) -> str:
        """As the native module."""
        return self.native().problem()

    def native(self) -> ParameterGenerator:
        """The same models under our name."""
        return BinaryNetwork(min=self.min, max=self.max, form=self.form)


@dataclass(frozen=True, kw_only=True)
class UndirectedParameters(BenchpressParameters):
    """A model on an undirected graph."""

    needs: ClassVar[GraphKind] = "undirected"


@dataclass(frozen=True, kw_only=True)
class BdgraphRgwish(UndirectedParameters):
    """A Gaussian model with a precision matrix from the G-Wishart distribution.

    Parameters
    ----------
    b
        Degrees of freedom.
    threshold_conv
        Precision of the entries that the zeros of the graph determine.
    """

    name = "bdgraph_rgwish"
    implementation = "dagathlon (re-implementation of BDgraph 2.72 rgwish)"
    references = ("Lenkoski 2013, Stat 2", "Mohammadi and Wit 2019, BDgraph, JSS 89(3)")

    b: NonNegative = 3.0
    threshold_conv: NonNegative = 1e-8

    def problem(self) -> str:
        """As the native module."""
        return self.native().problem()

    def native(self) -> ParameterGenerator:
        """The same models under our name."""
        return GWishart(b=self.b, tolerance=self.threshold_conv)


@dataclass(frozen=True, kw_only=True)
class TrilearnIntraClass(UndirectedParameters):
    """A Gaussian model with equal variances and one correlation along all edges.

    Parameters
    ----------
    rho
        Correlation of two joined variables.
    sigma2
        Variance of every variable.
    """

    name = "trilearn_intra-class"
    implementation = "dagathlon (re-implementation of trilearn 2.0.5)"
    references = ("Green and Thomas 2013, Biometrika 100",)

    rho: Probability = 0.5
    sigma2: NonNegative = 1.0

    def problem(self) -> str:
        """As the native module."""
        return self.native().problem()

    def native(self) -> ParameterGenerator:
        """The same model under our name."""
        return IntraClass(rho=self.rho, sigma2=self.sigma2)


@dataclass(frozen=True, kw_only=True)
class TrilearnGInvWishart(UndirectedParameters):
    """A Gaussian model with a covariance from the graph inverse Wishart distribution.

    Parameters
    ----------
    dof
        Degrees of freedom beyond the number of variables.
    """

    name = "trilearn_g_inv_wishart"
    implementation = "dagathlon (re-implementation of trilearn 2.0.5)"
    references = ("Dawid and Lauritzen 1993, Annals of Statistics 21",)

    dof: NonNegative = 1.0

    def problem(self) -> str:
        """As the native module."""
        return self.native().problem()

    def native(self) -> ParameterGenerator:
        """The same models under our name.

        A Wishart precision matrix with p + dof degrees of freedom is a G-Wishart one with
        dof + 1, for that counts b + p - 1.
        """
        return GWishart(b=self.dof + 1)


@dataclass(frozen=True, kw_only=True)
class TrilearnHyperDir(UndirectedParameters):
    """A discrete decomposable model with hyper-Dirichlet tables of its cliques.

    Parameters
    ----------
    n_levels
        Number of levels of every variable.
    pseudo_obs
        Pseudo-observations in all, spread evenly over the cells.
    """

    name = "trilearn_hyper-dir"
    gives = DataFacts(kind="discrete", missing=False)
    implementation = "dagathlon (re-implementation of trilearn 2.0.5)"
    references = ("Dawid and Lauritzen 1993, Annals of Statistics 21",)

    n_levels: Levels = 2
    pseudo_obs: NonNegative = 1.0

    def problem(self) -> str:
        """As the native module."""
        return self.native().problem()

    def native(self) -> ParameterGenerator:
        """The same models under our name."""
        return HyperDirichlet(levels=self.n_levels, pseudo_observations=self.pseudo_obs)
