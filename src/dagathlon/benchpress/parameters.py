"""Benchpress's parameter modules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from dagathlon.benchpress.base import BenchpressParameters
from dagathlon.benchpress.translation import same
from dagathlon.data.spec import DataFacts
from dagathlon.modules import NonNegative, Probability
from dagathlon.simulate.base import GraphKind
from dagathlon.simulate.discrete import BinaryNetwork
from dagathlon.simulate.g_wishart import GWishart, IntraClass
from dagathlon.simulate.hyper_dirichlet import HyperDirichlet
from dagathlon.simulate.linear_sem import RandomLinearSem


@dataclass(frozen=True, kw_only=True)
class SemParams(BenchpressParameters):
    """A linear structural equation model: weights of random size and sign on the edges."""

    name = "sem_params"
    runs = RandomLinearSem
    inherits = same("min", "max")
    implementation = "dagathlon (re-implementation of Benchpress 2.13 sem_params)"

    min: Probability = 0.25
    max: Probability = 1.0


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
    runs = BinaryNetwork
    inherits = same("min", "max", "form")
    gives = DataFacts(kind="discrete", binary=True, missing=False)
    implementation = "dagathlon (re-implementation of Benchpress 2.13 bin_bn)"


@dataclass(frozen=True, kw_only=True)
class UndirectedParameters(BenchpressParameters):
    """A model on an undirected graph."""

    needs: ClassVar[GraphKind] = "undirected"


@dataclass(frozen=True, kw_only=True)
class BdgraphRgwish(UndirectedParameters):
    """A Gaussian model with a precision matrix from the G-Wishart distribution."""

    name = "bdgraph_rgwish"
    runs = GWishart
    inherits = same("b", threshold_conv="tolerance")
    implementation = "dagathlon (re-implementation of BDgraph 2.72 rgwish)"
    references = ("Lenkoski 2013, Stat 2", "Mohammadi and Wit 2019, BDgraph, JSS 89(3)")


@dataclass(frozen=True, kw_only=True)
class TrilearnIntraClass(UndirectedParameters):
    """A Gaussian model with equal variances and one correlation along all edges."""

    name = "trilearn_intra-class"
    runs = IntraClass
    inherits = same("rho", "sigma2")
    implementation = "dagathlon (re-implementation of trilearn 2.0.5)"
    references = ("Green and Thomas 2013, Biometrika 100",)


@dataclass(frozen=True, kw_only=True)
class TrilearnGInvWishart(UndirectedParameters):
    """A Gaussian model with a covariance from the graph inverse Wishart distribution.

    Parameters
    ----------
    dof
        Degrees of freedom beyond the number of variables.
    """

    name = "trilearn_g_inv_wishart"
    runs = GWishart
    implementation = "dagathlon (re-implementation of trilearn 2.0.5)"
    references = ("Dawid and Lauritzen 1993, Annals of Statistics 21",)

    dof: NonNegative = 1.0

    def translated(self) -> dict[str, Any]:
        """The degrees of freedom as ours count them.

        A Wishart precision matrix with p + dof degrees of freedom is a G-Wishart one with
        dof + 1, for that counts b + p - 1.
        """
        return {"b": self.dof + 1}


@dataclass(frozen=True, kw_only=True)
class TrilearnHyperDir(UndirectedParameters):
    """A discrete decomposable model with hyper-Dirichlet tables of its cliques."""

    name = "trilearn_hyper-dir"
    runs = HyperDirichlet
    inherits = same(n_levels="levels", pseudo_obs="pseudo_observations")
    gives = DataFacts(kind="discrete", missing=False)
    implementation = "dagathlon (re-implementation of trilearn 2.0.5)"
    references = ("Dawid and Lauritzen 1993, Annals of Statistics 21",)
