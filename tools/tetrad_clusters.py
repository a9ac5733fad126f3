"""Clusters and skewness directions of Tetrad 7.6.3, for tests: ``python tools/tetrad_clusters.py``.

It needs Java 17 and a Python with ``tetrad-plus`` (which carries the jar), ``JPype1`` and NumPy;
Tetrad is run and compared with, no more. Prints a list of cases as JSON, or writes it to the file
that is named. With ``--first`` other seeds are used than the recorded ones; ``--pure`` runs BPC.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

CLUSTERS = [
    {"learner": "fofc", "test": test, "growth": growth}
    for test in ("wishart", "delta")
    for growth in ("gap", "sag")
]
SEXTADS = [{"learner": "ftfc", "growth": growth} for growth in ("gap", "sag")]
SKEWED = [
    {"learner": "fask", "left_right": rule, "skew_edges": 0.3, "delta": 0.0}
    for rule in ("fask1", "fask2", "rskew", "skew", "tanh")
] + [
    {"learner": "fask", "left_right": "fask2", "skew_edges": 0.1, "delta": -0.3},
    {"learner": "fask", "left_right": "fask1", "skew_edges": 0.3, "delta": 0.2},
    {"learner": "fask", "left_right": "fask2", "skew_edges": 0.2, "delta": 0.0, "skeleton": "none"},
]
PURE = [{"learner": "bpc", "test": test} for test in ("wishart", "delta")]
ALPHA = 0.05


def measurement(seed: int, factors: int = 1) -> Any:
    """Indicators of a few latent variables, some of them impure, in random order."""
    rng = np.random.default_rng([seed, factors])
    clusters, size = (int(rng.integers(1, 4)), int(rng.integers(3, 6)))
    if factors == 2:
        clusters, size = 1, int(rng.integers(6, 9))
    rows = int(rng.choice([150, 400, 900]))
    latent = rng.standard_normal((rows, clusters * factors))
    for k in range(1, latent.shape[1]):
        latent[:, k] += rng.uniform(0, 0.8) * latent[:, k - 1]
    table = rng.standard_normal((rows, clusters * size))
    for j in range(clusters * size):
        for f in range(factors):
            table[:, j] += rng.uniform(0.4, 1.4) * latent[:, j // size * factors + f]
    for _ in range(int(rng.integers(0, 3))):
        a, b = rng.choice(table.shape[1], 2, replace=False)
        table[:, b] += 0.4 * table[:, a]
    return table[:, rng.permutation(table.shape[1])]


def pure(seed: int) -> tuple[Any, Any]:
    """Pure indicators of two to four latent variables that depend on each other; their clusters."""
    rng = np.random.default_rng([seed, 20])
    clusters, size = int(rng.integers(2, 5)), int(rng.integers(3, 6))
    rows = int(rng.choice([500, 1000, 2000, 5000]))
    latent = rng.standard_normal((rows, clusters))
    for k in range(1, clusters):
        latent[:, k] += rng.uniform(0.3, 0.9) * latent[:, rng.integers(k)]
    of = rng.permutation(np.repeat(np.arange(clusters), size))
    loadings = rng.uniform(0.5, 1.5, len(of)) * rng.choice([-1, 1], len(of))
    return rng.standard_normal((rows, len(of))) + loadings * latent[:, of], of


def skewed(seed: int) -> Any:
    """A linear model with skewed noise, some of it negatively, some with a cycle."""
    rng = np.random.default_rng([seed, 3])
    p, rows = int(rng.integers(4, 9)), int(rng.choice([200, 600]))
    weights = np.triu(rng.uniform(0.3, 0.8, (p, p)) * (rng.random((p, p)) < 0.35), 1)
    weights *= rng.choice([-1, 1], (p, p))
    if seed % 2:
        i, j = rng.choice(p, 2, replace=False)
        weights[i, j], weights[j, i] = 0.5, 0.4
    noise = rng.exponential(size=(rows, p)) ** 1.2 * rng.choice([-1, 1], p, p=[0.3, 0.7])
    return (noise @ np.linalg.inv(np.eye(p) - weights))[:, rng.permutation(p)]


def table_of(case: dict[str, Any]) -> Any:
    """The data of a case."""
    if case["learner"] == "fask":
        return skewed(case["seed"])
    if case["learner"] == "bpc":
        return pure(case["seed"])[0]
    return measurement(case["seed"], 2 if case["learner"] == "ftfc" else 1)


def start_java() -> Any:
    """Java with Tetrad's jar, on one core."""
    import jpype  # noqa: PLC0415 - the tests need the data only
    import tetrad_plus  # noqa: PLC0415

    jar = next((Path(tetrad_plus.__file__).parent / "jars").glob("*.jar"))
    options = ["-Xmx2g", "-XX:ActiveProcessorCount=1"]
    jpype.startJVM(jpype.getDefaultJVMPath(), *options, classpath=[str(jar)])
    return jpype


