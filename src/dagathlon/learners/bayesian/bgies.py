"""The DAG bootstrap: GES on bootstrap samples, weighted by posterior probability."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.errors import OutOfTimeError
from dagathlon.graphs import Graph, meek
from dagathlon.graphs.members import ClassMembers
from dagathlon.learners.base import Estimate, Statistic
from dagathlon.learners.score.equivalence_search import ClassSearch, Ges, Gies, Phase
from dagathlon.learners.score.interventional import InterventionalScore
from dagathlon.learners.score.score_kinds import MARGINAL, DefaultScores
from dagathlon.modules import Delegate, Natural, Probability
from dagathlon.posteriors.packed import Floats, Packing
from dagathlon.posteriors.posterior import Posterior
from dagathlon.posteriors.regressions import moments_of, regressions
from dagathlon.posteriors.sample import Sample
from dagathlon.pulse import beat, part, until_deadline

# Residual share of the variance below which a variable is a function of its parents.
_NO_NOISE = 1e-8

_PHASES: tuple[Phase, ...] = ("forward", "backward", "turning")
# Effective share of the bootstraps below which a note warns of collapsed weights.
_COLLAPSED = 0.1


@dataclass(frozen=True, kw_only=True)
class Bgies(InterventionalScore):
    """The DAG bootstrap: GES, or GIES with known targets, on bootstrap samples.

    Each sample gives an equivalence class, from which one DAG is drawn uniformly, with its
    maximum likelihood coefficients and noise variances on the sample. DAGs are weighted by
    their posterior probability on the full data. It is no sample from the posterior: DAGs that
    no search finds are missing, and one that is found twice counts twice.

    Parameters
    ----------
    score
        Log weight of a DAG; null is bge. Searches maximise l0-g, a Gaussian likelihood with the
        penalty of BIC. Models have intercepts, which the draws omit, except with nig, whose means
        are zero.
    bootstraps
        Number of bootstrap samples. Rows with the same targets are resampled separately, so that
        each sample has as many of them as the data.
    weighted
        Whether DAGs are weighted by their posterior probability, or equally.
    estimator
        The DAG of largest total weight (map), or all edges above a probability (threshold), except
        those that would close a cycle with more probable ones.
    threshold
        Probability above which the threshold estimator keeps an edge.
    """

    gives_posterior = True
    name = "bgies"
    gives = "dag"
    takes = frozenset({"continuous"})
    anytime = True
    references = (
        "Friedman, Goldszmidt and Wyner 1999, Data analysis with Bayesian networks, UAI",
        "Hauser and Bühlmann 2012, JMLR 13",
    )
    default_scores: ClassVar[DefaultScores] = MARGINAL
    extends_default = False

    bootstraps: Natural = 100
    weighted: bool = True
    estimator: Literal["map", "threshold"] = "map"
    threshold: Probability = 0.5

    def delegates(self) -> tuple[Delegate, ...]:
        """Return the score, and the two searches."""
        return (*super().delegates(), Ges(**self._published()), self._gies())

    def learn(self, data: Dataset, rng: np.random.Generator) -> Estimate:
        """Search on each sample, fit parameters, and weight the DAGs."""
        if not self.interventions:
            data = Dataset(data.variables, values=data.values)
        score = self.native_score(data)
        rows: list[npt.NDArray[np.int64]] = []
        dags: list[Graph] = []
        with until_deadline():
            for dag in self._dags(data, rng, rows):
                dags.append(dag)
        if not dags:
            raise OutOfTimeError("the time limit came before the first sample was learned")
        sample = _scored(dags, score, weighted=self.weighted)
        fits = fit_dags(sample, data, rows[: len(dags)], centred=self.score != "nig")
        drawn = sample.with_parameters(fits.coefficients, fits.variances)
        posterior = Posterior([drawn], space=f"DAGs found on {len(dags)} bootstrap samples")
        graph = posterior.map()
        if self.estimator == "threshold":
            graph = posterior.above(self.threshold, acyclic=True)
        return Estimate(graph, _stats(posterior), posterior, self._notes(data, posterior, fits))

    def _dags(
        self, data: Dataset, rng: np.random.Generator, rows: list[npt.NDArray[np.int64]]
    ) -> Iterator[Graph]:
        """Yield a DAG of each sample's class; append the sample's row numbers to `rows`."""
        random = Random(int(rng.integers(2**63)))
        regime = np.zeros(len(data), dtype=int) if data.regime is None else data.regime
        groups = [np.flatnonzero(regime == number) for number in np.unique(regime)]

        def samples() -> Iterator[Dataset]:
            for number in range(self.bootstraps):
                beat(number, self.bootstraps)
                drawn = [group[rng.integers(len(group), size=len(group))] for group in groups]
                rows.append(np.concatenate(drawn))
                yield data.take(rows[-1])

        known: dict[Graph, ClassMembers] = {}
        classes = self._search_for(data).classes(data, samples())
        while True:
            with part():
                graph = next(classes, None)
            if graph is None:
                return
            if self.constraints is not None:
                yield _draw_dag(graph, random)
                continue
            if graph not in known:
                known[graph] = ClassMembers(graph)
            yield known[graph].draw(random)

    def _search_for(self, data: Dataset) -> ClassSearch:
        if data.regimes is None or data.regimes.is_observational:
            return Ges(**self._published())
        return self._gies()

    def _gies(self) -> Gies:
        return Gies(**self._published(), orders=False)

    def _published(self) -> dict[str, Any]:
        """Return the settings of the published search, with this learner's limits and knowledge."""
        settings = {"max_parents": self.max_parents, "constraints": self.constraints}
        return settings | {"score": "l0-g", "phases": _PHASES, "iterate": True, "escape": False}

    def _notes(self, data: Dataset, posterior: Posterior, fits: Fits) -> tuple[str, ...]:
        notes = list(self.notes(data))
        size, count = posterior.effective_size(), posterior.n_draws
        if self.weighted and size < _COLLAPSED * count:
            notes.append(
                f"The {count} weighted DAGs have an effective size of {size:.1f}: few DAGs "
                "outweigh all others, as with many rows; weighted = false weighs all equally."
            )
        if fits.without_noise:
            notes.append(
                f"In {fits.without_noise} of {count} bootstrap samples the parents of a variable "
                "explain all rows; its noise variance is computed from the full data."
            )
        return tuple(notes)


