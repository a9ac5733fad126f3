"""The conformance checks of each kind of module, run by ``dagathlon modules NAME --check``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from dagathlon.evaluations.benchmarks.chart_check import chart_problems
from dagathlon.modules import Kind
from dagathlon.testing.conformance import problems_of
from dagathlon.testing.formats import format_problems
from dagathlon.testing.generators import generator_problems
from dagathlon.testing.independence_checks import problems_of_test
from dagathlon.testing.score_checks import problems_of_score

CHECKS: Mapping[Kind, Callable[..., list[str]]] = {
    "algorithm": problems_of,
    "graph": partial(generator_problems, "graph"),
    "parameters": partial(generator_problems, "parameters"),
    "data": partial(generator_problems, "data"),
    "test": problems_of_test,
    "score": problems_of_score,
    "chart": chart_problems,
    "format": format_problems,
}
"""For each kind, a function of the name, `seconds` and `on_check` that returns the problems."""
