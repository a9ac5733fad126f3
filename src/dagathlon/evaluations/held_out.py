"""``held_out``: how probable rows are under networks that were fitted without them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dagathlon.evaluate.no_truth import HeldOutRows, paired_difference
from dagathlon.modules import Natural
from dagathlon.report.bootstrap import Place, place_of
from dagathlon.report.charts.held_out import held_out_plot
from dagathlon.report.charts.parts import is_nothing
from dagathlon.report.context import Results
from dagathlon.report.evaluation import Drawing, Evaluation, Row, Table, TableSet
from dagathlon.report.page.tables import case_names
from dagathlon.report.section import Figure, Grid, Part, Section, Words
from dagathlon.report.tables import Combination, combination, setting_name
from dagathlon.study.grammar.wanted import Cases, DataScore, RunScore, Wanted

_SCORE, _EMPTY = "held_out_rows", "held_out_empty"
_EMPTY_NAME = "(no edges)"
_HOW = (
    "Mean log-likelihood of a row under parameters fitted to the other folds: more is better, and "
    "differences of the same rows come with their standard error. A CPDAG stands for a DAG of its "
    "class. The graph itself was learned from all rows, so that what is tried here is how much its "
    "edges are worth once their parameters are paid for, and not whether other data would give it."
)
_FIGURE = (
    "Difference to the best setting, row by row; bars reach two standard errors to both sides. "
    "The table says besides what all edges together are worth, against a graph without any."
)


@dataclass(frozen=True, kw_only=True)
class HeldOutLikelihood(Evaluation):
    """Compare learned graphs by the likelihood of rows that their parameters have not seen.

    Parameters
    ----------
    ids
        Algorithms to include; none means all that the other evaluations name.
    folds
        Number of parts of the data; each is scored with parameters fitted to the others.
    """

    name = "held_out"
    on_page = True
    ids: tuple[str, ...] = ()
    folds: Natural = 10

    def algorithms(self) -> tuple[str, ...]:
        """The named ids."""
        return self.ids

    def tasks(self, cases: Cases) -> Iterator[Wanted]:
        """Log-likelihoods of rows for each graph, and for none."""
        module = HeldOutRows(folds=self.folds)
        yield RunScore(_SCORE, module, ("data", "estimate"))
        yield DataScore(_EMPTY, module, ("data",))

    def tables(self, results: Results) -> Mapping[str, Table]:
        """One row for each setting and data set, the best first."""
        runs = results.runs_of(self.ids or results.ids)
        found: dict[tuple[Combination, int], list[Row]] = {}
        for row in results.data_rows(_EMPTY):
            key = (combination(row), int(row["seed"]))
            found[key] = [{"setting": _EMPTY_NAME, "id": None} | row[_SCORE]]
        for run, score in zip(runs, results.scores(_SCORE, runs), strict=True):
            if score is not None:
                place = place_of(results, run)
                key = (place.data, place.seed)
                named = {"setting": _setting(results, place), "id": place.id}
                found.setdefault(key, []).append(named | score[_SCORE])
        names = case_names(list(dict.fromkeys(data for data, _ in found)))
        rows = []
        for (data, seed), members in found.items():
            about = {"data": names[data], "seed": seed} if len(found) > 1 else {}
            rows += [about | row for row in _compared(members)]
        return {"held out": Table(rows, "held_out.csv")}

    def figures(self, tables: TableSet) -> Iterator[tuple[str, Drawing]]:
        """One for each data set."""
        for number, (_, rows) in enumerate(_by_data(tables.rows("held out")).items(), 1):
            chart = held_out_plot(_learned(rows))
            if not is_nothing(chart):
                yield f"held_out_{number}", chart

    def section(self, tables: TableSet) -> Section | None:
        """The differences, and the numbers."""
        rows = tables.rows("held out")
        if not rows:
            return None
        variants = [
            (name, held_out_plot(_learned(found))) for name, found in _by_data(rows).items()
        ]
        parts: list[Part] = [Words(_HOW)]
        parts.append(Figure("held-out", "Which graph predicts best?", _FIGURE, variants))
        parts += [_grid([row for row in rows if not row["note"]]), *not_defined(rows)]
        return Section("held-out", "Held-out likelihood", parts, leading=True)


def _setting(results: Results, place: Place) -> str:
    algorithm = results.algorithms[place.id]
    return setting_name(algorithm, algorithm.settings[place.setting].values)


def _compared(rows: Sequence[Row]) -> Iterator[dict[str, Any]]:
    """Rows with their differences to the best one and to the empty graph."""
    scored = [row for row in rows if "blocks" in row]
    best = max(scored, key=lambda row: row["mean"], default=None)
    empty = next((row for row in scored if row["setting"] == _EMPTY_NAME), None)
    for row in sorted(rows, key=lambda row: -row.get("mean", float("-inf"))):
        line: dict[str, Any] = {"setting": row["setting"], "rows": row.get("rows")}
        line["log-likelihood"] = row.get("mean")
        for name, other in (("to the best", best), ("to no edges", empty)):
            known = "blocks" in row and other is not None and other is not row
            apart = paired_difference(row["blocks"], other["blocks"]) if known and other else None
            line[name] = None if apart is None else apart.mean
            line[f"± {name}"] = None if apart is None else apart.error
        yield line | {"note": row.get("note")}


def _learned(rows: Sequence[Row]) -> list[Row]:
    """The graph without edges is so far behind that nothing else could be told apart."""
    return [row for row in rows if row["setting"] != _EMPTY_NAME]


def _by_data(rows: Sequence[Row]) -> dict[str, list[Row]]:
    groups: dict[str, list[Row]] = {}
    for row in rows:
        name = ", seed ".join(str(row[key]) for key in ("data", "seed") if key in row)
        groups.setdefault(name or "the data", []).append(row)
    return groups


def not_defined(rows: Sequence[Row]) -> Iterator[Words]:
    """Who has no numbers, and why."""
    reasons: dict[str, list[str]] = {}
    for row in rows:
        if row["note"]:
            reasons.setdefault(row["note"], []).append(row["setting"])
    for reason, settings in reasons.items():
        yield Words(f"Not defined for {'; '.join(dict.fromkeys(settings))}: {reason}.")


def _grid(rows: Sequence[Row]) -> Grid:
    data = [name for name in ("data", "seed") if rows and name in rows[0]]
    head = [*data, "setting", "rows", "log-likelihood per row", "difference to the best"]
    head.append("difference to no edges")
    shown = []
    for row in rows:
        cells: list[Any] = [row[name] for name in (*data, "setting", "rows", "log-likelihood")]
        shown.append([*cells, *(_difference(row, n) for n in ("to the best", "to no edges"))])
    return Grid(head, shown, 1 + len(data))


def _difference(row: Row, name: str) -> str | None:
    value, error = row[name], row[f"± {name}"]
    if value is None:
        return None
    return f"{value:+.4f}" if error is None else f"{value:+.4f} ± {error:.4f}"
