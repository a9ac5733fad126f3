"""Evaluation steps of a plan: a graph from a chain, a row of metrics from two graphs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from dagathlon.data import Dataset
from dagathlon.errors import DagathlonError, GraphError
from dagathlon.evaluate.graphs.comparison import (
    COMPARED_AS,
    OPEN_DIRECTIONS,
    compare_by,
    standard_families,
)
from dagathlon.evaluate.graphs.control import random_baselines
from dagathlon.evaluate.graphs.sortability import r2_sortability, varsortability
from dagathlon.evaluate.metric import Measure, MetricModule
from dagathlon.evaluate.models.likelihood import (
    cross_validated_log_likelihood,
    held_out_log_likelihood,
)
from dagathlon.evaluate.models.precision_losses import (
    fitted_normal,
    normal_log_likelihood,
    stands_for_normal,
)
from dagathlon.evaluate.posteriors.chains import estimate_graph
from dagathlon.graphs import Graph, extension
from dagathlon.graphs.undirected import UndirectedForm, undirected_form
from dagathlon.learners.base import Estimate, Learner
from dagathlon.modules import Count, Delegate, Module, Natural, Probability, find


@dataclass(frozen=True, kw_only=True)
class McmcEstimator(Module):
    """Estimate one graph from a Markov chain of graphs.

    Parameters
    ----------
    mcmc_estimator
        The graph of highest score (``map``) or all edges that are frequent enough (``threshold``).
    threshold
        Least frequency of an edge, for ``threshold``.
    burnin_frac
        Share of the chain to leave out at the start.
    """

    name = "mcmc_estimator"
    kind = "estimator"
    mcmc_estimator: Literal["map", "threshold"] = "map"
    threshold: Probability = 0.5
    burnin_frac: Probability = 0.0

    def compute(self, estimate: Estimate) -> Estimate:
        """Return the estimate with this estimator's graph; the posterior is dropped."""
        if estimate.posterior is None:
            raise DagathlonError("the sampler returned no chain of graphs")
        graph = estimate_graph(
            estimate.posterior, self.mcmc_estimator, self.threshold, self.burnin_frac
        )
        return replace(estimate, graph=graph, posterior=None)


@dataclass(frozen=True, kw_only=True)
class StandardMetrics(Module):
    """All metrics of an estimate against the truth.

    Parameters
    ----------
    causal
        Whether to compute SID and the AIDs; null does for graphs of up to 50 nodes.
    families
        Names of the families of metrics, so that a new one makes new rows; none means all that
        come with the package.
    undirected
        The undirected form in which directed graphs are compared, both of them: their moral
        graphs (moral), their graphs of unconditional dependence (dependence); null compares graphs
        as they are.
    classes
        Whether the learner gives CPDAGs: then one without directed edges is no undirected graph,
        and has the form of the DAGs of its class.
    equivalent
        Whether edge directions that the true equivalence class does not determine cost nothing in
        the metrics of Bayesys.
    """

    name = "metrics"
    kind = "metric"
    version = 2
    causal: bool | None = None
    families: tuple[str, ...] = ()
    undirected: Literal["moral", "dependence"] | None = None
    classes: bool = False
    equivalent: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return all parameters, without `equivalent` if false, as in results stored before it."""
        content = super().to_json()
        return (
            content if self.equivalent else {k: v for k, v in content.items() if k != "equivalent"}
        )

    @classmethod
    def of(
        cls,
        causal: bool | None = None,
        undirected: UndirectedForm | None = None,
        equivalent: bool = False,
    ) -> StandardMetrics:
        """Make it with all families of metrics that are loaded now."""
        names = tuple(family.name for family in standard_families())
        return cls(causal=causal, families=names, undirected=undirected, equivalent=equivalent)

    def compute(self, truth: Graph, estimate: Estimate) -> dict[str, Any]:
        """Return one row of metrics; only a reason where a graph has no such undirected form."""
        graph = estimate.graph
        try:
            if self.classes and graph.is_undirected:
                graph = extension(graph)
            return compare_by(
                self._chosen(),
                graph,
                truth,
                self.causal,
                self.undirected,
                equivalent=self.equivalent,
            )
        except GraphError as error:
            if self.undirected is None:
                raise
            return {COMPARED_AS: self.undirected, "compared_note": str(error)}

    def asks_for_learner(self) -> bool:
        """Whether the metrics depend on the learner's output: for dependence graphs only."""
        return self.undirected == "dependence"

    def for_learner(self, learner: Learner) -> StandardMetrics:
        """Return these metrics adapted to the learner of the graph."""
        return replace(self, classes=learner.output() == "cpdag")

    def _chosen(self) -> list[type[MetricModule]]:
        return [
            family
            for family in standard_families()
            if family.name in self.families or not self.families
        ]

    def delegates(self) -> tuple[Delegate, ...]:
        """The families of metrics, whose versions enter the task's key."""
        return tuple(family() for family in self._chosen())


@dataclass(frozen=True, kw_only=True)
class OwnMetrics(Module):
    """Metrics that the user's modules, or other packages, declare.

    Parameters
    ----------
    metrics
        Their names.
    inputs
        Names of the inputs, in this order.
    """

    name = "own_metrics"
    kind = "metric"
    metrics: tuple[str, ...]
    inputs: tuple[str, ...]

    def compute(self, *inputs: Any) -> dict[str, Any]:
        """Return one row; a metric that fails leaves its error message."""
        named = zip(self.inputs, inputs, strict=True)
        given = {name: _metric_input(name, value) for name, value in named}
        row: dict[str, Any] = {}
        for module in self._modules():
            try:
                row |= module.compute(*(given[name] for name in module.needs))
            except Exception as error:
                row |= dict.fromkeys(measure.name for measure in module.measures)
                row[f"{module.name}_note"] = f"{type(error).__name__}: {error}"
        return row

    def delegates(self) -> tuple[Delegate, ...]:
        """The metrics, whose versions enter the task's key."""
        return self._modules()

    def _modules(self) -> tuple[MetricModule, ...]:
        modules = (cast(type[MetricModule], find("metric", name)) for name in self.metrics)
        return tuple(module() for module in modules)


