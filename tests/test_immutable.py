"""Graphs, data sets and networks never change once they are made."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from dagathlon.data import Dataset, Network, Variable
from dagathlon.graphs import Graph

OBJECTS = {
    "graph": Graph.from_edges(["A -> B", "B <-> C"]),
    "dataset": Dataset([Variable("A"), Variable("B", ("x", "y"))], [[0], [1]], [[0.5], [1.5]]),
    "network": Network.load("asia"),
}


@pytest.mark.parametrize("thing", OBJECTS.values(), ids=list(OBJECTS))
def test_no_attribute_can_be_set(thing: Any) -> None:
    before = pickle.dumps(thing)
    for name in [name for name in dir(thing) if not name.startswith("_")] + ["new"]:
        with pytest.raises(AttributeError):
            setattr(thing, name, None)
    assert pickle.loads(before) == thing


@pytest.mark.parametrize("array", ["graph.marks", "dataset.codes", "dataset.values"])
def test_no_array_can_be_written(array: str) -> None:
    owner, name = array.split(".")
    with pytest.raises(ValueError, match="read-only"):
        getattr(OBJECTS[owner], name)[0, 0] = 1


def test_what_was_given_can_change_without_harm() -> None:
    marks = np.array([[0, 2], [3, 0]], dtype=np.uint8)
    graph = Graph(["A", "B"], marks)
    marks[:] = 0
    assert graph == Graph.from_edges(["A -> B"])
    with pytest.raises(TypeError):
        graph.index["A"] = 1  # type: ignore[index]
