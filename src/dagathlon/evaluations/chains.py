"""What evaluations of Markov chains have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from dagathlon.modules import Probability
from dagathlon.report.evaluation import Block, Evaluation

Functional: TypeAlias = Literal["score", "size"]

MOST_CHARTS = 24
"""A page shows so many charts of chains; the files have all."""


@dataclass(frozen=True, kw_only=True)
class ChainEvaluation(Evaluation):
    """Base of what is made of MCMC chains.

    Parameters
    ----------
    id
        The sampler.
    burn_in
        Fraction of the chain to leave out.
    active
        False switches it off.
    """

    shape = "objects"
    id: str
    burn_in: Probability = 0.0
    active: bool = True

    def algorithms(self) -> tuple[str, ...]:
        """The sampler, unless switched off."""
        return (self.id,) if self.active else ()


def chart_names(groups: Sequence[Sequence[Block]]) -> list[str]:
    """What a reader chooses a chart by: sampler, functional, and what tells the data apart."""
    labels = [group[0][1] for group in groups]
    keys = ("id", "functional", "adjmat", "parameters", "data", "seed", "param_val")
    told = [key for key in keys if key == "id" or len({str(one[key]) for one in labels}) > 1]
    return [", ".join(_told(key, one[key]) for key in told) for one in labels]


def _told(key: str, value: Any) -> str:
    return f"seed {value}" if key == "seed" else str(value)


def heading_lines(labels: Any, single: bool) -> list[str]:
    """What stands under the title of a figure about chains."""
    lines = [str(labels[name]) for name in ("adjmat", "parameters") if labels[name] != "None"]
    lines.append(f"{labels['data']}, seed {labels['seed']}")
    if single and labels["param"] != "id":
        lines.append(f"{labels['param']} = {labels['param_val']}")
    return lines
