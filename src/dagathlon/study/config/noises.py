"""The noise of a data entry: codes, rates, and ranges of rates."""

from __future__ import annotations

from typing import cast

from dagathlon.simulate.noise import Noise
from dagathlon.study.config.expand import expand
from dagathlon.study.config.json_source import Node


def read_noises(node: Node) -> list[Noise]:
    """Read one or several noise codes or objects; by default no noise.

    An object's values may be lists, which makes all their combinations. Clean data are one
    experiment however many ranges of rates begin with 0.
    """
    child = node.get("noise")
    if child is None:
        return [Noise()]
    noises: dict[str, Noise] = {}
    for item in child.items() if isinstance(child.value, list) else [child]:
        is_range = isinstance(item.value, dict)
        for noise in _range(item) if is_range else [Noise.from_code(item.text(), item.where)]:
            if noise.code in noises and not (is_range and noise.does_nothing):
                raise item.fail(f"{noise.code} is given twice")
            noises.setdefault(noise.code, Noise() if noise.does_nothing else noise)
    return list(noises.values())


def _range(node: Node) -> list[Noise]:
    return [cast(Noise, setting.module) for setting in expand(Noise, node.object(), node)]
