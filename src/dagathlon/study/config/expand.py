"""Expansion of an object's list values into settings (a Cartesian product)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dagathlon.errors import Mistakes
from dagathlon.learners.base import Learner
from dagathlon.modules import Module
from dagathlon.study.config.json_source import Node
from dagathlon.study.config.resources import (
    NOTHING_WANTED,
    WantedResources,
    read_wanted,
    resource_keys,
)
from dagathlon.study.config.restriction import OnlyOn, read_only_on, restriction_keys

MAX_SETTINGS = 1_000_000
START = "start"
"""Key of an algorithm's object: number of a start, which changes only random numbers."""
_MOST_STARTS = 1000
_MOST_WRONG = 1000


@dataclass(frozen=True)
class Setting:
    """One combination of an object's values.

    Parameters
    ----------
    module
        The module with these parameters.
    values
        The parameters as the study gives them (before defaults), in the order of its keys.
    start
        Number of one of several starts, which differ in their random numbers alone.
    """

    module: Module
    values: Mapping[str, Any]
    start: int = 1


@dataclass(frozen=True)
class ModuleEntry:
    """An object of `resources`: a module under an id, with all its settings.

    Parameters
    ----------
    id
        The name other parts of the study use.
    module
        The module's class.
    values
        Parameters as written, lists unexpanded, without the id.
    settings
        The cartesian product, last key fastest.
    where
        Place in the study.
    resources
        Requested cores and cards of each run.
    only_on
        Graphs on whose data it is run; None for all.
    """

    id: str
    module: type[Module]
    values: Mapping[str, Any]
    settings: Sequence[Setting]
    where: str
    resources: WantedResources = NOTHING_WANTED
    only_on: OnlyOn | None = None

    @property
    def curve_parameter(self) -> str:
        """The parameter varied along a curve: the first with several values."""
        several = (k for k, v in self.values.items() if len(_axis(self.module, k, v)) > 1)
        varied = next((key for key in several if key not in ("mcmc_seed", START)), None)
        return varied or next(iter(self.values), "id")


def read_entry(module: type[Module], node: Node) -> ModuleEntry:
    """Check an object of `resources` and expand it."""
    identifier = node.need("id").text()
    keys = resource_keys(module)
    resources = read_wanted(node, keys)
    resources.check(module, node)
    only_on = read_only_on(node, module)
    apart = ("id", *keys, *restriction_keys(module))
    values = {key: value for key, value in node.value.items() if key not in apart}
    settings = expand(module, values, node)
    return ModuleEntry(identifier, module, values, settings, node.where, resources, only_on)


def expand(module: type[Module], values: Mapping[str, Any], node: Node) -> list[Setting]:
    """Return all combinations of the list values, the last key varying fastest."""
    axes = [_axis(module, key, value) for key, value in values.items()]
    total = math.prod(len(axis) for axis in axes)
    if total > MAX_SETTINGS:
        raise node.fail(f"expands to {total} settings; {MAX_SETTINGS} is the maximum")
    points = (dict(zip(values, point, strict=True)) for point in itertools.product(*axes))
    mistakes = Mistakes()
    settings = []
    for n, point in enumerate(points):
        settings.append(mistakes.read(_setting, module, point, node))
        if mistakes and n >= _MOST_WRONG:
            break
    mistakes.refuse()
    return settings


def takes_start(module: type[Module]) -> bool:
    """Whether an object may name starts; a parameter of that name takes precedence."""
    return issubclass(module, Learner) and START not in module.parameters()


def _setting(module: type[Module], point: Mapping[str, Any], node: Node) -> Setting:
    if START not in point or not takes_start(module):
        return Setting(module.from_json(point, node.where), point)
    start = point[START]
    if type(start) is not int or not 1 <= start <= _MOST_STARTS:
        wanted = f"a whole number from 1 to {_MOST_STARTS}, or a list of them"
        raise node.fail(f"start: found {start!r}, expected {wanted}")
    values = {key: value for key, value in point.items() if key != START}
    return Setting(module.from_json(values, node.where), point, start)


def _axis(module: type[Module], key: str, value: Any) -> Sequence[Any]:
    """Return the values of a key; a list parameter is varied by a list of lists."""
    parameter = module.parameters().get(key)
    if not isinstance(value, list):
        return [value]
    if parameter is not None and parameter.type.is_list and not _nested(value):
        return [value]
    return value


def _nested(value: Sequence[Any]) -> bool:
    return any(isinstance(item, list) for item in value)
