"""The facts that a run saves, as JSON and back: the setup, its algorithms, what modules are.

A fact that is not what it has to be is a `ValueError`: what is read here may come from anywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any, TypeVar, cast

from dagathlon.evaluate.metric import Measure, Table
from dagathlon.study.plan.plan import Origin
from dagathlon.study.records.schema import (
    Algorithm,
    Column,
    ModuleFacts,
    SavedEvaluation,
    SavedSetup,
    SavedStudy,
    Settings,
)

_Read = TypeVar("_Read")
_MOST_SETTINGS = 1_000_000


def facts_json(study: SavedStudy) -> dict[str, Any]:
    """Return all facts but the tables as JSON."""
    setup = study.setup
    return {
        "name": study.name,
        "setup": {
            "title": setup.title,
            "ids": setup.ids,
            "has_truth": setup.has_truth,
            "evaluations": [[item.name, item.values] for item in setup.evaluations],
            "off": setup.off,
        },
        "algorithms": [_algorithm_json(item) for item in study.algorithms.values()],
        "modules": [asdict(item) for item in study.modules],
        "measures": [item.to_json() for item in study.measures],
        "origins": study.plan.origins,
        "omissions": study.plan.omissions,
        "further_scores": [[*key, names] for key, names in study.plan.further_scores.items()],
    }


def _algorithm_json(algorithm: Algorithm) -> dict[str, Any]:
    settings = algorithm.settings
    return {
        "id": algorithm.id,
        "module": asdict(algorithm.module),
        "values": algorithm.values,
        "curve_parameter": algorithm.curve_parameter,
        "settings": {
            "length": len(settings),
            "values": settings.values,
            "parameters": settings.parameters,
            "outputs": settings.outputs,
        },
    }


def read_setup(facts: Any) -> SavedSetup:
    """Parse a setup."""
    return SavedSetup(
        _typed(facts["title"], str),
        tuple(SavedEvaluation(file_name(n), _typed(v, dict)) for n, v in facts["evaluations"]),
        _texts(facts["ids"]),
        _typed(facts["has_truth"], bool),
        _texts(facts.get("off", [])),
    )


def read_origins(facts: Any) -> list[Origin]:
    """Parse the data entries of data sets."""
    return [_origin(row) for row in _typed(facts, list)]


def _origin(facts: Any) -> Origin:
    origin = Origin._make(_typed(facts, list))
    first, last = (_number(seed) for seed in _typed(origin.seeds, list))
    return Origin(
        setup=_number(origin.setup),
        where=_typed(origin.where, str),
        graph_id=_optional(origin.graph_id),
        parameters_id=_optional(origin.parameters_id),
        data_id=_typed(origin.data_id, str),
        number=_number(origin.number),
        combinations=_number(origin.combinations),
        seeds=(first, last),
        fixed_truth=_typed(origin.fixed_truth, bool),
        several=_typed(origin.several, bool),
        scores=_texts(origin.scores),
    )


def read_further_scores(facts: Any) -> dict[tuple[int, str], tuple[str, ...]]:
    """Parse the names of scores of runs on transformed data; earlier versions saved none."""
    rows = [_typed(row, list) for row in _typed(facts, list)]
    return {(_number(row[0]), _typed(row[1], str)): _texts(row[2]) for row in rows}


def read_measures(facts: Any) -> list[Measure]:
    """Parse the columns of metrics."""
    return [_measure(_typed(item, dict)) for item in _typed(facts, list)]


def _measure(facts: dict[str, Any]) -> Measure:
    texts = ("title", "short", "unit")
    if facts["better"] not in ("more", "less", ""):
        raise ValueError("a metric is better in a direction that is none")
    headline = facts["headline"]
    return Measure(
        name=file_name(facts["name"]),
        better=facts["better"],
        takes=_texts(facts["takes"]),
        truth=_typed(facts["truth"], bool),
        references=_texts(facts["references"]),
        table=cast(Table, _typed(facts["table"], str)),
        headline=None if headline is None else _number(headline),
        control=_typed(facts["control"], bool),
        show=_typed(facts["show"], bool),
        meaning=_typed(facts.get("meaning", ""), str),  # earlier versions saved none
        **{name: _typed(facts[name], str) for name in texts},
    )


def read_algorithms(facts: Any) -> dict[str, Algorithm]:
    """Parse the algorithms, by id."""
    algorithms = (_algorithm(item) for item in _typed(facts, list))
    return {item.id: item for item in algorithms}


def _algorithm(facts: Any) -> Algorithm:
    settings = facts["settings"]
    length = _number(settings["length"])
    if length > _MOST_SETTINGS:
        raise ValueError(f"{length} settings are more than an algorithm has")
    return Algorithm(
        _typed(facts["id"], str),
        _module(facts["module"]),
        _by_name(facts["values"], lambda value: value),
        _typed(facts["curve_parameter"], str),
        Settings(
            length,
            _by_name(settings["values"], lambda column: _column(column, length)),
            _by_name(settings["parameters"], lambda column: _column(column, length)),
            # Studies that were saved before have none.
            _column(settings["outputs"], length) if settings.get("outputs") else None,
        ),
    )


def _column(facts: Any, length: int) -> Column:
    levels, codes = (_typed(part, list) for part in facts)
    if len(codes) != (length if codes else 0) or (length and not levels):
        raise ValueError("a parameter does not have a value for each setting")
    if any(not 0 <= _number(code) < len(levels) for code in codes):
        raise ValueError("a setting has a value that is not there")
    return Column(levels, codes)


def read_modules(facts: Any) -> list[ModuleFacts]:
    """Parse the facts about modules."""
    return [_module(item) for item in _typed(facts, list)]


def _module(facts: Any) -> ModuleFacts:
    texts = ("kind", "implementation", "summary", "gives")
    return ModuleFacts(
        name=file_name(facts["name"]),
        version=_number(facts["version"]),
        references=_texts(facts["references"]),
        parameters=_by_name(facts["parameters"], lambda text: _typed(text, str)),
        takes=_texts(facts["takes"]),
        samples=_typed(facts["samples"], bool),
        # Studies that were saved before learners told it have none.
        abilities=_by_name(facts.get("abilities", {}), lambda text: _typed(text, str)),
        **{name: _typed(facts[name], str) for name in texts},
    )


def file_name(text: object) -> str:
    """Reduce a name to one path component, so that nothing is written outside the folder."""
    if not isinstance(text, str) or text in ("", ".", "..") or "/" in text or "\0" in text:
        raise ValueError(f"{text!r} is no name of a file")
    return text


def _typed(value: Any, kind: type[_Read]) -> _Read:
    if not isinstance(value, kind):
        raise ValueError(f"found {str(value)[:40]!r} where a {kind.__name__} has to be")
    return value


def _number(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(f"found {str(value)[:40]!r} where a number from 0 on has to be")
    return value


def _optional(value: Any) -> str | None:
    return None if value is None else _typed(value, str)


def _texts(values: Any) -> tuple[str, ...]:
    return tuple(_typed(value, str) for value in _typed(values, list))


def _by_name(values: Any, read: Callable[[Any], _Read]) -> dict[str, _Read]:
    """Parse parameters by name, checking names because they become parts of file names."""
    return {file_name(name): read(value) for name, value in _typed(values, dict).items()}