def data_set(jpype: Any, table: Any) -> Any:
    """A table as Tetrad's data."""
    data = jpype.JPackage("edu").cmu.tetrad.data
    variables = jpype.JClass("java.util.ArrayList")()
    for i in range(table.shape[1]):
        variables.add(data.ContinuousVariable(f"X{i}"))
    rows = jpype.JArray.of(np.ascontiguousarray(table))
    return data.BoxDataSet(data.DoubleDataBox(rows), variables)


def search(jpype: Any, data: Any, case: dict[str, Any]) -> Any:
    """What Tetrad finds: clusters of column numbers, or arcs."""
    package = jpype.JPackage("edu").cmu.tetrad.search
    if case["learner"] == "fask":
        return arcs(fask(package, data, case))
    if case["learner"] == "bpc":
        test = getattr(package.utils.BpcTestType, f"TETRAD_{case['test'].upper()}")
        return indicators(package.Bpc(data, ALPHA, test).search())
    kind = {"fofc": package.Fofc, "ftfc": package.Ftfc}[case["learner"]]
    growth = getattr(kind.Algorithm, case["growth"].upper())
    if case["learner"] == "fofc":
        test = getattr(package.utils.BpcTestType, f"TETRAD_{case['test'].upper()}")
        found = kind(data, test, growth, ALPHA)
    else:
        found = kind(data, growth, ALPHA)
    found.search()
    return sorted(sorted(number(node) for node in cluster) for cluster in found.getClusters())


def fask(package: Any, data: Any, case: dict[str, Any]) -> Any:
    """The graph of Tetrad's FASK."""
    test = package.test.IndTestFisherZ(data, 0.01)
    found = package.Fask(data, package.score.SemBicScore(data, True), test)
    none = case.get("skeleton") == "none"
    methods = package.Fask.AdjacencyMethod
    found.setAdjacencyMethod(methods.NONE if none else methods.FAS_STABLE)
    found.setLeftRight(getattr(package.Fask.LeftRight, case["left_right"].upper()))
    found.setSkewEdgeThreshold(case["skew_edges"])
    found.setDelta(case["delta"])
    found.setTwoCycleScreeningCutoff(0.0)
    found.setOrientationAlpha(0.0)
    found.setEmpirical(True)
    found.setDepth(-1)
    return found.search()


def indicators(graph: Any) -> list[list[int]]:
    """The observed children of each latent variable."""
    found: dict[str, list[int]] = {}
    for edge in graph.getEdges():
        latent, shown = sorted(
            (edge.getNode1(), edge.getNode2()), key=lambda node: str(node.getName()).startswith("X")
        )
        if str(shown.getName()).startswith("X") and not str(latent.getName()).startswith("X"):
            found.setdefault(str(latent.getName()), []).append(number(shown))
    return sorted(sorted(cluster) for cluster in found.values())


def arcs(graph: Any) -> list[list[int]]:
    """Directed edges, from the first to the second."""
    found = []
    for edge in graph.getEdges():
        ends = [number(edge.getNode1()), number(edge.getNode2())]
        found.append(ends if str(edge.getEndpoint2()) == "ARROW" else ends[::-1])
    return sorted(found)


def number(node: Any) -> int:
    """The column of a node."""
    return int(str(node.getName())[1:])


def cases(first: int, count: int, only_pure: bool) -> list[dict[str, Any]]:
    """What is run, for so many seeds."""
    seeds = range(first, first + count)
    kinds = PURE if only_pure else [*CLUSTERS, *SEXTADS, *SKEWED]
    return [{"seed": seed} | how for seed in seeds for how in kinds]


def main() -> None:
    """Run all cases."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=510_000)
    parser.add_argument("--count", type=int, default=6)
    parser.add_argument("--pure", action="store_true", help="BPC on pure indicators instead")
    parser.add_argument("--times", action="store_true", help="seconds of a warm search besides")
    parser.add_argument("out", type=Path, nargs="?")
    given = parser.parse_args()
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # Tetrad prints what it does
    jpype = start_java()
    found = []
    for case in cases(given.first, given.count, given.pure):
        table = table_of(case)
        data = data_set(jpype, table)
        result = search(jpype, data, case)
        about = {**case, "checksum": float(np.abs(table).sum()), "found": result}
        if given.times:
            start = time.perf_counter()
            search(jpype, data, case)
            about["seconds"] = time.perf_counter() - start
        found.append(about)
    text = "[\n" + ",\n".join(json.dumps(case) for case in found) + "\n]\n"
    if given.out is None:
        answer.write(text)
        answer.flush()
    else:
        given.out.write_text(text)
    sys.stderr.write(f"{len(found)} cases\n")


if __name__ == "__main__":
    main()
