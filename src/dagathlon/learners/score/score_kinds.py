"""The scores by name: which data each takes, its parameters, and how it is built."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from dagathlon import _core
from dagathlon._core import LikelihoodConvention, NormalisedLikelihood, Pseudocount
from dagathlon.data import Dataset
from dagathlon.data.facts import DataKind
from dagathlon.errors import DataError
from dagathlon.learners.indicators import indicator_columns
from dagathlon.modules import NonNegative, Probability, SharedCode

ScoreName: TypeAlias = Literal[
    "loglik", "aic", "bic", "ebic", "bde", "bdeu", "bds", "bdj", "k2", "fnml", "qnml", "mbde",
    "bic-blip", "bic-blip1",
    "loglik-g", "aic-g", "bic-g", "ebic-g", "bge", "mbge", "nig", "sem-bic", "l0-g", "disc-bic",
    "loglik-cg", "aic-cg", "bic-cg", "ebic-cg",
    "loglik-dg", "aic-dg", "bic-dg", "ebic-dg", "l0-dg", "cv-kernel", "cv-kernel-2018",
]  # fmt: skip
GraphPrior: TypeAlias = Literal["uniform", "vsp", "marginal", "cs", "er", "scale_free", "fair"]
UNEQUAL_PRIORS: frozenset[GraphPrior] = frozenset({"cs", "scale_free", "fair"})
"""The priors that tell DAGs of one class apart."""
ArcProbabilities: TypeAlias = tuple[tuple[str | float, ...], ...]
Parts: TypeAlias = tuple[list[npt.NDArray[Any]], list[int]]


@dataclass(frozen=True, kw_only=True)
class ScoreParameters:
    """Parameters of all scores and of the priors over graphs; a score reads its own.

    Parameters
    ----------
    k
        Penalty per parameter of the penalised likelihoods; null is the score's own: 1 for aic,
        half the logarithm of the number of rows for bic, ebic and l0-g.
    gamma
        Weight of the extra penalty of ebic: 4·gamma·log(number of variables) for each arc.
    iss
        Imaginary sample size of the discrete Bayesian scores.
    iss_mu
        Imaginary sample size of the mean in bge.
    iss_w
        Imaginary sample size of the Wishart prior in bge; null is the number of variables plus 2.
    nig_shape, nig_rate
        Shape and rate of the inverse-gamma prior of each noise variance in nig.
    nig_precision
        Precision of the normal prior of the coefficients in nig, in units of the noise.
    penalty_discount
        Factor of the penalty in sem-bic and disc-bic.
    structure_prior
        Expected number of parents in Tetrad's structure prior; 0 is no prior.
    prior
        Prior over graphs: uniform, variable selection (vsp), marginal uniform (marginal),
        Castelo and Siebes (cs), Erdős and Rényi by the number of edges (er), scale-free as in DiBS
        (a node with k parents counts (1 + k)⁻³), or fair (each number of parents of a node as
        probable as any other, but for cycles).
    beta
        Probability of an arc in the prior over graphs; null is 1/(number of variables - 1) for vsp
        and 0.5 for marginal.
    edges_per_node
        For the er prior: the expected number of edges over that of variables p. Each arc has the
        odds q/(1 - q) with q = 2·edges_per_node/(p - 1), as in DiBS; that DAGs have no cycles is
        not taken into account. Null is 1, or (p - 1)/4 where that is less.
    arc_probabilities
        For the cs prior: [from, to, probability] for each arc that something is known about.
    edge_penalty
        Factor by which each arc makes a graph less probable, as in BiDAG; 1 is none.
    """

    k: NonNegative | None = None
    gamma: NonNegative = 0.5
    iss: NonNegative = 1.0
    iss_mu: NonNegative = 1.0
    iss_w: NonNegative | None = None
    nig_shape: NonNegative = 4.0
    nig_rate: NonNegative = 0.5
    nig_precision: NonNegative = 1.0
    penalty_discount: NonNegative = 2.0
    structure_prior: NonNegative = 0.0
    prior: GraphPrior = "uniform"
    beta: Probability | None = None
    edges_per_node: NonNegative | None = None
    arc_probabilities: ArcProbabilities = ()
    edge_penalty: NonNegative = 1.0


@dataclass(frozen=True)
class ScoreKind:
    """A score: the data it takes, the parameters it reads, what it is, how to build it.

    Equivalent is one that is the same for all DAGs of a class, conditional one that gives no
    discrete node a continuous parent; `least_rows` is how many rows of continuous data it takes.
    The version is raised when it begins to give other numbers.
    """

    data: DataKind
    parameters: tuple[str, ...]
    summary: str
    build: Callable[[Dataset, ScoreParameters], _core.Score]
    equivalent: bool = True
    conditional: bool = False
    version: int = 1
    least_rows: int = 3


def _all_rows(data: Dataset, matrix: npt.NDArray[Any]) -> Parts:
    return [matrix], [0] * len(data.names)


def _rows_without_intervention(data: Dataset, matrix: npt.NDArray[Any]) -> Parts:
    """For each variable the rows in which it was not set, each distinct choice of rows once."""
    if data.intervened is None:
        return _all_rows(data, matrix)
    numbers: dict[bytes, int] = {}
    parts: list[npt.NDArray[Any]] = []
    of_child = []
    for column in data.intervened.T:
        number = numbers.setdefault(column.tobytes(), len(parts))
        if number == len(parts):
            parts.append(matrix[~column])
        of_child.append(number)
    return parts, of_child


def _measured(rows: Any, data: Dataset) -> tuple[list[Any], list[int]]:
    """The values of each variable's rows, or what is known of them where they stay in a file."""
    moments = data.known_moments
    if moments is not None:
        return [moments], [0] * len(data.names)
    found: tuple[list[Any], list[int]] = rows(data, data.values)
    return found


