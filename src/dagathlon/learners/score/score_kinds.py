"""`ScoreModule`, the base class of all scores, and the scores by name."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Annotated, Any, ClassVar, Literal, TypeAlias, cast

from dagathlon import _core
from dagathlon.data import Dataset
from dagathlon.data.spec import DataKind
from dagathlon.errors import DataError, StudyError, unknown
from dagathlon.modules import Module, Names, NonNegative, Probability, SharedCode, modules
from dagathlon.modules.lineage import named_bases
from dagathlon.modules.spec import single_values

GraphPrior: TypeAlias = Literal["uniform", "vsp", "marginal", "cs", "er", "scale_free", "fair"]
UNEQUAL_PRIORS: frozenset[GraphPrior] = frozenset({"cs", "scale_free", "fair"})
"""Priors that differ between the DAGs of an equivalence class."""
ArcProbabilities: TypeAlias = tuple[tuple[str | float, ...], ...]


@dataclass(frozen=True, kw_only=True)
class ScoreParameters:
    """Parameters of all scores and of the priors over graphs; each score reads its own.

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
        Prior over graphs: uniform, variable selection (vsp), marginal uniform (marginal), Castelo
        and Siebes (cs), Erdős and Rényi by the number of edges (er), scale-free as in DiBS (a node
        with k parents has weight (1 + k)⁻³), or fair (each number of parents of a node equally
        probable, up to acyclicity).
    beta
        Probability of an arc in the prior over graphs; null is 1/(number of variables - 1) for vsp
        and 0.5 for marginal.
    edges_per_node
        For the er prior: the expected number of edges over that of variables p. Each arc has the
        odds q/(1 - q) with q = 2·edges_per_node/(p - 1), as in DiBS, without accounting for
        acyclicity. Null is 1, or (p - 1)/4 if that is less.
    arc_probabilities
        For the cs prior: a list [from, to, probability] for each arc with prior information.
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


PRIOR_PARAMETERS = ("prior", "beta", "edges_per_node", "arc_probabilities", "edge_penalty")
"""Parameters of the prior over graphs, which every score takes."""
_SHARED = tuple(field.name for field in fields(ScoreParameters))
_DEFAULTS = ScoreParameters()


@dataclass(frozen=True, kw_only=True)
class ScoreModule(Module):
    """Base class of named decomposable scores, which learners take as `score`; larger is better.

    Fields named as those of `ScoreParameters` get the values of the learner's parameters,
    unless they are given in brackets after the name of the score.

    Attributes
    ----------
    takes
        Kinds of data.
    assumes
        Its assumptions, in words of `learners.assumptions` where they fit.
    equivalent
        Whether it is the same for all DAGs of a Markov equivalence class.
    conditional
        Whether no discrete node has a continuous parent.
    by_folds
        Whether it depends on the order of the rows, as in cross-validation.
    least_rows
        Number of rows of continuous data that it needs.
    by_expectation
        Whether it is computed from expected counts or moments, so that structural EM can use it.
    extended
        Name of its extended form with a penalty per arc, which replaces it on wide data if it is a
        default; empty for none.
    knows_targets
        Whether it leaves out the rows in which a variable was intervened on.
    without_targets
        Name of its interventional form; empty for none.
    penalises_arcs
        Whether `gamma` is a penalty per arc.
    penalises_nodes
        Whether `edge_penalty` counts each node once more, as BiDAG does.
    doubled
        Whether it is Tetrad's, on twice the scale of a log likelihood.
    extra_states
        States that BLIP's BIC adds to those of the data; None for other scores.
    one_thread
        Whether it must be called from one thread.
    """

    kind = "score"
    takes: ClassVar[frozenset[DataKind]] = frozenset()
    assumes: ClassVar[tuple[str, ...]] = ()
    equivalent: ClassVar[bool] = True
    conditional: ClassVar[bool] = False
    by_folds: ClassVar[bool] = False
    least_rows: ClassVar[int] = 3
    by_expectation: ClassVar[bool] = False
    extended: ClassVar[str] = ""
    knows_targets: ClassVar[bool] = False
    without_targets: ClassVar[str] = ""
    penalises_arcs: ClassVar[bool] = False
    penalises_nodes: ClassVar[bool] = False
    doubled: ClassVar[bool] = False
    extra_states: ClassVar[int | None] = None
    one_thread: ClassVar[bool] = False

    @abstractmethod
    def build(self, data: Dataset) -> _core.Score:
        """Build the native score on these data, without a prior over graphs."""

    @classmethod
    def assumptions(cls, kind: DataKind) -> tuple[str, ...]:
        """Return the assumptions about data of one kind."""
        return cls.assumes


