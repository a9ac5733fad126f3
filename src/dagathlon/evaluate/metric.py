"""A metric is one declaration: a function, and what people have to know of its values.

    @metric("edges_too_many", title="edges too many", better="less", unit="edges")
    def edges_too_many(estimate: Graph, truth: Graph) -> float:
        return max(estimate.n_edges - truth.n_edges, 0)

A metric asks for what it needs by the names of its parameters: ``estimate`` and ``truth`` are
graphs, ``data`` and ``test_data`` data sets (what was learned from, and fresh rows), ``model`` the
true model, ``posterior`` a sampler's distribution over graphs, ``precision`` an estimated precision
matrix over the nodes of the estimate in their order, ``path`` the graphs along a learner's
penalties; the last three are None where a learner gives none. Tables, rankings, verdicts, the
report, the docs and ``dagathlon metrics`` read the declaration; there is no second list.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias, cast

from dagathlon.errors import DagathlonError, unknown
from dagathlon.graphs import Graph
from dagathlon.modules import Module, modules

Better: TypeAlias = Literal["more", "less", ""]
Value: TypeAlias = float | int | str | None
Table: TypeAlias = Literal["benchpress", "beside", "further", "derived", "data", "cost"]

INPUTS = ("estimate", "truth", "data", "test_data", "model", "posterior", "precision", "path")
"""Inputs that a metric can request, in the order in which they are passed."""

ANY_KIND: tuple[str, ...] = ()


@dataclass(frozen=True)
class Measure:
    """Declaration of one column of values.

    Parameters
    ----------
    name
        The column.
    title
        Title for axes and sentences.
    better
        Whether ``more`` or ``less`` of it is better; empty where neither is.
    short
        Short title for tables, if it differs from the title.
    unit
        Unit, such as ``edges`` or ``s``.
    takes
        Kinds of estimated graphs that have a value (``dag``, ``cpdag``, ``undirected``, ``mag``,
        ``pag`` …); none means all.
    truth
        Whether it compares with a true graph or model.
    references
        Publications to cite.
    table
        The table of the column: ``benchpress`` (its joint table), ``beside`` it at its end,
        ``further``, facts about ``data`` sets, ``cost`` of a run; or it is ``derived`` from other
        columns when tables are made.
    headline
        Its priority as the metric of a verdict, lowest first; None for never.
    control
        Whether it is computed for random graphs too, as a negative control.
    show
        Whether the page has room for it beside the joint table's columns.
    meaning
        Words after its value in a verdict: what it counts, and which value is perfect.
    """

    name: str
    title: str
    better: Better = ""
    short: str = ""
    unit: str = ""
    takes: tuple[str, ...] = ANY_KIND
    truth: bool = True
    references: tuple[str, ...] = ()
    table: Table = "further"
    headline: int | None = None
    control: bool = False
    show: bool = False
    meaning: str = ""

    @property
    def label(self) -> str:
        """Short title used in tables."""
        return self.short or self.title

    def to_json(self) -> dict[str, Any]:
        """Return the declaration as JSON, for storage with results."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Measure:
        """Make a measure from JSON stored with results."""
        plain: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in values.items()
        }
        return cls(**plain)


@dataclass(frozen=True, kw_only=True)
class MetricModule(Module):
    """Base class of modules that compute measures; `metric` and `metric_family` derive from it.

    Attributes
    ----------
    measures
        The columns.
    needs
        Names of the inputs, in the order of `INPUTS`.
    most_nodes
        Most nodes for which it is computed unless requested; None for no limit.
    order
        Place of its columns among those of other families, lowest first.
    """

    kind = "metric"
    measures: ClassVar[tuple[Measure, ...]] = ()
    needs: ClassVar[tuple[str, ...]] = ()
    most_nodes: ClassVar[int | None] = None
    order: ClassVar[int] = 100
    function: ClassVar[Callable[..., Any]]

    def compute(self, *inputs: Any) -> dict[str, Value]:
        """Return values by column, given the inputs named in `needs`, in that order."""
        given = dict(zip(self.needs, inputs, strict=True))
        if len(self.measures) == 1 and not self._fits(given.get("estimate")):
            return {self.measures[0].name: None}
        found = type(self).function(**given)
        row = found if isinstance(found, Mapping) else {self.measures[0].name: found}
        columns = [measure.name for measure in self.measures]
        for name, value in row.items():
            if name not in columns:
                raise DagathlonError(unknown(f"column of {self.name}", str(name), columns))
            if not isinstance(value, float | int | str | None) and not hasattr(value, "item"):
                raise DagathlonError(f"metric {self.name} gave {type(value).__name__} for {name}")
        return {
            one.name: _plain(row.get(one.name)) for one in self.measures if one.table != "derived"
        }

    def _fits(self, estimate: Any) -> bool:
        takes = self.measures[0].takes
        return not takes or not isinstance(estimate, Graph) or is_of_kind(estimate, takes)


def _plain(value: Any) -> Value:
    return cast(Value, value.item()) if hasattr(value, "item") else cast(Value, value)


def is_of_kind(graph: Graph, kinds: Sequence[str]) -> bool:
    """Whether a graph is of any of the kinds; an empty graph is of several."""
    tests = {
        "dag": lambda: graph.is_dag,
        "cpdag": lambda: graph.is_cpdag,
        "undirected": lambda: graph.is_undirected,
    }
    return any(tests[kind]() if kind in tests else graph.kind == kind for kind in kinds)


@dataclass(frozen=True)
class Metric:
    """Function declared as a metric: still callable, and collected by studies from its module."""

    function: Callable[..., Any]
    module: type[MetricModule] = field(repr=False)

    def __call__(self, *inputs: Any, **named: Any) -> Any:
        """Return the function's value for these inputs."""
        return self.function(*inputs, **named)

    @property
    def __dagathlon_module__(self) -> type[MetricModule]:
        """Return the module class, for the registry."""
        return self.module


