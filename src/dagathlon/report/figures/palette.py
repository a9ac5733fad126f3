"""What an algorithm looks like: the same colour and symbol in every figure of a study."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from dagathlon.report.charts.parts import Chart

# Okabe and Ito's colours, then six that stay apart from them and from each other in simulated
# protanopia and deuteranopia; all of them are readable on white and on black.
PALETTE = (
    *("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"),
    *("#9b392c", "#86bd6a", "#6a7ff0", "#aa0e71", "#f08a98", "#9b8048"),
)
# What is context rather than a series.
GREY = "#8c8c8c"
_STAR = (
    "M0,-1.2L0.31,-0.42L1.14,-0.37L0.5,0.16L0.71,0.97"
    "L0,0.53L-0.71,0.97L-0.5,0.16L-1.14,-0.37L-0.31,-0.42Z"
)
_SALTIRE = (
    "M-1.04,-0.59L-0.59,-1.04L0,-0.45L0.59,-1.04L1.04,-0.59"
    "L0.45,0L1.04,0.59L0.59,1.04L0,0.45L-0.59,1.04L-1.04,0.59L-0.45,0Z"
)
_HOURGLASS = "M-0.9,-0.96L0.9,-0.96L0.18,0L0.9,0.96L-0.9,0.96L-0.18,0Z"
_HEXAGON = "M0,-1.03L0.9,-0.52L0.9,0.52L0,1.03L-0.9,0.52L-0.9,-0.52Z"
SHAPES = (
    *("circle", "square", "triangle-up", "diamond", "cross", "triangle-down"),
    *(_STAR, "triangle-right", _SALTIRE, "triangle-left", _HOURGLASS, _HEXAGON),
)


@dataclass(frozen=True)
class Look:
    """Colours and symbols of the ids of a study.

    Up to twelve algorithms have a colour and a symbol each of their own; beyond that the pair of
    both is unique, and a page shows the others in grey.

    Parameters
    ----------
    ids
        Ids of the algorithms, in alphabetical order.
    """

    ids: tuple[str, ...]

    @classmethod
    def of(cls, ids: Iterable[str]) -> Look:
        """Assign colours and symbols to ids."""
        return cls(tuple(sorted(set(ids))))

    def number(self, identifier: str) -> int:
        """Return the number, from 1 on, that labels an id beside points; the legend explains it."""
        return self.ids.index(identifier) + 1

    def colour_of(self, identifier: str) -> str:
        """Return the colour of one algorithm."""
        return PALETTE[self.ids.index(identifier) % len(PALETTE)]

    def shape_of(self, identifier: str) -> str:
        """Return the symbol of one algorithm: a name, or the path of its outline."""
        place = self.ids.index(identifier)
        return SHAPES[(place + place // len(PALETTE)) % len(SHAPES)]

    def colour(self, legend: bool = True, numbered: bool = False) -> Chart:
        """Return the encoding of colour by id, numbered where points carry numbers."""
        return self._encoding(
            [self.colour_of(identifier) for identifier in self.ids], legend, numbered
        )

    def shape(self, legend: bool = True, numbered: bool = False) -> Chart:
        """Return the Vega-Lite encoding that gives each algorithm id a symbol."""
        return self._encoding(
            [self.shape_of(identifier) for identifier in self.ids], legend, numbered
        )

    def _encoding(self, values: list[str], legend: bool, numbered: bool) -> Chart:
        domain = list(self.ids)
        key: Chart | None = None
        if legend:
            key = {"title": None, "symbolLimit": 0, "labelLimit": 260}
            key["columns"] = 1 + len(domain) // 24
            if numbered:
                number = f"(indexof({json.dumps(domain)}, datum.value) + 1)"
                key["labelExpr"] = f"datum.label + ' (' + {number} + ')'"
        return {
            "field": "id",
            "type": "nominal",
            "scale": {"domain": domain, "range": values},
            "legend": key,
        }
