"""Benchpress's parameter modules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from dagathlon.benchpress.base import BenchpressParameters
from dagathlon.benchpress.table import add_classes
from dagathlon.simulate.base import GraphKind


@dataclass(frozen=True, kw_only=True)
class UndirectedParameters(BenchpressParameters):
    """A model on an undirected graph."""

    needs: ClassVar[GraphKind] = "undirected"


@dataclass(frozen=True, kw_only=True)
class TrilearnGInvWishart(UndirectedParameters):
    """A Gaussian model with a covariance from the graph inverse Wishart distribution."""

    name = "trilearn_g_inv_wishart"

    def translated(self) -> dict[str, Any]:
        """Return the degrees of freedom in our parametrisation.

        A Wishart precision matrix with p + dof degrees of freedom is a G-Wishart one with
        dof + 1, for that counts b + p - 1.
        """
        return {"b": self.dof + 1}


add_classes(__name__)
