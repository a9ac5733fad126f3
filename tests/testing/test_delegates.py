"""Whoever runs behind a module is in its lineage: by tracing every module on small data."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from dagathlon import _core
from dagathlon.data import Dataset, facts_of
from dagathlon.errors import DagathlonError
from dagathlon.graphs import Graph
from dagathlon.learners.base import Estimate, Learner
from dagathlon.learners.constraint.pc import Pc
from dagathlon.modules import Delegate, find, modules
from dagathlon.testing import problems_of
from dagathlon.testing.conformance import tracing, undeclared
from dagathlon.testing.samples import intervened, of_values, ordinary
from quick_settings import NATIVE, QUICK

# Native searches that are one module's own, and what others call as well.
OWNERS = {
    "pc": ("pc",),
    "pc_skeleton": ("pc",),
    "fci": ("fci",),
    "rfci": ("rfci",),
    "gfci": ("gfci",),
    "dual_pc": ("dual_pc",),
    "hill_climb": ("hc",),
    "tabu_search": ("tabu",),
    "boss": ("boss",),
    "grasp": ("grasp",),
    "golem": ("golem",),
    "dagma_by_adam": ("dagma",),
    "dagma_by_quasi_newton": ("dagma",),
    "notears_search": ("notears",),
    "sparsest_permutation": ("gsp",),
    "window_search": ("asobs", "winasobs"),
    "order_chain": ("order_mcmc",),
    "partition_chain": ("partition_mcmc",),
    "structure_chain": ("structure_mcmc",),
}
SETTINGS: list[tuple[str, dict[str, Any]]] = [
    *((name, QUICK.get(name, {})) for name in NATIVE),
    ("bootstrap", {"replicates": 2, "learner": "rsmax2[restrict=gs,maximize=tabu]"}),
    ("bootstrap", {"replicates": 2, "learner": "pcalg_pc"}),
    ("rsmax2", {"restrict": "hpc", "maximize": "tabu"}),
    ("bnlearn_rsmax2", {"restrict": "iamb", "maximize": "tabu"}),
    ("rfci_bsc", {"graphs": 5, "scoring": "dependent", "bootstraps": 10}),
    ("exact_map", {"solver": "ilp"}),
    ("pc", {"test": "sem-bic"}),
    ("asobs", {"starts": 5, "score": "aic-g", "explored": 20}),
]


@pytest.fixture
def natives(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the native searches that were called."""
    called: list[str] = []

    def watched(name: str) -> Any:
        original = getattr(_core, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            called.append(name)
            return original(*args, **kwargs)

        return call

    for name in OWNERS:
        monkeypatch.setattr(_core, name, watched(name))
    return called


def suited(learner: Learner) -> Iterator[Dataset]:
    values = np.array(ordinary("continuous", 60).values)
    values[::9, 1] = np.nan
    made = [
        ordinary(kind, levels=n) for kind in ("continuous", "discrete", "mixed") for n in (2, 3)
    ]
    for data in [*made, *map(intervened, made), of_values(values, "continuous")]:
        if not learner.why_unsuitable(facts_of(data)):
            yield data


@pytest.mark.parametrize(("name", "values"), SETTINGS)
def test_learners_declare_whom_they_hand_work_to(
    name: str, values: dict[str, Any], natives: list[str]
) -> None:
    learner: Any = find("algorithm", name).from_json(values)
    learner.prepare()
    ran = set()
    for data in suited(learner):
        with tracing() as found:
            learner.learn(data, np.random.default_rng(1))
        ran |= found
    assert ("algorithm", name) in ran
    assert undeclared(learner, ran) == []
    for native in set(natives):
        searched = [("algorithm", owner) for owner in OWNERS[native]]
        assert name in OWNERS[native] or len(undeclared(learner, set(searched))) < len(searched)


def every_choice(cls: Any) -> Iterator[Any]:
    """A module with its defaults, and with each value of each parameter that has a few."""
    yield cls()
    for name, parameter in cls.parameters().items():
        for value in parameter.type.schema.get("enum", ()):
            with contextlib.suppress(DagathlonError):
                yield cls.from_json({name: value})


def bundled(kind: Any) -> list[type[Any]]:
    """The package's own modules of a kind, without those that other tests have added."""
    return [cls for cls in modules(kind).values() if cls.__module__.startswith("dagathlon.")]


def drawn(generator: Any, *given: Any) -> Any:
    """What a generator draws, or nothing where it cannot."""
    with tracing() as ran:
        try:
            found = generator.sample(*given, np.random.default_rng(1))
        except (DagathlonError, AttributeError, TypeError):
            found = None
    assert undeclared(generator, ran) == []
    return found


@pytest.mark.slow
def test_generators_declare_whom_they_hand_work_to() -> None:
    graphs = [drawn(generator) for cls in bundled("graph") for generator in every_choice(cls)]
    assert all(graph is not None for graph in graphs)
    names = [f"v{j}" for j in range(12)]
    dag = Graph.from_adjacency(names, np.eye(12, k=1))
    chain = Graph.from_adjacency(names, np.eye(12, k=1) + np.eye(12, k=-1))
    models = []
    for cls in bundled("parameters"):
        for generator in every_choice(cls):
            models.append(drawn(generator, chain if generator.needs == "undirected" else dag))
            assert models[-1] is not None
    for cls in bundled("data"):
        tables = [drawn(generator, m) for generator in every_choice(cls) for m in models]
        assert any(table is not None for table in tables)


@dataclass(frozen=True, kw_only=True)
class Secretive(Learner):
    """PC, and it does not say so."""

    name = "secretive"
    takes = frozenset({"continuous"})
    gives = "cpdag"

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        return Pc().learn(data, rng)


@dataclass(frozen=True, kw_only=True)
class Open(Secretive):
    """PC, and it says so."""

    name = "open"

    def delegates(self) -> tuple[Delegate, ...]:
        return (Pc(),)


def test_undeclared_work_is_found() -> None:
    (problem,) = problems_of(Secretive)
    assert problem.endswith(
        "it hands work to the algorithm pc, the test cor, which delegates() does not return"
    )
    assert problems_of(Open) == []


def test_the_tracer_leaves_nothing_behind() -> None:
    before = sys.getprofile()
    with pytest.raises(ZeroDivisionError), tracing():
        raise ZeroDivisionError
    assert sys.getprofile() is before