def _metric_input(name: str, value: Any) -> Any:
    """Return what a metric receives: a part of an estimate, any other input unchanged."""
    if not isinstance(value, Estimate):
        return value
    return getattr(value, "graph" if name == "estimate" else name)


@dataclass(frozen=True, kw_only=True)
class CaseDiagnostics(MetricModule):
    """Sortability and density of a data set, and the metrics of random graphs on it.

    Parameters
    ----------
    draws
        How many random graphs to average over.
    undirected
        As of `StandardMetrics`: the truth that random graphs are compared with.
    """

    name = "diagnostics"
    order = 200
    measures = (
        Measure(
            "varsortability",
            "varsortability",
            references=(
                "Reisach, Seiler and Weichwald 2021, Beware of the simulated DAG, NeurIPS",
            ),
            table="data",
        ),
        Measure(
            "r2_sortability",
            "R²-sortability",
            references=(
                "Reisach, Tami, Seiler, Chambaz and Weichwald 2023, A scale-invariant sorting "
                "criterion to find a causal order in additive noise models, NeurIPS",
            ),
            table="data",
        ),
        Measure("density", "share of pairs that are joined", "", "density", table="data"),
    )
    draws: Count = 10
    undirected: Literal["moral", "dependence"] | None = None

    def compute(self, truth: Graph, data: Dataset) -> dict[str, Any]:
        """Return one row for the data set."""
        pairs = len(truth) * (len(truth) - 1) / 2
        row: dict[str, Any] = {
            "n": len(data),
            "kind": "discrete" if data.is_discrete else "mixed" if data.is_mixed else "continuous",
            "n_nodes": len(truth),
            "n_edges": truth.n_edges,
            "density": truth.n_edges / pairs if pairs else None,
            "varsortability": None,
            "r2_sortability": None,
        }
        if truth.is_dag and truth.n_edges and set(truth.names) <= set(data.names) and len(data):
            row["varsortability"] = varsortability(data, truth)
            row["r2_sortability"] = r2_sortability(data, truth)
        compared = truth if self.undirected is None else undirected_form(truth, self.undirected)
        return row if compared is None else row | random_baselines(compared, self.draws)


_FIT = (
    Measure(
        "held_out_log_likelihood",
        "log-likelihood of held-out data, per row",
        "more",
        "held-out log-likelihood",
        "nats",
        truth=False,
        headline=90,
        show=True,
    ),
)


@dataclass(frozen=True, kw_only=True)
class RunFacts(MetricModule):
    """Measures of every run, by the engine and from the graph, whatever is learned."""

    name = "run_facts"
    order = 300
    measures = (
        Measure(COMPARED_AS, "undirected form of graphs of directed edges", table="beside"),
        Measure(OPEN_DIRECTIONS, "what open directions cost in Bayesys metrics", table="beside"),
        Measure(
            "n_edges", "edges of the estimate", "", "edges", "edges", truth=False, table="cost"
        ),
        Measure(
            "ntests",
            "independence tests",
            "less",
            "tests",
            truth=False,
            table="cost",
        ),
        Measure(
            "time", "seconds", "less", "time (s)", "s", truth=False, table="cost", headline=100
        ),
        Measure("cpu", "CPU seconds", "less", "CPU (s)", "s", truth=False, table="cost"),
        Measure(
            "memory",
            "memory in bytes",
            "less",
            "memory (bytes)",
            "bytes",
            truth=False,
            table="cost",
            headline=110,
        ),
    )


@dataclass(frozen=True, kw_only=True)
class HeldOut(MetricModule):
    """Log-likelihood of fresh data from the true model under the network fitted on an estimate.

    An undirected graph that is not chordal represents no network; on continuous data it gets
    the maximum-likelihood normal distribution with its zeros.
    """

    name = "held_out"
    version = 3
    order = 60
    measures = _FIT

    def compute(self, training: Dataset, test: Dataset, estimate: Estimate) -> dict[str, Any]:
        """Return one row: the mean log-likelihood per row, or the reason why there is none."""
        graph = estimate.graph
        try:
            if stands_for_normal(graph, training):
                value = normal_log_likelihood(fitted_normal(graph, training), training, test)
            else:
                value = held_out_log_likelihood(graph, training, test)
        except DagathlonError as error:
            return _nothing(error)
        return {"held_out_log_likelihood": value}


@dataclass(frozen=True, kw_only=True)
class CrossValidated(MetricModule):
    """Log-likelihood of data without a known model, by cross-validation of the parameters.

    Parameters
    ----------
    folds
        Number of parts; each is scored with parameters fitted to the others.
    """

    name = "cross_validated"
    version = 3
    order = 60
    measures = _FIT
    folds: Natural = 5

    def compute(self, data: Dataset, estimate: Estimate) -> dict[str, Any]:
        """Return one row: the mean log-likelihood per row, or the reason why there is none."""
        try:
            value = cross_validated_log_likelihood(estimate.graph, data, self.folds)
        except DagathlonError as error:
            return _nothing(error)
        return {"held_out_log_likelihood": value}


def _nothing(error: DagathlonError) -> dict[str, Any]:
    return {"held_out_log_likelihood": None, "held_out_note": str(error)}
