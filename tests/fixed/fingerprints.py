"""What every module gives on small fixed data, in a form that rounding cannot change."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from material import (
    NAMES,
    TRUTH,
    for_metrics,
    jittered,
    many_columns,
    models,
    table,
    with_gaps,
    with_targets,
)

from dagathlon.data import Dataset, facts_of
from dagathlon.errors import DagathlonError
from dagathlon.graphs import Graph, cpdag
from dagathlon.learners.base import Estimate
from dagathlon.learners.independence import independence_test, known_tests
from dagathlon.learners.independence.catalogue import pooled_tests, shared_tests
from dagathlon.learners.score.score_kinds import known_scores, shared_scores
from dagathlon.learners.score.scores import score_graph
from dagathlon.modules import Module, SharedCode, find, modules
from dagathlon.modules.lineage import lineage
from quick_settings import NATIVE, QUICK

TOLERANCE = 1e-6
_SETTINGS = QUICK | {"rblip_asobs": {"timeout": 20, "scorermethod": "sq", "indeg": 2}}
_FURTHER: list[tuple[str, dict[str, Any]]] = [
    ("pc", {"colliders": "majority", "conflicts": "mark"}),
    ("pc", {"stable": False, "colliders": "conservative", "conflicts": "last"}),
    ("pcalg_pc", {"majrule": True, "solveconfl": True}),
    ("hc", {"restart": 3, "perturb": 2}),
    ("fci", {"second_pass": "ancestors", "colliders": "highest-p"}),
    ("rsmax2", {"restrict": "hpc", "maximize": "tabu"}),
]
_SEM_BIC = {"score": "sem-bic", "penalty_discount": 2.0}
_TURNING = {"phases": ["forward", "backward", "turning"], "iterate": True}
# What makes a search faster must not change where it ends, nor in how many steps. The published
# searches: which of several starts and escapes leads highest on so many variables is rounding.
_SEARCHES: dict[str, dict[str, Any]] = {
    "fges": {**_SEM_BIC, "faithfulness": True},
    "ges": {**_SEM_BIC, **_TURNING},
    "xges": {**_SEM_BIC, "starts": 1},
    "boss": {**_SEM_BIC, "starts": 1},
    "grasp": _SEM_BIC,
    "winasobs": {"score": "bge", "explored": 300, "starts": 3},
}
# What declares columns and computes none, and what runs the metrics of others.
_NO_RESULT = ("run_facts", "own_metrics")
_NEEDED: dict[str, dict[str, Any]] = {
    "experiments": {"steps": 3},
    "designed_experiments": {"steps": 2, "learner": "bgies[bootstraps=5]"},
    "subsample": {"n": 20},
    "hide": {"variables": ("A*",)},
    "select": {"variables": ("A", "C")},
    "arrange": {"variables": ("C", "A")},
    "log": {"offset": 20.0},
    "discretize": {"method": "hartemink"},
    "posterior_scores": {
        "inputs": ("truth", "training", "model", "posterior", "reference"),
        "draw_parameters": "nig",
        "burn_in": 0.0,
    },
}
_NUMBERS = ("score", "ntests", "posterior", "bound", "n_scores")


class Fingerprint(NamedTuple):
    """A result, and the versions that it is of."""

    version: int
    lineage: Mapping[str, int]
    result: Any


def fingerprints(jitters: int = 0) -> Iterator[tuple[str, Callable[[], Fingerprint]]]:
    """All modules, tests and scores, with what makes their fingerprints.

    With `jitters` learners run so often on data moved by what machines round, and only what stays
    the same each time is part of the fingerprint.
    """
    for name in NATIVE:
        yield f"algorithm/{name}", _learned(name, _SETTINGS.get(name, {}), jitters)
    for name, values in _FURTHER:
        label = ",".join(f"{k}={v}" for k, v in values.items())
        yield f"algorithm/{name}[{label}]", _learned(name, values, jitters)
    for name, values in _SEARCHES.items():
        yield f"algorithm/{name} on 40 variables", _searched(name, values)
    for kind, make in _OTHERS.items():
        for name, cls in modules(kind).items():  # type: ignore[arg-type]
            ours = cls.__module__.startswith("dagathlon.") and not cls.unavailable
            if ours and name not in _NO_RESULT:
                yield f"{kind}/{name}", _made(cls, make)
    for name in [*known_tests(), *(f"{name}.mi" for name in pooled_tests())]:
        yield f"test/{name}", _of_shared(lambda n=name: (shared_tests(n)[0], _tested(n)))
    for name in known_scores():
        yield f"score/{name}", _of_shared(lambda n=name: (shared_scores([n])[0], _scored(n)))


def _learned(name: str, values: Mapping[str, Any], jitters: int) -> Callable[[], Fingerprint]:
    def make() -> Fingerprint:
        learner: Any = find("algorithm", name).from_json(values)
        learner.prepare()
        found = {}
        for label, data in _tables().items():
            if not learner.why_unsuitable(facts_of(data)):
                found[label] = _stable(learner, data, jitters)
        assert found, f"no data suit {name}"
        return _of(learner, {"learned": found})

    return make


def _searched(name: str, values: Mapping[str, Any]) -> Callable[[], Fingerprint]:
    def make() -> Fingerprint:
        learner: Any = find("algorithm", name).from_json(values)
        found = learner.learn(many_columns(), _rng())
        counted = found.stats["steps" if "steps" in found.stats else "moves"]
        score = _plain(found.stats["score"])
        return _of(learner, {"edges": _edges(found.graph), "score": score, "steps": counted})

    return make


def _tables() -> dict[str, Dataset]:
    plain = {kind: table(kind) for kind in ("continuous", "discrete", "mixed")}
    plain["binary"] = table("discrete", levels=2)
    set_by_hand = {f"{kind} with targets": with_targets(data) for kind, data in plain.items()}
    return plain | {"gaps": with_gaps()} | set_by_hand


def _stable(learner: Any, data: Dataset, jitters: int) -> Any:
    """What a learner gives, as far as the last digits of the data leave it as it is."""
    first = _run(learner, data)
    others = [_run(learner, jittered(data, seed)) for seed in range(jitters)]
    return {k: v for k, v in first.items() if all(alike(v, other.get(k)) for other in others)}


def _run(learner: Any, data: Dataset) -> dict[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimate: Estimate = learner.learn(data, _rng())
    numbers = {k: estimate.stats[k] for k in _NUMBERS if k in estimate.stats}
    # Steps that follow the rounding of linear algebra promise a graph at most, and no numbers.
    graphs = {"edges": _edges(estimate.graph)}
    if estimate.graph.is_dag:
        graphs["class"] = _edges(cpdag(estimate.graph))
    return graphs | ({} if learner.uses_blas else _plain(numbers))


def _made(cls: type[Module], make: Callable[[Any], Any]) -> Callable[[], Fingerprint]:
    def fingerprint() -> Fingerprint:
        module = cls(**_NEEDED.get(cls.name, {}))
        return _of(module, make(module))

    return fingerprint


def _of(module: Module, result: Any) -> Fingerprint:
    behind = {"/".join(place): version for place, version in lineage(module).items()}
    return Fingerprint(module.version, behind, result)


def _of_shared(make: Callable[[], tuple[SharedCode, Any]]) -> Callable[[], Fingerprint]:
    def fingerprint() -> Fingerprint:
        code, result = make()
        return Fingerprint(
            code.version, {f"{c.kind}/{c.name}": c.version for c in code.uses}, result
        )

    return fingerprint


def _graph(generator: Any) -> Any:
    return _edges(generator.sample(_rng()))


def _model(generator: Any) -> Any:
    undirected = Graph.from_adjacency(NAMES, np.eye(6, k=1) + np.eye(6, k=-1))
    model = generator.sample(undirected if generator.needs == "undirected" else TRUTH, _rng())
    if hasattr(model, "distributions"):
        return [_plain(each.probabilities) for each in model.distributions.values()]
    return _plain(model.weights if hasattr(model, "weights") else model.covariance())


def _rows(generator: Any) -> Any:
    found = {}
    for model in models():
        try:
            found[type(model).__name__] = _first_rows(generator.sample(model, _rng()))
        except DagathlonError as error:
            found[type(model).__name__] = type(error).__name__
    return found


def _transformed(module: Any) -> Any:
    if module.name == "noise":
        return _noisy(module)
    about_gaps = module.name in ("impute", "drop_missing")
    data = with_gaps() if about_gaps else table("continuous")
    return _first_rows(module.apply(data, _rng()))


def _noisy(noise: Any) -> Any:
    spoiled = {}
    for name, rate in (("missing", 0.3), ("incorrect", 0.3), ("merged", 0.5), ("latent", 0.3)):
        noisy = type(noise)(**{name: rate}).apply(table("discrete"), _rng())
        spoiled[name] = _first_rows(noisy)
    return spoiled


def _computed(module: Any) -> Any:
    given = dict(for_metrics())
    names = getattr(module, "needs", ()) or inspect.signature(module.compute).parameters
    if module.name == "posterior_scores":
        names = module.inputs
        module = replace(module, inputs=tuple("data" if n == "training" else n for n in names))
    if module.name == "precision_scores":
        names = ("model", "training", "test", "estimate")
    if getattr(module, "needs", ()):
        given["estimate"] = given["estimate"].graph
    result = module.compute(*(given[name] for name in names))
    if isinstance(result, Graph | Estimate):
        return _edges(result if isinstance(result, Graph) else result.graph)
    return _plain(result)


_OTHERS: dict[str, Callable[[Any], Any]] = {
    "graph": _graph,
    "parameters": _model,
    "data": _rows,
    "transform": _transformed,
    "truth": _computed,
    "estimator": _computed,
    "metric": _computed,
}


def _tested(name: str) -> Any:
    base = known_tests()[name.removesuffix(".mi")]
    kind = next(k for k in ("continuous", "discrete", "mixed") if k in base.takes)
    test = independence_test(table(kind), name, replicates=20 if base.replicates else None, seed=3)
    asked: Sequence[tuple[str, str, list[str]]] = [("A", "D", []), ("A", "D", ["B", "C"])]
    return [_plain(list(test.test(*each))) for each in asked]


def _scored(name: str) -> Any:
    kind = next(k for k in ("mixed", "continuous", "discrete") if k in known_scores()[name].takes)
    data = with_targets(table(kind))
    return _plain(dict(score_graph(data, TRUTH_OF_MIXED, name).by_node))


# No discrete node with a continuous parent: B, D and F are discrete in mixed data.
TRUTH_OF_MIXED = Graph.from_edges([("B", "A"), ("B", "C"), ("D", "E"), ("B", "D")], names=NAMES)


def _rng() -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=11))


def _edges(graph: Graph) -> list[str]:
    return sorted(str(edge) for edge in graph.edges())


def _first_rows(data: Dataset) -> Any:
    return [len(data), list(data.names), _plain(data.codes[:3]), _plain(data.values[:3])]


def _plain(value: Any) -> Any:
    """As JSON, numbers to nine digits."""
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, np.ndarray | list | tuple):
        return [_plain(v) for v in (value.tolist() if isinstance(value, np.ndarray) else value)]
    if isinstance(value, float | np.floating):
        return float(f"{value:.9g}") if np.isfinite(value) else str(value)
    return value.item() if isinstance(value, np.generic) else value


def alike(one: Any, other: Any) -> bool:
    """Whether two results are the same but for rounding."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(one[k], other[k]) for k in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(alike, one, other))
    numbers = (int, float)
    if isinstance(one, numbers) and isinstance(other, numbers):
        return abs(one - other) <= TOLERANCE * max(1e-3, abs(one), abs(other))
    return bool(one == other)
