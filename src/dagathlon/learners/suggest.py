"""Suggested learners for a data set: their output, assumptions and expected run time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from dagathlon.data.spec import DataFacts, DataKind, facts_of
from dagathlon.errors import DataError, listing
from dagathlon.learners.abilities import abilities_of, suitable_setting
from dagathlon.learners.base import Learner
from dagathlon.learners.bayesian.imputed import Imputed
from dagathlon.learners.costs import Cost, expected_cost
from dagathlon.learners.score.score_based import is_wide
from dagathlon.modules import find, modules
from dagathlon.wording import counted

if TYPE_CHECKING:
    from dagathlon.data import Dataset

QUESTIONS: Mapping[str, str] = {
    "class": "what the data determine: a class of DAGs",
    "dag": "one DAG",
    "latent": "with hidden variables allowed",
    "posterior": "how sure: a distribution over graphs",
    "undirected": "which variables belong together, without directions",
    "mixed": "other graphs",
}
_OF_OUTPUT = {"cpdag": "class", "pag": "latent", "mag": "latent"}
# For each kind of evidence, quick learners with few required parameters first.
_TO_BEGIN_WITH = (
    "boss", "pc", "ges", "hc", "tabu", "mmhc", "direct_lingam", "gfci", "fci", "rfci", "bootstrap",
    "exact_posterior", "partition_mcmc", "glasso", "prec_thresh", "corr_thresh",
)  # fmt: skip
# Baselines by sorting the variables, which are not suggested.
_YARDSTICKS = ("random_sort", "var_sort", "r2_sort")
_FEW_ROWS = 100
_WIDE = 0.5
_LONG = 3600.0
_QUICK = 60.0
_COMPARED = ("order", "constraint", "score", "hybrid")
_FEWEST_COMPARED = 3


@dataclass(frozen=True)
class Suggestion:
    """A suggested learner, with its output, assumptions and expected run time.

    Parameters
    ----------
    name
        Name of the learner.
    setting
        Parameters needed for such data, as ``test=mi.td``; empty for the defaults.
    question
        A key of `QUESTIONS`.
    gives
        The kind of graph, and whether there is a posterior.
    assumes
        Assumptions of the learner.
    cost
        The expected time of a run; None if it was never measured.
    """

    name: str
    setting: str
    question: str
    gives: str
    assumes: tuple[str, ...]
    cost: Cost | None

    @property
    def family(self) -> str:
        """Family of the learner: a key of `FAMILIES`."""
        return abilities_of(cast(type[Learner], find("algorithm", self.name))).family

    @property
    def way(self) -> str:
        """Source of its evidence: tests, a score or both; empty for others."""
        known = find("algorithm", self.name).parameters()
        asked = {"test": "tests", "score": "a score"}
        return " and ".join(word for key, word in asked.items() if key in known)

    @property
    def spec(self) -> str:
        """The learner with its parameters as in commands: ``pc[test=mi.td]``."""
        return f"{self.name}[{self.setting}]" if self.setting else self.name

    @property
    def takes_long(self) -> bool:
        """Whether the expected run time is above one hour."""
        return self.cost is not None and self.cost.seconds > _LONG


@dataclass(frozen=True)
class Advice:
    """Suggested learners for one data set, with notes on the data.

    Parameters
    ----------
    data
        Description of the data in one line.
    notes
        Notes on the data: constant columns, few rows, missing values.
    suitable
        Learners that take them; in each group good first choices come first.
    unsuitable
        Other learners by name, with the reason.
    """

    data: str
    notes: tuple[str, ...]
    suitable: tuple[Suggestion, ...]
    unsuitable: Mapping[str, str]


def suggest(data: Dataset) -> Advice:
    """Return the learners that suit a data set, and why others do not.

    Parameters
    ----------
    data
        The data. Nothing is learned from them: times are expected ones, by the size of the data.

    Examples
    --------
    >>> from dagathlon.data import read_data
    >>> suggest(read_data("measurements.csv")).suitable[0].spec  # doctest: +SKIP
    'boss'
    """
    facts = facts_of(data)
    if len(data) < 2 or not data.variables:
        raise DataError(f"there is nothing to learn from {_size(data)}")
    suitable, unsuitable = list[Suggestion](), dict[str, str]()
    for name, module in modules("algorithm").items():
        cls = cast(type[Learner], module)
        if abilities_of(cls).family == "benchpress":
            continue  # the native learners of these names are suggested already
        answer = cls.unavailable or _why_not_suggested(name, facts) or suitable_setting(cls, facts)
        if isinstance(answer, str):
            unsuitable[name] = answer
        else:
            suitable.append(_suggestion(name, *answer, facts))
    suitable.sort(key=_sort_key)
    return Advice(_described(data, facts), tuple(_notes(data, facts)), tuple(suitable), unsuitable)


def diverse_suggestions(advice: Advice) -> tuple[Suggestion, ...]:
    """Return quick learners with different evidence (tests, scores), to be compared on the data.

    Candidates are learners of a DAG or CPDAG by tests or a score with an expected time of at
    most a minute. The first suggestion of each `way` is taken, since searches with one score
    give much the same graph; more are added while there are fewer than three.

    Parameters
    ----------
    advice
        The suggestions for the data.
    """
    candidates = [one for one in advice.suitable if one.question in ("class", "dag")]
    quick = [one for one in candidates if one.family in _COMPARED and one.way and _is_quick(one)]
    firsts: dict[str, Suggestion] = {}
    for one in quick:
        firsts.setdefault(one.way, one)
    families = {one.family for one in firsts.values()}
    others = [one for one in quick if one not in firsts.values()]
    others.sort(key=lambda one: one.family in families)
    return (*firsts.values(), *others[: max(0, _FEWEST_COMPARED - len(firsts))])


def _is_quick(one: Suggestion) -> bool:
    return one.cost is not None and one.cost.seconds <= _QUICK


def _why_not_suggested(name: str, facts: DataFacts) -> str:
    """Return why a learner is not suggested (a baseline, nothing to impute); empty otherwise."""
    if name in _YARDSTICKS:
        return f"{name}: a baseline to compare learners with, not for real data"
    return "" if facts.missing or name != Imputed.name else f"{name}: no values are missing"


def _suggestion(name: str, setting: str, learner: Learner, facts: DataFacts) -> Suggestion:
    kind = cast(DataKind, facts.kind)
    cls = type(learner)
    output = learner.output()
    posterior = cls.samples or cls.gives_posterior
    question = "posterior" if posterior and output != "pag" else _OF_OUTPUT.get(output, output)
    graph = "" if output == "chain" else output
    return Suggestion(
        name,
        setting,
        question if question in QUESTIONS else "mixed",
        ", ".join(filter(None, [graph, "posterior" if posterior else ""])),
        learner.assumptions(kind),
        expected_cost(cls, kind, facts.n_rows or 2, facts.n_columns or 2),
    )


def _sort_key(one: Suggestion) -> tuple[int, bool, int, str]:
    first = _TO_BEGIN_WITH.index(one.name) if one.name in _TO_BEGIN_WITH else len(_TO_BEGIN_WITH)
    return list(QUESTIONS).index(one.question), one.takes_long, first, one.name


def _size(data: Dataset) -> str:
    rows, columns = len(data), len(data.variables)
    return f"{counted(rows, 'row')}, {counted(columns, 'column')}"


def _described(data: Dataset, facts: DataFacts) -> str:
    discrete = len(data.arities)
    kinds = {"continuous": "all continuous", "discrete": "all discrete"}
    mixed = f"{len(data.variables) - discrete:,} continuous and {discrete:,} discrete"
    parts = [_size(data), kinds.get(facts.kind or "", mixed)]
    if data.arities:
        fewest, most = min(data.arities), max(data.arities)
        span = f"{fewest} to {most}" if fewest < most else f"{most}"
        parts.append(f"{span} level{'s' * (most != 1)}")
    if data.missing is not None and facts.missing:
        gaps = int(data.missing.any(axis=1).sum())
        parts.append(f"{counted(gaps, 'row')} with missing values")
    if facts.interventions:
        parts.append("with interventions")
    return "; ".join(parts)


def _notes(data: Dataset, facts: DataFacts) -> list[str]:
    rows, columns = len(data), len(data.variables)
    notes = []
    constant = _constant(data)
    if constant:
        notes.append(
            f"Constant: {listing(constant)}. Nothing can be learned about them; leave them out."
        )
    if columns >= _WIDE * rows:
        notes.append(
            f"Wide: {columns:,} columns for {rows:,} rows. Tests find many edges by chance: take a "
            "smaller alpha. LiNGAM needs more rows than columns."
        )
    if is_wide(data):
        notes.append(
            "Penalty: with so many columns for the rows a plain BIC finds arcs by chance. Where "
            "the score is left to the learner and is a BIC, each arc costs more (EBIC, gamma "
            "0.25), and the result says so."
        )
    if rows < _FEW_ROWS:
        notes.append(
            f"Few: {rows:,} rows. Weak dependences are not found, and graphs change with single "
            "rows: bootstrap says which edges keep coming back."
        )
    if facts.missing:
        notes.append(
            "Missing values: learners below take them as they are. For all others impute them "
            "or drop rows: add --missing impute=5 or --missing drop to this command, too."
        )
    return notes


def _constant(data: Dataset) -> list[str]:
    """Return the names of columns with one value, missing values aside."""
    numbers, codes = iter(data.values.T), iter(data.codes.T)
    constant = []
    for variable in data.variables:
        column = next(codes if variable.is_discrete else numbers)
        absent = column == data.missing_code if variable.is_discrete else np.isnan(column)
        present = column[~absent]
        if not len(present) or (present == present[0]).all():
            constant.append(variable.name)
    return constant
