"""What evaluations of Markov chains have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from dagathlon.modules import Probability
from dagathlon.report.evaluation import Evaluation

Functional: TypeAlias = Literal["score", "size"]


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


def heading_lines(labels: Any, single: bool) -> list[str]:
    """What stands under the title of a figure about chains."""
    lines = [str(labels[name]) for name in ("adjmat", "parameters") if labels[name] != "None"]
    lines.append(f"{labels['data']}, seed {labels['seed']}")
    if single and labels["param"] != "id":
        lines.append(f"{labels['param']} = {labels['param_val']}")
    return lines
