"""Searches of Tetrad in a process of its own: ``python -m benchmarks.tetrad_process``.

The wheel `tetrad-plus` carries Tetrad's jar and JPype1 starts Java, both for comparison only. A
process of its own keeps Java's threads and memory away from what else is measured; it stays, so
that Java starts once. Each line of the input names a job, a file with the data and what to do; the
answer is one line of JSON: the seconds of each repeat and the learned matrix from row to column.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np


def start_java() -> Any:
    import jpype
    import tetrad_plus

    jar = next((Path(tetrad_plus.__file__).parent / "jars").glob("*.jar"))
    options = ["-Xmx4g", "-Xss64m", "-XX:ActiveProcessorCount=1"]
    jpype.startJVM(jpype.getDefaultJVMPath(), *options, classpath=[str(jar)])
    return jpype


def data_set(jpype: Any, job: Any) -> Any:
    data = jpype.JPackage("edu").cmu.tetrad.data
    variables = jpype.JClass("java.util.ArrayList")()
    discrete = bool(job["discrete"])
    for i in range(job["table"].shape[1]):
        if discrete:
            variables.add(data.DiscreteVariable(f"X{i}", int(job["arities"][i])))
        else:
            variables.add(data.ContinuousVariable(f"X{i}"))
    if discrete:
        columns = jpype.JArray(jpype.JInt, 2)(job["table"].T.astype(np.int32).tolist())
        return data.BoxDataSet(data.VerticalIntDataBox(columns), variables)
    rows = jpype.JArray(jpype.JDouble, 2)(job["table"].tolist())
    return data.BoxDataSet(data.DoubleDataBox(rows), variables)


def score_of(jpype: Any, table: Any, how: dict[str, Any]) -> Any:
    scores = jpype.JPackage("edu").cmu.tetrad.search.score
    if how["score"] == "bdeu":
        score = scores.BdeuScore(table)
        score.setSamplePrior(how["iss"])
        score.setStructurePrior(0.0)
        return score
    score = scores.SemBicScore(table, True)
    score.setPenaltyDiscount(how["penalty_discount"])
    score.setStructurePrior(0.0)
    return score


def search(jpype: Any, score: Any, how: dict[str, Any]) -> Any:
    package = jpype.JPackage("edu").cmu.tetrad.search
    if how["learner"] == "fges":
        fges = package.Fges(score)
        fges.setFaithfulnessAssumed(how["faithful"])
        fges.setMaxDegree(1000)
        fges.setSymmetricFirstStep(how.get("symmetric", False))
        fges.setParallelized(False)
        return fges.search()
    if how["learner"] == "boss":
        boss = package.Boss(score)
        boss.setUseBes(False)
        boss.setNumStarts(1)
        boss.setNumThreads(1)
        boss.setUseDataOrder(True)
        return package.PermutationSearch(boss).search()
    grasp = package.Grasp(score)
    grasp.setDepth(3)
    grasp.setUncoveredDepth(1)
    grasp.setNonSingularDepth(1)
    grasp.setOrdered(how.get("ordered", True))
    grasp.setUseScore(True)
    grasp.setUseDataOrder(True)
    grasp.setNumStarts(1)
    grasp.setUseRaskuttiUhler(False)
    grasp.bestOrder(score.getVariables())
    return grasp.getGraph(True)


def matrix(jpype: Any, graph: Any, p: int) -> list[list[int]]:
    found = [[0] * p for _ in range(p)]
    arrow = jpype.JPackage("edu").cmu.tetrad.graph.Endpoint.ARROW
    for edge in graph.getEdges():
        a, b = (int(str(node.getName())[1:]) for node in (edge.getNode1(), edge.getNode2()))
        found[a][b] = int(edge.getEndpoint1() != arrow)
        found[b][a] = int(edge.getEndpoint2() != arrow)
    return found


def answer(jpype: Any, path: str) -> dict[str, Any]:
    job = np.load(path)
    how = json.loads(str(job["how"]))
    table = data_set(jpype, job)
    seconds = []
    for _ in range(how["repeats"]):
        score = score_of(jpype, table, how)
        start = time.perf_counter()
        graph = search(jpype, score, how)
        seconds.append(time.perf_counter() - start)
    return {"seconds": seconds, "matrix": matrix(jpype, graph, table.getNumColumns())}


def main() -> None:
    jpype = start_java()
    print("READY", flush=True)
    for line in sys.stdin:
        print("ANSWER " + json.dumps(answer(jpype, line.strip())), flush=True)


if __name__ == "__main__":
    main()
