"""What an algorithm looks like: the same colour, symbol and number in every figure of a study."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

# Okabe and Ito's colours that are readable on white and on black; with six symbols there are 42
# combinations that readers tell apart with or without colour.
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c8c8c")
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")


@dataclass(frozen=True)
class Look:
    """The ids of a study, each with its colour, symbol and number.

    Parameters
    ----------
    ids
        Ids of the algorithms, in alphabetical order.
    """

    ids: tuple[str, ...]

    @classmethod
    def of(cls, ids: Iterable[str]) -> Look:
        """Of all ids that the figures of a study show."""
        return cls(tuple(sorted(set(ids))))

    def number(self, identifier: str) -> int:
        """Place in the legend, from 1 on."""
        return self.ids.index(identifier) + 1

    def colour_of(self, identifier: str) -> str:
        """The colour of one algorithm."""
        return PALETTE[self.ids.index(identifier) % len(PALETTE)]

    def colour(self, legend: bool = True) -> dict[str, Any]:
        """Encoding of colour by id."""
        return self._encoding(PALETTE, legend)

    def shape(self, legend: bool = True) -> dict[str, Any]:
        """Encoding of symbols by id."""
        return self._encoding(SHAPES, legend)

    def _encoding(self, values: tuple[str, ...], legend: bool) -> dict[str, Any]:
        domain = list(self.ids)
        range_ = [values[i % len(values)] for i in range(len(domain))]
        key: dict[str, Any] | None = None
        if legend:
            number = f"(indexof({json.dumps(domain)}, datum.value) + 1)"
            key = {"title": None, "labelExpr": f"{number} + '. ' + datum.label"}
            key |= {"symbolLimit": 0, "labelLimit": 260, "columns": 1 + len(domain) // 24}
        return {
            "field": "id",
            "type": "nominal",
            "scale": {"domain": domain, "range": range_},
            "legend": key,
        }
