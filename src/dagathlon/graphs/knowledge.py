"""Background knowledge: forbidden and required directed edges."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from dagathlon.errors import DataWarning, GraphError, unknown
from dagathlon.graphs.graph import Graph

_KEYS = (
    "forbidden_edges",
    "required_edges",
    "tiers",
    "tier_settings",
    "forbidden_groups",
    "required_groups",
    "context_all",
    "context_tier",
    "source_nodes",
)
_TIER_KEYS = ("forbid_within_tiers", "can_only_cause_next_tier")


@dataclass(frozen=True)
class Knowledge:
    """Forbidden directed edges, and required directed edges.

    Parameters
    ----------
    forbidden, required
        Pairs (from, to).
    """

    forbidden: frozenset[tuple[str, str]] = field(default_factory=frozenset)
    required: frozenset[tuple[str, str]] = field(default_factory=frozenset)

    def __post_init__(self) -> None:
        both = sorted(self.forbidden & self.required)
        if both:
            raise GraphError(f"the edge {both[0][0]} -> {both[0][1]} is forbidden and required")

    @classmethod
    def from_json(cls, content: Mapping[str, Any], names: Sequence[str]) -> Knowledge:
        """Read Benchpress's constraint file for data with these columns.

        An edge may only run from an earlier tier to a later one; `forbid_within_tiers` forbids
        edges inside a tier, `can_only_cause_next_tier` those that skip one. A group forbids or
        requires every edge from a cause to an effect. Source nodes and context variables have no
        parents; a context variable is a parent of every other variable (of its own tier, for
        `context_tier`). Single edges with an unknown name are left out, with a warning.
        """
        if not isinstance(content, Mapping):
            raise GraphError(f"constraints: found {content!r}, expected an object")
        for key in content:
            if key not in _KEYS:
                raise GraphError(unknown("constraint", key, _KEYS))
        forbidden = _pairs(content, "forbidden_edges", names) | _groups(
            content, "forbidden_groups", names
        )
        required = _pairs(content, "required_edges", names) | _groups(
            content, "required_groups", names
        )
        tiers = [_known(tier, names, "tiers") for tier in _list(content, "tiers")]
        forbidden |= _tier_rules(tiers, content.get("tier_settings") or {})
        everywhere = _known(_list(content, "context_all"), names, "context_all")
        in_tier = _known(_list(content, "context_tier"), names, "context_tier")
        sources = _known(_list(content, "source_nodes"), names, "source_nodes")
        contexts = {*everywhere, *in_tier}
        forbidden |= {(a, b) for b in {*contexts, *sources} for a in names if a != b}
        required |= {(a, b) for a in everywhere for b in names if b not in contexts}
        for tier in tiers:
            required |= {(a, b) for a in in_tier if a in tier for b in tier if b not in contexts}
        return cls(frozenset(forbidden), frozenset(required))

    def __bool__(self) -> bool:
        return bool(self.forbidden or self.required)

    def matrices(self, names: Sequence[str]) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Return forbidden and required edges as matrices, from row to column."""
        index = {name: i for i, name in enumerate(names)}
        result = []
        for pairs in (self.forbidden, self.required):
            matrix = np.zeros((len(names), len(names)), dtype=np.bool_)
            matrix[[index[a] for a, _ in pairs], [index[b] for _, b in pairs]] = True
            result.append(matrix)
        return result[0], result[1]

    def violations(self, graph: Graph) -> list[str]:
        """Return the forbidden edges that a graph has and the required edges it lacks, as text."""
        present = {(e.left, e.right) for e in graph.edges() if e.connector == "->"}
        extra = [f"{a} -> {b} is forbidden" for a, b in sorted(present & self.forbidden)]
        return extra + [f"{a} -> {b} is required" for a, b in sorted(self.required - present)]


def _list(content: Mapping[str, Any], key: str) -> list[Any]:
    value = content.get(key) or []
    if not isinstance(value, list):
        raise GraphError(f"{key}: found {type(value).__name__}, expected a list")
    return value


def _known(content: Any, names: Sequence[str], where: str) -> list[str]:
    if not isinstance(content, list):
        raise GraphError(f"{where}: found {content!r}, expected a list of names")
    for name in content:
        _refuse_other_than_text(name, where)
        if name not in names:
            raise GraphError(unknown("variable", name, names, where))
    return list(content)


def _pairs(content: Mapping[str, Any], key: str, names: Sequence[str]) -> set[tuple[str, str]]:
    result = set()
    for pair in _list(content, key):
        if not isinstance(pair, list) or len(pair) != 2:
            raise GraphError(f"{key}: found {pair!r}, expected a pair [from, to]")
        for name in pair:
            _refuse_other_than_text(name, key)
        if pair[0] == pair[1]:
            raise GraphError(f"{key}: {pair[0]!r} has no edge with itself")
        if pair[0] in names and pair[1] in names:
            result.add((pair[0], pair[1]))
        else:
            _warn_of_unknown(pair, names, key)
    return result


def _refuse_other_than_text(name: Any, where: str) -> None:
    if not isinstance(name, str):
        raise GraphError(f"{where}: found {name!r}, expected the name of a variable in quotes")


def _warn_of_unknown(pair: Sequence[Any], names: Sequence[str], key: str) -> None:
    name = next(name for name in pair if name not in names)
    message = unknown("variable", name, names, key)
    warnings.warn(f"{message}; the edge {pair} is left out", DataWarning, stacklevel=2)


def _groups(content: Mapping[str, Any], key: str, names: Sequence[str]) -> set[tuple[str, str]]:
    result = set()
    for group in _list(content, key):
        if not isinstance(group, dict) or set(group) != {"cause", "effect"}:
            raise GraphError(f"{key}: found {group!r}, expected {{'cause': […], 'effect': […]}}")
        causes = _known(group["cause"], names, f"{key}.cause")
        effects = _known(group["effect"], names, f"{key}.effect")
        result |= {(a, b) for a in causes for b in effects if a != b}
    return result


def _tier_rules(tiers: Sequence[Sequence[str]], settings: Any) -> set[tuple[str, str]]:
    if not isinstance(settings, dict):
        raise GraphError(f"tier_settings: found {settings!r}, expected an object")
    for key in settings:
        if key not in _TIER_KEYS:
            raise GraphError(unknown("tier setting", key, _TIER_KEYS))
    result = set()
    for early, later in _ordered_pairs(len(tiers)):
        backward = {(a, b) for a in tiers[later] for b in tiers[early]}
        result |= backward
        if settings.get("can_only_cause_next_tier") and later > early + 1:
            result |= {(b, a) for a, b in backward}
    if settings.get("forbid_within_tiers"):
        result |= {(a, b) for tier in tiers for a in tier for b in tier if a != b}
    return result


def _ordered_pairs(n: int) -> Iterable[tuple[int, int]]:
    return ((i, j) for j in range(n) for i in range(j))
