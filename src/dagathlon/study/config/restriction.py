"""`only_on` of an algorithm's object: the graphs on whose data it is run, and why."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from dagathlon.data.standard import BUNDLED
from dagathlon.learners.base import Learner
from dagathlon.modules import Module
from dagathlon.study.config.json_source import Node

ONLY_ON = "only_on"
SCHEMA: dict[str, Any] = {
    "type": ["object", "null"],
    "description": "graphs whose data the algorithm is run on, and why on no others",
    "additionalProperties": False,
    "patternProperties": {"^_": {}},
    "required": ["graphs", "because"],
    "properties": {
        "graphs": {"type": "array", "items": {"type": "string"}, "minItems": 1},
        "because": {"type": "string", "minLength": 1},
    },
}


class OnlyOn(NamedTuple):
    """A restriction of an algorithm to data of some graphs.

    Parameters
    ----------
    graphs
        Graphs as data entries name them, with or without the ending of a file.
    because
        Why it is run on no other data, for readers of the results.
    """

    graphs: tuple[str, ...]
    because: str

    def allows(self, graph_id: str | None) -> bool:
        """Whether it runs on data of this graph."""
        return graph_id is not None and _stem(graph_id) in map(_stem, self.graphs)

    def absent(self, graph_ids: Iterable[str]) -> list[str]:
        """Return its graphs that no data entry has."""
        known = {_stem(graph_id) for graph_id in graph_ids}
        return [graph for graph in self.graphs if _stem(graph) not in known]


def restriction_keys(module: type[Module]) -> tuple[str, ...]:
    """Return the key that restricts an object; a parameter of that name takes precedence."""
    taken = not issubclass(module, Learner) or ONLY_ON in module.parameters()
    return () if taken else (ONLY_ON,)


def read_only_on(node: Node, module: type[Module]) -> OnlyOn | None:
    """Return the restriction of an algorithm's object; None without one."""
    child = node.get(ONLY_ON) if restriction_keys(module) else None
    if child is None:
        return None
    child.only(("graphs", "because"), ONLY_ON)
    graphs = tuple(item.text() for item in child.need("graphs").items())
    if not graphs:
        raise child.need("graphs").fail("name at least one graph")
    because = child.need("because").text().strip()
    if not because:
        raise child.need("because").fail("say why, in words for a reader of the results")
    return OnlyOn(graphs, because.rstrip("."))


def _stem(name: str) -> str:
    return Path(name.removeprefix(BUNDLED)).stem.casefold()
