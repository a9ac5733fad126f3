"""Records what Tetrad gives on drawn data, for tests/learners/test_order_fci.py.

    python tools/tetrad_pags.py tests/learners/tetrad_pags.json [CLASSES ...]

Run it where tetrad-plus (whose jar is Tetrad 7.6.3) and JPype1 are installed. LV-Lite (Fcit) and
the PC of later versions are not in that jar: name folders of classes compiled from the sources of
7.6.10 and of what they need to record these as well.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]
SETS = 10
OBSERVED, LATENT, ROWS = 10, 3, 1000


def draw(seed: int) -> tuple[Matrix, npt.NDArray[np.bool_]]:
    """Linear Gaussian data, and the edges of their graph; the last variables are not observed."""
    rng = np.random.default_rng(seed)
    p = OBSERVED + LATENT
    edges = np.triu(rng.random((p, p)) < 3.0 / (p - 1), 1)
    weights = np.where(edges, rng.uniform(0.3, 1.0, (p, p)) * rng.choice([-1, 1], (p, p)), 0.0)
    children = edges.sum(axis=1)
    order = np.argsort(children + 0.5 * rng.random(p), kind="stable")
    data = rng.normal(size=(ROWS, p)) @ np.linalg.inv(np.eye(p) - weights)
    return data[:, order][:, :OBSERVED], edges[np.ix_(order, order)]


def start_java(classes: list[str]) -> Any:
    """Java with Tetrad's jar, or with classes of another version."""
    import jpype  # noqa: PLC0415
    import tetrad_plus  # noqa: PLC0415

    jars = (Path(tetrad_plus.__file__).parent / "jars").glob("*.jar")
    path = classes or [str(jar) for jar in jars]
    jpype.startJVM(jpype.getDefaultJVMPath(), "--enable-preview", classpath=path)
    return jpype


def data_set(jpype: Any, values: Matrix) -> Any:
    """Continuous data as Tetrad holds them."""
    data = jpype.JPackage("edu").cmu.tetrad.data
    variables = jpype.JClass("java.util.ArrayList")()
    for i in range(values.shape[1]):
        variables.add(data.ContinuousVariable(f"X{i}"))
    rows = jpype.JArray.of(np.ascontiguousarray(values))
    return data.BoxDataSet(data.DoubleDataBox(rows), variables)


def search(jpype: Any, learner: str, values: Matrix) -> Any:
    """What a search of Tetrad finds."""
    package = jpype.JPackage("edu").cmu.tetrad.search
    table = data_set(jpype, values)
    test = package.test.IndTestFisherZ(table, 0.01)
    score = package.score.SemBicScore(table, True)
    score.setPenaltyDiscount(2.0)
    score.setStructurePrior(0.0)
    if learner.startswith("pc"):
        pc = package.Pc(test)
        styles = package.Pc.ColliderOrientationStyle
        pc.setColliderOrientationStyle(getattr(styles, learner.removeprefix("pc ")))
        return pc.search()
    if learner == "grasp_fci":
        found = package.GraspFci(test, score)
        found.setUseScore(True)
        found.setUseDataOrder(True)
    else:
        names = {"boss_fci": "BFci", "lv_lite": "Fcit"}
        found = getattr(package, names[learner])(test, score)
    found.setNumStarts(1)
    return found.search()


def marks(graph: Any, p: int) -> list[str]:
    """Cell (i, j) is the mark at j: 1 a circle, 2 an arrow, 3 a tail."""
    found = [[0] * p for _ in range(p)]
    codes = {"CIRCLE": 1, "ARROW": 2, "TAIL": 3}
    for edge in graph.getEdges():
        a, b = (int(str(node.getName())[1:]) for node in (edge.getNode1(), edge.getNode2()))
        found[b][a] = codes[str(edge.getEndpoint1().name())]
        found[a][b] = codes[str(edge.getEndpoint2().name())]
    return ["".join(map(str, row)) for row in found]


def main(target: str, classes: list[str]) -> None:
    """Run the searches that these classes have, and add their graphs to the file."""
    jpype = start_java(classes)
    later = ["lv_lite", "pc SEPSETS", "pc CONSERVATIVE", "pc MAX_P"]
    file = Path(target)
    cases = json.loads(file.read_text()) if file.exists() else {}
    for learner in later if classes else ["boss_fci", "grasp_fci"]:
        graphs = [search(jpype, learner, draw(seed)[0]) for seed in range(SETS)]
        cases[learner] = [marks(graph, OBSERVED) for graph in graphs]
    file.write_text(json.dumps(cases, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