def _half_log_rows(data: Dataset) -> float:
    return 0.5 * math.log(len(data))


def _discrete(penalty: Callable[[Dataset, ScoreParameters], float]) -> Any:
    def build(data: Dataset, parameters: ScoreParameters) -> _core.Score:
        parts, of_child = _all_rows(data, data.codes)
        return _core.discrete_likelihood(parts, data.arities, of_child, penalty(data, parameters))

    return build


def _dirichlet(kind: Pseudocount, size: Callable[[ScoreParameters], float], rows: Any) -> Any:
    def build(data: Dataset, parameters: ScoreParameters) -> _core.Score:
        parts, of_child = rows(data, data.codes)
        found = size(parameters)
        if not found > 0:
            raise DataError(f"iss: found {found:g}, expected a number above 0")
        return _core.dirichlet_score(parts, data.arities, of_child, kind, found)

    return build


def _normalised(kind: NormalisedLikelihood) -> Any:
    def build(data: Dataset, parameters: ScoreParameters) -> _core.Score:
        parts, of_child = _all_rows(data, data.codes)
        return _core.normalised_likelihood(parts, data.arities, of_child, kind)

    return build


def _blip(name: str) -> Any:
    def build(data: Dataset, parameters: ScoreParameters) -> _core.Score:
        parts, of_child = _all_rows(data, data.codes)
        states = [n + BLIP_STATES[name] for n in data.arities]
        return _core.smoothed_bic(parts, states, of_child)

    return build


def _gaussian(
    convention: LikelihoodConvention,
    penalty: Callable[[Dataset, ScoreParameters], float],
    rows: Any = _all_rows,
) -> Any:
    def build(data: Dataset, parameters: ScoreParameters) -> _core.Score:
        parts, of_child = _measured(rows, data)
        return _core.gaussian_likelihood(parts, of_child, convention, penalty(data, parameters))

    return build


def _wishart(rows: Any) -> Any:
    def build(data: Dataset, parameters: ScoreParameters) -> _core.Score:
        parts, of_child = _measured(rows, data)
        mean, wishart = _imaginary_sizes(len(data.names), parameters)
        return _core.bge_score(parts, of_child, mean, wishart)

    return build


def _imaginary_sizes(p: int, parameters: ScoreParameters) -> tuple[float, float]:
    wishart = p + 2.0 if parameters.iss_w is None else parameters.iss_w
    if not parameters.iss_mu > 0:
        raise DataError(f"iss_mu: found {parameters.iss_mu:g}, expected a number above 0")
    if not wishart > p + 1:
        raise DataError(
            f"iss_w: found {wishart:g}, expected a number above {p + 1}, the number of variables "
            "plus 1"
        )
    return parameters.iss_mu, wishart


def _nig(data: Dataset, parameters: ScoreParameters) -> _core.Score:
    for name in ("nig_shape", "nig_rate", "nig_precision"):
        found = getattr(parameters, name)
        if not found > 0:
            raise DataError(f"{name}: found {found:g}, expected a number above 0")
    parts, of_child = _measured(_rows_without_intervention, data)
    own = parameters.nig_shape, parameters.nig_rate, parameters.nig_precision
    return _core.nig_score(parts, of_child, *own)


def _mixed(penalty: Callable[[Dataset, ScoreParameters], float]) -> Any:
    def build(data: Dataset, parameters: ScoreParameters) -> _core.Score:
        kinds = [variable.is_discrete for variable in data.variables]
        amount = penalty(data, parameters)
        return _core.mixed_likelihood(data.codes, data.arities, data.values, kinds, amount)

    return build


