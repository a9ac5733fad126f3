"""The reference page of what each learner takes, gives and assumes."""

from __future__ import annotations

from typing import cast

from dagathlon.learners.abilities import FAMILIES, abilities_of
from dagathlon.learners.base import Learner
from dagathlon.modules import modules

_HEAD = """\
# What learners take and give

As the learners themselves say; `dagathlon modules` prints the same, and filters:
`dagathlon modules --takes mixed,missing --gives cpdag`.

| word | means |
|---|---|
| any data | continuous, discrete and mixed columns |
| missing | values may be missing |
| interventions | known targets of interventions are used |
| constraints, tiers | a file of required and forbidden edges, and of groups in an order |
| start | a graph of another algorithm to begin with (`input_algorithm_id`) |
| posterior | a distribution over graphs: draws, or exact probabilities |
| mixed (given) | a graph that may have cycles, or undirected edges that stand for no class |
| [test=cor.td] | with this parameter |
| (by test) | this parameter decides which of the kinds of data are taken |
"""


def learners_page() -> str:
    """The text of the page."""
    found = [cast(type[Learner], module) for module in modules("algorithm").values()]
    parts = [_HEAD]
    for family, title in FAMILIES.items():
        members = [one for one in found if abilities_of(one).family == family != "own"]
        if members:
            parts.append(f"## {title[0].upper()}{title[1:]}\n")
            rows = "\n".join(_row(one) for one in sorted(members, key=lambda one: one.name))
            parts.append(f"| learner | takes | gives | assumes |\n|---|---|---|---|\n{rows}\n")
    return "\n".join(parts)


def _row(cls: type[Learner]) -> str:
    able = abilities_of(cls)
    cells = (f"`{cls.name}`", able.takes_in_words(), able.gives_in_words(), ", ".join(able.assumes))
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
