"""``intersection_validation``: which learners find early what all of them agree on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from dagathlon.evaluations.intersection_validation.runs import Draw
from dagathlon.evaluations.intersection_validation.section import (
    drawings,
    figures,
    interval_section,
)
from dagathlon.evaluations.intersection_validation.tables import (
    Validated,
    comparison_rows,
    distance_rows,
    forecast_rows,
    json_rows,
    kind_rows,
    learner_rows,
    pair_rows,
    validated,
)
from dagathlon.frame import Row
from dagathlon.modules import Count, Natural
from dagathlon.report.evaluation import AnyTable, Evaluation, OfLearners, Records, Table, TableSet
from dagathlon.report.figures.chart import Drawing
from dagathlon.report.figures.graph_panels import Panel, side_by_side
from dagathlon.report.results import Results
from dagathlon.report.section import Section
from dagathlon.simulate.resampling import BootstrapSample, Subsample
from dagathlon.study.config.plan_requests import Cases, Learning, Wanted

_LEAST_LEARNERS = 3
_FIRST = 100
# Data of so few rows get halves and quarters, and none of fewer rows than the least.
_SMALL, _LEAST_ROWS = 2 * _FIRST, 20
# Where the number of rows is not known in advance: subsamples that turn out too large are skipped.
_UNKNOWN = (50, 100, 200, 400)


_TABLES: Mapping[str, tuple[Callable[[Sequence[Validated]], Iterator[Row]], str]] = {
    "distances": (distance_rows, "distances.csv"),
    "learners": (learner_rows, "learners.csv"),
    "kinds": (kind_rows, "kinds.csv"),
    "forecast": (forecast_rows, "forecast.csv"),
    "pairs": (pair_rows, "agreement.csv"),
    "comparisons": (comparison_rows, "pairwise.csv"),
    "json": (json_rows, "interval.json"),
}


def doubling_sizes(rows: int | None, most: int | None = None) -> tuple[int, ...]:
    """Return the subsample sizes for data with that many rows, in ascending order.

    They are 100, 200, 400 and so on below the number of rows; of fewer than 200 rows a quarter and
    a half, where these have 20 rows or more. Where the number is not known they are 50, 100, 200
    and 400, since nobody knows which of them are large.

    Parameters
    ----------
    rows
        Number of rows, None where it is not known before the data are there.
    most
        Of more sizes than this, the largest are taken.
    """
    if rows is None:
        return _UNKNOWN
    if rows < _SMALL:
        result = [n for n in (rows // 4, rows // 2) if n >= _LEAST_ROWS]
    else:
        result = [_FIRST]
        while 2 * result[-1] < rows:
            result.append(2 * result[-1])
    return tuple(result if most is None else result[-most:])


@dataclass(frozen=True, kw_only=True)
class IntersectionValidation(OfLearners):
    """Rank learners without a truth: by how soon they find, with fewer rows, what all agree on.

    Parameters
    ----------
    ids
        Algorithms to include; none means all that the other evaluations name.
    sizes
        Numbers of rows of the subsamples, below that of the data; null means 100, 200, 400 and so
        on (of fewer than 200 rows a quarter and a half of them).
    most_sizes
        Of more sizes than this, only the largest are taken; null takes all.
    subsamples
        Number of subsamples of each size. Every setting is run once on each of them.
    copies
        Number of bootstrap samples by which pairs are weighted, for a second ranking: what comes
        back on more of them counts more. 0 asks for none; those of `stability` are used where the
        study has them.
    pairwise
        Whether every two learners are compared by what these two agree on, besides.
    """

    name = "intersection_validation"
    on_page = True
    learns = True
    references = (
        "Viinikka, Eggeling and Koivisto 2018, Intersection-validation: a method for evaluating "
        "structure learning without ground truth, AISTATS",
    )
    _unasked: ClassVar[bool] = False
    ids: tuple[str, ...] = ()
    sizes: tuple[Natural, ...] | None = None
    most_sizes: Natural | None = None
    subsamples: Natural = 10
    copies: Count = 0
    pairwise: bool = True

    def problem(self) -> str:
        """Return an error unless there are subsamples to learn on."""
        if self.sizes is not None and not self.sizes:
            return "sizes names at least one number of rows; null takes 100, 200, 400 and so on"
        return ""

    @classmethod
    def by_default(cls, ids: Sequence[str], has_truth: bool) -> Evaluation | None:
        """Return the evaluation shown unasked where there is no truth, with few subsamples."""
        return None if has_truth or len(ids) < _LEAST_LEARNERS else _ShownByDefault()

    def sizes_on(self, rows: int | None) -> tuple[int, ...]:
        """Return the subsample sizes for data with that many rows."""
        if self.sizes is None:
            return doubling_sizes(rows, self.most_sizes)
        smaller = sorted({n for n in self.sizes if rows is None or n < rows})
        return tuple(smaller if self.most_sizes is None else smaller[-self.most_sizes :])

    def draws_on(self, rows: int | None) -> set[Draw]:
        """Return sizes and numbers of the subsamples for data with that many rows."""
        numbers = range(1, self.subsamples + 1)
        return {(size, number) for size in self.sizes_on(rows) for number in numbers}

    def tasks(self, cases: Cases) -> Iterator[Wanted]:
        """Request learning on all subsamples and bootstrap samples."""
        ids = self.ids or cases.ids
        for size in self.sizes_on(cases.facts.n_rows):
            for number in range(1, self.subsamples + 1):
                yield Learning((Subsample(n=size, number=number),), ids)
        for number in range(1, self.copies + 1):
            yield Learning((BootstrapSample(number=number),), ids)

    def tables(self, results: Results) -> Mapping[str, AnyTable]:
        """Return seven tables, and the contents of the section."""
        result = validated(results, self.ids, self.draws_on, compare_pairs=self.pairwise)
        if self._unasked:
            result = [data_set for data_set in result if data_set.planned]
        if not result:
            return {}
        made = {name: Table(list(rows(result)), file) for name, (rows, file) in _TABLES.items()}
        if not made["kinds"].rows:
            del made["kinds"]
        return {**made, "validated": Records(result)}

    def figures(self, tables: TableSet) -> Iterator[tuple[str, Drawing]]:
        """Draw learning curves, ranks and the agreement graph of each data set."""
        result = tables.records("validated")
        yield from figures(result)
        for number, (name, drawn) in enumerate(drawings(result), 1):
            svg = side_by_side([Panel(f"Agreement on {name}", drawn.picture.for_file())])
            yield f"agreement_{number}.svg", svg
            yield f"agreement_{number}.png", svg

    def section(self, tables: TableSet) -> Section | None:
        """Show the reliability of the ranking, the ranking, and the agreement graph."""
        return interval_section(tables.records("validated"))


@dataclass(frozen=True, kw_only=True)
class _ShownByDefault(IntersectionValidation):
    """Intersection-validation on pages without truth that do not name it, with the least work."""

    _unasked = True
    most_sizes: Natural | None = 3
    subsamples: Natural = 5

    def tasks(self, cases: Cases) -> Iterator[Wanted]:
        """Request learning on subsamples of data without a truth only."""
        if not cases.has_truth:
            yield from super().tasks(cases)

    def section(self, tables: TableSet) -> Section | None:
        """Show the section with a note on why it is there."""
        note = (
            f"It is here unasked, on {self.subsamples} subsamples of the {self.most_sizes} largest "
            f"sizes at most; a study that names {self.name} chooses, and false leaves it out."
        )
        return interval_section(tables.records("validated"), note)