def _degenerate(penalty: Callable[[Dataset, ScoreParameters], float], rows: Any = _all_rows) -> Any:
    def build(data: Dataset, parameters: ScoreParameters) -> _core.Score:
        # An indicator of one row would be a function of any other of that row.
        columns, starts = indicator_columns(data, least_rows=2)
        parts, of_child = rows(data, columns)
        amount = penalty(data, parameters)
        return _core.degenerate_gaussian_score(parts, of_child, starts, amount)

    return build


def _kernel(ridge: float) -> Any:
    def build(data: Dataset, parameters: ScoreParameters) -> _core.Score:
        kinds = [variable.is_discrete for variable in data.variables]
        matrix = np.ascontiguousarray(data.to_matrix(), dtype=float)
        return _core.kernel_score(matrix, kinds, ridge)

    return build


def _none(data: Dataset, parameters: ScoreParameters) -> float:
    return 0.0


def _aic(data: Dataset, parameters: ScoreParameters) -> float:
    return 1.0 if parameters.k is None else parameters.k


def _bic(data: Dataset, parameters: ScoreParameters) -> float:
    return _half_log_rows(data) if parameters.k is None else parameters.k


def _discounted(data: Dataset, parameters: ScoreParameters) -> float:
    return parameters.penalty_discount * math.log(len(data))


def _half_discounted(data: Dataset, parameters: ScoreParameters) -> float:
    return parameters.penalty_discount * _half_log_rows(data)


_PRIOR = ("prior", "beta", "edges_per_node", "arc_probabilities", "edge_penalty")
_UNBIASED = LikelihoodConvention.unbiased
_UNIFORM, _OBSERVED, _CELL = Pseudocount.uniform, Pseudocount.observed, Pseudocount.cell


def _of(data: DataKind, own: tuple[str, ...], summary: str, build: Any) -> ScoreKind:
    return ScoreKind(data, own + _PRIOR, summary, build)


def _differing(data: DataKind, own: tuple[str, ...], summary: str, build: Any) -> ScoreKind:
    """A score that tells DAGs of one class apart."""
    conditional = data == "mixed"
    return ScoreKind(data, own + _PRIOR, summary, build, equivalent=False, conditional=conditional)


def _by_kernels(summary: str, ridge: float) -> ScoreKind:
    return ScoreKind("mixed", _PRIOR, summary, _kernel(ridge), equivalent=False, least_rows=4)


