"""``edge_probabilities``: what samplers and other learners with a posterior believe of edges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from dagathlon.evaluations.posterior_comparison import words as belief_words
from dagathlon.evaluations.posterior_comparison.comparison import (
    Belief,
    Beliefs,
    beliefs_of,
    posterior_ids,
)
from dagathlon.evaluations.posterior_comparison.parts import (
    agreement_parts,
    calibration_parts,
    convergence_parts,
    cost_parts,
    edge_parts,
    shown_sets,
    table_parts,
)
from dagathlon.evaluations.posterior_comparison.tables import (
    Named,
    agreement_rows,
    calibration_rows,
    edge_rows,
    method_row,
    named_beliefs,
    reference_of,
    score_rows,
)
from dagathlon.frame import Cells
from dagathlon.graphs.undirected import UndirectedForm
from dagathlon.modules import Natural, Probability
from dagathlon.report.evaluation import AnyTable, Evaluation, Records, Table, TableSet
from dagathlon.report.figures.chart import Drawing
from dagathlon.report.results import Results
from dagathlon.report.section import Figure, Part, Section, Words


class _Compared(NamedTuple):
    """Posteriors of a setup, and the sentences of the section."""

    beliefs: Beliefs
    posteriors: Sequence[Named]
    reference: str | None
    least: float
    scores: Mapping[str, Any]
    without: Sequence[str]
    no_dag: bool
    undirected: UndirectedForm | None


@dataclass(frozen=True, kw_only=True)
class EdgeProbabilities(Evaluation):
    """Show edge probabilities of learners with a posterior, and how reliable they are.

    As matrix and as graph; against the truth (calibration, expected distance); against an exact
    posterior; chain against chain (traces, R̂); method against method; and what each method costs.

    Parameters
    ----------
    ids
        Algorithms to include; none means all that give a distribution over graphs.
    reference
        The algorithm that the others are to come near, by its probabilities of edges; null is the
        first one of exact_posterior, if the study has one.
    bins
        Number of bins from 0 to 1 of the reliability diagram.
    data_sets
        How many data sets of each kind are read, the first ones; null is 20, or fewer where there
        are many kinds of data.
    least
        Pairs of variables that are joined with a smaller probability are not drawn.
    """

    name = "edge_probabilities"
    on_page = True
    references = (
        "Vehtari, Gelman, Simpson, Carpenter and Bürkner 2021, Bayesian Analysis 16",
        "Guo, Pleiss, Sun and Weinberger 2017, On calibration of modern neural networks, ICML",
    )
    ids: tuple[str, ...] = ()
    reference: str | None = None
    bins: Natural = 10
    data_sets: Natural | None = None
    least: Probability = 0.2

    def algorithms(self) -> tuple[str, ...]:
        """Return the ids that the evaluation names, and that of the reference posterior."""
        further = () if self.reference is None else (self.reference,)
        return tuple(dict.fromkeys((*self.ids, *further)))

    @classmethod
    def by_default(cls, ids: Sequence[str], has_truth: bool) -> Evaluation | None:
        """Return the evaluation shown unasked wherever a learner gives a posterior."""
        return cls()

    def tables(self, results: Results) -> Mapping[str, AnyTable]:
        """Return tables of methods, edge probabilities, calibration and distances of methods."""
        ids = posterior_ids(results, self.algorithms() if self.ids else results.ids)
        if not ids:
            return {}
        reference = self.reference or reference_of(results, ids)
        beliefs = beliefs_of(results, ids, reference, self.data_sets)
        result = named_beliefs(beliefs.found)
        shown = shown_sets(result)
        about = _Compared(
            beliefs,
            result,
            reference,
            self.least,
            _scores(results, beliefs.found),
            [posterior for posterior in self.algorithms() if posterior not in ids],
            _no_dag(results, result),
            results.undirected,
        )
        return {
            "compared": Records([about] if result else []),
            "methods": Table([method_row(posterior) for posterior in result], "methods.csv"),
            "edges": Table(
                [row for posterior in result for row in edge_rows(posterior)], "edges.csv"
            ),
            "calibration": Table(list(calibration_rows(result, self.bins)), "calibration.csv"),
            "scores": Table(list(score_rows(result, self.bins)), "scores.csv"),
            "agreement": Table(
                [row for group in shown.values() for row in agreement_rows(group)],
                "agreement.csv",
            ),
        }

    def figures(self, tables: TableSet) -> Iterator[tuple[str, Drawing]]:
        """Draw all figures of the page, numbered where there are several to choose from."""
        for part in _parts(tables):
            if isinstance(part, Figure):
                for number, (_, chart) in enumerate(part.variants, 1):
                    yield f"{part.name}_{number}", chart

    def section(self, tables: TableSet) -> Section | None:
        """Show edges, calibration, convergence, cost and agreement."""
        parts = list(_parts(tables))
        if not parts:
            return None
        posteriors = tables.records("compared")[0].posteriors
        leading = not any(posterior.truth is not None for posterior in posteriors)
        return Section("edge-probabilities", "Edge probabilities", parts, leading)


def _parts(tables: TableSet) -> Iterator[Part]:
    if not tables.records("compared"):
        return
    about: _Compared = tables.records("compared")[0]
    result, reference = about.posteriors, about.reference
    methods = list(dict.fromkeys(posterior.method for posterior in result))
    shown = shown_sets(result)
    yield Words(belief_words.opening(about.beliefs, methods, len(shown)))
    yield from map(Words, belief_words.left_out(about.without, about.no_dag))
    yield from map(Words, belief_words.searches(about.beliefs.searches))
    yield from map(Words, belief_words.undirected(result))
    yield from map(Words, belief_words.undirected_truth(about.undirected))
    yield from map(Words, belief_words.coverage(result))
    # On many kinds of data with a truth methods are judged; the edges of one data set come last.
    judged = len({posterior.case for posterior in result}) > 1 and any(
        posterior.truth is not None for posterior in result
    )
    if not judged:
        yield from edge_parts(shown, about.least)
    yield from calibration_parts(tables)
    yield from convergence_parts(tables, shown)
    yield from map(Words, belief_words.other_scores(about.scores, reference))
    yield from cost_parts(tables, reference)
    yield from agreement_parts(tables, shown)
    if judged:
        yield from edge_parts(shown, about.least, closed=True)
    yield from table_parts(shown)


def _no_dag(results: Results, posteriors: Sequence[Named]) -> bool:
    """Return whether some data set has a true graph that edges cannot be compared with."""
    without = [posterior for posterior in posteriors if posterior.truth is None]
    return any(
        results.truth(results.case(posterior.belief.whose.run)) is not None for posterior in without
    )


def _scores(results: Results, beliefs: Sequence[Belief]) -> Cells:
    """Return the graph score of each method that has one."""
    result: Cells = {}
    for posterior in beliefs:
        settings = results.algorithm(posterior.whose.run).settings
        parameters = settings[posterior.whose.run.setting].parameters
        if "score" in parameters:
            result.setdefault(posterior.whose.id, parameters["score"])
    return result
