"""`Learner`, the base class of structure learners, and `Estimate`, their result."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

from dagathlon.data.spec import DataFacts, DataKind
from dagathlon.graphs import Graph
from dagathlon.modules import Count, Module, Probability, SharedCode
from dagathlon.renamed import keep_former_methods

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from dagathlon.data import Dataset
    from dagathlon.graphs.measurement import MeasurementModel
    from dagathlon.graphs.path import GraphPath
    from dagathlon.posteriors.posterior import Posterior

Statistic: TypeAlias = float | int | str | bool
Gpu: TypeAlias = Literal["no", "optional", "yes"]
GPU_WORDS: Mapping[object, Gpu] = {
    "yes": "yes", True: "yes", "optional": "optional", "no": "no", False: "no",
}  # fmt: skip
"""Words for a learner's use of GPUs and their meanings."""
Output: TypeAlias = Literal["dag", "cpdag", "undirected", "mag", "pag", "mixed", "chain"]
_FORMER = {
    "objection": "why_unsuitable",
    "circumstances": "environment_stats",
    "handed_on": "inner_facts",
}


@dataclass(frozen=True)
class Estimate:
    """A learned graph, with statistics and notes of the run.

    Parameters
    ----------
    graph
        The graph, over the names of the data.
    stats
        Statistics by name: score of the result, number of tests or iterations, ….
    posterior
        The distribution over graphs, for learners that give one: samplers, the bootstrap, exact
        posteriors. `graph` is then one estimate from it, as the learner documents.
    notes
        Sentences that a reader of the result must know: tests that the data could not answer,
        limits that were set, assumptions that do not hold.
    precision
        The estimated precision matrix (inverse covariance), for learners that give one: over the
        columns of the data, in their order and units, like `graph`. For samplers it is the
        posterior mean.
    path
        The graphs along decreasing penalties, for learners with a path; `graph` is the selected
        one.
    measurement
        The latent variables with their indicators, for learners of measurement models; `graph` is
        the implied graph of the observed variables.
    weights
        A number for each arc, from row to column over the columns of the data, for learners that
        threshold weights: 0 means no arc, and `graph` has the arcs above the threshold. Other
        thresholds give other graphs.
    """

    graph: Graph
    stats: Mapping[str, Statistic] = field(default_factory=dict)
    posterior: Posterior | None = None
    notes: tuple[str, ...] = ()
    # Excluded from comparison, since the truth value of an array comparison is undefined.
    precision: npt.NDArray[np.float64] | None = field(default=None, compare=False)
    path: GraphPath | None = None
    measurement: MeasurementModel | None = None
    weights: npt.NDArray[np.float64] | None = field(default=None, compare=False)

    def _repr_html_(self) -> str:
        from dagathlon.posteriors.drawing import weighted_html  # noqa: PLC0415 - notebooks only

        counted = (f"{name}: {_short(value)}" for name, value in self.stats.items())
        drawing = self.graph._repr_html_()
        if self.posterior is not None:
            drawing = weighted_html(self.graph, self.posterior)
        if self.measurement is not None:
            drawing = self.measurement._repr_html_()
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        return f"<div>{drawing}<p>{escape(', '.join(counted))}</p>{notes}</div>"


