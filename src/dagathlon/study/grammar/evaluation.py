"""The evaluation section of a setup: which modules are asked for, on which algorithms.

Each evaluation is one dataclass; its shape in the JSON (a flag, a list of ids, one object or a
list of objects) is a class variable, so that a new evaluation is one class here and its writer in
`report`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from dagathlon.errors import unknown
from dagathlon.evaluate.metric import rankable
from dagathlon.modules import Count, Module, Natural, Probability

Shape: TypeAlias = Literal["flag", "ids", "object", "objects"]
Functional: TypeAlias = Literal["score", "size"]


@dataclass(frozen=True, kw_only=True)
class Evaluation(Module):
    """Something to be made of the results.

    Attributes
    ----------
    shape
        How it stands in the study.
    needs_truth
        Whether every data entry must have a true graph.
    """

    kind = "evaluation"
    shape: ClassVar[Shape] = "object"

    def algorithms(self) -> tuple[str, ...]:
        """Ids of the algorithms whose results are read."""
        return ()

    def needs_truth(self) -> bool:
        """Whether every data entry must have a true graph."""
        return False


@dataclass(frozen=True, kw_only=True)
class Benchmarks(Evaluation):
    """Compare estimates with the truth: tables of metrics, ROC-type curves, box plots.

    Parameters
    ----------
    ids
        Algorithms to compare.
    filename_prefix
        Put in front of the names of all files; a trailing slash makes a folder.
    show_seed
        Label single runs with their seed.
    errorbar, errorbarh
        Draw vertical and horizontal 5–95 % bars.
    scatter
        Draw single runs.
    path
        Join the settings of an algorithm by a line.
    text
        Label points with the value of the varied parameter.
    xlim, ylim
        Axis limits of the ROC-type figures.
    """

    name = "benchmarks"
    ids: tuple[str, ...]
    filename_prefix: str = ""
    show_seed: bool = False
    errorbar: bool = True
    errorbarh: bool = False
    scatter: bool = True
    path: bool = True
    text: bool = False
    xlim: tuple[float, ...] | None = None
    ylim: tuple[float, ...] | None = None

    def algorithms(self) -> tuple[str, ...]:
        """The compared ids."""
        return self.ids

    def needs_truth(self) -> bool:
        """There is nothing to compare with otherwise."""
        return bool(self.ids)

    def problem(self) -> str:
        """Limits are pairs; the prefix stays inside the folder of results."""
        prefix = self.filename_prefix
        if ".." in prefix.split("/") or prefix.startswith("/") or not prefix.isprintable():
            return "filename_prefix is no path inside the folder of results"
        for axis, limits in (("xlim", self.xlim), ("ylim", self.ylim)):
            if limits is not None and (len(limits) != 2 or limits[0] >= limits[1]):
                return f"{axis} is a pair [low, high] or null"
        return ""


@dataclass(frozen=True, kw_only=True)
class Metrics(Evaluation):
    """Tabulate the metrics that Benchpress does not have, and diagnostics of every data set.

    Parameters
    ----------
    ids
        Algorithms to include; none means all that the other evaluations name.
    causal
        Whether to compute SID and the AIDs; null does for graphs of up to 50 nodes.
    held_out
        Whether to compute log-likelihoods of fresh data (cross-validated where data are given).
    control
        Number of random graphs, as dense as the truth, that the negative control averages over.
    """

    name = "metrics"
    ids: tuple[str, ...] = ()
    causal: bool | None = None
    held_out: bool = False
    control: Count = 10

    def algorithms(self) -> tuple[str, ...]:
        """The named ids."""
        return self.ids


@dataclass(frozen=True, kw_only=True)
class Ranking(Evaluation):
    """Rank the settings of all algorithms: tables, tests, strengths, costs, sensitivity.

    Parameters
    ----------
    ids
        Algorithms to include; none means all that the other evaluations name.
    metrics
        What to rank by; the first one stands for all where there is room for one.
    alpha
        Level of the tests.
    """

    name = "ranking"
    ids: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ("SHD_pattern", "F1_pattern", "bsf")
    alpha: Probability = 0.05

    def algorithms(self) -> tuple[str, ...]:
        """The named ids."""
        return self.ids

    def needs_truth(self) -> bool:
        """Ranks are of metrics."""
        return True

    def problem(self) -> str:
        """There is something to rank by, at a level that a test can have."""
        if not self.metrics:
            return "metrics names at least one metric to rank by"
        known = rankable()
        for metric in self.metrics:
            if metric not in known:
                return unknown("metric to rank by", metric, known)
        return "" if 0 < self.alpha < 1 else "alpha lies between 0 and 1"


@dataclass(frozen=True, kw_only=True)
class GraphEstimation(Evaluation):
    """Draw, convert and write the estimated graphs.

    Parameters
    ----------
    ids
        Algorithms whose graphs are wanted.
    convert_to
        Further graph types beside the original.
    graphs, adjmats
        Drawings of the graphs and of their adjacency matrices.
    diffplots, graphvizcompare
        Comparisons with the true graph.
    csvs
        The adjacency matrices as files.
    """

    name = "graph_estimation"
    ids: tuple[str, ...]
    convert_to: tuple[Literal["cpdag", "pattern", "skeleton"], ...] | None = None
    graphs: bool = False
    adjmats: bool = False
    diffplots: bool = False
    csvs: bool = True
    graphvizcompare: bool = False

    def algorithms(self) -> tuple[str, ...]:
        """The wanted ids."""
        return self.ids

    def needs_truth(self) -> bool:
        """Only comparisons need it."""
        return self.diffplots or self.graphvizcompare


@dataclass(frozen=True, kw_only=True)
class GraphPlots(Evaluation):
    """Draw estimated graphs and compare them with the truth (the older form of graph_estimation).

    Parameters
    ----------
    ids
        Algorithms whose graphs are wanted.
    """

    name = "graph_plots"
    shape = "ids"
    ids: tuple[str, ...] = ()

    def algorithms(self) -> tuple[str, ...]:
        """The wanted ids."""
        return self.ids


@dataclass(frozen=True, kw_only=True)
class GraphTruePlots(Evaluation):
    """Draw the true graphs."""

    name = "graph_true_plots"
    shape = "flag"


@dataclass(frozen=True, kw_only=True)
class GraphTrueStats(Evaluation):
    """Tabulate edges, degrees and cliques of the true graphs."""

    name = "graph_true_stats"
    shape = "flag"

    def needs_truth(self) -> bool:
        """The statistics are of the truth."""
        return True


@dataclass(frozen=True, kw_only=True)
class Pairs(Evaluation):
    """Plot every pair of variables of the data."""

    name = "ggally_ggpairs"
    shape = "flag"


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


@dataclass(frozen=True, kw_only=True)
class McmcHeatmaps(ChainEvaluation):
    """Draw edge frequencies of a chain as a heat map."""

    name = "mcmc_heatmaps"


@dataclass(frozen=True, kw_only=True)
class McmcTrajPlots(ChainEvaluation):
    """Plot a functional of the graphs along a chain.

    Parameters
    ----------
    thinning
        Keep every so many states; null keeps all.
    functional
        The score or the number of edges.
    """

    name = "mcmc_traj_plots"
    thinning: Natural | None = None
    functional: Functional = "score"


@dataclass(frozen=True, kw_only=True)
class McmcAutocorrPlots(ChainEvaluation):
    """Plot the autocorrelation of a functional of the graphs along a chain.

    Parameters
    ----------
    thinning
        Keep every so many states; null keeps all.
    lags
        Largest lag, after thinning; null means 50.
    functional
        The score or the number of edges.
    """

    name = "mcmc_autocorr_plots"
    thinning: Natural | None = None
    lags: Count | None = None
    functional: Functional = "score"
