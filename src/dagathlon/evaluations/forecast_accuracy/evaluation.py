"""``interval_accuracy``: whether intersection-validation orders learners as the truth does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from dagathlon.evaluate.models.learner_prior import SAMPLE_SIZE
from dagathlon.evaluate.ranking.correlations import LEAST_METHODS
from dagathlon.evaluations.forecast_accuracy.accuracy import (
    DATA_SETS,
    MEANS,
    kept,
    points,
    predictors,
    rules,
)
from dagathlon.evaluations.forecast_accuracy.figures import accuracy_figures, first_points, pictures
from dagathlon.evaluations.forecast_accuracy.tables import Networks, cost_rows
from dagathlon.evaluations.forecast_accuracy.words import accuracy_words, cost_words, verdict_parts
from dagathlon.evaluations.intersection_validation.evaluation import doubling_sizes
from dagathlon.evaluations.intersection_validation.runs import Draw
from dagathlon.evaluations.predictive.tables import cross_entropy_score, fold_learning
from dagathlon.frame import Cells
from dagathlon.modules import Count, Natural, NonNegative
from dagathlon.report.charts.parts import headed, is_nothing
from dagathlon.report.evaluation import OfLearners, Table, TableSet
from dagathlon.report.figures.chart import Drawing
from dagathlon.report.results import Results
from dagathlon.report.section import Listing, Part, Section, Words
from dagathlon.report.tables.regimes import regimes_of
from dagathlon.simulate.resampling import Subsample
from dagathlon.study.config.plan_requests import Cases, Learning, Wanted


@dataclass(frozen=True, kw_only=True)
class IntervalAccuracy(OfLearners):
    """Compare what intersection-validation says of learners with what the truth says.

    Every data set is an intersection point: the learners' agreement graph on all its rows is found,
    and their graphs on subsamples are compared with it (PHD) and with the truth (SHD). The means of
    a network's data sets are correlated over the learners, for each number of rows, with
    cross-entropy and cross-validation beside them. A study may have it several times, for families
    of learners.

    Parameters
    ----------
    ids
        Algorithms to include, three or more; none means all that the other evaluations name.
    family
        What these learners are called together, where a study compares several families.
    sizes
        Numbers of rows of subsamples, of which a data set has those below its own number; null is
        100, 200, 400 and so on.
    subsamples
        Number of subsamples of each size; all learners get the same ones.
    point
        The intersection point, a number of rows, whose learning curves are shown by themselves;
        where no data set has so many rows, the next larger one.
    folds
        Number of folds of cross-validation; 0 leaves out cross-validation and cross-entropy.
    sample_size
        Imaginary rows of the prior of each probability table for these two, of learners that score
        by no such prior themselves.
    pairwise
        Whether every two learners are compared by what just these two agree on.
    """

    name = "interval_accuracy"
    shape = "objects"
    on_page = True
    references = (
        "Viinikka, Eggeling and Koivisto 2018, Intersection-validation: a method for evaluating "
        "structure learning without ground truth, AISTATS",
    )

    ids: tuple[str, ...] = ()
    family: str = ""
    sizes: tuple[Natural, ...] | None = None
    subsamples: Natural = 10
    point: Natural = 1600
    folds: Count = 10
    sample_size: NonNegative = SAMPLE_SIZE
    pairwise: bool = True

    def needs_truth(self) -> bool:
        """Everything is compared with the true graph."""
        return True

    def problem(self) -> str:
        """There is something to learn from, and enough learners to correlate."""
        if self.sizes is not None and not self.sizes:
            return "sizes names at least one number of rows"
        if self.folds == 1:
            return "folds is 0, or 2 or more"
        few = 0 < len(self.ids) < LEAST_METHODS
        return f"a correlation is over {LEAST_METHODS} learners or more" if few else ""

    def tasks(self, cases: Cases) -> Iterator[Wanted]:
        """Learning on every subsample and without every fold, and cross-entropies."""
        ids, rows = self.ids or cases.ids, cases.facts.n_rows
        for size, number in self.draws(rows):
            yield Learning((Subsample(n=size, number=number),), ids)
        if self.folds:
            yield from fold_learning(ids, self.folds, self.sample_size, n_rows=rows)
            yield cross_entropy_score(cases, self.sample_size)

    def draws(self, rows: int | None) -> list[Draw]:
        """The subsamples of a data set of so many rows."""
        sizes = doubling_sizes(rows) if self.sizes is None else sorted(set(self.sizes))
        numbers = range(1, self.subsamples + 1)
        return [(n, number) for n in sizes if rows is None or n < rows for number in numbers]

    def tables(self, results: Results) -> Mapping[str, Table]:
        """Means, correlations, agreement graphs, and what forecasts were worth.

        Several of a setup are one: the first makes the tables of all.
        """
        together = [one for one in results.evaluations if isinstance(one, IntervalAccuracy)]
        if self != (together or [self])[0]:
            return {}
        made: dict[str, list[Cells]] = {}
        for one in together or [self]:
            for name, rows in one.measured(results).items():
                made.setdefault(name, []).extend(rows)
        for level, name in ((MEANS, "accuracy"), (DATA_SETS, "data_sets")):
            for table, judged in (("forecast", kept), ("predictors", predictors), ("rules", rules)):
                made.setdefault(table, []).extend(judged(made[name], level))
        pictures = made.pop("pictures")
        tables = {name: Table(results.marked(rows), f"{name}.csv") for name, rows in made.items()}
        return tables | {
            "chosen": Table([{"point": self.point}]),
            "pictures": Table(pictures),
        }

    def measured(self, results: Results) -> dict[str, list[Cells]]:
        """What is measured of these learners, a table for each question."""
        rows = {kind.rows for kind in regimes_of(results, results.cases).values()}
        draws = {draw for n in rows for draw in self.draws(n)}
        found = Networks(points(results, self.ids, draws, self.folds, self.pairwise))
        tables: dict[str, Iterator[Cells]] = {
            "curves": found.curves(),
            "partial_curves": found.partial_curves(),
            "methods": found.methods(),
            "accuracy": found.accuracy(),
            "data_sets": found.data_sets(),
            "pairwise": found.pairs(),
            "costs": cost_rows(results, self.ids),
            "pictures": first_points(found),
        }
        about = {"family": self.family} if self.family else {}
        return {name: [about | row for row in rows] for name, rows in tables.items()}

    def figures(self, tables: TableSet) -> Iterator[tuple[str, Drawing]]:
        """All figures of the section."""
        for figure in accuracy_figures(tables):
            for number, (name, chart) in enumerate(figure.variants, 1):
                if not is_nothing(chart):
                    yield f"{figure.name}_{number}", headed(chart, name)

    def section(self, tables: TableSet) -> Section | None:
        """What came out in words, what forecasts are worth, then the figures."""
        rows = tables.rows("accuracy")
        if not rows:
            return None
        parts: list[Part] = [*accuracy_words(tables), *verdict_parts(tables)]
        parts += [*accuracy_figures(tables), *pictures(tables), *cost_words(tables)]
        parts += [Words("", "All intersection points"), Listing("interval accuracy", rows)]
        heading = "Intersection-validation beside the truth"
        return Section("interval-accuracy", heading, parts, leading=True)
