"""Small modules for tests of the engine: some work, the others misbehave in every known way."""

from __future__ import annotations

import ctypes
import mmap
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from dagathlon.data import Dataset, Variable
from dagathlon.data.spec import DataFacts
from dagathlon.data.storable import storable
from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate, Learner
from dagathlon.modules import Natural
from dagathlon.simulate.base import DataGenerator, GraphGenerator, ParameterGenerator


@dataclass(frozen=True, kw_only=True)
class FakeGraph(GraphGenerator):
    """Draws each edge with probability one half."""

    name = "fake_graph"
    p: Natural = 4

    def sample(self, rng: np.random.Generator) -> Graph:
        matrix = np.triu(rng.integers(0, 2, (self.p, self.p)), 1)
        return Graph.from_adjacency([f"X{i}" for i in range(self.p)], matrix)


@storable
class FakeModel:
    def __init__(self, names: tuple[str, ...], weights: Any) -> None:
        self.names = names
        self.weights = weights

    def sample(self, n: int, rng: np.random.Generator) -> Dataset:
        values = np.asfortranarray(rng.normal(size=(n, len(self.names))) @ self.weights)
        return Dataset([Variable(name) for name in self.names], values=values)

    def to_parts(self) -> tuple[Any, dict[str, Any]]:
        return list(self.names), {"weights": self.weights}

    @classmethod
    def from_parts(cls, meta: Any, arrays: Any) -> FakeModel:
        return cls(tuple(meta), arrays["weights"])


@dataclass(frozen=True, kw_only=True)
class FakeParameters(ParameterGenerator):
    """Draws weights."""

    name = "fake_parameters"

    def sample(self, graph: Graph, rng: np.random.Generator) -> FakeModel:
        p = len(graph.names)
        return FakeModel(graph.names, rng.normal(size=(p, p)))


@dataclass(frozen=True, kw_only=True)
class FakeData(DataGenerator):
    """Draws rows."""

    name = "fake_data"
    n: Natural = 20
    wrong: bool = False

    def sample(self, model: Any, rng: np.random.Generator) -> Any:
        if self.wrong:
            raise ValueError("no data today\nsecond line")
        return model.sample(self.n, rng)


Mode = Literal[
    "ok",
    "work",
    "sleep",
    "spin",
    "eat",
    "abort",
    "segfault",
    "print",
    "disk",
    "none",
    "names",
    "nan",
    "exit",
    "hard exit",
    "raise",
    "children",
    "busy",
    "busy children",
    "buffer",
    "reserve",
    "offspring",
    "told",
    "large",
]


@dataclass(frozen=True, kw_only=True)
class FakeLearner(Learner):
    """Behaves as it is told."""

    name = "fake_learner"
    mode: Mode = "ok"
    number: int = 0
    seconds: float = 0.0

    def learn(self, data: Dataset, rng: np.random.Generator, start: Graph | None = None) -> Any:
        time.sleep(self.seconds)
        action = ACTIONS.get(self.mode)
        if action is not None:
            result = action(data)
            if result is not None:
                return result[0]
        p = len(data.names)
        matrix = np.triu(rng.integers(0, 2, (p, p)), 1)
        stats = {"score": float(data.values[:100].sum()), "started": start is not None}
        return Estimate(Graph.from_adjacency(data.names, matrix), stats)


@dataclass(frozen=True, kw_only=True)
class BatchLearner(Learner):
    """Learns from several data sets at once; the bad ones take a batch with them."""

    name = "batch_learner"
    batches = True
    takes = frozenset({"continuous"})
    number: int = 0
    worst: float = 1e9
    wrong: bool = False

    def why_unsuitable(self, data: DataFacts) -> str:
        return "too few rows" if data.n_rows is not None and data.n_rows < 5 else ""

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        return self.learn_many([data], [rng])[0]

    def learn_many(
        self, data: Sequence[Dataset], rngs: Sequence[np.random.Generator]
    ) -> list[Estimate]:
        drawn = [rng.random(3) for rng in rngs]
        if any(float(one.values[0, 0]) > self.worst for one in data):
            raise RuntimeError("a bad data set")
        names = [("Q", "R") if self.wrong and one.values[0, 0] > 0 else one.names for one in data]
        return [
            Estimate(Graph(nodes), {"drawn": float(numbers.sum()), "first": one.values[0, 0]})
            for nodes, one, numbers in zip(names, data, drawn, strict=True)
        ]


