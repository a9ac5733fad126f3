"""Reading options of a data entry, and its handling of missing values."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from dagathlon.data.preparing.imputation import DEFAULT_COPIES
from dagathlon.data.reading.options import READING_KEYS, Reading
from dagathlon.errors import DataError, suggestion
from dagathlon.simulate.preparing import DropMissing, Impute
from dagathlon.simulate.transform import Transform
from dagathlon.study.config.json_source import Node
from dagathlon.study.config.library import FixedFile

MISSING = "missing"
ENTRY_KEYS = (*READING_KEYS, MISSING)
_HOW = ("keep", "drop", "impute")
_SHORT = 40


def with_reading_options(node: Node, files: Sequence[FixedFile]) -> Sequence[FixedFile]:
    """Return the data files of an entry with its reading options."""
    options = _said(node)
    if not options or not files:
        return files
    if any(file.bundled for file in files):
        raise node.fail("bundled data are read as they are; the transform select chooses columns")
    try:
        reading = Reading.from_json(options)
    except DataError as error:
        raise node.fail(str(error)) from None
    return [replace(file, reading=reading) for file in files]


def refuse_reading(node: Node) -> None:
    """Raise when an entry of generated data has reading options."""
    options = _said(node)
    if options:
        raise node.fail(
            f"{next(iter(options))} is about a data file; data that are drawn have their kinds"
        )


def _said(node: Node) -> dict[str, Any]:
    return {key: node.need(key).value for key in READING_KEYS if node.get(key) is not None}


def read_missing(node: Node) -> list[list[Transform]]:
    """Return steps for missing values: ``keep``, ``drop``, ``impute``, ``{"impute": copies}``."""
    child = node.get(MISSING)
    if child is None or child.value == "keep":
        return []
    if child.value == "drop":
        return [[DropMissing()]]
    if child.value == "impute":
        return [[Impute(copies=DEFAULT_COPIES)]]
    if isinstance(child.value, dict) and list(child.value) == ["impute"]:
        inner = child.need("impute")
        return [[Impute.from_json({"copies": inner.value}, inner.where)]]
    near = suggestion(child.value, _HOW) if isinstance(child.value, str) else ""
    raise child.fail(f"found {child.value!r}{near}, expected keep, drop, impute or {{'impute': 5}}")


def labelled_by_reading(data: Sequence[Any]) -> list[Any]:
    """Return data entries, labelled by reading options where a file is read in several ways."""
    ways: dict[str, set[Reading | None]] = {}
    for entry in data:
        for part in entry.data:
            if isinstance(part, FixedFile):
                ways.setdefault(part.label, set()).add(part.reading)
    several = Counter({label: len(readings) for label, readings in ways.items()})

    def labelled(part: Any) -> Any:
        if not isinstance(part, FixedFile) or several[part.label] < 2 or part.reading is None:
            return part
        return replace(part, label=f"{part.label}/{_label(part.reading)}")

    return [replace(entry, data=[labelled(part) for part in entry.data]) for entry in data]


def _label(reading: Reading) -> str:
    """Return reading options in short, or a digest where that is long."""
    text = json.dumps(reading.to_json(), sort_keys=True)
    short = "".join(sign for sign in text if sign not in '{}[]" ').replace("/", "_")
    if len(short) <= _SHORT:
        return short
    return f"read={hashlib.sha256(text.encode()).hexdigest()[:6]}"


def reading_schema() -> dict[str, Any]:
    """Return the JSON Schema of the reading options."""
    names = {"type": ["array", "null"], "items": {"type": "string"}}
    kinds = {"enum": ["continuous", "discrete", "categorical", "ordinal", "id", "ignore"]}
    labels = {"type": "object", "additionalProperties": {"type": "string"}}
    copies = {"type": "integer", "minimum": 1}
    return {
        "kinds": {"type": ["object", "null"], "additionalProperties": kinds},
        "levels": {"type": ["object", "null"], "additionalProperties": names},
        "drop": names,
        "keep": names,
        "na": names,
        "cardinality_row": {"type": ["boolean", "null"]},
        "header": {"type": ["boolean", "null"]},
        "delimiter": {"type": ["string", "null"]},
        "decimal": {"enum": [".", ",", None]},
        "encoding": {"type": ["string", "null"]},
        "skip": {"type": ["integer", "null"], "minimum": 0},
        "sheet": {"type": ["string", "null"]},
        "recode": {"type": ["object", "null"], "additionalProperties": labels},
        MISSING: {
            "anyOf": [
                {"enum": [*_HOW, None]},
                {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["impute"],
                    "properties": {"impute": copies},
                },
            ]
        },
    }
