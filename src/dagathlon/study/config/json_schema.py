"""JSON Schema of study files, derived from the modules."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, cast

from dagathlon.modules import Kind, Module, Parameter, modules
from dagathlon.simulate.noise import Noise
from dagathlon.study.config.evaluation import Request
from dagathlon.study.config.expand import START, takes_start
from dagathlon.study.config.reading import reading_schema
from dagathlon.study.config.resources import RESOURCES, resource_keys
from dagathlon.study.config.restriction import SCHEMA, restriction_keys
from dagathlon.study.config.sections import SECTIONS

_NULL_OR_TEXT = {"type": ["string", "null"]}
_START = {"type": "integer", "minimum": 1}
_STARTS = {
    "anyOf": [_START, {"type": "array", "items": _START}],
    "description": "which of several runs that differ in their random numbers alone",
    "default": 1,
}


def study_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a study file."""
    setup = {"$ref": "#/$defs/setup"}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Dagathlon study",
        "$defs": {"setup": _setup()},
        "type": "object",
        "required": ["benchmark_setup", "resources"],
        "properties": {
            "benchmark_setup": {"anyOf": [{"type": "array", "items": setup}, setup]},
            "modules": {"type": "array", "items": {"type": "string"}},
            "resources": {
                "type": "object",
                "additionalProperties": False,
                "patternProperties": {"^_": {}},
                "properties": {name: _section(kind) for name, kind in SECTIONS.items()},
            },
        },
    }


def _setup() -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "patternProperties": {"^_": {}},
        "required": ["data", "evaluation"],
        "properties": {
            "title": {"type": "string", "pattern": r"^[^\s/]+$"},
            "data": {"type": "array", "items": _data_entry()},
            "evaluation": {
                "type": "object",
                "additionalProperties": False,
                "patternProperties": {"^_": {}},
                "properties": {
                    name: _evaluation(cast(type[Request], module))
                    for name, module in modules("evaluation").items()
                },
            },
            "time_limit": {"type": ["number", "string", "null"], "description": "e.g. 90 or '2h'"},
            "cpu_limit": {
                "type": ["number", "string", "null"],
                "description": "processor time, e.g. 90 or '2h'",
            },
            "memory_limit": {"type": ["number", "string", "null"], "description": "e.g. '2G'"},
            **_resources(RESOURCES),
        },
    }


def _resources(keys: Collection[str]) -> dict[str, Any]:
    known = {
        "threads": {"type": ["integer", "null"], "minimum": 1, "description": "cores of each run"},
        "gpu": {
            "type": ["integer", "boolean", "null"],
            "minimum": 0,
            "description": "cards of each run; true is one, false none",
        },
    }
    return {key: known[key] for key in keys}


def _data_entry() -> dict[str, Any]:
    seeds = {"type": ["array", "null"], "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}
    return {
        "type": "object",
        "additionalProperties": False,
        "patternProperties": {"^_": {}},
        "required": ["data_id"],
        "properties": {
            "graph_id": _NULL_OR_TEXT,
            "parameters_id": _NULL_OR_TEXT,
            "data_id": {"type": "string"},
            "seed_range": seeds,
            "noise": _noise(),
            "transforms": {"type": ["array", "null"], "items": _transform()},
            **reading_schema(),
        },
    }


def _noise() -> dict[str, Any]:
    """Return the schema of a noise code or an object of rates, or a list of them."""
    rates = _object(Noise, identified=False)
    code = {"type": "string", "description": "N, M5, I10, S5, L10, cMI, cMISL, …"}
    return {"anyOf": [code, rates, {"type": "array", "items": {"anyOf": [code, rates]}}]}


def _transform() -> dict[str, Any]:
    """Return the schema of a transform: a name, or an object of a name and its parameters."""
    known = modules("transform")
    named = [
        {
            "type": "object",
            "description": module.summary(),
            "additionalProperties": False,
            "required": [name],
            "properties": {name: _object(module, identified=False)},
        }
        for name, module in known.items()
    ]
    return {"anyOf": [{"enum": list(known)}, *named]}


def _evaluation(module: type[Request]) -> dict[str, Any]:
    described = {"description": module.summary()}
    if module.shape == "flag":
        return described | {"type": "boolean"}
    if module.shape == "ids":
        ids = {"type": "array", "items": {"type": "string"}}
        return described | {"anyOf": [ids, {"const": False}]}
    entry = _object(module, identified=False)
    given = entry if module.shape == "object" else {"type": "array", "items": entry}
    return described | {"anyOf": [given, {"const": False}]}


def _section(kind: Kind) -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "patternProperties": {"^_": {}},
        "properties": {
            name: {
                "description": module.summary(),
                "type": "array",
                "items": _object(module, identified=True),
            }
            for name, module in modules(kind).items()
        },
    }


def _object(module: type[Module], *, identified: bool) -> dict[str, Any]:
    properties = {name: _parameter(p) for name, p in module.parameters().items()}
    required = [name for name, p in module.parameters().items() if p.required]
    if identified:
        extra = _resources(resource_keys(module))
        if takes_start(module):
            extra[START] = _STARTS
        extra |= dict.fromkeys(restriction_keys(module), SCHEMA)
        properties = {"id": {"type": "string"}, **properties, **extra}
        required = ["id", *required]
    return {
        "type": "object",
        "additionalProperties": False,
        "patternProperties": {"^_": {}},
        "required": required,
        "properties": properties,
    }


def _parameter(parameter: Parameter) -> dict[str, Any]:
    """Return the schema of one value or a list of alternatives."""
    schema = parameter.type.schema
    result: dict[str, Any] = {"anyOf": [schema, {"type": "array", "items": schema}]}
    if parameter.description:
        result["description"] = parameter.description
    if not parameter.required:
        result["default"] = parameter.default
    return result
