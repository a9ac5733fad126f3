"""``independences``: what learned graphs say about the data, and the data reject."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dagathlon.evaluations.no_truth.scores import ImpliedIndependences
from dagathlon.frame import Cells, Row, Rows
from dagathlon.learners.independence import problem_of_test
from dagathlon.modules import Natural, Probability
from dagathlon.report.evaluation import OfLearners, Table, TableSet
from dagathlon.report.results import Results
from dagathlon.report.section import Grid, Listing, Part, Section, Words
from dagathlon.report.tables.places import data_columns, named_places, not_defined, place_of
from dagathlon.study.config.plan_requests import Cases, RunScore, Wanted

_SCORE = "implied_independences"
_WORST = 5
_HOW = (
    "A graph without an edge says that the two are independent given others: for each pair that it "
    "does not join, this independence is tested on the data (in a DAG given the parents of the "
    "later one; a CPDAG stands for a DAG of its class). Rejected are those whose p-value stays "
    "below {alpha:g} after Holm's correction for their number, so that even one is more than "
    "chance. With many rows a rejected independence may be real and yet weak: its p-value says how "
    "sure, not how strong. An edge is not needed when, given the other parents of the variable it "
    "points to, the p-value is above {alpha:g}. The graphs were learned from the same rows, so "
    "that a learner that tests has seen to it that little is rejected."
)


@dataclass(frozen=True, kw_only=True)
class Independences(OfLearners):
    """Test on the data the independences and edges of each learned graph.

    Parameters
    ----------
    ids
        Algorithms to include; none means all that the other evaluations name.
    test
        The test of independence by name; null is the one for the kind of data.
    alpha
        Level of Holm's correction for independences, and of single tests for edges.
    most
        Largest number of independences to test for a graph; of more, these are spread over all.
    """

    name = "independences"
    ids: tuple[str, ...] = ()
    test: str | None = None
    alpha: Probability = 0.05
    most: Natural = 5000

    def problem(self) -> str:
        """Return an error unless the named test exists."""
        return "" if self.test is None else problem_of_test(self.test)

    def tasks(self, cases: Cases) -> Iterator[Wanted]:
        """Request the tests of every graph."""
        module = ImpliedIndependences(test=self.test, alpha=self.alpha, most=self.most)
        yield RunScore(_SCORE, module, ("data", "estimate"))

    def tables(self, results: Results) -> Mapping[str, Table]:
        """Return one row per graph, and all rejected statements."""
        runs = results.runs_of(self.included(results))
        places = [place_of(results, run) for run in runs]
        about = named_places(results, places)
        graphs: list[Row] = []
        rejected: list[Row] = []
        needless: list[Row] = []
        for place, score in zip(places, results.scores(_SCORE, runs), strict=True):
            if score is None:
                continue
            result = score[_SCORE]
            graphs.append(about[place] | _counts(result))
            rejected += [about[place] | _independence(item) for item in result.get("rejected", ())]
            needless += [about[place] | _edge(item) for item in result.get("needless", ())]
        return {
            "graphs": Table(graphs, "graphs.csv"),
            "rejected": Table(rejected, "rejected.csv"),
            "needless": Table(needless, "needless.csv"),
            "level": Table([{"alpha": self.alpha}]),
        }

    def section(self, tables: TableSet) -> Section | None:
        """Show counts by setting, and the statements rejected most clearly."""
        graphs = tables.rows("graphs")
        if not graphs:
            return None
        level = tables.rows("level")[0]
        parts: list[Part] = [Words(_HOW.format(**level))]
        parts += [_grid([row for row in graphs if not row["note"]]), *not_defined(graphs)]
        rejected = _worst(tables.rows("rejected"))
        if rejected:
            words = f"At most {_WORST} for each graph; the file rejected.csv has more."
            parts += [Words(words, "Independences that the data reject most")]
            parts += [Listing("rejected independences", rejected)]
        needless = _worst(tables.rows("needless"))
        if needless:
            words = f"At most {_WORST} for each graph; the file needless.csv has more."
            parts += [Words(words, "Edges that the data need least")]
            parts += [Listing("edges not needed", needless)]
        return Section("independences", "Rejected independences", parts, leading=True)


def _counts(row: Row) -> Cells:
    tested, edges = row.get("tested"), row.get("edges")
    rejected, needless = row.get("n_rejected"), row.get("n_needless")
    return {
        "test": row.get("test"),
        "independences": row.get("statements"),
        "tested": tested,
        "undefined": row.get("undefined"),
        "rejected": rejected,
        "share rejected": rejected / tested if tested and rejected is not None else None,
        "edges": edges,
        "not needed": needless if edges else None,
        "note": row.get("note"),
        "remark": row.get("remark"),
    }


def _independence(item: Sequence[Any]) -> Cells:
    x, y, given, p_value, adjusted = item
    return {
        "independence": f"{x} ⟂ {y}" + (f" | {', '.join(given)}" if given else ""),
        "p": p_value,
        "p after Holm": adjusted,
    }


def _edge(item: Sequence[Any]) -> Cells:
    x, y, given, p_value, _ = item
    return {"edge": f"{x} – {y}", "given": ", ".join(given) or "nothing", "p": p_value}


def _worst(rows: Rows) -> list[Row]:
    """Return the first few rejected statements of each graph."""
    taken: dict[tuple[Any, ...], int] = {}
    retained = []
    for row in rows:
        key = tuple(row.get(name) for name in ("data", "seed", "setting"))
        taken[key] = taken.get(key, 0) + 1
        if taken[key] <= _WORST:
            retained.append(row)
    return retained


def _grid(rows: Rows) -> Grid:
    columns = [*data_columns(rows), "setting"]
    first = len(columns)
    columns += ["independences", "tested", "rejected", "share rejected", "edges", "not needed"]
    if any(row["undefined"] for row in rows):
        columns.insert(first + 2, "undefined")
    columns.append("test")
    ordered = sorted(rows, key=lambda row: row["share rejected"] or 0.0)
    titles = {
        "independences": "implied independences",
        "undefined": "the data cannot say",
        "edges": "edges tested",
    }
    head = [titles.get(name, name) for name in columns]
    return Grid(head, [[row.get(name) for name in columns] for row in ordered], first)
