"""``noise_study``: what noise does to learners: every table of such a study, and what one sees."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from dagathlon.errors import unknown
from dagathlon.evaluations.noise.figures import noise_figures
from dagathlon.evaluations.noise.resampling import Over
from dagathlon.evaluations.noise.runs import charged_limit, example_runs, has_noise, noise_runs
from dagathlon.evaluations.noise.section import noise_parts
from dagathlon.evaluations.noise.strengths import Groups
from dagathlon.evaluations.noise.tables import ON_PAGE, NoiseStudyTables, noise_tables
from dagathlon.modules import Natural, NonNegative
from dagathlon.report.charts.parts import headed
from dagathlon.report.evaluation import Evaluation, OfLearners, Table, TableSet
from dagathlon.report.figures.chart import Drawing
from dagathlon.report.results import Results
from dagathlon.report.section import Part, Section, Words

_NO_NOISE = (
    'No data entry of this study has a noise experiment: "noise": ["N", "M10", …] in a data '
    "entry adds some."
)
# More kinds of data than this have no room in a figure, whatever it shows of each.
_MANY_KINDS = 40
_NO_RUNS = "No data set has all its runs yet, or all of them were skipped."


@dataclass(frozen=True, kw_only=True)
class NoiseStudy(OfLearners):
    """Compare learners with and without noise in the data: ranks, losses, failures, run times.

    Data sets with the same network, number of rows and seed are compared with each other: those
    with each kind of noise with the one without (code N). Accuracy is measured by F1, SHD and BSF
    as Bayesys has them; of variables that are hidden the truth is the maximal ancestral graph of
    the others. A report shows its section wherever a study has noise.

    Parameters
    ----------
    ids
        Algorithms to include; none means all that the other evaluations name.
    family
        What these learners are called together, where a study compares several families.
    limit
        Seconds that a failed run counts in sums of run times; null is the time limit of the runs,
        or the time of the slowest run where there is none.
    small, large
        Names of the networks that count as small and as large; null is those with fewer and with
        more nodes than the median.
    limited, big
        Numbers of rows that count as limited and as big data; null is those below and above the
        median, which itself is limited data for large networks and big data for small ones.
    intervals
        What intervals are over: seeds (what fresh samples of the same networks might give), or
        networks (what other networks like these might give, and samples of them). Null is seeds
        where every network has several, else networks.
    """

    name = "noise_study"
    shape = "objects"
    on_page = True
    references = (
        "Constantinou, Liu, Chobtham, Guo and Kitson 2021, Large-scale empirical validation of "
        "Bayesian network structure learning algorithms with noisy data, IJAR 131",
    )

    ids: tuple[str, ...] = ()
    family: str = ""
    limit: NonNegative | None = None
    small: tuple[str, ...] | None = None
    large: tuple[str, ...] | None = None
    limited: tuple[Natural, ...] | None = None
    big: tuple[Natural, ...] | None = None
    intervals: Over | None = None

    def needs_truth(self) -> bool:
        """Return True: all comparisons are with the true graph."""
        return True

    @classmethod
    def by_default(cls, ids: Sequence[str], has_truth: bool) -> Evaluation | None:
        """Return the evaluation shown unasked wherever there is a truth and noise."""
        return _ShownNoiseStudy() if has_truth else None

    def tables(self, results: Results) -> Mapping[str, Table]:
        """Return all tables of the study of noise; with several families each row names its own."""
        together = [
            evaluation for evaluation in results.evaluations if isinstance(evaluation, NoiseStudy)
        ]
        several = len(together) > 1
        family = self.family or (f"family {together.index(self) + 1}" if several else "")
        about = {"family": family} if family else {}
        runs = noise_runs(results, self.ids) if has_noise(results) else []
        if not runs:
            reason = _NO_RUNS if has_noise(results) else _NO_NOISE
            return {"reason": Table([about | {"reason": reason}])}
        limit = charged_limit(results, self.limit, runs)
        study = NoiseStudyTables.of(runs, limit, over=self.intervals)
        groups = Groups(self.small, self.large, self.limited, self.big)
        result = {
            name: Table(results.marked(about | row for row in rows()), f"{name}.csv", layout=shown)
            for name, rows, layout in noise_tables(study, runs, groups)
            for shown in [layout and replace(layout, rows=(*about, *layout.rows))]
            if self._has(name)
        }
        networks = dict.fromkeys(run.network for run in runs)
        wrong = [
            name for name in (*(self.small or ()), *(self.large or ())) if name not in networks
        ]
        unheard = [
            about | {"reason": f"{unknown('network', evaluation, networks)}."}
            for evaluation in wrong
        ]
        result["examples"] = Table([about | row for row in example_runs(results, self.ids)])
        how = about | {"seconds": limit, "intervals": study.over}
        return result | {"limit": Table([how]), "reason": Table(unheard)}

    def _has(self, name: str) -> bool:
        """Return whether a table is made."""
        return True

    def figures(self, tables: TableSet) -> Iterator[tuple[str, Drawing]]:
        """Draw all figures of the section."""
        for family, family_tables in families(tables):
            for figure in noise_figures(family_tables):
                for words, chart in figure.variants:
                    parts = [figure.name, family, words if len(figure.variants) > 1 else ""]
                    yield _file_name(parts), headed(chart, figure.heading, [words])

    def section(self, tables: TableSet) -> Section | None:
        """Show the findings as sentences, the main figure, then all others."""
        parts: list[Part] = []
        for family, family_tables in families(tables):
            heading = [Words("", family)] if family else []
            reasons = [Words(row["reason"]) for row in family_tables.rows("reason")]
            parts += [*heading, *reasons, *noise_parts(family_tables)]
        return Section("noise", "Noise", parts, leading=True, instead=_instead(tables))


@dataclass(frozen=True, kw_only=True)
class _ShownNoiseStudy(NoiseStudy):
    """Noise section of a page whose study does not name `noise_study`."""

    def _has(self, name: str) -> bool:
        """Return whether the page uses a table."""
        return name in ON_PAGE

    def section(self, tables: TableSet) -> Section | None:
        """Show the section; None without runs on noisy data."""
        return super().section(tables) if tables.rows("runs") else None


def _instead(tables: TableSet) -> tuple[str, ...]:
    """Return the names of general figures of the page that the section replaces."""
    kinds = {(row["network"], row["code"], row["n"]) for row in tables.rows("runs")}
    if not kinds:
        return ()
    return ("roc", "cost", *(("overview", "boxes") if len(kinds) > _MANY_KINDS else ()))


def families(tables: TableSet) -> Iterator[tuple[str, TableSet]]:
    """Yield the tables of each family of learners with its name."""
    rows = (*tables.rows("limit"), *tables.rows("reason"))
    named = list(dict.fromkeys(row.get("family", "") for row in rows))
    if len(named) < 2:
        yield from ((name, tables) for name in named)
        return
    for name in named:
        family_tables = {
            table: Table([row for row in tables.rows(table) if row.get("family") == name])
            for table in tables.tables
        }
        yield name, TableSet(family_tables, tables.title, tables.look, tables.partial)


def _file_name(parts: Sequence[str]) -> str:
    return re.sub(r"\W+", "_", " ".join(filter(None, parts))).replace("-", "_").strip("_")
