"""Benchpress's modules as rows of tables: a TOML file beside each Python file.

A row has the name of a module. Most rows are modules of their own, with a `base` class and the
documentation `doc`. The others are the data of a class in Python that has methods besides.

`runs`
    Name of our module.
`inherits`
    Parameters that are our module's, as ``theirs=ours`` or ``name``; ``*estimator`` are those of
    all samplers.
`defaults`
    Defaults of inherited parameters where Benchpress has others.
`fixed`
    Values of parameters of our module that Benchpress does not have.
`values.ours`
    A parameter of our module that comes from one of Benchpress's: its name (`of`), our value for
    each of its values where they differ, the smallest value that is handed on (`least`).
`needs.theirs`
    For each value of a parameter the data that it needs, in a word of `needs.py`, or the name of
    such a table in the Python file.
`remakes`, `references`
    What is re-implemented, and what to cite: a text, a key of `cite`, or ``runs`` for what our
    module cites.
`parameters.theirs`
    ``[type, default, description]``; a list of choices is a type, and a description alone is for
    an inherited parameter.

Everything else is a class variable. The text ``null`` stands for null, which TOML does not have.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import json
import re
import sys
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Union

from dagathlon.benchpress import needs
from dagathlon.data.spec import DataFacts
from dagathlon.learners.base import Sampler
from dagathlon.learners.imputation_step import ImputationSettings
from dagathlon.learners.start_graph import AlgorithmId
from dagathlon.modules import Count, Module, Natural, NonNegative, Probability
from dagathlon.modules.index import index
from dagathlon.modules.registry import defined_in
from dagathlon.simulate.base import Nodes

_TYPES: dict[str, Any] = {
    "AlgorithmId": AlgorithmId,
    "Count": Count,
    "ImputationSettings": ImputationSettings,
    "Natural": Natural,
    "Nodes": Nodes,
    "NonNegative": NonNegative,
    "None": None,
    "Probability": Probability,
    "bool": bool,
    "float": float,
    "int": int,
    "str": str,
}
_WORDS = {"null": None, "true": True, "false": False}


@functools.cache
def rows(source: str) -> Mapping[str, Mapping[str, Any]]:
    """Return the rows that belong to a Python module, by name."""
    path = Path(str(sys.modules[source].__file__)).with_suffix(".toml")
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def add_classes(source: str) -> None:
    """Add to a Python module a class for each row that has a base."""
    names = vars(sys.modules[source])
    bases = vars(importlib.import_module("dagathlon.benchpress.base")) | names
    for name, row in rows(source).items():
        if "base" in row:
            content = {"__module__": source, "__doc__": row["doc"].strip(), "name": name}
            named = "".join(part.capitalize() for part in re.split("[-_]", name))
            cls = type(named, (bases[row["base"]],), content)
            if not hasattr(
                cls, "inherits"
            ):  # not a `Translation`, whose subclasses are filled when made
                fill(cls)
            names[named] = dataclass(frozen=True, kw_only=True)(cls)


def fill(cls: type[Module]) -> None:
    """Set the attributes and fields of a class from its row, before it becomes a dataclass."""
    table = rows(cls.__module__)
    row = dict(table.get(vars(cls).get("name", ""), {}))
    if not row:
        return
    parameters = row.pop("parameters", {})
    cite = table.get("cite", {})
    if "runs" in row:
        row["runs"] = _module(cls.kind, row["runs"])
    for key, value in row.items():
        if key not in ("base", "doc", "remakes", "needs", "defaults"):
            setattr(cls, key, _READ.get(key, _value)(value))
    if "remakes" in row:
        cls.implementation = f"dagathlon (re-implementation of {row['remakes']})"
    if "references" in row:
        cited = (_cited(text, cite, cls) for text in row["references"])
        cls.references = tuple(text for texts in cited for text in texts)
    if "needs" in row:
        setattr(cls, "data_rules", {k: _needs(v, cls) for k, v in row["needs"].items()})  # noqa: B010
    for name, default in row.get("defaults", {}).items():
        setattr(cls, name, _value(default))
    _declare(cls, parameters)


def translated_value(module: Module, rule: Mapping[str, Any]) -> Any:
    """Return the value of one of our parameters by a rule `values.ours`."""
    value = getattr(module, rule["of"])
    written = json.dumps(value).strip('"')
    if written in rule:
        return _value(rule[written])
    return max(value, rule["least"]) if "least" in rule else value


def _declare(cls: type[Module], parameters: Mapping[str, list[Any]]) -> None:
    """Add the fields of a row to a class, and their descriptions to its docstring."""
    described = {}
    annotations: dict[str, Any] = dict(vars(cls).get("__annotations__", {}))
    for name, found in parameters.items():
        *declared, text = found if len(found) != 2 else (*found, "")
        written = name.rstrip("_")
        if declared:
            kind, default = declared
            annotations[name] = _type(kind, vars(sys.modules[cls.__module__]))
            named = {} if written == name else {"json": written}
            setattr(cls, name, field(default=_value(default), metadata=named))
        if text:
            described[written] = text
    cls.__annotations__ = annotations
    if described:
        lines = [f"{name}\n    {text}" for name, text in described.items()]
        parts = [inspect.cleandoc(cls.__doc__ or ""), "", "Parameters", "-" * 10, *lines]
        cls.__doc__ = "\n".join(parts)


def _type(kind: Any, names: Mapping[str, Any]) -> Any:
    """Return a type from a list of choices, or from names and quoted texts between bars."""
    if isinstance(kind, list):
        choices: Any = Literal[tuple(choice for choice in kind if choice != "null")]
        return choices | None if "null" in kind else choices
    parts = [
        Literal[part.strip("'")] if part.startswith("'") else {**_TYPES, **names}[part]
        for part in kind.split(" | ")
    ]
    return Union[tuple(parts)]  # noqa: UP007 - of a list


def _value(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _value(each) for key, each in value.items()}
    if isinstance(value, list):
        return tuple(map(_value, value))
    return None if value == "null" else value


def _inherits(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in text.split():
        theirs, _, ours = part.partition("=")
        names = Sampler.ESTIMATOR_FIELDS if part == "*estimator" else (theirs,)
        found |= {name: ours or name for name in names}
    return found


def _gives(value: Any) -> Any:
    return DataFacts(**value) if isinstance(value, dict) else value


def _same(value: Any) -> Any:
    return value


_READ: Mapping[str, Callable[[Any], Any]] = {
    "runs": _same,
    "inherits": _inherits,
    "takes": frozenset,
    "gives": _gives,
    "values": _same,
}


def _module(kind: str, name: str) -> type[Module]:
    source = importlib.import_module(index().modules[kind][name])
    return next(each for each in defined_in(source) if (each.kind, each.name) == (kind, name))


def _cited(text: str, cite: Mapping[str, str], cls: Any) -> tuple[str, ...]:
    return tuple(cls.runs.references) if text == "runs" else (cite.get(text, text),)


def _needs(table: Any, cls: type[Module]) -> needs.Table:
    if isinstance(table, str):
        found: needs.Table = vars(sys.modules[cls.__module__])[table]
        return found
    return {_WORDS.get(value, value): _need(words) for value, words in table.items()}


def _need(words: str) -> needs.Needs:
    name, _, missing = words.partition(", ")
    found: needs.Needs = getattr(needs, name.upper())
    return replace(found, missing=True) if missing else found
