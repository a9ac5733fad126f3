"""The data that values of a parameter need, and objections that name alternatives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from dagathlon.data.spec import DataFacts, DataKind


@dataclass(frozen=True)
class Needs:
    """The data that a test, a score or a data type can be used with.

    Parameters
    ----------
    kinds
        Kinds of data.
    binary
        Whether every variable must have two levels.
    missing
        Whether missing values are understood.
    """

    kinds: frozenset[DataKind]
    binary: bool = False
    missing: bool = False

    def fit(self, data: DataFacts) -> bool:
        """Whether the known facts of the data do not contradict the needs."""
        if data.kind is not None and data.kind not in self.kinds:
            return False
        return not (self.binary and data.kind == "discrete" and data.binary is False)

    def __str__(self) -> str:
        return "binary" if self.binary else " or ".join(sorted(self.kinds))


Table: TypeAlias = Mapping[Any, Needs]

CONTINUOUS = Needs(frozenset({"continuous"}))
DISCRETE = Needs(frozenset({"discrete"}))
NUMBERS = Needs(frozenset({"continuous", "discrete"}))
BINARY = Needs(frozenset({"discrete"}), binary=True)
NOTHING = Needs(frozenset())
ANY = Needs(frozenset({"continuous", "discrete", "mixed"}))

DATATYPE: Table = {"continuous": CONTINUOUS, "discrete": DISCRETE}


def objection(name: str, parameter: str, value: Any, table: Table, data: DataFacts) -> str:
    """Return why a parameter's value does not suit the data, with values that do; else empty."""
    needs = table[value]
    if needs.fit(data):
        return ""
    found = "discrete with more than two levels" if needs.binary and data.binary is False else ""
    return (
        f"{name} with {parameter} {_written(value)} needs {needs} data, and these are "
        f"{found or data.kind}; {_remedy(parameter, table, data)}"
    )


def _remedy(parameter: str, table: Table, data: DataFacts) -> str:
    suited = [_written(value) for value, needs in table.items() if needs.fit(data)]
    if not suited:
        return "use other data or leave this algorithm out"
    return f"set {parameter} to {' or '.join(suited)}, or use other data"


def _written(value: Any) -> str:
    return {None: "null", True: "true", False: "false"}.get(value, repr(value))