def known_scores() -> Mapping[str, type[ScoreModule]]:
    """Return all scores by name, sorted."""
    return cast(Mapping[str, type[ScoreModule]], modules("score"))


def score_class(text: str) -> type[ScoreModule]:
    """Return the class of a score given as text, such as ``bic`` or ``mine[bins=5]``.

    Raises
    ------
    DataError
        If there is no such score.
    """
    name = _split(text)[0]
    if name not in known_scores():
        raise DataError(unknown("score", name, known_scores()))
    return known_scores()[name]


def make_score(text: str, parameters: ScoreParameters = _DEFAULTS) -> ScoreModule:
    """Make a score given as text; parameters not in its brackets are those of the learner.

    Raises
    ------
    DataError
        If there is no such score, or it does not take its parameters.
    """
    cls, (_, values) = score_class(text), _split(text)
    try:
        score = cls.from_json(values, text if values else "")
    except StudyError as error:
        raise DataError(str(error)) from None
    shared = {name: getattr(parameters, name) for name in cls.parameters() if name in _SHARED}
    chosen = {k: v for k, v in shared.items() if k not in values and v != getattr(_DEFAULTS, k)}
    return replace(score, **chosen) if chosen else score


def parameters_of(score: ScoreModule, parameters: ScoreParameters) -> ScoreParameters:
    """Return the parameters; those that neither score nor prior reads get their defaults."""
    prior = {name: getattr(parameters, name) for name in PRIOR_PARAMETERS}
    values = {name: getattr(score, name) for name in type(score).parameters() if name in _SHARED}
    return replace(_DEFAULTS, **prior, **values)


def problem_of_score(text: str) -> str:
    """Return why a text names no score; empty if it names one."""
    try:
        make_score(text)
    except DataError as error:
        return str(error)
    return ""


def without_targets(text: str) -> str:
    """Return the interventional form of a score by name; the same score if it has none."""
    other = score_class(text).without_targets
    name, bracket, values = text.partition("[")
    return (other or name) + bracket + values


def shared_scores(texts: Iterable[str]) -> tuple[SharedCode, ...]:
    """Return the named scores as delegates of a learner, so that their versions count."""
    return tuple(map(_shared, texts))


def _shared(text: str) -> SharedCode:
    cls = score_class(text)
    uses = (*make_score(text).delegates(), *named_bases(cls))
    return SharedCode("score", cls.name, cls.version, uses, cls.one_thread)


def _split(text: str) -> tuple[str, dict[str, Any]]:
    try:
        return single_values(text)
    except StudyError as error:
        raise DataError(str(error)) from None


ScoreText: TypeAlias = Annotated[str, Names("score")]
"""A score as named in a learner's parameter: ``bic``, ``mine[weight=2]``."""
DefaultScores: TypeAlias = Mapping[DataKind, str]
CRITERIA: DefaultScores = {"continuous": "bic-g", "discrete": "bic", "mixed": "bic-dg"}
"""Score-equivalent BIC for each kind of data."""
MARGINAL: DefaultScores = {"continuous": "bge", "discrete": "bde", "mixed": "bic-dg"}
"""Marginal likelihood score for each kind of data that has one."""
EXTENDED_GAMMA = 0.25
"""Gamma of the extended BIC: each arc costs log(number of variables) more."""
