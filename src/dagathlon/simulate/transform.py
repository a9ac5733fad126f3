"""`Transform`: a function from data to data, and its effect on the truth."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from dagathlon.data import Dataset
from dagathlon.data.spec import DataFacts
from dagathlon.graphs import Graph, latent_projection
from dagathlon.modules import Module

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, kw_only=True)
class Transform(Module):
    """Base class of transforms of data: noise, row or column selection, another scale.

    A data entry of a study lists transforms, and an evaluation may ask for learning on transformed
    data. The random stream of a transform depends on the sample it begins with and on the seed,
    not on the transforms before it: the same rows are taken of the clean and of the noisy data,
    and for all learners.

    Attributes
    ----------
    for_fresh_data
        Whether fresh data, on which estimates are evaluated, are transformed too: true for
        transforms that change the columns or their scale.
    keeps_model
        Whether the model that the data were drawn from still describes the transformed data.
    """

    kind = "transform"
    for_fresh_data: ClassVar[bool] = False
    keeps_model: ClassVar[bool] = True

    @property
    def pooled_copies(self) -> int:
        """Number of imputed copies that learners pool; 0 if they learn from the data."""
        return 0

    @property
    def code(self) -> str:
        """The values of the parameters, abbreviated."""
        return ",".join(_short(value) for value in self.to_json().values())

    @property
    def label(self) -> str:
        """Suffix of the data's name in tables: ``subsample=100,1``."""
        return f"{self.name}={self.code}" if self.code else self.name

    @property
    def does_nothing(self) -> bool:
        """Whether the transform with these parameters is the identity."""
        return False

    def facts(self, data: DataFacts) -> DataFacts:
        """Return the properties of the transformed data, given those of the data."""
        return data

    def not_applicable(self, data: DataFacts) -> str:
        """Return why the transform is not applicable to such data; empty if it may be."""
        return ""

    @abstractmethod
    def apply(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the transformed data; raise `NotApplicableError` if it is not applicable.

        Parameters
        ----------
        data
            The data before the transform.
        rng
            The random stream.
        """

    def truth_step(self) -> Module | None:
        """Return the module that computes the new truth; None if the truth stays the same.

        Its kind is ``truth``, and its ``compute`` takes the old truth and the new data.
        """
        return None

    def truth(self, graph: Graph, data: Dataset) -> Graph:
        """Return the truth about the transformed data.

        Parameters
        ----------
        graph
            The truth about the data before the transform.
        data
            The transformed data.
        """
        step: Any = self.truth_step()
        return graph if step is None else step.compute(graph, data)


@dataclass(frozen=True, kw_only=True)
class ObservedTruth(Module):
    """Projection of the truth onto the variables in the data.

    Where variables are hidden, the graph over the others is the maximal ancestral graph (MAG).
    """

    name = "observed_truth"
    kind = "truth"

    def compute(self, graph: Graph, data: Dataset) -> Graph:
        """Return the latent projection of the graph on the columns of the data."""
        hidden = [name for name in graph.names if name not in data.index]
        return latent_projection(graph, hidden) if hidden else graph


def _short(value: Any) -> str:
    if isinstance(value, tuple | list):
        return "+".join(_short(item) for item in value)
    # A label is split at slashes.
    return "all" if value is None else str(value).replace("/", "_")
