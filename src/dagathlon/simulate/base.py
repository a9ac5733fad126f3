"""Base classes of generators: of a graph, of a model on it, of data from the model."""

from __future__ import annotations

import functools
import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Protocol, TypeAlias

from dagathlon.data.spec import DataFacts, DataKind
from dagathlon.graphs import Graph
from dagathlon.modules import Module, Range
from dagathlon.renamed import keep_former_methods

if TYPE_CHECKING:
    import numpy as np

    from dagathlon.data import Dataset

GraphKind: TypeAlias = Literal["dag", "undirected"]
Nodes: TypeAlias = Annotated[int, Range(1, 20_000)]
"""Number of nodes, bounded because graphs are dense matrices."""
_FORMER = {"objection": "why_unsuitable"}


class Model(Protocol):
    """Protocol of joint distributions that can be sampled."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the variables."""

    def sample(self, n: int, rng: np.random.Generator, /) -> Dataset:
        """Draw n independent rows; a shorter sample of the same stream is a prefix of a longer."""


@dataclass(frozen=True, kw_only=True)
class GraphGenerator(Module):
    """Base class of generators of true graphs."""

    kind = "graph"

    @property
    def gives(self) -> GraphKind:
        """Return the kind of graph that is generated."""
        return "dag"

    @abstractmethod
    def sample(self, rng: np.random.Generator) -> Graph:
        """Draw one graph."""


@dataclass(frozen=True, kw_only=True)
class ParameterGenerator(Module):
    """Base class of generators of a model on a given graph."""

    kind = "parameters"
    needs: ClassVar[GraphKind] = "dag"
    gives: ClassVar[DataFacts] = DataFacts(kind="continuous", missing=False)

    @abstractmethod
    def sample(self, graph: Graph, rng: np.random.Generator) -> Model:
        """Draw one model."""


@functools.lru_cache(maxsize=1024)
def check(module: Module) -> None:
    """Raise an error for parameters that a study would refuse, with the same message.

    A module made in Python has not been validated before; each is validated once.
    """
    type(module).from_json(module.to_json(), module.name)


def not_positive(module: Module, *parameters: str) -> str:
    """Return a message that names the parameters that are not finite and above 0; empty if none."""
    for name in parameters:
        value = getattr(module, name)
        if not 0 < value < math.inf:
            return f"{name} must be a finite number above 0, found {value:g}"
    return ""


@dataclass(frozen=True, kw_only=True)
class DataGenerator(Module):
    """Base class of generators of a data set from a model."""

    kind = "data"
    takes: ClassVar[frozenset[DataKind]] = frozenset({"continuous", "discrete", "mixed"})

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        keep_former_methods(cls, _FORMER)

    def facts(self, model: DataFacts) -> DataFacts:
        """Return the properties of the data known at planning time, given those of the model."""
        return model

    def why_unsuitable(self, model: DataFacts) -> str:
        """Return why such a model cannot be used, with the remedy; empty if it can."""
        if model.kind is not None and model.kind not in self.takes:
            return f"{self.name} needs {' or '.join(sorted(self.takes))} data, not {model.kind}"
        return ""

    @abstractmethod
    def sample(self, model: Model, rng: np.random.Generator) -> Dataset:
        """Draw one data set."""


keep_former_methods(DataGenerator, _FORMER)