def _short(value: Statistic) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True, kw_only=True)
class Learner(Module):
    """Base class of structure learners: a frozen dataclass of parameters with a method `learn`.

    Class variables declare its abilities, so that a study which cannot work is refused before
    it starts.

    Attributes
    ----------
    takes
        Kinds of data.
    handles_missing, handles_interventions
        Whether missing values and known intervention targets are handled.
    gives
        The kind of graph that is returned.
    samples
        Whether the result has Markov chains of graphs.
    gives_posterior
        Whether the result has a distribution over graphs that is not one of chains.
    assumes
        Its assumptions about any data, in words of `learners.assumptions` where they fit.
    ESTIMATOR_FIELDS
        Parameters that define how a graph is estimated from the chain. The chain does not depend on
        them, so that changing one of them runs no chain again.
    order_independent
        Whether it guarantees the same graph for any order of the columns.
    timeout_is_limit
        Whether a parameter `timeout` is enforced from outside; otherwise the learner enforces it.
    anytime
        Whether it returns its best graph so far at a deadline (`dagathlon.pulse`). Other learners
        raise `OutOfTimeError`, as does this one before it has found a graph.
    splits
        Whether it can use several threads (`dagathlon.threads`). The engine ``local`` lends it
        cores that no other run needs, unless the study sets the number of threads, or
        `gains_by_threads` returns False.
    reentrant
        Whether several runs may share a process as threads, as in a bootstrap: it has no
        subprocess, GPU or global state, and spends most of its time in native code.
    threads
        Number of cores of a run in a study, which may set another number; passed on by environment
        variables such as `DAGATHLON_THREADS` and `OMP_NUM_THREADS`. It is not part of the task key.
    gpu
        Whether it needs a GPU (``yes`` or True), uses one if present (``optional``), or makes no
        use of one (``no`` or False). A run sees the GPUs assigned to it, in `CUDA_VISIBLE_DEVICES`.
    uses_blas
        Whether it calls NumPy's linear algebra so often that multithreaded BLAS would be slower.
    batches
        Whether `learn_many` is faster on several data sets than one run after another; the engine
        ``batched`` then passes them together.
    shares_tables
        Whether it computes, along with its own tables, those that coscheduled learners on the same
        data need (`learners.coscheduled`); an engine then assigns these runs to one worker.
    """

    kind = "algorithm"
    takes: ClassVar[frozenset[DataKind]] = frozenset({"continuous", "discrete", "mixed"})
    handles_missing: ClassVar[bool] = False
    handles_interventions: ClassVar[bool] = False
    gives: ClassVar[Output] = "dag"
    samples: ClassVar[bool] = False
    gives_posterior: ClassVar[bool] = False
    assumes: ClassVar[tuple[str, ...]] = ()
    order_independent: ClassVar[bool] = False
    ESTIMATOR_FIELDS: ClassVar[tuple[str, ...]] = ()
    timeout_is_limit: ClassVar[bool] = True
    anytime: ClassVar[bool] = False
    uses_blas: ClassVar[bool] = False
    shares_tables: ClassVar[bool] = False
    splits: ClassVar[bool] = False
    reentrant: ClassVar[bool] = False
    threads: ClassVar[int] = 1
    gpu: ClassVar[Gpu | bool] = "no"
    batches: ClassVar[bool] = False

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        keep_former_methods(cls, _FORMER)

    def accepted(self) -> frozenset[DataKind]:
        """Return the kinds of data taken with these parameters; override if a parameter decides."""
        return self.takes

    def gains_by_threads(self) -> bool:
        """Return whether more threads shorten a run; if not, the engine lends it no idle cores.

        Override it where a parameter decides.
        """
        return self.splits

    def one_thread(self) -> bool:
        """Return whether runs keep to one thread because the test or score does."""
        return any(
            each.one_thread
            if isinstance(each, SharedCode)
            else isinstance(each, Learner) and each.one_thread()
            for each in self.delegates()
        )

    def output(self) -> Output:
        """Return the kind of graph for these parameters; override it where a parameter decides."""
        return self.gives

    def assumptions(self, kind: DataKind) -> tuple[str, ...]:
        """Return the assumptions about data of one kind with these parameters."""
        return self.assumes

    def parameter_sample_size(self) -> float | None:
        """Return the imaginary sample size of the Dirichlet prior of its score; None without one.

        Scores that fit a network to the learned graph estimate its tables under the same
        prior.
        """
        return None

    def keeps_to_limit(self) -> bool:
        """Return whether a run that reaches its time limit ends with the best graph so far.

        Only for learners with ``anytime = True``; all others, and those by default, fail at
        the limit. Samplers end with the shorter chain that they have drawn by then
        (`Sampler`).
        """
        return False

    def inner_facts(self, data: DataFacts) -> DataFacts:
        """Return the properties of the inner learner's data, from those of this learner's data."""
        return data

    def why_unsuitable(self, data: DataFacts) -> str:
        """Return why such data cannot be used, with the remedy; empty if they can."""
        accepted = self.accepted()
        if not accepted:
            return f"{self.name}: no kind of data suits both the score and the test"
        if data.kind is not None and data.kind not in accepted:
            wanted = " or ".join(sorted(accepted))
            return f"{self.name} with these parameters needs {wanted} data, not {data.kind}"
        if data.missing and not self.handles_missing:
            return f"{self.name} cannot handle missing values; impute them first or drop the rows"
        return ""

    def environment_stats(self) -> Mapping[str, Statistic]:
        """Return statistics of the computing environment, which are added to every result."""
        return {}

    def warm_up(self) -> None:
        """Prepare for a run before its time is measured; called before each run.

        For resources that do not survive every run, such as a server process of an external
        program.
        """

    @abstractmethod
    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Learn a graph.

        Parameters
        ----------
        data
            The data; never changed.
        rng
            The only source of randomness.
        """

    def learn_many(
        self, data: Sequence[Dataset], rngs: Sequence[np.random.Generator]
    ) -> list[Estimate]:
        """Learn a graph from each of several data sets, which need not have the same variables.

        The result for a data set may depend on the others by rounding alone. A learner that
        `batches` overrides this; then `learn` calls it with one data set.

        Parameters
        ----------
        data
            The data sets; never changed.
        rngs
            The only source of randomness, one for each data set.
        """
        return [self.learn(one, rng) for one, rng in zip(data, rngs, strict=True)]


keep_former_methods(Learner, _FORMER)


@dataclass(frozen=True, kw_only=True)
class Sampler(Learner):
    """Base class of learners that draw a Markov chain of graphs and estimate one graph from it.

    Parameters
    ----------
    mcmc_seed
        Number of the chain: other seeds give independent chains on the same data.
    mcmc_estimator
        The graph of highest score (``map``) or all edges that are frequent enough (``threshold``).
    threshold
        An edge is kept by the threshold estimator when its frequency is above this.
    burnin_frac
        Share of the chain that the threshold estimator leaves out at the start.
    """

    samples = True
    ESTIMATOR_FIELDS = ("mcmc_estimator", "threshold", "burnin_frac")

    def keeps_to_limit(self) -> bool:
        """Return whether the chain can be stopped early."""
        return self.anytime

    mcmc_seed: Count = 1
    mcmc_estimator: Literal["map", "threshold"] = "threshold"
    threshold: Probability = 0.5
    burnin_frac: Probability = 0.5
