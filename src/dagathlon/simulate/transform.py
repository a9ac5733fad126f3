"""`Transform`: data to data, with what it does to the truth."""

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
    """Makes a data set of a data set: noise, fewer rows, other columns, another scale.

    A data entry of a study lists transforms, and an evaluation may ask for learning on transformed
    data. The random stream of a transform depends on the sample it begins with and on the seed,
    not on the transforms before it: the same rows are taken of the clean and of the noisy data,
    and for all learners.

    Attributes
    ----------
    for_fresh_data
        Whether fresh data, which estimates are tried on, go through it as well: so for what
        changes the columns or their scale.
    keeps_model
        Whether the model that the data were drawn from still speaks of such data.
    """

    kind = "transform"
    for_fresh_data: ClassVar[bool] = False
    keeps_model: ClassVar[bool] = True

    @property
    def pooled_copies(self) -> int:
        """From how many completed copies of the data learners learn; 0 is from the data."""
        return 0

    @property
    def code(self) -> str:
        """The values of the parameters, in short."""
        return ",".join(_short(value) for value in self.to_json().values())

    @property
    def label(self) -> str:
        """What tables add to the name of the data: ``subsample=100,1``."""
        return f"{self.name}={self.code}" if self.code else self.name

    @property
    def does_nothing(self) -> bool:
        """Whether these parameters leave any data as they are."""
        return False

    def facts(self, data: DataFacts) -> DataFacts:
        """What is known of the data afterwards, given what is known of them before."""
        return data

    def not_applicable(self, data: DataFacts) -> str:
        """Why this has no meaning for such data; empty when it has, or may have."""
        return ""

    @abstractmethod
    def apply(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """The transformed data; a `NotApplicableError` where this has no meaning for them.

        Parameters
        ----------
        data
            The data as they were.
        rng
            The random stream.
        """

    def truth_step(self) -> Module | None:
        """The module that makes the new truth; None where the truth stays as it is.

        Its kind is ``truth``, and its ``compute`` takes the old truth and the new data.
        """
        return None

    def truth(self, graph: Graph, data: Dataset) -> Graph:
        """The truth about the transformed data.

        Parameters
        ----------
        graph
            The truth about the data as they were.
        data
            The transformed data.
        """
        step: Any = self.truth_step()
        return graph if step is None else step.compute(graph, data)


@dataclass(frozen=True, kw_only=True)
class ObservedTruth(Module):
    """The truth about the variables that are in the data.

    Where variables are hidden, the graph over the others is the maximal ancestral graph (MAG).
    """

    name = "observed_truth"
    kind = "truth"

    def compute(self, graph: Graph, data: Dataset) -> Graph:
        """The latent projection of the graph on the columns of the data."""
        hidden = [name for name in graph.names if name not in data.index]
        return latent_projection(graph, hidden) if hidden else graph


def _short(value: Any) -> str:
    if isinstance(value, tuple | list):
        return "+".join(_short(item) for item in value)
    # A label is split at slashes.
    return "all" if value is None else str(value).replace("/", "_")