_BDE = _dirichlet(_UNIFORM, lambda parameters: parameters.iss, _all_rows)
SCORES: Mapping[str, ScoreKind] = {
    "loglik": _of("discrete", (), "log likelihood", _discrete(_none)),
    "aic": _of("discrete", ("k",), "Akaike's criterion", _discrete(_aic)),
    "bic": _of("discrete", ("k",), "Bayesian information criterion", _discrete(_bic)),
    "ebic": _of("discrete", ("k", "gamma"), "bic with a penalty per arc", _discrete(_bic)),
    "bde": _of("discrete", ("iss",), "Bayesian Dirichlet, equivalent uniform", _BDE),
    "bdeu": _of("discrete", ("iss", "structure_prior"), "another name of bde", _BDE),
    "bds": _differing(
        "discrete",
        ("iss",),
        "Bayesian Dirichlet, sparse: prior on observed configurations",
        _dirichlet(_OBSERVED, lambda parameters: parameters.iss, _all_rows),
    ),
    "bdj": _differing(
        "discrete", (), "Bayesian Dirichlet, Jeffreys' prior",
        _dirichlet(_CELL, lambda parameters: 0.5, _all_rows),
    ),
    "k2": _differing(
        "discrete", (), "Bayesian Dirichlet, one observation in each cell",
        _dirichlet(_CELL, lambda parameters: 1.0, _all_rows),
    ),
    "fnml": _differing(
        "discrete", (), "factorised normalised maximum likelihood",
        _normalised(NormalisedLikelihood.factorised),
    ),
    "qnml": _of(
        "discrete", (), "quotient normalised maximum likelihood",
        _normalised(NormalisedLikelihood.quotient),
    ),
    "mbde": _of(
        "discrete", ("iss", "structure_prior"), "bde of the rows in which a variable was not set",
        _dirichlet(_UNIFORM, lambda parameters: parameters.iss, _rows_without_intervention),
    ),
    "disc-bic": _of(
        "discrete", ("penalty_discount",), "Tetrad's discrete bic, halved",
        _discrete(_half_discounted),
    ),
    "bic-blip": _differing("discrete", (), "bic as BLIP computes it", _blip("bic-blip")),
    "bic-blip1": _differing(
        "discrete", (), "bic-blip of states numbered from 1: one too many for each variable",
        _blip("bic-blip1"),
    ),
    "loglik-g": _of("continuous", (), "log likelihood", _gaussian(_UNBIASED, _none)),
    "aic-g": _of("continuous", ("k",), "Akaike's criterion", _gaussian(_UNBIASED, _aic)),
    "bic-g": _of(
        "continuous", ("k",), "Bayesian information criterion", _gaussian(_UNBIASED, _bic)
    ),
    "ebic-g": _of(
        "continuous", ("k", "gamma"), "bic-g with a penalty per arc", _gaussian(_UNBIASED, _bic)
    ),
    "bge": _of(
        "continuous", ("iss_mu", "iss_w"), "Bayesian Gaussian, equivalent", _wishart(_all_rows)
    ),
    "mbge": _of(
        "continuous", ("iss_mu", "iss_w"), "bge of the rows in which a variable was not set",
        _wishart(_rows_without_intervention),
    ),
    "nig": ScoreKind(
        "continuous", ("nig_shape", "nig_rate", "nig_precision", *_PRIOR),
        "normal and inverse-gamma prior, means of zero, without rows that set the variable",
        _nig, equivalent=False, least_rows=1,
    ),
    "sem-bic": _of(
        "continuous", ("penalty_discount", "structure_prior"), "Tetrad's bic, on twice the scale",
        _gaussian(LikelihoodConvention.doubled, _discounted),
    ),
    "l0-g": _of(
        "continuous", ("k",), "pcalg's penalised likelihood, without rows that set the variable",
        _gaussian(LikelihoodConvention.maximum, _bic, _rows_without_intervention),
    ),
    "loglik-cg": _differing("mixed", (), "log likelihood", _mixed(_none)),
    "aic-cg": _differing("mixed", ("k",), "Akaike's criterion", _mixed(_aic)),
    "bic-cg": _differing("mixed", ("k",), "Bayesian information criterion", _mixed(_bic)),
    "ebic-cg": _differing(
        "mixed", ("k", "gamma"), "bic-cg with a penalty per arc", _mixed(_bic)
    ),
    "loglik-dg": _of("mixed", (), "log likelihood, degenerate Gaussian", _degenerate(_none)),
    "aic-dg": _of("mixed", ("k",), "Akaike's criterion, degenerate Gaussian", _degenerate(_aic)),
    "bic-dg": _of(
        "mixed", ("k",), "Bayesian information criterion, degenerate Gaussian", _degenerate(_bic)
    ),
    "ebic-dg": _of("mixed", ("k", "gamma"), "bic-dg with a penalty per arc", _degenerate(_bic)),
    "l0-dg": _of(
        "mixed", ("k",), "bic-dg of the rows in which a variable was not set",
        _degenerate(_bic, _rows_without_intervention),
    ),
    "cv-kernel": _by_kernels("generalised score: kernel features in ten folds", 1e-4),
    "cv-kernel-2018": _by_kernels("cv-kernel with the ridge of its authors", 1e-2),
}  # fmt: skip


DefaultScores: TypeAlias = Mapping[DataKind, ScoreName]
CRITERIA: DefaultScores = {"continuous": "bic-g", "discrete": "bic", "mixed": "bic-dg"}
"""The Bayesian information criterion for each kind of data, equal for equivalent DAGs."""
EXTENDED: Mapping[ScoreName, ScoreName] = {"bic": "ebic", "bic-g": "ebic-g", "bic-dg": "ebic-dg"}
"""The criterion with a penalty per arc that takes the place of the default on wide data."""
EXTENDED_GAMMA = 0.25
"""Its weight: each arc costs the logarithm of the number of variables more."""
MARGINAL: DefaultScores = {"continuous": "bge", "discrete": "bde", "mixed": "bic-dg"}
"""The marginal likelihood for each kind of data, where there is one."""
INTERVENTIONAL: Mapping[ScoreName, ScoreName] = {
    "bge": "mbge", "bde": "mbde", "bdeu": "mbde", "bic-dg": "l0-dg",
}  # fmt: skip
"""The same score of the rows in which a variable was not set."""
BLIP_STATES: Mapping[str, int] = {"bic-blip": 0, "bic-blip1": 1}
"""BLIP's forms of BIC, with the states that each variable has beyond those of the data."""
KNOW_TARGETS: frozenset[ScoreName] = frozenset({*INTERVENTIONAL.values(), "nig", "l0-g"})
"""The scores that leave out rows in which a variable was set."""


def shared_scores(names: Iterable[ScoreName]) -> tuple[SharedCode, ...]:
    """Scores as what a learner hands work to."""
    return tuple(SharedCode("score", name, SCORES[name].version) for name in names)
