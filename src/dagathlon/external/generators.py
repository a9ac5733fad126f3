"""External generators of graphs, parameters and data."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from dagathlon.data.spec import DataSpec
from dagathlon.errors import OutOfTimeError
from dagathlon.external.contract import write_parameters
from dagathlon.external.drawn import read_drawn_data, read_drawn_graph, read_drawn_model
from dagathlon.external.model_files import GRAPH, write_model
from dagathlon.external.module import ExternalModule, seed_from
from dagathlon.graphs import Graph, write_graph
from dagathlon.pulse import watch
from dagathlon.simulate.base import DataGenerator, GraphGenerator, Model, ParameterGenerator

if TYPE_CHECKING:
    import numpy as np

    from dagathlon.data import Dataset, LinearSem, Network


@dataclass(frozen=True, kw_only=True)
class ExternalGenerator(ExternalModule):
    """A generator in any language; classes are made from manifests by `load_folder`."""

    @contextlib.contextmanager
    def _drawn_folder(
        self, rng: np.random.Generator, write: Callable[[Path], None] = lambda _: None
    ) -> Iterator[Path]:
        """Run the program with its own seed; yield its output folder."""
        seed, values = seed_from(rng), self.to_json()

        def write_all(folder: Path) -> None:
            write(folder)
            write_parameters(folder, self.name, values, seed, self.timeout)

        deadline = None if self.timeout is None else time.monotonic() + self.timeout
        try:
            with (
                watch(deadline=deadline),
                self._ran({**values, "seed": seed}, write_all) as folder,
            ):
                yield folder
        except OutOfTimeError:
            if self.timeout is None:
                raise
            reason = f"{self.name} was stopped after {self.timeout:g} s (its timeout)"
            raise OutOfTimeError(reason) from None


@dataclass(frozen=True, kw_only=True)
class ExternalGraph(ExternalGenerator, GraphGenerator):
    """An external generator of true graphs."""

    def sample(self, rng: np.random.Generator) -> Graph:
        """Run the program to draw one graph, and read its output."""
        with self._drawn_folder(rng) as folder:
            return read_drawn_graph(self.name, folder, self.manifest.gives)


@dataclass(frozen=True, kw_only=True)
class ExternalParameters(ExternalGenerator, ParameterGenerator):
    """An external generator of models on DAGs."""

    def sample(self, graph: Graph, rng: np.random.Generator) -> LinearSem | Network:
        """Run the program to draw one model on a graph, and read its output."""
        with self._drawn_folder(
            rng, lambda at: write_graph(graph, at / GRAPH, "adjacency")
        ) as folder:
            return read_drawn_model(self.name, folder, graph, self.manifest.gives)


@dataclass(frozen=True, kw_only=True)
class ExternalData(ExternalGenerator, DataGenerator):
    """An external generator of data."""

    def facts(self, model: DataSpec) -> DataSpec:
        """Return the declared kind and missing values, and the rows if there is a parameter n."""
        gives, missing = self.manifest.gives, self.manifest.missing
        spec = replace(model, n_rows=self._rows(), missing=None if missing else False)
        return spec if gives == "same" else replace(spec, kind=gives, binary=None)  # type: ignore[arg-type]

    def sample(self, model: Model, rng: np.random.Generator) -> Dataset:
        """Run the program to draw one data set from a model, and read its output."""
        with self._drawn_folder(rng, lambda at: write_model(self.name, model, at)) as folder:
            return read_drawn_data(
                self.name,
                folder,
                model,
                self.manifest.gives,
                missing=self.manifest.missing,
                n_rows=self._rows(),
            )

    def _rows(self) -> int | None:
        """Return the number of rows, if the program has an integer parameter n; else None."""
        value = self.to_json().get("n")
        return value if isinstance(value, int) else None
