"""Evidence of a query: known levels, likelihoods of levels, and known values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from dagathlon.data.models.distributions import Distribution, FloatArray, Gaussian, Table
from dagathlon.errors import DataError, unknown

if TYPE_CHECKING:
    from dagathlon.data.models.network import Network


@dataclass(frozen=True)
class Evidence:
    """Known levels, likelihoods of levels, and known values, by variable."""

    levels: dict[str, int] = field(default_factory=dict)
    likelihoods: dict[str, FloatArray] = field(default_factory=dict)
    values: dict[str, float] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """All variables with evidence."""
        return (*self.levels, *self.likelihoods, *self.values)


def evidence_of(network: Network, given: Mapping[str, Any] | None) -> Evidence:
    """Convert a user's evidence: a level, likelihoods of the levels, or a number per variable."""
    evidence = Evidence()
    for name, value in (given or {}).items():
        distribution = network.distribution(name)
        if isinstance(distribution, Gaussian):
            evidence.values[name] = number(name, value)
        elif isinstance(value, Mapping) or _is_list(value):
            evidence.likelihoods[name] = _likelihood(name, distribution, value)
        else:
            evidence.levels[name] = level(name, distribution, value)
    return evidence


def level(name: str, table: Table, value: object) -> int:
    """Return the index of a level; numbers and truth values match levels spelled like them."""
    label = value if isinstance(value, str) else str(value)
    if label not in table.levels:
        raise DataError(unknown("level", value, table.levels, f"variable {name!r}"))
    return table.levels.index(label)


def number(name: str, value: Any) -> float:
    """Return the value of a continuous variable, checked to be a finite number."""
    try:
        found = float(value)
    except (TypeError, ValueError):
        found = math.nan
    if not math.isfinite(found):
        raise DataError(f"variable {name!r} is continuous: expected a number, found {value!r}")
    return found


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence | np.ndarray) and not isinstance(value, str)


def _likelihood(name: str, table: Table, value: Any) -> FloatArray:
    """Return soft evidence: the likelihood of the observation at each level."""
    if isinstance(value, Mapping):
        numbers = np.zeros(len(table.levels))
        for label, amount in value.items():
            numbers[level(name, table, label)] = amount
    else:
        numbers = np.asarray(value, dtype=np.float64)
    if numbers.shape != (len(table.levels),) or not np.isfinite(numbers).all():
        raise DataError(
            f"variable {name!r}: the evidence is a level, or a likelihood for each of its "
            f"{len(table.levels)} levels, found {value!r:.80}"
        )
    if numbers.min() < 0 or not numbers.any():
        raise DataError(f"variable {name!r}: likelihoods are not negative, and not all of them 0")
    return numbers


def targets_of(network: Network, targets: str | Iterable[str], known: Evidence) -> tuple[str, ...]:
    """Return the targets of a query, each once; refuse those that are part of the evidence."""
    names = (targets,) if isinstance(targets, str) else tuple(targets)
    if not names:
        raise DataError("a query has at least one target, found none")
    for name in names:
        network.distribution(name)
        if name in known.levels or name in known.values:
            raise DataError(f"{name!r} is a target, and its value is given as evidence")
    if len(set(names)) < len(names):
        raise DataError("a query names each target once")
    return names


def intervened(network: Network, do: Mapping[str, Any]) -> dict[str, Distribution]:
    """Return the distributions after an intervention: set variables lose their parents."""
    changed = dict(network.distributions)
    for name, value in do.items():
        given = network.distribution(name)
        if isinstance(given, Gaussian):
            fixed = np.array(number(name, value))
            changed[name] = Gaussian((), fixed, np.zeros(0), np.array(0.0))
        else:
            certain = np.zeros(len(given.levels))
            certain[level(name, given, value)] = 1.0
            changed[name] = Table(given.levels, (), certain)
    return changed
