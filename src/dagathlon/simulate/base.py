"""The protocols of generators: a graph, then a model on it, then data from the model."""

from __future__ import annotations

import functools
import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Protocol, TypeAlias

from dagathlon.data.spec import DataFacts, DataKind
from dagathlon.graphs import Graph
from dagathlon.modules import Module, Range

if TYPE_CHECKING:
    import numpy as np

    from dagathlon.data import Dataset

GraphKind: TypeAlias = Literal["dag", "undirected"]
Nodes: TypeAlias = Annotated[int, Range(1, 20_000)]
"""A number of nodes; graphs are matrices, so that more would fill the memory."""


class Model(Protocol):
    """A joint distribution that data can be drawn from."""

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""

    def sample(self, n: int, rng: np.random.Generator, /) -> Dataset:
        """Draw n independent rows; the first rows of a longer sample are the shorter sample."""


@dataclass(frozen=True, kw_only=True)
class GraphGenerator(Module):
    """Draws a true graph."""

    kind = "graph"

    @property
    def gives(self) -> GraphKind:
        """The kind of graph that comes out."""
        return "dag"

    @abstractmethod
    def sample(self, rng: np.random.Generator) -> Graph:
        """Draw one graph."""


@dataclass(frozen=True, kw_only=True)
class ParameterGenerator(Module):
    """Draws a model on a graph."""

    kind = "parameters"
    needs: ClassVar[GraphKind] = "dag"
    gives: ClassVar[DataFacts] = DataFacts(kind="continuous", missing=False)

    @abstractmethod
    def sample(self, graph: Graph, rng: np.random.Generator) -> Model:
        """Draw one model."""


@functools.lru_cache(maxsize=1024)
def check(module: Module) -> None:
    """Refuse parameters that a study could not have, with the same message.

    A module that is made in Python has not been checked before; the same one is checked once.
    """
    type(module).from_json(module.to_json(), module.name)


def not_positive(module: Module, *parameters: str) -> str:
    """Say which of these parameters is not a finite number above 0; empty when all are."""
    for name in parameters:
        value = getattr(module, name)
        if not 0 < value < math.inf:
            return f"{name} must be a finite number above 0, found {value:g}"
    return ""


@dataclass(frozen=True, kw_only=True)
class DataGenerator(Module):
    """Draws a data set from a model."""

    kind = "data"
    takes: ClassVar[frozenset[DataKind]] = frozenset({"continuous", "discrete", "mixed"})

    def facts(self, model: DataFacts) -> DataFacts:
        """What is known of the data, given what is known of the model."""
        return model

    def objection(self, model: DataFacts) -> str:
        """Why such a model cannot be used, with the remedy; empty when it can."""
        if model.kind is not None and model.kind not in self.takes:
            return f"{self.name} needs {' or '.join(sorted(self.takes))} data, not {model.kind}"
        return ""

    @abstractmethod
    def sample(self, model: Model, rng: np.random.Generator) -> Dataset:
        """Draw one data set."""