def _scored(dags: Sequence[Graph], score: _core.Score, *, weighted: bool) -> Sample:
    """Return the distinct DAGs with their scores, as log weights or beside equal weights."""
    number = {dag: place for place, dag in enumerate(dict.fromkeys(dags))}
    of_draw = np.array([number[dag] for dag in dags])
    logs = np.array([sum(score.terms(dag.native)) for dag in number])[of_draw]
    names = dags[0].names
    arcs = np.array([dag.adjacency for dag in number], dtype=np.bool_)
    bits = Packing(len(names), "arcs").pack(arcs)[of_draw]
    return Sample(names, "arcs", bits, score=logs, log_weights=logs if weighted else None)


def _draw_dag(graph: Graph, random: Random) -> Graph:
    """Draw a DAG of a class with background knowledge by directing edges one after another."""
    while True:
        open_edges = [edge for edge in graph.edges() if edge.connector == "-"]
        if not open_edges:
            return graph
        edge = open_edges[random.randrange(len(open_edges))]
        ends = (edge.left, edge.right)
        graph = meek(graph, [ends if random.random() < 0.5 else ends[::-1]])


def _stats(posterior: Posterior) -> dict[str, Statistic]:
    summary = posterior.summary()
    wanted = ("draws", "distinct_graphs", "effective_size", "entropy", "expected_edges")
    return {"bootstraps" if name == "draws" else name: summary[name] for name in wanted}


class Fits(NamedTuple):
    """Parameters of linear models, one per DAG.

    Parameters
    ----------
    coefficients
        Weights of the arcs, from row to column, a matrix for each DAG.
    variances
        Variances of the noise, a row for each DAG.
    without_noise
        Number of samples in which the parents of a variable explain all rows.
    """

    coefficients: Floats
    variances: Floats
    without_noise: int


def fit_dags(
    sample: Sample, data: Dataset, rows: Sequence[npt.NDArray[np.int64]], *, centred: bool = True
) -> Fits:
    """Fit each DAG by maximum likelihood on the rows that were drawn for it.

    Rows with an intervention on a node are left out for it. Where the parents explain all rows
    of a sample, the noise variance is the residual variance of the same coefficients on the
    full data, but at least 1e-8 of the variable's variance there. A constant variable has
    variance 0.

    Parameters
    ----------
    sample
        The DAGs, over the names of the data in their order.
    data
        The data.
    rows
        For each DAG the row numbers of its sample, with as many of each target set as in the data.
    centred
        Whether the models have intercepts, which are not returned.
    """
    arcs = sample.packing.adjacency(sample.bits)
    whole = moments_of(data, centred=centred)
    masks = np.zeros(data.values.shape, bool) if data.intervened is None else data.intervened
    counts = np.array([np.bincount(drawn, minlength=len(data)) for drawn in rows], dtype=float)
    coefficients, variances = np.zeros(arcs.shape), np.zeros(arcs.shape[:2])
    empty = np.zeros(len(arcs), dtype=bool)
    known: dict[int, Floats] = {}
    for j, choice in enumerate(whole.of_node.tolist()):
        if choice not in known:
            known[choice] = _moments(data.values, counts * ~masks[:, j], centred=centred)
        fits = regressions(known[choice], j, arcs[:, :, j])
        total = np.maximum(known[choice][:, j, j], _NO_NOISE * whole.at(j)[j, j])
        none = (fits.rest <= _NO_NOISE * total) & (total > 0)
        rest = np.where(none, _residual_squares(fits.coefficients, whole.at(j), j), fits.rest)
        coefficients[:, :, j] = fits.coefficients
        variances[:, j] = rest / max(whole.rows[choice], 1.0)
        empty |= none
    return Fits(coefficients, variances, int(empty.sum()))


def _moments(values: Floats, counts: Floats, *, centred: bool) -> Floats:
    """Return the sums of products of the rows, weighted by how often each was drawn."""
    shifted = values - values.mean(axis=0) if centred else values
    total = np.maximum(counts.sum(axis=1), 1.0)
    means = counts @ shifted / total[:, None]
    sums = np.array([(shifted.T * count) @ shifted for count in counts])
    if not centred:
        return sums
    moments: Floats = sums - total[:, None, None] * means[:, :, None] * means[:, None, :]
    return moments


def _residual_squares(coefficients: Floats, moments: Floats, child: int) -> Floats:
    """Return the residual sum of squares of a variable for each row of coefficients."""
    deviations = -coefficients
    deviations[:, child] += 1.0
    squares = np.einsum("mi,ij,mj->m", deviations, moments, deviations)
    return np.asarray(np.maximum(squares, _NO_NOISE * moments[child, child]), dtype=np.float64)
