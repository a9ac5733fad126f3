"""Searches of Tetrad in a process of its own: ``python -m benchmarks._tetrad_process``.

The wheel `tetrad-plus` carries Tetrad's jar and JPype1 starts Java, both for comparison only. A
process of its own keeps Java's threads and memory away from what else is measured; it stays, so
that Java starts once and is warm. Each line of the input names a job, a file with the data and what
to do. It is answered by three lines: the work began, the first search ended, and JSON with the time
and the marks of the learned graph.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._measure import repeat_here


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
        columns = jpype.JArray.of(np.ascontiguousarray(job["table"].T, dtype=np.int32))
        return data.BoxDataSet(data.VerticalIntDataBox(columns), variables)
    rows = jpype.JArray.of(np.ascontiguousarray(job["table"], dtype=np.float64))
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


def search(jpype: Any, table: Any, how: dict[str, Any]) -> Any:
    """One search, with a test and a score that remember nothing of the runs before."""
    package = jpype.JPackage("edu").cmu.tetrad.search
    if how["learner"] in ("fofc", "ftfc", "fask"):
        return measured(package, table, how)
    if "alpha" not in how:
        return by_score(package, score_of(jpype, table, how), how)
    kind = package.test.IndTestGSquare if table.isDiscrete() else package.test.IndTestFisherZ
    test = kind(table, how["alpha"])
    if how["learner"] == "gfci":
        gfci = package.GFci(test, score_of(jpype, table, how))
        gfci.setFaithfulnessAssumed(True)
        return gfci.search()
    learner = {"pc": package.Pc, "fci": package.Fci, "rfci": package.Rfci}[how["learner"]](test)
    if "depth" in how:
        learner.setDepth(how["depth"])
    return learner.search()


def measured(package: Any, table: Any, how: dict[str, Any]) -> Any:
    """Clusters with latent variables, or directions by skewness."""
    if how["learner"] == "fask":
        test = package.test.IndTestFisherZ(table, how["alpha"])
        fask = package.Fask(table, package.score.SemBicScore(table, True), test)
        fask.setAdjacencyMethod(package.Fask.AdjacencyMethod.FAS_STABLE)
        fask.setLeftRight(package.Fask.LeftRight.FASK2)
        fask.setDelta(0.0)
        fask.setSkewEdgeThreshold(0.3)
        fask.setEmpirical(True)
        fask.setTwoCycleScreeningCutoff(0.0)
        fask.setOrientationAlpha(0.0)
        return fask.search()
    kind = {"fofc": package.Fofc, "ftfc": package.Ftfc}[how["learner"]]
    growth = getattr(kind.Algorithm, how["growth"].upper())
    if how["learner"] == "ftfc":
        return kind(table, growth, how["alpha"]).search()
    test = getattr(package.utils.BpcTestType, f"TETRAD_{how['test'].upper()}")
    return kind(table, test, growth, how["alpha"]).search()


def by_score(package: Any, score: Any, how: dict[str, Any]) -> Any:
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


def marks(graph: Any, p: int) -> list[list[int]]:
    """Cell (i, j) is the mark at j: 1 a circle, 2 an arrow, 3 a tail."""
    found = [[0] * p for _ in range(p)]
    codes = {"CIRCLE": 1, "ARROW": 2, "TAIL": 3}
    for latent in [node for node in graph.getNodes() if str(node.getNodeType()) == "Latent"]:
        shown = [int(str(node.getName())[1:]) for node in graph.getChildren(latent)]
        for a in shown:
            for b in shown:
                found[a][b] = 2 if a != b else 0
        graph.removeNode(latent)
    for edge in graph.getEdges():
        a, b = (int(str(node.getName())[1:]) for node in (edge.getNode1(), edge.getNode2()))
        found[b][a] = codes[str(edge.getEndpoint1().name())]
        found[a][b] = codes[str(edge.getEndpoint2().name())]
    return found


def answer(jpype: Any, path: str) -> dict[str, Any]:
    """A first search, never counted, makes Java compile what it needs."""
    job = np.load(path)
    table = data_set(jpype, job)
    how = json.loads(str(job["how"]))
    found: list[Any] = []
    say("began")
    search(jpype, table, how)
    say("warm")
    timing = repeat_here(lambda: found.append(search(jpype, table, how)), 2)
    return {
        "timing": timing.__getnewargs__(),
        "marks": marks(found[-1], table.getNumColumns()),
        "note": "warm",
    }


def say(text: str) -> None:
    print(f"TETRAD {text}", flush=True)


def main() -> None:
    jpype = start_java()
    say("ready")
    for line in sys.stdin:
        say(json.dumps(answer(jpype, line.strip())))


if __name__ == "__main__":
    main()