def metric(
    name: str,
    *,
    title: str,
    better: Better,
    short: str = "",
    unit: str = "",
    takes: Sequence[str] = ANY_KIND,
    references: Sequence[str] = (),
    headline: int | None = None,
    meaning: str = "",
    version: int = 1,
) -> Callable[[Callable[..., Any]], Metric]:
    """Declare a function as a metric.

    Parameters
    ----------
    name
        The column of tables.
    title, better, short, unit, takes, references, headline, meaning
        As in `Measure`.
    version
        Raised when the values change; a metric of your own file has its content as version.
    """

    def declare(function: Callable[..., Any]) -> Metric:
        needs = _needs(name, function)
        truth = bool({"truth", "model"} & set(needs))
        measure = Measure(
            name,
            title,
            better,
            short,
            unit,
            tuple(takes),
            truth,
            tuple(references),
            headline=headline,
            show=True,
            meaning=meaning,
        )
        return Metric(function, _module(name, function, needs, (measure,), version))

    return declare


def metric_family(
    name: str,
    *measures: Measure,
    version: int = 1,
    order: int = 100,
    most_nodes: int | None = None,
) -> Callable[[Callable[..., Mapping[str, Value]]], Metric]:
    """Declare a function that computes several columns at once, since they share their work.

    Parameters
    ----------
    name
        Name of the family.
    *measures
        Its columns; the function returns a mapping with a value for each, None where there is none.
    version, order, most_nodes
        As in `MetricModule`.
    """

    def declare(function: Callable[..., Mapping[str, Value]]) -> Metric:
        module = _module(name, function, _needs(name, function), measures, version)
        module.order, module.most_nodes = order, most_nodes
        return Metric(function, module)

    return declare


def _needs(name: str, function: Callable[..., Any]) -> tuple[str, ...]:
    parameters = inspect.signature(function).parameters.values()
    required = [one.name for one in parameters if one.default is one.empty]
    for parameter in required:
        if parameter not in INPUTS:
            raise DagathlonError(unknown(f"input of metric {name}", parameter, INPUTS))
    return tuple(one for one in INPUTS if one in required)


def _module(
    name: str,
    function: Callable[..., Any],
    needs: tuple[str, ...],
    measures: Sequence[Measure],
    version: int,
) -> type[MetricModule]:
    repeated = [measure.name for measure in measures]
    if len(set(repeated)) < len(repeated):
        raise DagathlonError(f"metric {name} declares a column twice")
    content = {
        "__module__": function.__module__,
        "__doc__": inspect.getdoc(function) or f"{measures[0].title}.",
        "name": name,
        "version": version,
        "needs": needs,
        "measures": tuple(measures),
        "references": tuple(dict.fromkeys(r for one in measures for r in one.references)),
        "function": staticmethod(function),
    }
    made = type(f"Metric_{name}", (MetricModule,), content)
    return cast(type[MetricModule], dataclass(frozen=True, kw_only=True)(made))


def families(needs: Sequence[str]) -> list[type[MetricModule]]:
    """Return the metrics that need no more than these inputs, in the order of their columns."""
    chosen = [
        module
        for module in modules("metric").values()
        if issubclass(module, MetricModule) and module.needs and set(module.needs) <= set(needs)
    ]
    return sorted(chosen, key=lambda module: (module.order, module.name))


def is_user_defined(module: type[Module]) -> bool:
    """Whether a module is defined outside Dagathlon, by the user or another package."""
    return module.__module__.partition(".")[0] != "dagathlon"


_kept: ContextVar[Mapping[str, Measure] | None] = ContextVar("kept", default=None)


@contextmanager
def known_measures(kept: Sequence[Measure]) -> Iterator[None]:
    """Use declarations stored with results inside the context.

    So a report needs no code of user-defined metrics.
    """
    token = _kept.set({measure.name: measure for measure in kept})
    try:
        yield
    finally:
        _kept.reset(token)


def measures() -> dict[str, Measure]:
    """Return all declared columns by name."""
    return {**_declared(tuple(modules("metric").values())), **(_kept.get() or {})}


@functools.lru_cache(maxsize=4)
def _declared(known: tuple[type[Module], ...]) -> Mapping[str, Measure]:
    measures_by_name: dict[str, Measure] = {}
    declaring = [module for module in known if issubclass(module, MetricModule)]
    for module in sorted(declaring, key=lambda module_type: (module_type.order, module_type.name)):
        for measure in module.measures:
            if measures_by_name.setdefault(measure.name, measure) != measure:
                raise DagathlonError(f"the column {measure.name!r} is declared by two metrics")
    return measures_by_name


def measure_of(name: str) -> Measure:
    """Return the declaration of a column; undeclared ones get a default with their name."""
    declared = measures().get(name)
    return declared if declared is not None else Measure(name, name.replace("_", " "), truth=False)


def rankable() -> list[str]:
    """Return the columns by which results can be ranked: those with a better direction."""
    return [name for name, measure in measures().items() if measure.better]


def headlines() -> list[str]:
    """Return the columns that verdicts are about, by priority."""
    priorities = {
        name: declared.headline
        for name, declared in measures().items()
        if declared.headline is not None
    }
    return sorted(priorities, key=lambda name: priorities[name])


def further_columns() -> list[str]:
    """Return the columns beyond the joint table that the report page shows."""
    return [
        name
        for name, declared in measures().items()
        if declared.table == "further" and declared.show
    ]


def columns(*tables: Table) -> tuple[str, ...]:
    """Return the names of the declared columns of some tables, in order."""
    return tuple(name for name, measure in measures().items() if measure.table in tables)