@dataclass(frozen=True, kw_only=True)
class CardLearner(FakeLearner):
    """Needs a graphics card."""

    name = "card_learner"
    gpu = True


@dataclass(frozen=True, kw_only=True)
class PerhapsLearner(FakeLearner):
    """Uses a graphics card where there is one, and two threads."""

    name = "perhaps_learner"
    gpu = "optional"
    threads = 2


@dataclass(frozen=True, kw_only=True)
class AbsentLearner(Learner):
    """Cannot run anywhere."""

    name = "absent_learner"
    unavailable = "its program is not installed"

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        raise AssertionError


def spin(data: Dataset) -> None:
    """Hold the interpreter in native code for ever."""
    re.match(r"(a+)+$", "a" * 64 + "b")


def eat(data: Dataset) -> None:
    held = []
    while True:
        held.append(np.ones(2**20))


def fill_disk(data: Dataset) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (2**16, resource.RLIM_INFINITY))
    Path("large").write_bytes(bytes(2**20))


def print_garbage(data: Dataset) -> None:
    os.write(1, b"\x00\xff garbage" * 1000)
    print("to stdout")
    print("to stderr", file=sys.stderr)


def raise_error(data: Dataset) -> None:
    print("about to fail")
    raise RuntimeError("it went wrong\nin detail")


def segfault(data: Dataset) -> None:
    ctypes.string_at(0)


def children(data: Dataset) -> None:
    """Wait for a program that takes long."""
    subprocess.run(["sleep", "1000"], check=True)


def busy(data: Dataset) -> None:
    """Compute without end, in Python."""
    while True:
        pass


def busy_children(data: Dataset) -> None:
    """Wait for a program that computes without end."""
    subprocess.run([sys.executable, "-c", "while True: pass"], check=True)


def many_large_buffers(data: Dataset) -> None:
    """Hold 40 MB for a moment."""
    np.ones(5 * 2**20).sum()


def work(data: Dataset) -> list[Estimate]:
    """Return processor times of the work, and of the process since it began, as statistics."""
    begin = time.process_time()
    while time.process_time() < begin + 0.2:
        pass
    stats = {"work": time.process_time() - begin, "process": time.process_time()}
    return [Estimate(Graph(data.names), stats)]


def reserve(data: Dataset) -> None:
    """Set aside 100 GB of addresses, as CUDA and Java do, and use none of it."""
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    with mmap.mmap(-1, 100 * 2**30, flags=flags, prot=0):
        time.sleep(0.2)


def offspring(data: Dataset) -> None:
    """Hold 60 MB that four more processes share without a copy."""
    held = np.ones(60 * 2**17)
    children = [os.fork() for _ in range(4)]
    if 0 in children:
        held.sum()
        time.sleep(0.3)
        os._exit(0)
    for child in children:
        os.waitpid(child, 0)


def told(data: Dataset) -> list[Estimate]:
    """What the environment says, and when it ran."""
    names = ("DAGATHLON_THREADS", "OMP_NUM_THREADS", "CUDA_VISIBLE_DEVICES", "DAGATHLON_MEMORY")
    stats: dict[str, Any] = {name: os.environ.get(name, "unset") for name in names}
    begin = time.monotonic()
    time.sleep(0.1)
    return [Estimate(Graph(data.names), stats | {"begin": begin, "end": time.monotonic()})]


def large(data: Dataset) -> list[Estimate]:
    """A result of some hundred kB that does not compress."""
    text = np.random.default_rng(1).bytes(200_000).hex()
    return [Estimate(Graph(data.names), {"text": text})]


ACTIONS: dict[str, Any] = {
    "work": work,
    "sleep": lambda data: time.sleep(1000),
    "spin": spin,
    "eat": eat,
    "abort": lambda data: os.abort(),
    "segfault": segfault,
    "print": print_garbage,
    "disk": fill_disk,
    "none": lambda data: [None],
    "names": lambda data: [Estimate(Graph(["other"]))],
    "nan": lambda data: [Estimate(Graph(data.names), {"score": float("nan")})],
    "exit": lambda data: sys.exit(3),
    "hard exit": lambda data: os._exit(4),
    "raise": raise_error,
    "children": children,
    "busy": busy,
    "busy children": busy_children,
    "buffer": many_large_buffers,
    "reserve": reserve,
    "offspring": offspring,
    "told": told,
    "large": large,
}
