"""The PC family against the graphs that pcalg, bnlearn and dualPC learn."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dagathlon import learn
from dagathlon.data import Dataset, read_data
from dagathlon.graphs import Graph, skeleton

CASES = [
    "alarm_n1000",
    "alarm_n60_fulllevels",
    "asia_n1000",
    "gauss_latent_p10_n1000",
    "gauss_p20_n640",
    "sachs_cont",
]


def results(shared: Path, case: str, pattern: str) -> list[tuple[str, dict, np.ndarray]]:
    """Name, arguments and matrix of every result of a case."""
    found = []
    for path in sorted((shared / "reference" / case / "algs").glob(pattern + ".json")):
        call = json.loads(path.read_text())
        matrix = np.loadtxt(path.with_suffix(".csv"), delimiter=",", skiprows=1, dtype=int)
        found.append((path.stem, call["args"], matrix))
    return found


def data_of(shared: Path, case: str) -> Dataset:
    return read_data(shared / "reference" / case / "data.csv")


def matrix_of(graph: Graph) -> np.ndarray:
    """Bidirected edges as 2, as pcalg writes conflicts."""
    result = graph.adjacency.astype(int)
    for edge in graph.edges():
        if edge.connector == "<->":
            i, j = graph.position(edge.left), graph.position(edge.right)
            result[i, j] = result[j, i] = 2
    return result


@pytest.mark.shared
@pytest.mark.filterwarnings("ignore::dagathlon.errors.DataWarning")
@pytest.mark.parametrize("case", CASES)
def test_pcalg(shared: Path, case: str):
    data = data_of(shared, case)
    compared = results(shared, case, "pcalg_pc_*")
    for name, args, expected in compared:
        estimate = learn(
            data,
            "pcalg_pc",
            alpha=args["alpha"],
            indepTest=args["indepTest"],
            skelmethod=args.get("skel.method", "stable"),
            conservative=bool(args.get("conservative")),
            majrule=bool(args.get("maj.rule")),
            solveconfl=bool(args.get("solve.confl")),
        )
        assert np.array_equal(matrix_of(estimate.graph), expected), name
    assert compared


@pytest.mark.shared
@pytest.mark.filterwarnings("ignore::dagathlon.errors.DataWarning")
@pytest.mark.parametrize("case", CASES)
def test_bnlearn(shared: Path, case: str):
    data = data_of(shared, case)
    compared = results(shared, case, "bnlearn_pc.stable_*")
    for name, args, expected in compared:
        estimate = learn(data, "bnlearn_pcstable", alpha=args["alpha"], test=args["test"])
        assert np.array_equal(matrix_of(estimate.graph), expected), name
    assert compared


@pytest.mark.shared
@pytest.mark.filterwarnings("ignore::dagathlon.errors.DataWarning")
def test_dual_pc(shared: Path):
    records = sorted((shared / "reference").glob("*/algs/dualpc_*.json"))
    for record in records:
        case = record.parent.parent.name
        [(name, args, expected)] = results(shared, case, record.stem)
        graph = learn(data_of(shared, case), "dualpc", alpha=args["alpha"]).graph
        assert np.array_equal(matrix_of(graph), expected), (case, name)
    assert len(records) >= 10


TETRAD_TESTS = {"fisherz": "zf", "gsq": "g-square", "chisq": "chi-square"}
# Settings whose graphs differ in some directions: docs/learners-pc.md says what is known of them.
TETRAD_DIFFERS = {
    "alarm1000__pc__gsq-a01-maxp",
    "alarm1000__pc__gsq-a05-sepset",
    "g20__pc__fisherz-a01-sepset",
    "g20__pc__fisherz-a05-sepset",
}


@pytest.mark.shared
@pytest.mark.parametrize("data_name", ["alarm1000", "asia1000", "g20"])
def test_tetrad(shared: Path, data_name: str):
    folder = shared / "reference" / "tetrad"
    data = read_data(folder / f"{data_name}.csv")
    for path in sorted(folder.glob(f"{data_name}__pc__*.json")):
        test, level, style = path.stem.split("__")[2].split("-")
        graph = learn(
            data,
            "pc",
            test=TETRAD_TESTS[test],
            alpha=int(level[1:]) / 100,
            colliders="highest-p" if style == "maxp" else "separating-set",
            conflicts="lowest-p" if style == "maxp" else "confirmed",
        ).graph
        expected = np.loadtxt(path.with_suffix(".adj.csv"), delimiter=",", skiprows=1, dtype=int)
        assert skeleton(graph) == skeleton(Graph.from_adjacency(data.names, expected)), path.stem
        same = np.array_equal(matrix_of(graph), expected)
        assert same == (path.stem not in TETRAD_DIFFERS), path.stem
